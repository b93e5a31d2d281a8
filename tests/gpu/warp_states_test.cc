// measure.warp_states on whole machines: it changes nothing, is the same on any threads and with every cycle
// stepped, and adds up (the machine checks that after every launch: sm/sm_stage.cc).
#include "bench.h"

#include "slot_cases.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

constexpr const char* kOn = "measure.warp_states=true";

struct Ran {
  Counters states, others;
  std::uint64_t sum = 0, resident = 0;
};

Ran run(const std::string& workload, std::string_view machine, const Settings& settings,
        const MachineOptions& options = {}) {
  TimingDevice device(spec_of(machine, settings), {options});
  EXPECT_TRUE(workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1}).ok);
  const MachineStats total = device.total();
  Ran r{{}, {}, total.warp_states().sum(), total.sm().warp_cycles};
  for (const auto& c : counters(total))
    (c.first.starts_with("warp_states.") ? r.states : r.others).push_back(c);
  return r;
}

MachineOptions threads(std::uint32_t n) {
  MachineOptions o;
  o.threads = n;
  return o;
}

TEST(WarpStatesOfAMachine, ChangeNothingElse) {
  for (const char* machine : {"h200", "clustered60", "gtx570"})
    for (const char* workload : {"bfs", "hotspot"}) {
      SCOPED_TRACE(std::string(machine) + " " + workload);
      const Ran off = run(workload, machine, {}), on = run(workload, machine, {kOn});
      EXPECT_EQ(off.others, on.others);
      EXPECT_EQ(off.sum, 0u);
      EXPECT_EQ(on.sum, on.resident);
    }
}

TEST(WarpStatesOfAMachine, AreTheSameOnAnyThreads) {
  const Ran one = run("bfs", "clustered60", {kOn});
  for (const std::uint32_t n : {2u, 3u}) {
    const Ran several = run("bfs", "clustered60", {kOn}, threads(n));
    EXPECT_EQ(several.states, one.states);
    EXPECT_EQ(several.others, one.others);
  }
}

TEST(WarpStatesOfAMachine, AreTheSameWhenEveryCycleIsStepped) {
  MachineOptions slow;
  slow.every_cycle = true;
  for (const char* workload : {"bfs", "hotspot"})
    EXPECT_EQ(run(workload, "clustered60", {kOn}, slow).states, run(workload, "clustered60", {kOn}).states);
}

// A launch that is cut off leaves warps in the middle of what they wait for.
TEST(WarpStatesOfAMachine, AddUpWhereALaunchIsCutOff) {
  for (const char* limit : {"1", "500", "3000"}) {
    const Ran r = run("hotspot", "clustered60",
                      {kOn, "gpu.clusters=1", "gpu.sms_per_cluster=2", "limit.running=cut",
                       std::string("limit.kernel_cycles=") + limit});
    EXPECT_EQ(r.sum, r.resident) << limit;
    EXPECT_GT(r.sum, 0u) << limit;
  }
}

class EverySlotsStates : public testing::TestWithParam<SlotCase> {};

TEST_P(EverySlotsStates, AddUp) {
  Settings settings = GetParam().settings;
  settings.emplace_back(kOn);
  Bench b(lab(settings));
  b.load(loop("4",
              "mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r1, [%rd1];\n"
              "atom.global.add.u32 %r2, [%a], %r1;\nst.global.u32 [%rd1+4096], %r2;\nbar.sync 0;\n"));
  const LaunchResult r = b.run({.ctas = 8, .threads = 128}, b.words(4096));
  EXPECT_EQ(r.stats.warp_states().sum(), r.stats.sm().warp_cycles);
  EXPECT_GT(r.stats.warp_states().of(sm::IssueState::Barrier), 0u);
}

INSTANTIATE_TEST_SUITE_P(Slots, EverySlotsStates, testing::ValuesIn(every_implementation()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace heddle::gpu
