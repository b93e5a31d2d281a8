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

}  // namespace
}  // namespace heddle::cache
