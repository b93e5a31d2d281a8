// What is said of kernels of which everything is known; that looking on changes nothing; every workload.
#include "analysis/characterise.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include "bench.h"
#include "gpu/presets.h"
#include "workloads/registry.h"

namespace heddle::analysis {
namespace {

using gpu::Settings;

// One launch of a kernel of a few lines (tests/gpu/bench.h) on 1 MiB.
class Kernel final : public workload::Workload {
 public:
  Kernel(std::string body, std::uint32_t ctas, std::uint32_t threads, std::uint32_t launches = 1)
      : body_(std::move(body)), ctas_(ctas), threads_(threads), launches_(launches) {
    info_.name = "test";
    info_.kernels = {{"k", "LABEL"}};
  }
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions&) const override { return {}; }
  workload::Verification run(workload::Device& device, const workload::RunOptions&) const override {
    device.load_module(gpu::kernel_text(body_), "k.ptx");
    const workload::DevicePtr a = device.allocate(1 << 20, "a");
    workload::Launch l;
    l.kernel = "k";
    l.grid = {ctas_};
    l.block = {threads_};
    l.args = workload::args(a, a, a, std::uint32_t{0});
    for (std::uint32_t i = 0; i < launches_; ++i) device.launch(l);
    return {true, 1, 0, "exact", ""};
  }

 private:
  workload::WorkloadInfo info_;
  std::string body_;
  std::uint32_t ctas_, threads_, launches_;
};

KernelCharacter of(const Kernel& kernel, const Settings& settings = {}) {
  const Character c = characterise(kernel, {}, {gpu::lab(settings), {}});
  EXPECT_TRUE(c.verification.ok);
  EXPECT_EQ(c.kernels.size(), 1u);
  return c.kernels.at(0);
}

void expect_touches(const KernelCharacter& k, Touches want) {
  EXPECT_EQ(k.touches.first, want.first);
  EXPECT_EQ(k.touches.same_warp, want.same_warp);
  EXPECT_EQ(k.touches.same_cta, want.same_cta);
  EXPECT_EQ(k.touches.other_cta, want.other_cta);
}

constexpr std::uint32_t kCtas = 6, kWarps = 4;
const std::string kOwnWord = "mad.wide.u32 %rd1, %gid, 4, %a;\n";
const std::string kLineOfCta =
    "shl.b32 %r1, %cta, 7;\nshl.b32 %r2, %lane, 2;\nadd.u32 %r1, %r1, %r2;\ncvt.u64.u32 %rd1, %r1;\n"
    "add.u64 %rd1, %rd1, %a;\n";
const std::string kFirstLine = "mad.wide.u32 %rd1, %lane, 4, %a;\n";
const std::string kLinePerLane = "mad.wide.u32 %rd1, %gid, 128, %a;\n";
const std::string kLoad = "ld.global.u32 %r10, [%rd1];\nadd.u32 %r11, %r10, 1;\n";

TEST(Character, OfWarpsThatReadTheirOwnLineThreeTimes) {
  const KernelCharacter k = of({kOwnWord + kLoad + kLoad + kLoad, kCtas, kWarps * 32});
  expect_touches(k, {kCtas * kWarps, 2 * kCtas * kWarps, 0, 0});
  EXPECT_EQ(k.footprint_bytes, kCtas * kWarps * 128u);
  EXPECT_EQ(k.accesses.loads, 3 * kCtas * kWarps);
  EXPECT_EQ(k.lines_per_access(), 1);
  EXPECT_EQ(k.name, "test.1");
  EXPECT_EQ(k.label, "LABEL");
  EXPECT_EQ(k.grid, (workload::Dim3{kCtas}));
  EXPECT_EQ(k.block, (workload::Dim3{kWarps * 32}));
  EXPECT_EQ(k.ctas, kCtas);
  EXPECT_DOUBLE_EQ(k.waves(), static_cast<double>(kCtas) / k.occupancy.ctas);
}

TEST(Character, OfWarpsThatShareALineInTheirCta) {
  const KernelCharacter k = of({kLineOfCta + kLoad, kCtas, kWarps * 32});
  expect_touches(k, {kCtas, 0, kCtas * (kWarps - 1), 0});
  EXPECT_EQ(k.footprint_bytes, kCtas * 128u);
}

TEST(Character, OfCtasThatShareALine) {
  const KernelCharacter k = of({kFirstLine + kLoad, kCtas, 32});
  expect_touches(k, {1, 0, 0, kCtas - 1});
  EXPECT_EQ(k.footprint_bytes, 128u);
  EXPECT_DOUBLE_EQ(k.left(1), 1.0 / kCtas);  // one SM: its stream has nothing else
}

TEST(Character, OfLaunchesOneAfterTheOther) {
  const KernelCharacter k = of({kFirstLine + kLoad, kCtas, 32, 3});
  EXPECT_EQ(k.launches, 3u);
  EXPECT_EQ(k.ctas, 3 * kCtas);
  expect_touches(k, {3, 0, 0, 3 * (kCtas - 1)});
  EXPECT_EQ(k.footprint_bytes, 128u);
  EXPECT_FALSE(k.shapes_differ);
}

// Two loads of 32 lines and a store of as many by one warp: a window of 32 finds the second load.
TEST(Character, OfADivergentWarp) {
  const KernelCharacter k = of({kLinePerLane + kLoad + kLoad + "st.global.u32 [%rd1], %r11;\n", 1, 32});
  EXPECT_EQ(k.lines_per_access(), 32);
  EXPECT_EQ(k.loads_per_store(), 2);
  EXPECT_EQ(k.accesses.load_lines, 64u);
  EXPECT_EQ(k.accesses.store_lines, 32u);
  EXPECT_EQ(k.footprint_bytes, 32u * 4);
  expect_touches(k, {32, 64, 0, 0});
  EXPECT_DOUBLE_EQ(k.left(31), 1);
  EXPECT_DOUBLE_EQ(k.left(32), 64.0 / 96);
  EXPECT_DOUBLE_EQ(k.left(128), 64.0 / 96);
  EXPECT_EQ(k.l1_reads, 64u);
}

// An instruction waits from its issue until its last line has left: a cycle per line, as the unit sends one
// in a cycle. Each load waits for the one before it.
TEST(Character, OfWaitingInTheLoadStoreUnit) {
  const Settings wide = {"l1.mshr_entries=256", "l1.miss_queue=256", "sm.lines_per_cycle=1"};
  for (const std::uint32_t lines : {1u, 32u}) {
    const std::string address = lines == 1 ? kFirstLine : kLinePerLane;
    const KernelCharacter k =
        of({address + "ld.global.u32 %r10, [%rd1];\nadd.u32 %r11, %r10, 0;\ncvt.u64.u32 %rd2, %r11;\n"
                      "add.u64 %rd1, %rd1, %rd2;\nld.global.u32 %r12, [%rd1];\nadd.u32 %r13, %r12, 0;\n",
            1, 32},
           wide);
    EXPECT_EQ(k.wait_cycles, 2 * lines);
    EXPECT_EQ(k.waiting, 2 * lines);
    EXPECT_DOUBLE_EQ(k.wait_share(), 2.0 * lines / static_cast<double>(k.cycles));
    EXPECT_DOUBLE_EQ(k.busy_wait_share(), 2.0 * lines / static_cast<double>(k.busy_cycles));
    EXPECT_LE(k.busy_share(), 1);
    EXPECT_DOUBLE_EQ(k.mean_waiting(), 2.0 * lines / static_cast<double>(k.cycles));
  }
}

// Shared memory and parameters keep the unit busy, but nothing waits for the L1.
TEST(Character, OfAKernelWithoutGlobalMemory) {
  const KernelCharacter k = of({"mov.u32 %r1, %clock;\nadd.u32 %r2, %r1, %tid;\n", kCtas, 64});
  EXPECT_EQ(k.accesses.instructions(), 0u);
  EXPECT_EQ(k.wait_cycles, 0u);
  EXPECT_EQ(k.footprint_bytes, 0u);
  EXPECT_EQ(k.memory_share(), 0);
  EXPECT_TRUE(std::isnan(k.lines_per_access()));
  EXPECT_TRUE(std::isnan(k.miss_rate()));
  EXPECT_EQ(k.left(128), 1);
}

// ---- bundled workloads ----------------------------------------------------------------------------------

class OfWorkload : public testing::TestWithParam<const workload::Workload*> {
 protected:
  static constexpr workload::RunOptions kTiny{workload::Scale::Tiny, 1};
  static gpu::SimulationSpec machine() { return {gpu::spec_of("clustered60-first"), {}}; }
};

TEST_P(OfWorkload, GivesARowPerKernelThatAgreesWithTheRunItself) {
  const gpu::SimulationSpec spec = machine();
  gpu::TimingDevice plain(spec.gpu, {});
  EXPECT_TRUE(GetParam()->run(plain, kTiny).ok);
  const Character c = characterise(*GetParam(), kTiny, spec);
  EXPECT_TRUE(c.verification.ok);
  ASSERT_EQ(c.kernels.size(), GetParam()->info().kernels.size());
  for (std::size_t i = 0; i < c.kernels.size(); ++i) {
    const KernelCharacter& k = c.kernels[i];
    SCOPED_TRACE(k.name);
    EXPECT_EQ(k.function, GetParam()->info().kernels[i].function);
    EXPECT_EQ(k.name, GetParam()->info().name + "." + std::to_string(i + 1));
    gpu::MachineStats sum;
    std::uint64_t launches = 0;
    for (const gpu::LaunchResult& l : plain.launches())
      if (l.kernel == k.function) {
        launches++ == 0 ? void(sum = l.stats) : sum.add(l.stats);
      }
    EXPECT_EQ(k.launches, launches);
    EXPECT_EQ(k.cycles, sum.gpu.cycles);
    EXPECT_EQ(k.instructions, sum.sm().instructions);
    EXPECT_EQ(k.ctas, sum.sm().ctas);
    // Loads by texture count as loads.
    EXPECT_EQ(k.accesses.loads, sum.sm().global_load.instructions + sum.sm().texture.instructions);
    EXPECT_EQ(k.accesses.load_lines, sum.sm().global_load.lines + sum.sm().texture.lines);
    EXPECT_EQ(k.accesses.store_lines, sum.sm().global_store.lines);
    EXPECT_EQ(k.accesses.atomic_lines, sum.sm().atomic.lines);
    EXPECT_EQ(k.touches.all(), k.accesses.lines());
    EXPECT_GT(k.footprint_bytes, 0u);
    EXPECT_LE(k.footprint_bytes, k.accesses.lines() * 128);
    EXPECT_GT(k.wait_share(), 0);
    EXPECT_LT(k.wait_share(), 1);
    EXPECT_GE(k.waiting, k.wait_cycles);
    for (std::uint32_t w = 1; w <= mem::kMostWindow; ++w) EXPECT_LE(k.left(w), k.left(w - 1));
  }
}

TEST_P(OfWorkload, AKernelByItselfHasARowOfItsOwn) {
  const std::string name = GetParam()->info().name + ".1";
  const Character c = characterise(*workloads::find_workload(name), kTiny, machine());
  EXPECT_TRUE(c.verification.ok);
  ASSERT_EQ(c.kernels.size(), 1u);
  EXPECT_EQ(c.kernels[0].name, name);
}

INSTANTIATE_TEST_SUITE_P(All, OfWorkload,
                         testing::ValuesIn(workloads::all_workloads().begin(),
                                           workloads::all_workloads().end()),
                         [](const testing::TestParamInfo<const workload::Workload*>& test) {
                           std::string name;
                           for (const char c : test.param->info().name)
                             name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

TEST(Character, IsTheSameForAnyNumberOfThreads) {
  const workload::Workload& w = *workloads::find_workload("lud");
  const gpu::SimulationSpec spec{gpu::spec_of("clustered60-first"), {}};
  const Character one = characterise(w, {workload::Scale::Tiny, 1}, spec, 1);
  const Character two = characterise(w, {workload::Scale::Tiny, 1}, spec, 2);
  for (std::size_t i = 0; i < one.kernels.size(); ++i) {
    const KernelCharacter &a = one.kernels[i], &b = two.kernels[i];
    expect_touches(a, b.touches);
    EXPECT_EQ(a.accesses.windows, b.accesses.windows);
    EXPECT_EQ(a.wait_cycles, b.wait_cycles);
    EXPECT_EQ(a.waiting, b.waiting);
    EXPECT_EQ(a.footprint_bytes, b.footprint_bytes);
  }
}

// measure.pressure in any run: the same as from who looks on, and nothing else changes. (Requests for lines:
// with sm.segments = by_size a run counts segments, who looks on counts lines.)
TEST(Pressure, IsAStatisticOfEveryRun) {
  const workload::RunOptions tiny{workload::Scale::Tiny, 1};
  for (const char* name : {"transpose", "bfs"}) {
    const workload::Workload& workload = *workloads::find_workload(name);
    const gpu::GpuSpec measured = gpu::spec_of("clustered60-first", {"measure.pressure=true"});
    gpu::TimingDevice with(measured, {}), without(gpu::spec_of("clustered60-first"), {});
    EXPECT_TRUE(workload.run(with, tiny).ok);
    EXPECT_TRUE(workload.run(without, tiny).ok);
    const sm::PressureStats p = with.total().pressure();
    EXPECT_EQ(with.total().gpu.cycles, without.total().gpu.cycles) << name;
    EXPECT_EQ(without.total().pressure().requests, 0u);
    EXPECT_EQ(without.total().pressure().wait_cycles, 0u);

    AccessCounts accesses;
    std::uint64_t wait_cycles = 0, waiting = 0;
    for (const KernelCharacter& k :
         characterise(workload, tiny, {gpu::spec_of("clustered60-first"), {}}).kernels) {
      accesses += k.accesses;
      wait_cycles += k.wait_cycles;
      waiting += k.waiting;
    }
    EXPECT_GT(p.waiting, p.wait_cycles) << name;
    EXPECT_EQ(p.wait_cycles, wait_cycles) << name;
    EXPECT_EQ(p.waiting, waiting) << name;
    EXPECT_EQ(p.requests, accesses.lines()) << name;
    std::uint64_t saved = 0;
    for (std::uint32_t w = 1, at = 0; w <= mem::kMostWindow; ++w) {
      saved += accesses.windows[w];
      if (w != sm::kPressureWindows[at]) continue;
      EXPECT_EQ(p.saved[at++], saved) << name << ", window " << w;
    }
    EXPECT_GT(saved, 0u) << name;
  }
}

}  // namespace
}  // namespace heddle::analysis
