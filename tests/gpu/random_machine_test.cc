// Machines with parameters drawn at random, most of them as small as they may be: whatever the sizes, a
// kernel that uses everything ends, with the right result, and the counts add up.
#include <fmt/format.h>

#include "base/error.h"
#include "everything.h"
#include "sm/instruction_timing.h"
#include "workload/random.h"

namespace heddle::gpu {
namespace {

// Every choice of a setting; which one, the seed decides. Not so few memory instructions under way, or so few
// active warps, that those who spin on the lock can take all places: schedulers promise no fairness.
const std::vector<std::vector<std::string>> kChoices = {
    {"gpu.clusters=1", "gpu.clusters=2", "gpu.clusters=5"},
    {"gpu.sms_per_cluster=1", "gpu.sms_per_cluster=3"},
    {"gpu.l2_at_start=cold", "gpu.l2_at_start=host_copies"},
    {"sm.schedulers=1", "sm.schedulers=2", "sm.schedulers=4"},
    {"sm.scheduler=lrr", "sm.scheduler=gto", "sm.scheduler=two_level", "sm.scheduler=oldest"},
    {"sm.active_warps=4", "sm.active_warps=8"},
    {"sm.sub_core=true", "sm.sub_core=false"},
    {"sm.issue_width=1", "sm.issue_width=2"},
    {"sm.count=as_ptx", "sm.count=as_sass"},
    {"sm.ctas=1", "sm.ctas=2", "sm.ctas=8"},
    {"sm.lsu_queue=1", "sm.lsu_queue=8"},
    {"sm.lines_per_cycle=1", "sm.lines_per_cycle=3"},
    {"sm.in_flight=16", "sm.in_flight=1024"},
    {"sm.store_ack=true", "sm.store_ack=false"},
    {"sm.icache_bytes=0B", "sm.icache_bytes=256B"},
    {"sm.constant_cache_bytes=0B", "sm.constant_cache_bytes=256B"},
    {"l1.enabled=true", "l1.enabled=true", "l1.enabled=true", "l1.enabled=false"},
    {"l1.sets=1", "l1.sets=3", "l1.sets=64"},
    {"l1.ways=1", "l1.ways=2", "l1.ways=6"},
    {"l1.sectored=true", "l1.sectored=false"},
    {"l1.write=evict", "l1.write=through", "l1.write=through_allocate"},
    {"l1.local_write_back=true", "l1.local_write_back=false"},
    {"l1.allocate=on_miss", "l1.allocate=on_fill"},
    {"l1.bypass_global=false", "l1.bypass_global=true"},
    {"l1.mshr_entries=1", "l1.mshr_entries=2", "l1.mshr_entries=32"},
    {"l1.mshr_merges=1", "l1.mshr_merges=8"},
    {"l1.miss_queue=2", "l1.miss_queue=8"},
    {"l1.passing=1", "l1.passing=1024"},
    {"l1.port_bytes=0B", "l1.port_bytes=32B"},
    {"cluster.injection_buffer=1", "cluster.injection_buffer=8"},
    {"cluster.response_fifo=1", "cluster.response_fifo=8"},
    {"cluster.requests_per_cycle=0", "cluster.requests_per_cycle=1"},
    {"cluster.merger=plain", "cluster.merger=lrc", "cluster.merger=icc", "cluster.merger=icc_cc"},
    {"cluster.broadcast=true", "cluster.broadcast=false"},
    {"cluster.icc.entries=1", "cluster.icc.entries=48"},
    {"cluster.icc.latency=1", "cluster.icc.latency=5"},
    {"cluster.icc.bypassing_loads=true", "cluster.icc.bypassing_loads=false"},
    {"cluster.icc_cc.entries=2", "cluster.icc_cc.entries=48"},
    {"cluster.icc_cc.lines=1", "cluster.icc_cc.lines=24"},
    {"cluster.icc_cc.lookup=serial", "cluster.icc_cc.lookup=parallel"},
    {"cluster.icc_cc.cache_latency=1", "cluster.icc_cc.cache_latency=3"},
    {"noc.request.input_buffer=1", "noc.request.input_buffer=8"},
    {"noc.request.output_buffer=1", "noc.request.output_buffer=8"},
    {"noc.request.virtual_channels=1", "noc.request.virtual_channels=3"},
    {"noc.request.flit=8B", "noc.request.flit=64B"},
    {"noc.request.clock=0Hz", "noc.request.clock=370MHz", "noc.request.clock=3GHz"},
    {"noc.reply.input_buffer=1", "noc.reply.input_buffer=8"},
    {"noc.reply.output_buffer=1", "noc.reply.output_buffer=8"},
    {"noc.reply.flit=8B", "noc.reply.flit=64B"},
    {"noc.reply.clock=0Hz", "noc.reply.clock=640MHz", "noc.reply.clock=4GHz"},
    {"latency.sm_to_cluster=1", "latency.sm_to_cluster=4", "latency.sm_to_cluster=30"},
    {"latency.network_to_partition=2", "latency.network_to_partition=50"},
    {"l2.enabled=true", "l2.enabled=true", "l2.enabled=true", "l2.enabled=false"},
    {"l2.sets=1", "l2.sets=5", "l2.sets=64"},
    {"l2.ways=1", "l2.ways=2", "l2.ways=16"},
    {"l2.sectored=true", "l2.sectored=false"},
    {"l2.clock=0Hz", "l2.clock=610MHz", "l2.clock=2GHz"},
    {"l2.mshr_entries=1", "l2.mshr_entries=32"},
    {"l2.mshr_merges=1", "l2.mshr_merges=8"},
    {"l2.queue=1", "l2.queue=8"},
    {"l2.miss_queue=3", "l2.miss_queue=8"},
    {"l2.reply_queue=1", "l2.reply_queue=8"},
    {"l2.write_miss=fetch", "l2.write_miss=validate", "l2.write_miss=no_allocate"},
    {"l2.atomic_interval=1", "l2.atomic_interval=9"},
    {"memory.partitions=1", "memory.partitions=3", "memory.partitions=4"},
    {"memory.hash=linear", "memory.hash=xor", "memory.hash=polynomial"},
    {"dram.clock=1GHz", "dram.clock=311MHz", "dram.clock=1777MHz"},
    {"dram.queue=1", "dram.queue=64"},
    {"dram.scheduler=fr_fcfs", "dram.scheduler=fifo", "dram.scheduler=banked_fifo"},
    {"dram.row_hit_cap=0", "dram.row_hit_cap=2"},
    {"dram.tREFI=0", "dram.tREFI=20000"},
    {"dram.tRFC=150", "dram.tRFC=150"},
    {"cta.scheduler=two_level_rr", "cta.scheduler=distributed"},
};

Settings drawn(std::uint64_t seed) {
  workload::Random random(seed);
  Settings settings = {"gpu.patience=3000000"};
  for (const auto& c : kChoices) settings.push_back(c[random.below(static_cast<std::uint32_t>(c.size()))]);
  for (const char* clock : {"gpu.clock", "noc.request.clock", "noc.reply.clock", "l2.clock", "dram.clock"})
    if (random.below(2) == 0)
      settings.push_back(fmt::format("{}={}kHz", clock, 1000 + random.below(5'000'000)));
  // Ticks of DRAM, mostly few; issue slots of any class.
  const auto ticks = [&] { return 1 + random.below(random.below(8) == 0 ? 3000 : 40); };
  for (const char* t :
       {"tCL", "tWL", "tRCD", "tRP", "tRAS", "tRC", "tRRD", "tWR", "tWTR", "tRTP", "tRTW", "tFAW"})
    settings.push_back(fmt::format("dram.{}={}", t, ticks()));
  const std::uint32_t between = ticks();  // of one bank group no fewer than of different ones
  settings.push_back(fmt::format("dram.tCCDS={}", between));
  settings.push_back(fmt::format("dram.tCCDL={}", between + random.below(10)));
  for (int c = 0; c < workload::kInstrClasses; ++c) {
    const auto cls = static_cast<workload::InstrClass>(c);
    if (random.below(4) != 0) continue;
    const std::uint32_t least = sm::can_be_free(cls) ? 0 : 1;
    settings.push_back(fmt::format("sm.timing.{}.slots={}", workload::name(cls), least + random.below(4)));
  }
  return settings;
}

class RandomMachine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomMachine, RunsAKernelThatUsesEverything) {
  const Settings settings = drawn(GetParam());
  std::string text;
  for (const std::string& s : settings) text += s + " ";
  SCOPED_TRACE(text);
  try {
    const GpuSpec spec = lab(settings);
    const Counters one = run_everything(spec);
    if (GetParam() % 10 == 0) {
      EXPECT_EQ(run_everything(spec, 2), one);
    }
  } catch (const Error& e) {
    FAIL() << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachine, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace heddle::gpu
