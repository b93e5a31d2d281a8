// Packet coalescing in a whole machine: right results, the same on any number of threads, requests that
// arrive together, and beside other techniques.
#include <algorithm>

#include "bench.h"
#include "gpu/stages.h"
#include "techniques/packet_coalescing/packet_coalescing_spec.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using packet_coalescing::PacketCoalescingStats;

MachineStats run(const char* workload, const GpuSpec& spec, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  TimingDevice device(spec, {options});
  const workload::Verification v =
      workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return device.total();
}

// A machine with meshes in the place of its networks.
GpuSpec with_mesh(const char* gpu, Settings more) {
  Settings all = {"noc.request.topology=mesh", "noc.reply.topology=mesh", "noc.request.output_buffer=32"};
  all.insert(all.end(), more.begin(), more.end());
  return spec_of(gpu, all);
}
const std::string kOn = "noc.request.merger=packet_coalescing";

const PacketCoalescingStats& counted(const MachineStats& s) {
  return s.groups.get<PacketCoalescingStats>(packet_coalescing::kGroup);
}

TEST(PacketCoalescingThreads, GiveTheSame) {
  const GpuSpec spec = with_mesh("mesh28", {kOn});
  const MachineStats one = run("spmv", spec);
  EXPECT_GT(counted(one).big_packets, 0u);
  for (const std::uint32_t threads : {2u, 3u})
    EXPECT_EQ(counters(run("spmv", spec, threads)), counters(one)) << threads;
}

class PacketCoalescingMachine : public testing::TestWithParam<const char*> {};

// Held for as long, but alone: more rows are opened.
TEST_P(PacketCoalescingMachine, OpensFewerRowsThanWaitingAlone) {
  const std::string own = "noc.request.packet_coalescing.";
  const MachineStats together = run(GetParam(), with_mesh("mesh28", {kOn, own + "hold=fixed"}));
  const MachineStats alone =
      run(GetParam(), with_mesh("mesh28", {kOn, own + "hold=fixed", own + "merge=false"}));
  EXPECT_EQ(counted(alone).coalesced, 0u);
  EXPECT_LT(together.dram().activations, alone.dram().activations);
}

INSTANTIATE_TEST_SUITE_P(Workloads, PacketCoalescingMachine, testing::Values("bfs", "transpose"),
                         [](const auto& test) { return std::string(test.param); });

// Each merges at its own place, and the funnel adds up.
TEST(PacketCoalescingWithOthers, EachMergesAtItsOwnPlace) {
  const GpuSpec spec = with_mesh("clustered60", {kOn, "cluster.merger=icc_cc", "sm.load_front=warppool"});
  const MachineStats s = run("2dconv", spec);
  EXPECT_GT(s.groups.get<sm::FrontStats>("front").merged, 0u);
  EXPECT_GT(s.merger().merged, 0u);
  EXPECT_GT(counted(s).coalesced, 0u);
  const mem::Funnel f = funnel(spec, s);
  std::uint64_t together = 0;
  for (const mem::FunnelPlace& p : f.places) {
    EXPECT_EQ(f.levels[p.in].count - mem::Funnel::removed(p) + mem::Funnel::added(p), f.levels[p.out].count)
        << p.name;
    for (const mem::FunnelPart& part : p.parts)
      if (part.by == "packet coalescing") together = part.count;
  }
  EXPECT_EQ(together, counted(s).global_reads - counted(s).global_packets);
  EXPECT_GT(together, 0u);
}

// Ready warps are told only where they are asked for, and change nothing but how long packets wait.
TEST(PacketCoalescingSlack, HoldsForShorterThanDynamic) {
  const std::string own = "noc.request.packet_coalescing.";
  const MachineStats slack = run("bfs", with_mesh("mesh28", {kOn, own + "hold=slack"}));
  const MachineStats dynamic = run("bfs", with_mesh("mesh28", {kOn}));
  EXPECT_GT(counted(slack).held, 0u);
  EXPECT_GT(counted(slack).unlikely, 0u);
  EXPECT_LT(counted(slack).held_ticks, counted(dynamic).held_ticks);
}

TEST(PacketCoalescingRefusals, SayWhatIsMissing) {
  const auto refusal = [](const char* gpu, const Settings& settings) -> std::string {
    try {
      spec_of(gpu, settings);
    } catch (const Error& e) {
      return e.message() + " (" + e.advice() + ")";
    }
    return {};
  };
  EXPECT_NE(refusal("cu80", {kOn, "noc.request.topology=mesh", "noc.reply.topology=mesh",
                             "noc.request.output_buffer=64", "l1.organization=decoupled",
                             "l1.decoupled.clusters=0", "noc.request.packet_coalescing.hold=slack"})
                .find("stand apart"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::gpu
