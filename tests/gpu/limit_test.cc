// limit.kernel_cycles: a part of every kernel is simulated, the rest executed; one kernel of a program.
#include "bench.h"

#include <algorithm>
#include <map>

#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

constexpr workload::RunOptions kTiny{workload::Scale::Tiny, 1};

struct Ran {
  std::vector<LaunchResult> launches;
  MachineStats total;
  std::string input;
};

Ran run(const std::string& name, const Settings& settings, std::uint32_t threads = 1) {
  TimingOptions o;
  o.machine.threads = threads;
  TimingDevice device(spec_of("clustered60", settings), o);
  const workload::Verification v = workloads::find_workload(name)->run(device, kTiny);
  EXPECT_TRUE(v.ok) << name << ": " << v.detail;
  return {device.launches(), device.total(), device.input_hash()};
}

std::map<std::string, sim::Cycle> cycles_by_kernel(const Ran& r) {
  std::map<std::string, sim::Cycle> sum;
  for (const LaunchResult& l : r.launches) sum[l.kernel] += l.cycles;
  return sum;
}

// Machines with few SMs, so that grids of this scale have several turns.
const Settings kFew = {"gpu.clusters=1", "gpu.sms_per_cluster=2"};

Settings few(std::uint64_t limit) {
  Settings s = kFew;
  s.push_back("limit.kernel_cycles=" + std::to_string(limit));
  return s;
}

TEST(KernelLimit, OfMoreThanThereIsChangesNothing) {
  for (const char* name : {"lud", "hotspot"}) {
    const Ran all = run(name, kFew), limited = run(name, few(1'000'000'000));
    EXPECT_EQ(counters(all.total), counters(limited.total));
    EXPECT_EQ(all.launches.size(), limited.launches.size());
    EXPECT_EQ(limited.total.gpu.ctas_only_executed, 0u);
  }
}

// The machine checks conservation after every launch; results are those of the whole program.
TEST(KernelLimit, EndsEveryKernelAndTheRestIsExecuted) {
  for (const char* name : {"lud", "hotspot", "bfs", "srad", "2dconv", "b+tree"}) {
    const Ran all = run(name, kFew);
    const std::map<std::string, sim::Cycle> whole = cycles_by_kernel(all);
    for (const std::uint64_t limit : {1u, 500u, 3000u}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(limit));
      const Ran part = run(name, few(limit));
      EXPECT_EQ(part.input, all.input);
      EXPECT_EQ(part.total.sm().ctas + part.total.gpu.ctas_only_executed, all.total.sm().ctas);
      for (const auto& [kernel, cycles] : cycles_by_kernel(part)) {
        EXPECT_GE(cycles, std::min<sim::Cycle>(limit, whole.at(kernel))) << kernel;
        EXPECT_LE(cycles, whole.at(kernel)) << kernel;
      }
      EXPECT_EQ(cycles_by_kernel(part).size(), whole.size());
    }
  }
}

TEST(KernelLimit, LeavesSomethingOut) {
  const Ran all = run("hotspot", kFew), part = run("hotspot", few(500));
  EXPECT_GT(part.total.gpu.ctas_only_executed, 0u);
  EXPECT_LT(part.total.gpu.cycles, all.total.gpu.cycles);
  EXPECT_LT(part.total.sm().instructions, all.total.sm().instructions);
}

TEST(KernelLimit, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(counters(run("lud", few(700), 1).total), counters(run("lud", few(700), 2).total));
}

Settings cut(std::uint64_t limit) {
  Settings s = few(limit);
  s.push_back("limit.running=cut");
  return s;
}

// Nothing is issued from that cycle on, whatever runs; results are those of the whole program.
TEST(KernelCut, EndsEveryKernelAtItsCycleAndTheRestIsExecuted) {
  for (const char* name : {"lud", "hotspot", "bfs", "srad", "b+tree"}) {
    const Ran all = run(name, kFew);
    const std::map<std::string, sim::Cycle> whole = cycles_by_kernel(all);
    for (const std::uint64_t limit : {1u, 700u, 3000u}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(limit));
      const Ran part = run(name, cut(limit));
      const RunStats& g = part.total.gpu;
      EXPECT_EQ(part.input, all.input);
      EXPECT_EQ(part.total.sm().ctas + g.ctas_only_executed + g.ctas_cut, all.total.sm().ctas);
      EXPECT_LT(part.total.sm().instructions, all.total.sm().instructions);
      for (const auto& [kernel, cycles] : cycles_by_kernel(part)) {
        if (whole.at(kernel) > limit)
          EXPECT_EQ(cycles, limit) << kernel;
        else
          EXPECT_EQ(cycles, whole.at(kernel)) << kernel;
      }
    }
  }
}

TEST(KernelCut, IsThePrefixOfTheWholeRun) {
  // One launch, one CTA: what is issued until then is what the whole run has issued until then.
  const Settings one = {"gpu.clusters=1", "gpu.sms_per_cluster=1", "sm.ctas=1"};
  std::uint64_t before = 0;
  for (const std::uint64_t limit : {600u, 1200u, 2500u}) {
    Settings s = one;
    s.push_back("limit.kernel_cycles=" + std::to_string(limit));
    s.push_back("limit.running=cut");
    const Ran part = run("hotspot", s);
    EXPECT_GT(part.total.sm().instructions, before);
    EXPECT_LE(part.total.sm().active_cycles, limit);
    EXPECT_EQ(part.total.gpu.ctas_cut, 1u);
    before = part.total.sm().instructions;
  }
}

TEST(KernelCut, OfMoreThanThereIsChangesNothing) {
  EXPECT_EQ(counters(run("lud", kFew).total), counters(run("lud", cut(1'000'000'000)).total));
}

TEST(KernelCut, IsTheSameForAnyNumberOfThreadsAndInEveryCycle) {
  const auto counted = counters(run("bfs", cut(1500), 1).total);
  EXPECT_EQ(counted, counters(run("bfs", cut(1500), 2).total));
  TimingOptions every;
  every.machine.every_cycle = true;
  TimingDevice device(spec_of("clustered60", cut(1500)), every);
  EXPECT_TRUE(workloads::find_workload("bfs")->run(device, kTiny).ok);
  EXPECT_EQ(counted, counters(device.total()));
}

// Who watches CTAs sees each end, the ones that are cut off at the cycle of the cut.
TEST(KernelCut, IsTheEndOfWhatIsWatched) {
  TimingOptions o;
  o.machine.detail = true;
  TimingDevice device(spec_of("clustered60", cut(700)), o);
  EXPECT_TRUE(workloads::find_workload("lud")->run(device, kTiny).ok);
  EXPECT_GT(device.total().gpu.ctas_cut, 0u);
  EXPECT_TRUE(device.machine().detail().has_value());
}

// Atomics, barriers, shared memory, textures, local memory: whatever a warp was doing, it goes on.
TEST(KernelCut, EveryWorkloadGivesItsResult) {
  for (const workload::Workload* w : workloads::all_workloads()) run(w->info().name, cut(900));
}

// What is executed takes no time and is counted nowhere; what is simulated counts as in the whole program.
TEST(OneKernel, IsSimulatedAloneAndTheProgramsResultIsRight) {
  for (const char* name : {"lud", "srad", "bfs"}) {
    const Ran all = run(name, {});
    std::uint64_t instructions = 0, ctas = 0, launches = 0;
    for (std::size_t k = 1;
         const workload::Workload* w = workloads::find_workload(std::string(name) + "." + std::to_string(k));
         ++k) {
      const Ran one = run(w->info().name, {});
      EXPECT_EQ(one.input, all.input);
      for (const LaunchResult& l : one.launches) EXPECT_EQ(l.kernel, w->info().kernels[0].function);
      instructions += one.total.sm().instructions;
      ctas += one.total.sm().ctas;
      launches += one.total.gpu.launches;
    }
    EXPECT_EQ(instructions, all.total.sm().instructions);
    EXPECT_EQ(ctas, all.total.sm().ctas);
    EXPECT_EQ(launches, all.total.gpu.launches);
  }
}

}  // namespace
}  // namespace heddle::gpu
