#include "exec/link/call_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/parse/parse_module.h"

namespace heddle::exec {
namespace {

using testing::ElementsAre;

ptx::Module module_of(const std::string& functions) {
  return ptx::parse_module(".version 7.0\n.target sm_75\n.address_size 64\n" + functions, "m.ptx");
}

std::uint32_t index_of(const ptx::Module& m, const std::string& name) {
  return static_cast<std::uint32_t>(m.find_function(name) - m.functions.data());
}

std::vector<std::string> names(const ptx::Module& m, const CallGraph& graph) {
  std::vector<std::string> all;
  for (const std::uint32_t f : graph.functions) all.push_back(m.functions[f].name);
  return all;
}

TEST(CallGraph, HoldsWhatTheKernelReachesAndNothingElse) {
  const ptx::Module m = module_of(R"(
.func leaf() { ret; }
.func stranger() { ret; }
.func middle() { call leaf, (); ret; }
.visible .entry other() { call stranger, (); ret; }
.visible .entry k() { call middle, (); call leaf, (); ret; }
)");
  const CallGraph graph = build_call_graph(m, index_of(m, "k"));
  EXPECT_THAT(names(m, graph), ElementsAre("k", "middle", "leaf"));
  EXPECT_THAT(graph.callees[0], ElementsAre(1, 2));
  EXPECT_THAT(graph.callees[1], ElementsAre(2));
  EXPECT_EQ(graph.index_of.at(index_of(m, "leaf")), 2u);
}

TEST(CallGraph, AnIndirectCallMayReachWhateverAddressTheModuleTakes) {
  const ptx::Module m = module_of(R"(
.func taken() { ret; }
.func never() { ret; }
.visible .entry stores(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u64 %rd2, taken;
  st.global.u64 [%rd1], %rd2;
  ret;
}
.visible .entry k(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.global.u64 %rd2, [%rd1];
  prototype: .callprototype _ ();
  call %rd2, (), prototype;
  ret;
}
)");
  const CallGraph graph = build_call_graph(m, index_of(m, "k"));
  EXPECT_THAT(names(m, graph), ElementsAre("k", "taken"));
  EXPECT_THAT(graph.callees[0], ElementsAre(1));
}

TEST(CallGraph, TheDeepestChainCountsAndRecursionIsNoticed) {
  CallGraph graph;
  graph.functions = {0, 1, 2, 3};
  graph.callees = {{1, 2}, {3}, {}, {}};
  const std::vector<std::uint32_t> frame_bytes = {16, 32, 100, 64};
  StackNeed need = deepest_stack(graph, frame_bytes);
  EXPECT_EQ(need.bytes, 16u + 100u);
  EXPECT_FALSE(need.recursive);
  graph.callees[2] = {3};
  EXPECT_EQ(deepest_stack(graph, frame_bytes).bytes, 16u + 100u + 64u);
  graph.callees[3] = {1};
  need = deepest_stack(graph, frame_bytes);
  EXPECT_TRUE(need.recursive);
}

TEST(CallGraph, WhatIsTooMuchStaysTooMuch) {
  CallGraph graph;
  graph.functions = {0, 1};
  graph.callees = {{1}, {}};
  EXPECT_EQ(deepest_stack(graph, std::vector<std::uint32_t>{UINT32_MAX, UINT32_MAX}).bytes, UINT32_MAX);
}

}  // namespace
}  // namespace heddle::exec
