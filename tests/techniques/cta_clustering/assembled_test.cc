// The vendor's assembler takes what the passes make.
#include <gtest/gtest.h>

#include "bench.h"
#include "ptx/rewrite/ptxas.h"

namespace heddle::cta_clustering {
namespace {

TEST(Assembled, RewrittenKernels) {
  if (!ptx::Ptxas::installed()) GTEST_SKIP() << "ptxas is not installed";
  const ptx::Ptxas ptxas;
  for (const TestKernel& k : test_kernels()) {
    ASSERT_TRUE(ptxas.assemble(k.text).ok) << k.name << "\n" << ptxas.assemble(k.text).messages;
    const Partition tile{Order::Tile, 3, 2};
    for (const ptx::tree::Pass& pass : {redirect("k", {15, tile}), become_agents("k", {tile}),
                                        become_agents("k", {tile, true}), bypass_l1("k", {})}) {
      ptx::tree::Module m = ptx::tree::read_module(k.text, k.name);
      ASSERT_FALSE(ptx::tree::run_passes(m, {&pass, 1})) << k.name;
      const auto result = ptxas.assemble(ptx::tree::print(m));
      EXPECT_TRUE(result.ok) << k.name << ", " << pass.name << "\n" << result.messages;
    }
  }
}

}  // namespace
}  // namespace heddle::cta_clustering
