// Streams: order inside one, overlap between several, and the library's front door.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/gpu.h"

namespace heddle::gpu {
namespace {

// out[i] = out[i] * 3 + add, after a chain of `rounds` dependent additions.
constexpr const char* kPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry step(.param .u64 out, .param .u32 add, .param .u32 rounds)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<12>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [add];
  ld.param.u32 %r8, [rounds];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  mov.u32 %r9, 0;
loop:
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p, %r9, %r8;
  @%p bra loop;
  mul.lo.u32 %r7, %r6, 3;
  add.u32 %r7, %r7, %r1;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

constexpr std::uint32_t kThreads = 128;

workload::Launch step(workload::DevicePtr out, std::uint32_t ctas, std::uint32_t add, std::uint32_t rounds) {
  workload::Launch l;
  l.kernel = "step";
  l.grid = {ctas};
  l.block = {kThreads};
  l.args = workload::args(out, add, rounds);
  return l;
}

struct Streams : testing::Test {
  Gpu gpu{"clustered60"};
  void SetUp() override { gpu.device().load_module(kPtx, "step.ptx"); }
  workload::DevicePtr zeros(std::uint32_t ctas) {
    return gpu.device().upload(std::vector<std::uint32_t>(ctas * kThreads), "out");
  }
};

TEST_F(Streams, LaunchesOfOneStreamRunInOrder) {
  const auto out = zeros(4);
  for (std::uint32_t i = 1; i <= 3; ++i) gpu.launch(step(out, 4, i, 100));
  const auto results = gpu.run();
  ASSERT_EQ(results.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_GE(results[i].start, results[i - 1].start + results[i - 1].cycles);
  EXPECT_EQ(gpu.device().download<std::uint32_t>(out, 4 * kThreads),
            std::vector<std::uint32_t>(4 * kThreads, (1 * 3 + 2) * 3 + 3));
  EXPECT_GT(results[2].stats.sm().instructions, 0u);
  EXPECT_TRUE(gpu.run().empty());
}

// Two kernels that leave most of the machine idle take as long as one; in one stream, twice as long.
TEST_F(Streams, KernelsOfDifferentStreamsOverlap) {
  const auto a = zeros(4), b = zeros(4);
  gpu.launch(step(a, 4, 1, 5000), 0);
  gpu.launch(step(b, 4, 2, 5000), 1);
  const auto together = gpu.run();
  ASSERT_EQ(together.size(), 2u);
  EXPECT_LT(together[1].start, together[0].start + together[0].cycles);
  const std::uint64_t all = together[0].stats.gpu.cycles;
  gpu.launch(step(a, 4, 1, 5000), 0);
  gpu.launch(step(b, 4, 2, 5000), 0);
  const auto apart = gpu.run();
  const std::uint64_t one = apart[0].cycles;
  EXPECT_LT(all, one + one / 10);
  EXPECT_GT(apart[1].start + apart[1].cycles - apart[0].start, 2 * one - one / 10);
  EXPECT_EQ(gpu.device().download<std::uint32_t>(b, 4 * kThreads),
            std::vector<std::uint32_t>(4 * kThreads, 2 * 3 + 2));
}

// A full machine leaves nothing over: the second kernel starts its CTAs as the first one's end, and both are
// complete.
TEST_F(Streams, TheSecondKernelTakesWhatTheFirstLeaves) {
  const std::uint32_t many = 60 * 12 * 2;
  const auto a = zeros(many), b = zeros(many);
  gpu.launch(step(a, many, 1, 200), 0);
  gpu.launch(step(b, many, 2, 200), 7);
  const auto r = gpu.run();
  EXPECT_GT(r[1].start + r[1].cycles, r[0].start + r[0].cycles);
  EXPECT_EQ(r[0].stats.sm().ctas, 2u * many);
  EXPECT_EQ(gpu.device().download<std::uint32_t>(a, many * kThreads),
            std::vector<std::uint32_t>(many * kThreads, 1));
  EXPECT_EQ(gpu.device().download<std::uint32_t>(b, many * kThreads),
            std::vector<std::uint32_t>(many * kThreads, 2));
}

TEST_F(Streams, ResultsDoNotDependOnThreads) {
  auto run = [](std::uint32_t threads) {
    TimingOptions o;
    o.machine.threads = threads;
    Gpu g("clustered60", o);
    g.device().load_module(kPtx, "step.ptx");
    const auto a = g.device().upload(std::vector<std::uint32_t>(300 * kThreads), "a");
    const auto b = g.device().upload(std::vector<std::uint32_t>(300 * kThreads), "b");
    g.launch(step(a, 300, 1, 300), 0);
    g.launch(step(b, 300, 2, 100), 1);
    g.launch(step(b, 300, 3, 50), 1);
    std::vector<std::uint64_t> out;
    for (const auto& r : g.run()) {
      out.push_back(r.start);
      out.push_back(r.cycles);
    }
    return out;
  };
  const auto one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(3), one);
}

}  // namespace
}  // namespace heddle::gpu
