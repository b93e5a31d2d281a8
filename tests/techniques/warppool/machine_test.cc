// Load fronts in a whole machine: right results, the same on any number of threads, and what WarpPool merges
// does not reach the L1.
#include "bench.h"
#include "gpu/stages.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

MachineStats run(const char* workload, const char* gpu, const Settings& settings,
                 const MachineOptions& options = {}) {
  TimingDevice device(spec_of(gpu, settings), {options});
  const workload::Verification v =
      workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return device.total();
}

MachineOptions threads(std::uint32_t n) {
  MachineOptions o;
  o.threads = n;
  return o;
}

class Fronts : public testing::TestWithParam<const char*> {};

TEST_P(Fronts, WhatIsMergedDoesNotReachTheL1) {
  const MachineStats plain = run(GetParam(), "gtx480", {});
  const MachineStats s = run(GetParam(), "gtx480", {"sm.load_front=warppool"});
  const auto& front = s.groups.get<sm::FrontStats>("front");
  EXPECT_GT(front.merged, 0u);
  EXPECT_EQ(s.sm().global_load.lines, plain.sm().global_load.lines);
  EXPECT_EQ(front.offered, s.sm().global_load.lines);
  EXPECT_EQ(s.l1().global_reads.in, front.sent);
}

TEST_P(Fronts, GiveTheSameOnAnyThreads) {
  for (const char* front : {"warppool", "mrpb", "banked"}) {
    const Settings settings = {std::string("sm.load_front=") + front};
    const auto one = counters(run(GetParam(), "gtx480", settings, threads(1)));
    EXPECT_EQ(counters(run(GetParam(), "gtx480", settings, threads(3))), one) << front;
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, Fronts, testing::Values("transpose", "gemm", "spmv"),
                         [](const auto& test) { return std::string(test.param); });

// Both levels in one machine, and in its funnel.
TEST(WarpPoolAndIcc, EachMergesAtItsOwnPlace) {
  const Settings settings = {"sm.load_front=warppool", "cluster.merger=icc_cc"};
  const MachineStats s = run("2dconv", "clustered60", settings);
  EXPECT_GT(s.groups.get<sm::FrontStats>("front").merged, 0u);
  EXPECT_GT(s.merger().merged, 0u);
  const mem::Funnel f = funnel(spec_of("clustered60", settings), s);
  std::vector<std::string> places;
  for (const mem::FunnelPlace& p : f.places)
    for (const mem::FunnelPart& part : p.parts)
      if (part.count > 0) places.push_back(part.by);
  EXPECT_NE(std::find(places.begin(), places.end(), "inter-warp queues"), places.end());
  EXPECT_NE(std::find(places.begin(), places.end(), "merge table"), places.end());
}

// Sectored L1s of today: one request for the sectors of several warps.
TEST(WarpPoolOnSectors, AskForWhatAllWant) {
  for (const char* gpu : {"v100", "h200"}) {
    const MachineStats s = run("transpose", gpu, {"sm.load_front=warppool", "sm.banked_data=false"});
    EXPECT_EQ(s.groups.get<sm::FrontStats>("front").offered, s.sm().global_load.lines) << gpu;
  }
}

}  // namespace
}  // namespace heddle::gpu
