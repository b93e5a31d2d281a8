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

}  // namespace
}  // namespace heddle::cache
