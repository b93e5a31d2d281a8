// A memory partition under random traffic: nothing is lost, and skipping cycles or longer windows change
// nothing.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "partition_bench.h"

namespace heddle::hierarchy {
namespace {

struct Machine {
  PartitionSpec spec;
  mem::AddressMapSpec map;
  BenchOptions options;
};

Machine machine(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random() % (most - least + 1));
  };
  Machine m;
  m.map.partitions = 1;
  m.map.slices = pick(1, 3);
  cache::L2Spec& l2 = m.spec.l2;
  l2.tags.sets = pick(1, 8);
  l2.tags.ways = pick(1, 4);
  l2.tags.sectored = pick(0, 1) != 0;
  l2.latency = pick(1, 30);
  l2.port = Bytes{32u << pick(0, 2)};
  l2.own_fill_port = pick(0, 1) != 0;
  l2.mshrs = pick(1, 6);
  l2.merges = pick(1, 4);
  l2.queue = pick(1, 40);
  l2.miss_queue = pick(3, 5);
  l2.reply_queue = pick(1, 4);
  l2.atomic_interval = pick(1, 3);
  l2.write_miss = static_cast<cache::WriteMiss>(seed % 3);
  m.spec.l2_clock = pick(0, 1) != 0 ? Frequency{} : Frequency{700'000'000ull * pick(1, 3)};
  m.spec.dram.clock = Frequency{100'000'000ull * pick(3, 25)};
  m.spec.dram.queue = pick(1, 12);
  m.spec.dram.pseudo_channels = 1u << pick(0, 1);
  if (pick(0, 1) != 0) m.spec.dram.tREFI = 900, m.spec.dram.tRFC = 100;
  l2.enabled = seed % 7 != 0;
  if (pick(0, 1) != 0) l2.write_miss_ack = cache::WriteMissAck::Memory;
  if (pick(0, 1) != 0) l2.replies_per_cycle = pick(1, 2);
  if (pick(0, 1) != 0) l2.dram_queue = pick(1, 3);
  l2.lookups_need_port = pick(0, 1) != 0;
  l2.merges_as_misses = pick(0, 1) != 0;
  if (pick(0, 1) != 0) m.spec.dram.delay = pick(1, 90);
  if (pick(0, 1) != 0) m.spec.dram.credits = pick(1, 9);
  m.spec.dram.bank_places = pick(0, 1) != 0;
  m.spec.dram.tRCDW = pick(0, 1) != 0 ? 7 : 0;
  l2.merging = pick(0, 1) != 0;
  if (pick(0, 1) != 0) m.spec.dram.bank_queue = pick(1, 4);
  m.spec.dram.one_placement = pick(0, 1) != 0;
  m.spec.dram.recall = pick(0, 1) != 0;
  m.spec.dram.write_extra = Bytes{pick(0, 1) * 16};
  if (pick(0, 1) != 0) m.spec.dram.command_order = dram::CommandOrder::BankTurns;
  if (pick(0, 1) != 0) m.spec.dram.write_recovery = dram::WriteRecovery::Command;
  m.options.out_capacity = pick(16, 64);
  m.options.take_every = pick(0, 3) == 0 ? 7 : 1;
  return m;
}

void load(Bench& b, std::uint32_t seed, std::uint32_t count) {
  std::mt19937 random(seed * 7919);
  sim::Cycle at = b.o.latency;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (random() % 60 == 0) at += random() % 3000;
    at += random() % (1 + seed % 5 * 3);
    const std::uint64_t line = random() % 96 * 128;
    const auto sectors = static_cast<mem::SectorMask>(1 + random() % 15);
    switch (random() % 6) {
      case 0:
        b.atomic(at, line, sectors);
        break;
      case 1:
      case 2:
        b.write(at, line, sectors, random() % 2 == 0);
        break;
      default:
        b.read(at, line, sectors);
    }
  }
}

class PartitionProperty : public testing::TestWithParam<std::uint32_t> {};

TEST_P(PartitionProperty, EveryRequestIsAnsweredOnceAndTheBooksBalance) {
  const Machine m = machine(GetParam());
  Bench b(m.spec, m.map, m.options);
  const std::uint32_t n = 3000;
  load(b, GetParam(), n);
  b.run();
  ASSERT_EQ(b.replies.size(), n);
  std::set<std::uint32_t> tokens;
  for (const Arrived& a : b.replies) EXPECT_TRUE(tokens.insert(a.packet.request.token).second);
  EXPECT_TRUE(b.partition.idle());
  EXPECT_EQ(b.partition.waits(), "");
  EXPECT_EQ(b.partition.statistics().packets_in, n);
  EXPECT_EQ(b.partition.statistics().packets_out, n);
  std::uint64_t accepted = 0, fetched = 0, written = 0, atomics = 0;
  for (std::uint32_t i = 0; i < b.partition.slices(); ++i) {
    const cache::L2Stats& s = b.l2(i);
    EXPECT_EQ(s.requests_in, s.replies_out);
    EXPECT_EQ(s.fetched_sectors, s.fill_sectors);
    for (const cache::L2OpStats* op : {&s.reads, &s.writes, &s.atomics}) {
      EXPECT_EQ(op->requests, op->hits + op->merged + op->misses);
      accepted += op->requests;
    }
    atomics += s.atomics.requests;
    fetched += s.fill_sectors;
    written += s.writeback_sectors + s.written_through_sectors;
  }
  EXPECT_EQ(accepted, n);
  EXPECT_EQ(b.atomics.tokens.size(), atomics);
  EXPECT_GE(b.dram().read_bytes, fetched * 32);
  EXPECT_GE(b.dram().write_bytes, written * 32);
}

// The cycle-by-cycle record is the reference.
TEST_P(PartitionProperty, SkippingCyclesAndLongerWindowsChangeNothing) {
  const Machine m = machine(GetParam());
  struct Way {
    sim::Cycle window;
    bool skip;
  };
  std::vector<Arrived> expected;
  cache::L2Stats stats;
  for (const Way way : {Way{1, false}, Way{1, true}, Way{4, true}, Way{16, true}}) {
    BenchOptions o = m.options;
    // Room in a full channel shows at a window's end, so only what never fills can be compared.
    o.out_capacity = 1u << 16;
    o.take_every = 1;
    o.window = way.window;
    o.skip = way.skip;
    Bench b(m.spec, m.map, o);
    load(b, GetParam(), 1500);
    b.run();
    if (expected.empty()) {
      expected = b.replies;
      stats = b.l2();
      continue;
    }
    ASSERT_EQ(b.replies.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(b.replies[i].packet.request.token, expected[i].packet.request.token) << i;
      ASSERT_EQ(b.replies[i].at, expected[i].at) << i << " window " << way.window;
    }
    EXPECT_EQ(b.l2().stalls, stats.stalls);
    EXPECT_EQ(b.l2().writebacks, stats.writebacks);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, PartitionProperty, testing::Range(1u, 31u));

}  // namespace
}  // namespace heddle::hierarchy
