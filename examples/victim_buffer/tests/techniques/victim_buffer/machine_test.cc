// The victim buffer in a whole machine, which checks all identities after every launch: right results, fewer
// packets, the same on any number of threads.
#include "bench.h"
#include "cluster/port_stage.h"
#include "techniques/victim_buffer/victim_buffer.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using victim_buffer::VictimBufferStats;

// Put in by hand, so that the test does not need the catalog.
GpuSpec with_buffer(std::uint32_t lines, const Settings& settings = {}) {
  GpuSpec spec = spec_of("clustered60", settings);
  spec.cluster.make_merger = [lines](const cluster::MergerPlace& place) {
    return std::make_unique<victim_buffer::VictimBuffer>(victim_buffer::VictimBufferSpec{lines}, place);
  };
  return spec;
}

MachineStats run(const GpuSpec& spec, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  TimingDevice device(spec, {options});
  const workload::Verification v =
      workloads::find_workload("2dconv")->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(v.ok) << v.detail;
  return device.total();
}

TEST(VictimBufferMachine, WhatItHoldsDoesNotEnterTheNetwork) {
  const MachineStats plain = run(spec_of("clustered60")), s = run(with_buffer(64));
  EXPECT_GT(s.merger().held, 0u);
  EXPECT_EQ(s.request_network().injected, s.cluster().requests - s.merger().held);
  EXPECT_LT(s.request_network().injected, plain.request_network().injected);
  EXPECT_GT(s.groups.get<VictimBufferStats>("victim_buffer").kept, 0u);
}

TEST(VictimBufferMachine, MoreLinesHoldMore) {
  EXPECT_LT(run(with_buffer(4)).merger().held, run(with_buffer(256)).merger().held);
}

TEST(VictimBufferMachine, GivesTheSameOnAnyThreads) {
  const auto one = counters(run(with_buffer(16)));
  EXPECT_EQ(counters(run(with_buffer(16), 3)), one);
}

TEST(VictimBufferMachine, IsAPartOfTheFunnel) {
  const cluster::PortStage stage({}, 1, victim_buffer::kMerger,
                                 with_buffer(16).cluster.make_merger(cluster::MergerPlace{}), {});
  stats::Groups s;
  stage.declare(s);
  s.make<cluster::MergerStats>("merger").held = 7;
  mem::Funnel f;
  f.add({"before", "requests", "", 10});
  stage.funnel(s, f);
  ASSERT_EQ(f.places.size(), 1u);
  ASSERT_EQ(f.places[0].parts.size(), 1u);
  EXPECT_EQ(f.places[0].parts[0].by, "victim buffer");
  EXPECT_EQ(f.places[0].parts[0].count, 7u);
}

}  // namespace
}  // namespace heddle::gpu
