// A partition without L2 whose requests do not merge: every one is an access to DRAM of its own, and nothing
// of a cache is in its way. And what is counted where requests and replies are handed over.
#include <gtest/gtest.h>

#include "partition_bench.h"

namespace heddle::hierarchy {
namespace {

PartitionSpec direct_spec() {
  PartitionSpec s = simple_spec();
  s.l2.enabled = s.l2.merging = false;
  s.l2.latency = 1;
  s.l2.reply_queue = 64;
  s.dram.bus = 8_B;
  s.dram.burst = 4;  // 32 bytes
  s.dram.bank_groups = 1;
  s.dram.tCCDL = s.dram.tCCDS;
  return s;
}

TEST(DirectPartition, EveryRequestIsAnAccessOfItsOwn) {
  PartitionSpec s = direct_spec();
  for (const bool merging : {true, false}) {
    s.l2.merging = merging;
    Bench b(s);
    for (int i = 0; i < 5; ++i) b.read(100, 0);
    b.run();
    EXPECT_EQ(b.replies.size(), 5u);
    EXPECT_EQ(b.dram().reads, merging ? 1u : 5u);
    EXPECT_EQ(b.l2().reads.misses, b.dram().reads);
    EXPECT_EQ(b.dram().activations, 1u);
  }
}

TEST(DirectPartition, ARequestIsOneTransferOfItsBursts) {
  const PartitionSpec s = direct_spec();
  for (const mem::SectorMask sectors : {0x1, 0x8, 0x3, 0xc, 0xf}) {
    Bench b(s);
    const auto token = b.read(100, 0, sectors);
    b.run();
    const std::uint32_t bursts = mem::sector_count(sectors);
    EXPECT_EQ(b.dram().reads, 1u);
    EXPECT_EQ(b.dram().bursts, bursts);
    EXPECT_EQ(b.answered(token), 100 + dram_read_ticks(s.dram, bursts * 32) + s.l2.latency);
    Bench w(s);
    w.write(100, 0, sectors);
    w.run();
    EXPECT_EQ(w.dram().writes, 1u);
    EXPECT_EQ(w.dram().bursts, bursts);
    EXPECT_EQ(w.dram().reads, 0u);
  }
}

// Sets, ways, MSHRs and the data port are not there, so they limit nothing.
TEST(DirectPartition, NothingOfACacheLimitsIt) {
  constexpr std::uint32_t kReads = 40;
  const auto ends = [](const PartitionSpec& s) {
    Bench b(s);
    std::vector<sim::Cycle> at;
    std::vector<std::uint32_t> tokens;
    for (std::uint32_t i = 0; i < kReads; ++i) tokens.push_back(b.read(100, i % 3 * 4096 + i / 3 * 128));
    b.run();
    for (const std::uint32_t t : tokens) at.push_back(b.answered(t));
    return at;
  };
  const PartitionSpec roomy = direct_spec();
  PartitionSpec tight = roomy;
  tight.l2.tags.sets = tight.l2.tags.ways = 1;
  tight.l2.mshrs = tight.l2.merges = 1;
  tight.l2.port = 1_B;
  tight.l2.lookups_need_port = tight.l2.merges_as_misses = true;
  tight.l2.replies_per_cycle = 1;
  EXPECT_EQ(ends(roomy), ends(tight));
}

// A packet per cycle goes to DRAM while its queue has room, and an answer per cycle to the network.
TEST(DirectPartition, APacketPerCycleEachWay) {
  PartitionSpec s = direct_spec();
  s.dram.transfers_per_tick = 4;
  s.dram.tCCDS = s.dram.tCCDL = 1;
  ASSERT_EQ(s.dram.burst_ticks(), 1u);
  constexpr std::uint32_t kReads = 60;
  ASSERT_LE(kReads, s.dram.queue);
  Bench b(s);
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < kReads; ++i) tokens.push_back(b.read(100, i * 32 % 2048, 1));
  b.run();
  const sim::Cycle first = 100 + dram_read_ticks(s.dram, 32) + s.l2.latency;
  for (std::uint32_t i = 0; i < kReads; ++i) EXPECT_EQ(b.answered(tokens[i]), first + i);
  EXPECT_EQ(b.l2().stalls[static_cast<std::size_t>(cache::L2Stall::MissQueue)], 0u);
}

// Three rows of bank 0, then one of bank 1. Where a bank's queue has one place, the third waits before the
// controller until the second has been served, and the fourth behind it.
TEST(DirectPartition, AFullBankHoldsUpWhatIsBehindIt) {
  PartitionSpec s = direct_spec();
  s.dram.scheduler = "banked_fifo";
  const auto fourth = [&](std::uint32_t bank_queue) {
    s.dram.bank_queue = bank_queue;
    Bench b(s);
    const std::uint64_t row = std::uint64_t{2048} * s.dram.banks;
    for (std::uint64_t i = 0; i < 3; ++i) b.read(100, i * row, 1);
    const auto token = b.read(100, 2048, 1);
    b.run();
    EXPECT_EQ(b.dram().activations, 4u);
    return b.answered(token);
  };
  const sim::Cycle alone = dram_read_ticks(s.dram, 32) + s.l2.latency;
  // It is the fourth packet, and rows are opened tRRD apart.
  const sim::Cycle free = 100 + std::max<sim::Cycle>(3, s.dram.tRRD) + alone;
  EXPECT_EQ(fourth(32), free);
  EXPECT_EQ(fourth(3), free);
  // The second comes in when the first has had its column command, and is served tRC after it; the third
  // follows it in the cycle after, the fourth one later.
  const sim::Cycle second_served = 100 + std::max(s.dram.tRC, s.dram.tRAS + s.dram.tRP) + s.dram.tRCD;
  EXPECT_EQ(fourth(1), second_served + 2 + alone);
}

// Answers that cannot leave hold up what comes after them: no more than the reply queue and what DRAM has.
TEST(DirectPartition, ABlockedExitHoldsUpRequests) {
  PartitionSpec s = direct_spec();
  s.l2.reply_queue = 4;
  s.dram.queue = 8;
  BenchOptions o;
  o.out_capacity = 1;
  o.take_every = 1'000'000;
  Bench b(s, simple_map(), o);
  for (std::uint64_t i = 0; i < 200; ++i) b.read(100, i * 128, 1);
  b.run(50'000);
  const std::uint64_t on_bus = (s.dram.tCL + s.dram.burst_ticks() + s.dram.tCCDS - 1) / s.dram.tCCDS;
  const std::uint64_t most = 1 + s.l2.latency + s.l2.reply_queue + s.dram.queue + s.l2.miss_queue + on_bus;
  EXPECT_LE(b.dram().reads, most);
  EXPECT_GE(b.dram().reads, 1 + s.l2.latency + s.l2.reply_queue);
}

TEST(DirectPartition, AtomicsReadAndWrite) {
  Bench b(direct_spec());
  for (int i = 0; i < 3; ++i) b.atomic(100, 0);
  b.run();
  EXPECT_EQ(b.atomics.tokens.size(), 3u);
  EXPECT_EQ(b.dram().reads, 3u);
  EXPECT_EQ(b.dram().writes, 3u);
}

// ---- reads inside -----------------------------------------------------------------------------------------

TEST(ReadLatency, IsTheTimeOfASingleRead) {
  for (const bool direct : {false, true}) {
    PartitionSpec s = direct ? direct_spec() : simple_spec();
    Bench b(s);
    b.read(100, 0, 0xf);
    b.write(5000, 4096);  // counts for nothing
    b.run();
    EXPECT_EQ(b.partition.statistics().reads, 1u);
    EXPECT_EQ(b.partition.statistics().read_cycles, dram_read_ticks(s.dram, 128) + s.l2.latency);
  }
}
TEST(ReadLatency, IsCountedInCyclesOfTheL2) {
  PartitionSpec s = simple_spec();
  s.l2_clock = 500_MHz;
  s.dram.clock = 250_MHz;
  Bench b(s);
  b.read(100, 0);
  b.run();
  EXPECT_EQ(b.partition.statistics().read_cycles, 2 * dram_read_ticks(s.dram, 128) + s.l2.latency);
}
TEST(ReadLatency, SumsUpOverReads) {
  Bench b;
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < 50; ++i) tokens.push_back(b.read(100 + i / 4, i * 7 % 13 * 2048));
  b.run();
  sim::Cycle sum = 0;
  for (std::uint32_t i = 0; i < 50; ++i) sum += b.answered(tokens[i]) - (100 + i / 4);
  EXPECT_EQ(b.partition.statistics().reads, 50u);
  EXPECT_EQ(b.partition.statistics().read_cycles, sum);
}

}  // namespace
}  // namespace heddle::hierarchy
