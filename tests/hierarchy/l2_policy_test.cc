// What writes do in an L2 slice, and which sectors travel to and from DRAM.
#include <gtest/gtest.h>

#include "partition_bench.h"

namespace heddle::hierarchy {
namespace {

PartitionSpec with(cache::WriteMiss policy, bool sectored) {
  PartitionSpec s = simple_spec();
  s.l2.write_miss = policy;
  s.l2.tags.sectored = sectored;
  s.l2.tags.sets = 1;
  s.l2.tags.ways = 2;
  s.dram.bus = 4_B;  // a burst is a sector
  return s;
}

TEST(L2Write, AHitStaysInTheCacheAndIsAcknowledgedAtOnce) {
  Bench b;
  b.partition.preload(mem::kDeviceBase);
  const auto token = b.write(100, 0);
  b.run();
  EXPECT_EQ(b.answered(token), 100 + simple_spec().l2.latency);
  EXPECT_EQ(b.l2().writes.hits, 1u);
  EXPECT_EQ(b.dram().writes, 0u);
}

TEST(L2Write, FetchSendsTheWriteToDramAndFetchesTheLineAsWell) {
  Bench b(with(cache::WriteMiss::Fetch, false));
  const auto token = b.write(100, 0, 0x1);
  const auto later = b.read(1000, 0);
  b.run();
  EXPECT_EQ(b.answered(token), 100 + simple_spec().l2.latency);
  EXPECT_EQ(b.answered(later), 1000 + simple_spec().l2.latency);
  EXPECT_EQ(b.dram().write_bytes, 32u);
  EXPECT_EQ(b.dram().read_bytes, 128u);
}

TEST(L2Write, ValidateKeepsWholeSectorsWithoutFetching) {
  Bench b(with(cache::WriteMiss::Validate, true));
  b.write(100, 0, 0x3);
  const auto hit = b.read(1000, 0, 0x3);
  const auto rest = b.read(2000, 0, 0xf);
  b.run();
  EXPECT_EQ(b.answered(hit), 1000 + simple_spec().l2.latency);
  EXPECT_GT(b.answered(rest), 2000 + simple_spec().l2.latency);
  EXPECT_EQ(b.dram().write_bytes, 0u);
  EXPECT_EQ(b.dram().read_bytes, 64u);
}

TEST(L2Write, ValidateFetchesPartlyWrittenSectorsWhenTheyAreRead) {
  Bench b(with(cache::WriteMiss::Validate, true));
  b.write(100, 0, 0x3, true);
  b.run();
  EXPECT_EQ(b.dram().read_bytes, 0u);
  b.read(1000, 0, 0x1);
  b.run();
  EXPECT_EQ(b.dram().read_bytes, 32u);
}

TEST(L2Write, ValidateOfAnUnsectoredLineKeepsItOnlyWhole) {
  Bench b(with(cache::WriteMiss::Validate, false));
  b.write(100, 0, 0xf);
  b.read(1000, 0);
  b.write(2000, 128, 0x1);
  b.read(3000, 128);
  b.run();
  EXPECT_EQ(b.l2().reads.hits, 1u);
  EXPECT_EQ(b.l2().reads.misses, 1u);
}

TEST(L2Write, NoAllocateOnlyWritesToDram) {
  Bench b(with(cache::WriteMiss::NoAllocate, true));
  b.write(100, 0, 0x5);
  b.read(1000, 0, 0x1);
  b.run();
  EXPECT_EQ(b.dram().write_bytes, 64u);
  EXPECT_EQ(b.dram().writes, 2u);  // the sectors are not adjacent
  EXPECT_EQ(b.l2().reads.misses, 1u);
}

TEST(L2Write, DirtySectorsAreWrittenBackWhenTheLineGoes) {
  Bench b(with(cache::WriteMiss::Validate, true));
  b.write(100, 0, 0x6);
  for (std::uint64_t i = 1; i < 4; ++i) b.read(1000 * i, 2048 * i);
  b.run();
  EXPECT_EQ(b.l2().writebacks, 1u);
  EXPECT_EQ(b.l2().writeback_sectors, 2u);
  EXPECT_EQ(b.dram().write_bytes, 64u);
  EXPECT_EQ(b.dram().writes, 1u);
}

TEST(L2Read, OnlyMissingSectorsAreFetchedAdjacentOnesTogether) {
  Bench b(with(cache::WriteMiss::Validate, true));
  b.read(100, 0, 0x2);
  b.read(1000, 0, 0xf);  // misses 0, 2 and 3
  b.run();
  EXPECT_EQ(b.dram().reads, 1u + 2u);
  EXPECT_EQ(b.dram().read_bytes, 4u * 32);
  EXPECT_EQ(b.l2().reads.sectors, 5u);
  EXPECT_EQ(b.l2().reads.hit_sectors, 1u);
}

TEST(L2Read, AFollowerFetchesOnlyWhatIsNotUnderWay) {
  Bench b(with(cache::WriteMiss::Validate, true));
  b.read(100, 0, 0x3);
  b.read(100, 0, 0x6);
  b.run();
  EXPECT_EQ(b.replies.size(), 2u);
  EXPECT_EQ(b.dram().read_bytes, 3u * 32);
}

TEST(L2Read, AnUnsectoredLineIsFetchedWhole) {
  Bench b(with(cache::WriteMiss::Fetch, false));
  b.read(100, 0, 0x1);
  b.read(1000, 0, 0x8);
  b.run();
  EXPECT_EQ(b.dram().read_bytes, 128u);
  EXPECT_EQ(b.l2().reads.hits, 1u);
}

TEST(L2Atomic, TheLineIsFetchedOnceAndWrittenBack) {
  Bench b(with(cache::WriteMiss::Fetch, true));
  b.atomic(100, 0, 0x1);
  b.atomic(100, 0, 0x1);
  for (std::uint64_t i = 1; i < 4; ++i) b.read(1000 * i, 2048 * i, 0x1);
  b.run();
  EXPECT_EQ(b.l2().atomics.misses, 1u);
  EXPECT_EQ(b.l2().atomics.merged, 1u);
  EXPECT_EQ(b.dram().write_bytes, 32u);
}

TEST(L2Kernel, LinesStayUnlessFlushed) {
  PartitionSpec s = simple_spec();
  for (const KernelEnd end : {KernelEnd::Keep, KernelEnd::Flush}) {
    s.kernel_end = end;
    Bench b(s);
    b.partition.preload(mem::kDeviceBase);
    b.write(100, 0);
    b.run();
    b.partition.kernel_end();
    b.read(1000, 0);
    b.run();
    EXPECT_EQ(b.l2().reads.hits, end == KernelEnd::Keep ? 1u : 0u);
    EXPECT_EQ(b.l2().writebacks, end == KernelEnd::Keep ? 0u : 1u);
  }
}

}  // namespace
}  // namespace heddle::hierarchy
