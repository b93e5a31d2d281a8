#include <gmock/gmock.h>

#include "bench.h"

namespace heddle::cta_clustering {
namespace {

constexpr Partition kPartitions[] = {
    {Order::Row, 2, 2}, {Order::Column, 2, 2}, {Order::Tile, 2, 3}, {Order::Tile, 4, 1}};

TEST(Redirection, KernelsLeaveTheSameMemory) {
  for (const TestKernel& k : test_kernels())
    for (const Dim3& grid : kGrids) {
      const auto expected = original(k, grid);
      for (std::size_t i = 0; i < std::size(kPartitions); ++i) {
        SCOPED_TRACE(k.name + ", partition " + std::to_string(i) + ", " + std::to_string(grid.count()));
        exec::FunctionalDevice device;
        ClusteredDevice clustered(device, Redirection{static_cast<std::uint32_t>(2 + 3 * i), kPartitions[i]});
        ASSERT_EQ(words_after(clustered, k, grid), expected);
        expect_rewritten(clustered);
      }
    }
}

// The order in which CTAs run is the order of the grid here, so a counter tells which task each has done.
TestKernel order_kernel() {
  return {"order", module_of(R"(
  setp.ne.u32 %p1, %t, 0; @%p1 ret;
  atom.global.add.u32 %r1, [%out], 1;
  mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %out, %rd1;
  mov.u32 %r2, %ctaid.x; mov.u32 %r15, %ctaid.y; mad.lo.u32 %r2, %r15, 1000, %r2; mov.u32 %r15, %ctaid.z; mad.lo.u32 %r2, %r15, 1000000, %r2;
  st.global.u32 [%rd1+4], %r2;)")};
}

TEST(Redirection, TasksAreThoseOfTheEquations) {
  const TestKernel k = order_kernel();
  for (const Partition& p : kPartitions)
    for (const Dim3& grid : kGrids)
      for (const std::uint32_t m : {1u, 4u, 15u}) {
        exec::FunctionalDevice device;
        ClusteredDevice clustered(device, Redirection{m, p});
        const auto words = words_after(clustered, k, grid);
        for (std::uint64_t u = 0; u < grid.count(); ++u) {
          const Dim3 at = cta_of_task(redirected_task(u, {grid.count(), m}), grid, p);
          ASSERT_EQ(words[u + 1], at.x + 1000 * at.y + 1000000 * at.z) << u << " of " << grid.count();
        }
      }
}

// 2^31 CTAs and more cannot be divided by factors: they stay who they are.
TEST(Redirection, LargestGridsStayInTheirOrder) {
  const TestKernel k = order_kernel();
  ptx::tree::Module m = ptx::tree::read_module(k.text, "k.ptx");
  const ptx::tree::Pass pass = redirect("k", {5, {}});
  ASSERT_FALSE(ptx::tree::run_passes(m, {&pass, 1}));
  const std::string text = ptx::tree::print(m);
  const std::string limit = "shr.u32 %hd_t3, %hd_t0, 31;";
  ASSERT_THAT(text, testing::HasSubstr(limit));
  // Registers cannot be set in a test: the same code with a limit that this grid exceeds.
  TestKernel limited = k;
  limited.text = text;
  limited.text.replace(limited.text.find(limit) + limit.size() - 3, 2, "3");
  exec::FunctionalDevice device;
  EXPECT_EQ(words_after(device, limited, {4, 3, 1}), original(k, {4, 3, 1}));
  exec::FunctionalDevice another;
  TestKernel redirected = k;
  redirected.text = text;
  EXPECT_NE(words_after(another, redirected, {4, 3, 1}), original(k, {4, 3, 1})) << "within the limit";
}

TEST(Redirection, SeveralKernelsOfAModule) {
  TestKernel k = kernel_named("device functions");
  const std::size_t at = k.text.find(".visible .entry k");
  std::string second = k.text.substr(at);
  second.replace(second.find("entry k("), 8, "entry second(");
  k.text += second;
  exec::FunctionalDevice device;
  ClusteredDevice clustered(device, Redirection{5, {Order::Column, 2, 2}});
  EXPECT_EQ(words_after(clustered, k, {5, 4, 1}), original(kernel_named("device functions"), {5, 4, 1}));
  EXPECT_THAT(clustered.rewritten(), testing::ElementsAre("k", "second"));
}

}  // namespace
}  // namespace heddle::cta_clustering
