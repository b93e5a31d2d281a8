// An L2 slice by itself; with DRAM and networks around it: tests/hierarchy.
#include "cache/l2_slice.h"

#include <gtest/gtest.h>

namespace heddle::cache {
namespace {

mem::Request request(mem::Op op, std::uint64_t line) {
  mem::Request r;
  r.op = op;
  r.line = line;
  return r;
}

// A request that waits is not looked up anew at each attempt; it must keep what was found for its own line.
TEST(L2Slice, AWriteThatWaitsForRoomForItsReplyFindsItsOwnLine) {
  L2Spec spec;
  spec.latency = 1, spec.reply_queue = 1, spec.merges = 1;  // room for two replies
  spec.port = Bytes{128};
  spec.write_miss = WriteMiss::Fetch;
  L2Slice l2(spec, nullptr);
  l2.preload(0);
  L2Slice::Tick t = 0;
  for (int i = 0; i < 2; ++i) l2.push(request(mem::Op::Read, 0), 0);
  l2.push(request(mem::Op::Write, 4096), 4096);
  for (; t < 20; ++t) l2.step(t);
  ASSERT_EQ(l2.statistics().reads.hits, 2u);
  ASSERT_EQ(l2.statistics().writes.requests, 0u);  // no room for its reply
  l2.pop_reply();
  for (; t < 40; ++t) l2.step(t);
  EXPECT_EQ(l2.statistics().writes.misses, 1u);
  EXPECT_EQ(l2.statistics().writes.hits, 0u);
}

// A sectored slice whose misses bring `fetch` bytes.
L2Slice sectored(std::uint64_t fetch) {
  L2Spec spec;
  spec.tags.sectored = true;
  spec.port = Bytes{128};
  spec.fetch = Bytes{fetch};
  return L2Slice(spec, nullptr);
}

void read(L2Slice& l2, L2Slice::Tick& t, mem::SectorMask sectors) {
  mem::Request r = request(mem::Op::Read, 0);
  r.sectors = sectors;
  l2.push(r, 0);
  for (const L2Slice::Tick end = t + 10; t < end; ++t) l2.step(t);
}

TEST(L2Slice, AMissBringsItsNeighboursWithIt) {
  L2Slice l2 = sectored(64);
  L2Slice::Tick t = 0;
  read(l2, t, 0b0100);
  ASSERT_TRUE(l2.wants_memory());
  EXPECT_EQ(l2.memory().sectors, 0b1100);
  const std::uint32_t entry = l2.memory().entry;
  l2.sent(0b1100);
  read(l2, t, 0b1000);  // under way, though nobody asked for it before
  EXPECT_FALSE(l2.wants_memory());
  EXPECT_EQ(l2.statistics().reads.merged, 1u);
  l2.filled(entry, 0b1100);
  for (const L2Slice::Tick end = t + 10; t < end; ++t) l2.step(t);
  EXPECT_EQ(l2.statistics().fetched_sectors, 2u);
  l2.pop_reply();
  l2.pop_reply();
  read(l2, t, 0b1000);
  EXPECT_EQ(l2.statistics().reads.hits, 1u);
  read(l2, t, 0b0111);  // of the second pair nothing is missing
  EXPECT_EQ(l2.memory().sectors, 0b0011);
}

TEST(L2Slice, ByItselfASectorComesAlone) {
  L2Slice l2 = sectored(32);
  L2Slice::Tick t = 0;
  read(l2, t, 0b0100);
  EXPECT_EQ(l2.memory().sectors, 0b0100);
}

// A line is under way; a write to another sector of it comes, and a read of a line that is there.
TEST(L2Slice, AWriteToALineUnderWayHoldsUpTheSliceOrNot) {
  for (const bool waits : {false, true}) {
    L2Spec spec;
    spec.tags.sectored = true;
    spec.port = Bytes{128};
    spec.write_miss = WriteMiss::Validate;
    spec.write_waits = waits;
    L2Slice l2(spec, nullptr);
    l2.preload(4096);
    L2Slice::Tick t = 0;
    read(l2, t, 0b0001);
    const std::uint32_t entry = l2.memory().entry;
    l2.sent(0b0001);
    mem::Request write = request(mem::Op::Write, 0);
    write.sectors = 0b0100;
    l2.push(write, 0);
    mem::Request other = request(mem::Op::Read, 4096);
    other.sectors = 0b0001;
    l2.push(other, 4096);
    for (const L2Slice::Tick end = t + 50; t < end; ++t) l2.step(t);
    EXPECT_EQ(l2.queued(), waits ? 2u : 0u);
    l2.filled(entry, 0b0001);
    for (const L2Slice::Tick end = t + 50; t < end; ++t) l2.step(t);
    EXPECT_EQ(l2.queued(), 0u);
    EXPECT_EQ(l2.statistics().writes.requests, 1u);
    EXPECT_EQ(l2.statistics().reads.hits, 1u);
    EXPECT_EQ(l2.statistics().stalls[static_cast<std::size_t>(L2Stall::Fill)], waits ? 50u : 0u);
  }
}

// ---- two sides: clusters 0 and 1 are near, 2 and 3 far ----
struct TwoSides {
  explicit TwoSides(std::uint64_t link = 0) : l2(spec(link), nullptr, {0, 2}) {}
  static L2Spec spec(std::uint64_t link) {
    L2Spec s;
    s.tags.sectored = true;
    s.port = Bytes{128};
    s.write_miss = WriteMiss::Validate;
    s.sides = 2;
    s.side_latency = 100;
    s.side_link = Bytes{link};
    return s;
  }
  // Cycles from the push of a request for line 0 to its reply.
  L2Slice::Tick takes(mem::Op op, std::uint16_t cluster, mem::SectorMask sectors = 0xf) {
    mem::Request r = request(op, 0);
    r.cluster = cluster;
    r.sectors = sectors;
    const L2Slice::Tick from = t;
    l2.push(r, 0);
    for (; l2.next_reply() > t; ++t) {
      l2.step(t);
      if (!l2.wants_memory()) continue;
      const MemoryAccess a = l2.memory();
      l2.sent(a.sectors);
      l2.filled(a.entry, a.sectors);
    }
    const L2Slice::Tick takes = l2.next_reply() - from;
    EXPECT_EQ(l2.reply().cluster, cluster);
    l2.pop_reply();
    ++t;
    return takes;
  }
  L2Slice l2;
  L2Slice::Tick t = 0;
};

TEST(L2Sides, WhatTheOtherSideHasReadItKeeps) {
  TwoSides s;
  const L2Slice::Tick miss = s.takes(mem::Op::Read, 0);
  const L2Slice::Tick hit = s.takes(mem::Op::Read, 1);
  EXPECT_LT(hit, miss);
  EXPECT_EQ(s.takes(mem::Op::Read, 2), hit + 100);
  EXPECT_EQ(s.takes(mem::Op::Read, 2), hit);
  EXPECT_EQ(s.takes(mem::Op::Read, 3), hit) << "the copy is the side's, not the cluster's";
}

TEST(L2Sides, AMissFromTheOtherSideBringsTheLineToBoth) {
  TwoSides s, near;
  EXPECT_EQ(s.takes(mem::Op::Read, 2), near.takes(mem::Op::Read, 0) + 100);
  EXPECT_EQ(s.takes(mem::Op::Read, 0), s.takes(mem::Op::Read, 2));
}

TEST(L2Sides, WritesEndTheCopyOfWhatTheyWrite) {
  TwoSides s;
  const L2Slice::Tick far = s.takes(mem::Op::Read, 2), hit = s.takes(mem::Op::Read, 2);
  ASSERT_GT(far, hit + 99);
  const L2Slice::Tick write = s.takes(mem::Op::Write, 0, 0b0001);
  EXPECT_EQ(s.takes(mem::Op::Write, 2, 0b0001), write + 100);
  EXPECT_EQ(s.takes(mem::Op::Read, 2, 0b1110), hit);
  EXPECT_EQ(s.takes(mem::Op::Read, 2, 0b0001), hit + 100);
}

TEST(L2Sides, TheLinkTakesItsTime) {
  // 4 sectors of 32 bytes, 16 per cycle; a write has its header beside them.
  TwoSides wide, s(16);
  for (const auto op : {mem::Op::Read, mem::Op::Write}) {
    const L2Slice::Tick more = op == mem::Op::Read ? 8 : 10;
    EXPECT_EQ(s.takes(op, 2), wide.takes(op, 2) + more);
  }
  EXPECT_EQ(s.takes(mem::Op::Write, 2), wide.takes(mem::Op::Write, 2))
      << "to the same line as the one before";
}

// ---- atomics by passes ----
class Work final : public mem::AtomicUnit {
 public:
  void execute(const mem::Request&) override {}
  mem::AtomicWork work(const mem::Request&) const override { return next; }
  mem::AtomicWork next;
};

// Cycles of `n` atomics to lines that are there: to one line, or in turn to two.
L2Slice::Tick cycles_of(const mem::AtomicWork& work, std::uint32_t lines, std::uint32_t n = 64) {
  L2Spec spec;
  spec.queue = 256, spec.reply_queue = 256;
  spec.port = Bytes{128};
  spec.atomic_passes = true, spec.atomic_part_quarters = 1, spec.atomic_float_interval = 3;
  Work unit;
  unit.next = work;
  L2Slice l2(spec, &unit);
  for (std::uint32_t i = 0; i < lines; ++i) l2.preload(i * 128);
  for (std::uint32_t i = 0; i < n; ++i) l2.push(request(mem::Op::Atomic, i % lines * 128), i % lines * 128);
  L2Slice::Tick t = 0;
  for (; l2.queued() != 0; ++t) l2.step(t);
  return t - 1;  // when the last was looked up
}

TEST(L2Atomics, TakeAPassForEverySector) {
  EXPECT_EQ(cycles_of({4, 0, 1, false}, 1), 63u * 4);
  // Sectors that are not changed whole take a quarter more.
  EXPECT_EQ(cycles_of({0, 4, 1, false}, 1), 63u * 5);
  EXPECT_EQ(cycles_of({0, 1, 1, false}, 1), 63u * 5 / 4);
}

TEST(L2Atomics, SumsOfFloatsWaitForEachOther) {
  EXPECT_EQ(cycles_of({0, 1, 1, true}, 1), 1 + 62u * 3);
  EXPECT_EQ(cycles_of({0, 1, 1, true}, 2), 63u * 5 / 4) << "not those to another line";
  EXPECT_EQ(cycles_of({0, 32, 32, true}, 2), 63u * 96) << "lanes of one request that meet in a word";
}

}  // namespace
}  // namespace heddle::cache
