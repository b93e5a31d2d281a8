// Latencies and bandwidths of a memory partition, as formulas of its specification.
#include "hierarchy/partition.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "partition_bench.h"

namespace heddle::hierarchy {
namespace {

TEST(Partition, AnUnloadedHitTakesTheSlicesLatency) {
  Bench b;
  b.partition.preload(mem::kDeviceBase);
  const auto token = b.read(100, 0);
  b.run();
  EXPECT_EQ(b.answered(token), 100 + simple_spec().l2.latency);
  EXPECT_EQ(b.dram().reads, 0u);
}

TEST(Partition, AnUnloadedMissTakesTheHitPathAndTheDramPath) {
  const PartitionSpec s = simple_spec();
  Bench b;
  const auto token = b.read(100, 0);
  b.run();
  EXPECT_EQ(b.answered(token), 100 + dram_read_ticks(s.dram, 128) + s.l2.latency);
}

TEST(Partition, ClocksHaveExactRatios) {
  PartitionSpec s = simple_spec();
  s.l2_clock = 500_MHz;
  s.dram.clock = 250_MHz;
  Bench b(s);
  b.partition.preload(mem::kDeviceBase);
  const auto hit = b.read(100, 0);
  const auto miss = b.read(1000, 4096);
  b.run();
  EXPECT_EQ(b.answered(hit), 100 + 2 * s.l2.latency);
  EXPECT_EQ(b.answered(miss), 1000 + 4 * dram_read_ticks(s.dram, 128) + 2 * s.l2.latency);
}

TEST(Partition, TheReplySaysWhereItGoesAndHowLargeItIs) {
  Bench b;
  b.partition.preload(mem::kDeviceBase);
  b.read(20, 0);
  b.write(30, 0);
  b.run();
  ASSERT_EQ(b.replies.size(), 2u);
  for (const Arrived& a : b.replies) {
    EXPECT_EQ(a.packet.source, 0);
    EXPECT_EQ(a.packet.destination, 5);
    EXPECT_TRUE(a.packet.request.reply);
  }
  EXPECT_EQ(b.replies[0].packet.flits, (8 + 128 + 31) / 32);
  EXPECT_EQ(b.replies[1].packet.flits, 1);
}

// Cycles per hit of a whole line, in the steady state.
double cycles_per_hit(const PartitionSpec& s, std::uint32_t n = 200) {
  Bench b(s);
  b.partition.preload(mem::kDeviceBase);
  for (std::uint32_t i = 0; i < n; ++i) b.read(100, 0);
  b.run();
  return static_cast<double>(b.replies[n - 1].at - b.replies[0].at) / (n - 1);
}
double cycles_per_hit(Bytes port) {
  PartitionSpec s = simple_spec();
  s.l2.port = port;
  return cycles_per_hit(s);
}
TEST(Partition, ThePortLimitsTheBandwidthOfHits) {
  EXPECT_DOUBLE_EQ(cycles_per_hit(32_B), 4);
  EXPECT_DOUBLE_EQ(cycles_per_hit(64_B), 2);
  EXPECT_DOUBLE_EQ(cycles_per_hit(128_B), 1);
  EXPECT_DOUBLE_EQ(cycles_per_hit(256_B), 1);  // one lookup per cycle
}

TEST(Partition, SlicesWorkSideBySide) {
  PartitionSpec s = simple_spec();
  const auto cycles = [&](std::uint32_t slices) {
    Bench b(s, simple_map(slices));
    const std::uint32_t n = 400;
    for (std::uint64_t i = 0; i < 8; ++i) b.partition.preload(mem::kDeviceBase + i * 256);
    for (std::uint64_t i = 0; i < n; ++i) b.read(100, i % 8 * 256);
    b.run();
    return static_cast<double>(b.replies[n - 1].at - b.replies[0].at) / (n - 1);
  };
  EXPECT_NEAR(cycles(1), 4, 0.02);
  EXPECT_NEAR(cycles(2), 2, 0.02);
  EXPECT_NEAR(cycles(8), 0.5, 0.02);
}

TEST(Partition, EverySliceHasItsOwnExit) {
  PartitionSpec s = simple_spec();
  s.l2.port = 128_B;
  Bench b(s, simple_map(2));
  const std::uint32_t n = 400;
  for (std::uint64_t i = 0; i < 2; ++i) b.partition.preload(mem::kDeviceBase + i * 256);
  for (std::uint64_t i = 0; i < n; ++i) b.read(100, i % 2 * 256);
  b.run();
  EXPECT_EQ(b.replies[n - 1].at - b.replies[0].at, n / 2 - 1);
  for (const Arrived& a : b.replies) EXPECT_EQ(a.packet.source, a.packet.request.slice);
}

TEST(Partition, WithoutL2EveryAccessGoesToDram) {
  PartitionSpec s = simple_spec();
  s.l2.enabled = false;
  Bench b(s);
  b.partition.preload(mem::kDeviceBase);
  for (sim::Cycle i = 1; i < 4; ++i) b.read(i * 1000, 0);
  b.write(5000, 0);
  b.atomic(6000, 0);
  b.run();
  EXPECT_EQ(b.dram().reads, 4u);
  EXPECT_EQ(b.dram().writes, 2u);
  EXPECT_EQ(b.l2().reads.hits + b.l2().writes.hits, 0u);
}

TEST(Partition, ReadsOfALineUnderWayAreMerged) {
  Bench b;
  for (int i = 0; i < 5; ++i) b.read(100, 0);
  b.run();
  EXPECT_EQ(b.replies.size(), 5u);
  EXPECT_EQ(b.l2().reads.misses, 1u);
  EXPECT_EQ(b.l2().reads.merged, 4u);
  EXPECT_EQ(b.dram().reads, 1u);
}

TEST(Partition, AtMostSoManyRequestsWaitForALine) {
  PartitionSpec s = simple_spec();
  s.l2.merges = 3;
  Bench b(s);
  for (int i = 0; i < 5; ++i) b.read(100, 0);
  b.run();
  EXPECT_EQ(b.l2().reads.merged, 2u);
  EXPECT_EQ(b.l2().reads.hits, 2u);  // those that had to wait found the line
  // From the cycle after the third until the data came.
  EXPECT_EQ(b.l2().stalls[static_cast<std::size_t>(cache::L2Stall::Merges)],
            dram_read_ticks(s.dram, 128) - 3);
}

TEST(Partition, MshrsLimitTheLinesUnderWay) {
  PartitionSpec s = simple_spec();
  s.l2.mshrs = 2;
  Bench b(s);
  const std::uint64_t row_of_other_bank = 2048;
  std::vector<std::uint32_t> tokens;
  for (std::uint64_t i = 0; i < 3; ++i) tokens.push_back(b.read(100, i * row_of_other_bank));
  b.run();
  const sim::Cycle first = b.answered(tokens[0]);
  EXPECT_EQ(b.answered(tokens[2]) - first, dram_read_ticks(s.dram, 128));
  EXPECT_GT(b.l2().stalls[static_cast<std::size_t>(cache::L2Stall::Mshrs)], 0u);
}

TEST(Partition, ASetWhoseWaysAllWaitHoldsUpTheNextLine) {
  PartitionSpec s = simple_spec();
  s.l2.tags.sets = 1;
  s.l2.tags.ways = 2;
  Bench b(s);
  for (std::uint64_t i = 0; i < 3; ++i) b.read(100, i * 2048);
  b.run();
  EXPECT_EQ(b.replies.size(), 3u);
  EXPECT_GT(b.l2().stalls[static_cast<std::size_t>(cache::L2Stall::Ways)], 0u);
}

TEST(Partition, AtomicsArePerformedInOrderOfArrival) {
  PartitionSpec s = simple_spec();
  s.l2.atomic_interval = 7;
  s.l2.port = 128_B;
  Bench b(s);
  b.partition.preload(mem::kDeviceBase);
  std::vector<std::uint32_t> expected;
  // Hits and a miss in between: the order is that of arrival all the same.
  for (int i = 0; i < 3; ++i) expected.push_back(b.atomic(100, 0));
  expected.push_back(b.atomic(100, 8192));
  for (int i = 0; i < 3; ++i) expected.push_back(b.atomic(100, 0));
  b.run();
  EXPECT_EQ(b.atomics.tokens, expected);
  EXPECT_EQ(b.answered(1) - b.answered(0), s.l2.atomic_interval);
  EXPECT_EQ(b.answered(6), 100 + 6 * s.l2.atomic_interval + s.l2.latency);
  EXPECT_EQ(b.answered(3), 100 + 3 * s.l2.atomic_interval + dram_read_ticks(s.dram, 128) + s.l2.latency);
  EXPECT_EQ(b.l2().atomics.requests, 7u);
}

// A place of the queue is taken when a request is sent and known to be free when the news of its lookup has
// come back: n places carry n requests in 2 x latency cycles, up to one lookup per cycle.
TEST(Partition, TheQueueLimitsWhatItsWireCarries) {
  for (const std::uint32_t places : {1u, 2u, 8u, 31u, 32u, 64u})
    for (const std::uint32_t delay : {0u, places / 2}) {
      PartitionSpec s = simple_spec();
      s.l2.port = 128_B;
      s.l2.queue = places - delay;
      s.l2.delay_places = delay;
      const double trip = 2.0 * static_cast<double>(BenchOptions{}.latency);
      EXPECT_NEAR(cycles_per_hit(s, 640), std::max(1.0, trip / places), 0.06) << places;
    }
}

// DRAM opens its first row for a long time. Misses to other lines of the bank go as far as there are places.
TEST(Partition, QueuesToDramHoldWhatTheySay) {
  const auto sent = [](std::uint32_t miss_queue, std::uint32_t dram_queue) {
    PartitionSpec s = simple_spec();
    s.l2.queue = 1;
    s.l2.mshrs = 256;
    s.l2.miss_queue = miss_queue;
    s.dram.queue = dram_queue;
    s.dram.tRCD = 4000;
    Bench b(s);
    for (std::uint64_t i = 0; i < 100; ++i) b.read(100, i * 128);
    b.run(3900);
    return b.in_channels[0]->sent();
  };
  const std::uint64_t few = sent(3, 2);
  EXPECT_EQ(sent(4, 2), few + 1);
  EXPECT_EQ(sent(10, 2), few + 7);
  EXPECT_EQ(sent(3, 3), few + 1);
  EXPECT_EQ(sent(3, 9), few + 7);
}

// What a slice that waits for DRAM holds: its queue, and what it is at.
TEST(Partition, AFullQueueStopsTheNetwork) {
  for (const std::uint32_t places : {1u, 2u, 8u}) {
    PartitionSpec s = simple_spec();
    s.l2.queue = places;
    s.l2.mshrs = 1;
    s.dram.minimum_latency = 2000;
    Bench b(s);
    for (std::uint64_t i = 0; i < 12; ++i) b.read(100, i * 128);
    b.run(1500);
    EXPECT_EQ(b.in_channels[0]->sent(), places + 1);
  }
}

TEST(Partition, ASlowReplyNetworkHoldsUpTheSliceAndLosesNothing) {
  PartitionSpec s = simple_spec();
  s.l2.port = 128_B;
  BenchOptions o;
  o.out_capacity = 4;
  o.take_every = 10;
  Bench b(s, simple_map(), o);
  b.partition.preload(mem::kDeviceBase);
  for (int i = 0; i < 300; ++i) b.read(100, 0);
  b.run();
  EXPECT_EQ(b.replies.size(), 300u);
  EXPECT_GT(b.partition.statistics().output_blocked, 0u);
  EXPECT_GT(b.l2().stalls[static_cast<std::size_t>(cache::L2Stall::Replies)], 0u);
  for (std::size_t i = 100; i < 300; ++i) EXPECT_EQ(b.replies[i].at - b.replies[i - 1].at, 10u);
}

TEST(Partition, SleepsWhileDramWorks) {
  Bench b;
  b.read(100, 0);
  b.run();
  EXPECT_LT(b.calls, 15u);
}

TEST(Partition, TheMapAndTheDramMustAgreeOnTheBanks) {
  PartitionSpec s = simple_spec();
  s.channels = 2;
  EXPECT_THROW(Bench b(s), Error);
}

TEST(Partition, SeveralChannelsServeDifferentBanks) {
  PartitionSpec s = simple_spec();
  s.channels = 2;
  mem::AddressMapSpec m = simple_map();
  m.banks = 32;
  Bench b(s, m);
  for (std::uint64_t i = 0; i < 64; ++i) b.read(100, i * 2048);
  b.run();
  EXPECT_EQ(b.partition.dram(0).statistics().reads, 32u);
  EXPECT_EQ(b.partition.dram(1).statistics().reads, 32u);
}

TEST(Partition, SaysWhatItWaitsFor) {
  Bench b;
  EXPECT_EQ(b.partition.waits(), "");
  b.send(16, b.make(mem::Op::Read, 0));
  b.in_channels[0]->send(0, b.schedule[0].front().second);
  b.in_channels[0]->publish();
  b.partition.run(16, 20);
  EXPECT_NE(b.partition.waits().find("1 lines under way"), std::string::npos) << b.partition.waits();
  EXPECT_NE(b.partition.waits().find("DRAM"), std::string::npos);
  EXPECT_FALSE(b.partition.idle());
}

}  // namespace
}  // namespace heddle::hierarchy
