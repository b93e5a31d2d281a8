#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench.h"
#include "techniques/cta_clustering/rewrite/passes.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using testing::HasSubstr;

const std::string kText = module_of(R"(
  ld.global.u32 %r1, [%mine];
  ld.global.nc.v2.u32 {%r2, %r3}, [%out];
  ld.volatile.global.u32 %r4, [%out];
  ld.global.cs.u32 %r5, [%out];
  ld.global.L1::evict_last.u32 %r6, [%out];
  ld.u32 %r7, [%out];
  @%p1 ld.weak.global.L2::128B.u32 %r8, [%out];
  ret;)");

std::string rewritten(const Bypass& options) {
  tree::Module m = tree::read_module(kText, "k.ptx");
  const tree::Pass pass = bypass_l1("k", options);
  const auto refusal = tree::run_passes(m, {&pass, 1});
  return refusal ? "refused: " + refusal->reason + ": " + refusal->instruction : tree::print(m);
}

TEST(Bypass, AllThatCan) {
  const std::string text = rewritten({});
  EXPECT_THAT(text, HasSubstr("ld.global.cg.u32 %r1, [%mine];"));
  EXPECT_THAT(text, HasSubstr("ld.global.cg.nc.v2.u32 {%r2, %r3}, [%out];"));
  EXPECT_THAT(text, HasSubstr("ld.volatile.global.u32 %r4"));
  EXPECT_THAT(text, HasSubstr("ld.global.cs.u32 %r5"));
  EXPECT_THAT(text, HasSubstr("ld.global.L1::evict_last.u32 %r6"));
  EXPECT_THAT(text, HasSubstr("ld.u32 %r7"));
  EXPECT_THAT(text, HasSubstr("@%p1 ld.weak.global.cg.L2::128B.u32 %r8"));
}

TEST(Bypass, OnlyTheChosen) {
  const std::string text = rewritten({std::set<std::uint32_t>{1}});
  EXPECT_THAT(text, HasSubstr("ld.global.u32 %r1"));
  EXPECT_THAT(text, HasSubstr("ld.global.cg.nc.v2.u32"));
}

TEST(Bypass, ChosenOnesThatCannotAreRefused) {
  EXPECT_EQ(rewritten({std::set<std::uint32_t>{2}}),
            "refused: an ordered load takes no cache operator: ld.volatile.global.u32 %r4, [%out];");
  EXPECT_THAT(rewritten({std::set<std::uint32_t>{3}}), HasSubstr("how it uses caches"));
  EXPECT_THAT(rewritten({std::set<std::uint32_t>{4}}), HasSubstr("a priority for its line"));
  EXPECT_THAT(rewritten({std::set<std::uint32_t>{6}}), HasSubstr("fewer global loads"));
}

}  // namespace
}  // namespace heddle::cta_clustering
