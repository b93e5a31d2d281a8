#include "exec/inspect/ptx_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::exec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "loop" has everything that is counted.
const std::string kModule = R"(.version 7.0
.target sm_75
.address_size 64
.const .align 4 .f32 coefficient = 0f3F800000;
.extern .shared .align 4 .b8 dynamic[];
.func (.param .b32 r) helper(.param .b32 a) { ret; }
.visible .entry _Z4loopPfi(.param .u64 p, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 tile[64];
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
$again:
  st.shared.u32 [tile], %r2;
  st.shared.u32 [dynamic], %r2;
  bar.sync 0;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra $again;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

TEST(PtxFacts, FactsOfAKernel) {
  const PtxFacts f = collect_ptx_facts(kModule, "k.ptx");
  EXPECT_EQ(f.version, "7.0");
  EXPECT_EQ(f.target, "sm_75");
  ASSERT_EQ(f.kernels.size(), 1u);
  ASSERT_EQ(f.functions.size(), 1u);
  EXPECT_EQ(f.variables.size(), 2u);
  EXPECT_TRUE(f.unsupported.empty());
  const FunctionFacts& k = f.kernels[0];
  EXPECT_EQ(k.readable, "loop(float*, int)");
  EXPECT_EQ(k.line, 7u);
  EXPECT_EQ(k.loops, 1u);
  EXPECT_EQ(k.branches, 1u);
  EXPECT_EQ(k.conditional_branches, 1u);
  EXPECT_EQ(k.barriers, 1u);
  EXPECT_EQ(k.instructions, 11u);
  EXPECT_EQ(k.static_shared, 64u);
  EXPECT_TRUE(k.dynamic_shared);
  EXPECT_THAT(k.parameters, ElementsAre(std::pair<std::string, std::uint64_t>(".u64", 8),
                                        std::pair<std::string, std::uint64_t>(".u32", 4)));
}

TEST(PtxFacts, EverythingUnsupportedIsListedByLine) {
  const PtxFacts f = collect_ptx_facts(kModule + R"(.extern .func nowhere();
.visible .entry bad() {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .reg .f32 %f<9>;
  call nowhere, ();
  tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r1, %r1, %r1}];
  frobnicate.u32 %r1, %r1;
  ret;
}
)",
                                       "k.ptx");
  std::vector<std::uint32_t> lines;
  for (const auto& u : f.unsupported) lines.push_back(u.line);
  EXPECT_THAT(lines, ElementsAre(30, 31, 32));
  EXPECT_EQ(f.unsupported.at(0).function, "bad");
  EXPECT_THAT(f.unsupported.at(0).reason, HasSubstr("defined in no loaded module"));
}

}  // namespace
}  // namespace heddle::exec
