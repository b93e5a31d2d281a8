// Perturbations change when things happen, never what comes out, and are the same for every number of
// threads.
#include "bench.h"

#include <set>

#include "base/error.h"
#include "gpu/perturb_spec.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

// The workload verifies its result; the counters tell how it went.
Counters run(const char* workload, const Settings& settings, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  TimingDevice device(spec_of("clustered60", settings), {options});
  const auto verdict = workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(verdict.ok) << verdict.detail;
  return counters(device.total());
}

std::uint64_t value(const Counters& all, std::string_view name) {
  for (const auto& [n, v] : all)
    if (n == name) return v;
  ADD_FAILURE() << name;
  return 0;
}

class Perturbed : public testing::TestWithParam<std::string> {};

TEST_P(Perturbed, ChangesTimingALittleAndNoResult) {
  const Counters as_is = run("hotspot", {}), changed = run("hotspot", {GetParam()});
  const std::uint64_t before = value(as_is, "gpu.cycles"), after = value(changed, "gpu.cycles");
  EXPECT_NE(before, after);
  EXPECT_NEAR(static_cast<double>(after) / static_cast<double>(before), 1, 0.1);
  for (const char* same : {"sm.instructions", "sm.thread_instructions", "sm.global_load.instructions",
                           "sm.global_store.instructions", "sm.ctas", "sm.branches"})
    EXPECT_EQ(value(changed, same), value(as_is, same)) << same;
}

TEST_P(Perturbed, IsTheSameForAnyThreads) {
  const Counters one = run("bfs", {GetParam()});
  EXPECT_EQ(run("bfs", {GetParam()}), one);
  EXPECT_EQ(run("bfs", {GetParam()}, 2), one);
  EXPECT_EQ(run("bfs", {GetParam()}, 3), one);
}

INSTANTIATE_TEST_SUITE_P(Each, Perturbed,
                         testing::Values("perturb.allocation_offset=2304B", "perturb.start_jitter=80"),
                         [](const auto& test) { return test.index == 0 ? "Offset" : "Jitter"; });

TEST(Perturb, OtherSeedsGiveOtherTimings) {
  std::set<std::uint64_t> cycles;
  for (const char* seed : {"1", "2", "3"})
    cycles.insert(value(run("hotspot", {"perturb.start_jitter=80", std::string("perturb.seed=") + seed}),
                        "gpu.cycles"));
  EXPECT_GT(cycles.size(), 1u);
}

TEST(Perturb, SeedWithoutJitterChangesNothing) {
  EXPECT_EQ(run("vecadd", {"perturb.seed=7"}), run("vecadd", {}));
}

TEST(Perturb, DelaysCoverTheRangeAndDependOnCtaAndLaunch) {
  const PerturbSpec p{.allocation_offset = {}, .start_jitter = 9, .seed = 5};
  std::set<std::uint32_t> of_ctas, of_launches;
  for (std::uint64_t i = 0; i < 400; ++i) {
    of_ctas.insert(p.start_delay(0, i));
    of_launches.insert(p.start_delay(i, 0));
  }
  const std::set<std::uint32_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(of_ctas, all);
  EXPECT_EQ(of_launches, all);
}

TEST(Perturb, RefusesWhatWouldBreakAlignment) {
  EXPECT_THROW(spec_of("clustered60", {"perturb.allocation_offset=100B"}), Error);
  EXPECT_THROW(spec_of("clustered60", {"perturb.start_jitter=100"}), Error);
}

}  // namespace
}  // namespace heddle::gpu
