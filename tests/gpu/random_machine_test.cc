// Machines with parameters drawn at random, most of them as small as they may be: whatever the sizes, a
// kernel that uses everything ends, with the right result, and the counts add up.
#include "base/error.h"
#include "bench.h"
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
    {"dram.tREFI=0", "dram.tREFI=1500"},
    {"dram.tRFC=150", "dram.tRFC=150"},
    {"cta.scheduler=two_level_rr", "cta.scheduler=distributed"},
};

Settings drawn(std::uint64_t seed) {
  workload::Random random(seed);
  Settings settings = {"gpu.patience=3000000"};
  for (const auto& c : kChoices) settings.push_back(c[random.below(static_cast<std::uint32_t>(c.size()))]);
  return settings;
}

// Loads near and far, shared and local memory, constants, barriers, atomics with and without result, a lock.
// %b[gid] gets a sum that the test knows; %a[0] counts threads, %a[1] is a lock, %a[2] what it guards.
constexpr std::string_view kGlobals =
    ".const .align 4 .u32 table[64] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};\n"
    ".shared .align 4 .b8 buffer[512];\n";
constexpr std::string_view kBody = R"(
.local .align 4 .b8 stack[128];
mul.wide.u32 %rd1, %gid, 4;
add.u64 %rd1, %rd1, %c;
ld.global.u32 %r1, [%rd1];
mul.wide.u32 %rd2, %lane, 1028;
add.u64 %rd2, %rd2, %c;
ld.global.u32 %r2, [%rd2];
st.local.u32 [stack+4], %r1;
st.local.u32 [stack+96], %r2;
mov.u64 %rd3, buffer;
mul.wide.u32 %rd4, %tid, 4;
add.u64 %rd4, %rd4, %rd3;
st.shared.u32 [%rd4], %r1;
bar.sync 0;
xor.b32 %r3, %tid, 1;
mul.wide.u32 %rd5, %r3, 4;
add.u64 %rd5, %rd5, %rd3;
ld.shared.u32 %r4, [%rd5];
mov.u64 %rd6, table;
and.b32 %r5, %lane, 15;
mul.wide.u32 %rd7, %r5, 4;
add.u64 %rd6, %rd6, %rd7;
ld.const.u32 %r6, [%rd6];
ld.local.u32 %r7, [stack+4];
ld.local.u32 %r8, [stack+96];
red.global.add.u32 [%a], 1;
and.b32 %r10, %gid, 7;
mul.wide.u32 %rd8, %r10, 4;
add.u64 %rd8, %rd8, %a;
atom.global.add.u32 %r9, [%rd8+128], 1;
add.u32 %r11, %r4, %r6;
add.u32 %r11, %r11, %r7;
add.u32 %r11, %r11, %r8;
mul.wide.u32 %rd9, %gid, 4;
add.u64 %rd9, %rd9, %b;
st.global.u32 [%rd9], %r11;
membar.gl;
ld.global.cg.u32 %r12, [%rd9];
add.u32 %r12, %r12, 1;
st.global.u32 [%rd9], %r12;
setp.ne.u32 %p1, %tid, 0;
@%p1 bra END;
LOCK:
atom.global.cas.b32 %r13, [%a+4], 0, 1;
setp.ne.u32 %p2, %r13, 0;
@%p2 bra LOCK;
membar.gl;
ld.volatile.global.u32 %r14, [%a+8];
add.u32 %r14, %r14, 3;
st.volatile.global.u32 [%a+8], %r14;
membar.gl;
atom.global.exch.b32 %r15, [%a+4], 0;
END:
bar.sync 0;
)";

class RandomMachine : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomMachine, RunsAKernelThatUsesEverything) {
  const Settings settings = drawn(GetParam());
  Bench b(lab(settings));
  std::string text;
  for (const std::string& s : settings) text += s + " ";
  SCOPED_TRACE(text);
  b.load(kBody, kGlobals);
  constexpr std::uint32_t kCtas = 13, kThreads = 96, kAll = kCtas * kThreads;
  std::vector<std::uint32_t> input(32 * 257 + kAll);
  for (std::uint32_t i = 0; i < input.size(); ++i) input[i] = i * 7 % 1001;
  const auto a = b.words(64), out = b.words(kAll), in = b.words(input);
  for (int launch = 1; launch <= 2; ++launch) {
    try {
      b.run({.ctas = kCtas, .threads = kThreads}, a, out, in);
    } catch (const Error& e) {
      FAIL() << e.what();
    }
    const auto shared = b.read(a, 64), got = b.read(out, kAll);
    EXPECT_EQ(shared[0], kAll * launch);
    EXPECT_EQ(shared[1], 0u);
    EXPECT_EQ(shared[2], 3 * kCtas * launch);
    for (int k = 0; k < 8; ++k) EXPECT_EQ(shared[32 + k], kAll / 8 * launch);
    for (std::uint32_t i = 0; i < kAll; ++i) {
      const std::uint32_t neighbour = i / kThreads * kThreads + (i % kThreads ^ 1);
      ASSERT_EQ(got[i], input[neighbour] + 5 + input[i] + input[i % 32 * 257] + 1) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachine, testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace heddle::gpu
