#include "exec/inspect/ptx_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/ptx/inspected_module.h"

namespace heddle::exec {
namespace {

using ptx_text::kOneLoop;
using ptx_text::kThreeUnsupported;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PtxFacts, FactsOfAKernel) {
  const PtxFacts f = collect_ptx_facts(kOneLoop, "k.ptx");
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
  const PtxFacts f = collect_ptx_facts(kOneLoop + kThreeUnsupported, "k.ptx");
  std::vector<std::uint32_t> lines;
  for (const auto& u : f.unsupported) lines.push_back(u.line);
  EXPECT_THAT(lines, ElementsAre(30, 31, 32));
  EXPECT_EQ(f.unsupported.at(0).function, "bad");
  EXPECT_THAT(f.unsupported.at(0).reason, HasSubstr("defined in no loaded module"));
}

}  // namespace
}  // namespace heddle::exec
