// What a request of an L2 slice waits for, and what it holds meanwhile, where the description gives a choice.
#include <gtest/gtest.h>

#include "partition_bench.h"

namespace heddle::hierarchy {
namespace {

// A write that goes to memory is acknowledged when it is on its way, or when it is written: all of it, if
// its sectors are apart.
TEST(L2Acks, AWriteMissIsAcknowledgedWhenItIsWritten) {
  for (const auto policy : {cache::WriteMiss::NoAllocate, cache::WriteMiss::Fetch})
    for (const mem::SectorMask sectors : {0x1, 0xf, 0x9}) {
      const auto at = [&](cache::WriteMissAck ack) {
        PartitionSpec s = simple_spec();
        s.l2.write_miss = policy;
        s.l2.write_miss_ack = ack;
        Bench b(s);
        const std::uint32_t w = b.write(100, 0, sectors);
        b.run();
        return b.answered(w);
      };
      const dram::DramSpec d = simple_spec().dram;
      // Two transfers of a burst each, or one of one or two; of them the second is sent a cycle later, when
      // the row is not yet open.
      const std::uint32_t bursts = sectors == 0x1 ? 1 : 2;
      const sim::Cycle written = d.tRCD + (bursts - 1) * d.tCCDL + d.tWL + d.burst_ticks();
      EXPECT_EQ(at(cache::WriteMissAck::Memory) - at(cache::WriteMissAck::Accepted), written) << int{sectors};
    }
}

// A write hit is answered at once under either rule.
TEST(L2Acks, AWriteHitDoesNotWaitForMemory) {
  const auto at = [](cache::WriteMissAck ack) {
    PartitionSpec s = simple_spec();
    s.l2.write_miss_ack = ack;
    Bench b(s);
    b.read(100, 0);
    const std::uint32_t w = b.write(1000, 0);
    b.run();
    return b.answered(w);
  };
  EXPECT_EQ(at(cache::WriteMissAck::Memory), at(cache::WriteMissAck::Accepted));
}

// Those who wait for a line keep its MSHR until the last of them is answered.
TEST(L2Replies, WaitersAreAnsweredInTurn) {
  for (const std::uint32_t waiters : {1u, 2u, 6u}) {
    const auto at = [&](std::uint32_t per_cycle) {
      PartitionSpec s = simple_spec();
      s.l2.mshrs = 1;
      s.l2.replies_per_cycle = per_cycle;
      Bench b(s);
      for (std::uint32_t i = 0; i < waiters; ++i) b.read(100, 0);
      const std::uint32_t other = b.read(100, 1 << 20);
      b.run();
      EXPECT_EQ(b.replies.size(), waiters + 1);
      return b.answered(other);
    };
    const sim::Cycle at_once = at(0);
    EXPECT_EQ(at(1) - at_once, waiters - 1);
    EXPECT_EQ(at(2) - at_once, (waiters - 1) / 2);
    EXPECT_EQ(at(8), at_once);
  }
}

// A hit takes the data port for four cycles; the miss behind it is looked up in the next, or after them.
TEST(L2Ports, AMissWaitsForThePortOrNot) {
  const auto at = [](bool need) {
    PartitionSpec s = simple_spec();
    s.l2.lookups_need_port = need;
    Bench b(s);
    b.read(100, 0);
    b.read(1000, 0);
    const std::uint32_t miss = b.read(1000, 1 << 20);
    b.run();
    return b.answered(miss);
  };
  EXPECT_EQ(at(true) - at(false), 128 / 32 - 1);
}

// Accesses stand in the miss queue and behind it, and one moves on per cycle.
TEST(L2ToDram, TheQueueBehindTheMissQueueHoldsWhatItSays) {
  const auto sent = [](std::uint32_t miss_queue, std::uint32_t behind) {
    PartitionSpec s = simple_spec();
    s.l2.queue = 1;
    s.l2.mshrs = 256;
    s.l2.miss_queue = miss_queue;
    s.l2.dram_queue = behind;
    s.dram.queue = 2;
    s.dram.tRCD = 4000;
    Bench b(s);
    for (std::uint64_t i = 0; i < 100; ++i) b.read(100, i * 128);
    b.run(3900);
    return b.in_channels[0]->sent();
  };
  const std::uint64_t few = sent(3, 0);
  for (const std::uint32_t n : {1u, 2u, 8u}) EXPECT_EQ(sent(3, n), few + n);
  EXPECT_EQ(sent(5, 8), few + 2 + 8);
}
TEST(L2ToDram, TheQueueBehindTheMissQueueIsACycle) {
  const auto at = [](std::uint32_t behind) {
    PartitionSpec s = simple_spec();
    s.l2.dram_queue = behind;
    Bench b(s);
    const std::uint32_t r = b.read(100, 0);
    b.run();
    return b.answered(r);
  };
  EXPECT_EQ(at(8), at(0) + 1);
}

// With the miss queue full a request for a line under way passes, or waits as a miss would.
TEST(L2ToDram, AMergeNeedsTheRoomOfAMissOrNot) {
  for (const mem::Op op : {mem::Op::Read, mem::Op::Write}) {
    const auto merged = [&](bool as_misses) {
      PartitionSpec s = simple_spec();
      s.l2.mshrs = 256;
      s.l2.miss_queue = 4;
      s.l2.merges_as_misses = as_misses;
      s.dram.queue = 1;
      s.dram.tRCD = 4000;
      Bench b(s);
      // One in DRAM; two in the miss queue, where a miss wants two places more.
      for (std::uint64_t i = 0; i < 3; ++i) b.read(100, i * 128);
      b.send(200, b.make(op, 128));
      b.run(3000);
      return b.l2().reads.merged + b.l2().writes.merged;
    };
    EXPECT_EQ(merged(false), 1u);
    EXPECT_EQ(merged(true), op == mem::Op::Read ? 1u : 0u);
  }
}

// The way to DRAM: ticks before its queue, and as many transfers at a time as there are credits.
TEST(DramEntry, ADelayIsBeforeTheQueue) {
  const auto at = [](std::uint32_t delay) {
    PartitionSpec s = simple_spec();
    s.dram.delay = delay;
    Bench b(s);
    const std::uint32_t r = b.read(100, 0);
    b.run();
    return b.answered(r);
  };
  for (const std::uint32_t delay : {1u, 30u, 132u}) EXPECT_EQ(at(delay), at(0) + delay);
}
TEST(DramEntry, CreditsAreHeldToTheAnswer) {
  for (const std::uint32_t delay : {0u, 50u}) {
    const auto at = [&](std::uint32_t credits) {
      PartitionSpec s = simple_spec();
      s.dram.delay = delay;
      s.dram.credits = credits;
      Bench b(s);
      std::uint32_t last = 0;
      for (std::uint64_t i = 0; i < 5; ++i) last = b.read(100, i * 128);  // of one row
      b.run();
      return b.answered(last) - 100 - s.l2.latency;
    };
    const dram::DramSpec d = simple_spec().dram;
    const sim::Cycle hit = d.tCCDL + d.tCL + d.burst_ticks() + delay;
    EXPECT_EQ(at(1), d.tRCD + 5 * hit);
    // Data of a line follow those before it.
    EXPECT_EQ(at(0), d.tRCD + hit + 4 * 2 * d.tCCDL);
    EXPECT_EQ(at(5), at(0));
  }
}

}  // namespace
}  // namespace heddle::hierarchy
