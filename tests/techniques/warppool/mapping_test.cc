// Rule 9: the patterns of threads and words.
#include "techniques/warppool/mapping.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace heddle::warppool {
namespace {

// How lanes that read `bytes` at address(lane) map to the line of the lowest of them.
Mapping of(const std::function<std::uint64_t(unsigned)>& address, std::uint32_t mask = ~0u,
           std::uint8_t bytes = 4) {
  std::array<std::uint64_t, 32> lanes{};
  for (unsigned l = 0; l < 32; ++l) lanes[l] = address(l);
  workload::WarpAccess load;
  load.bytes = bytes;
  load.mask = mask;
  load.address = lanes.data();
  sm::LineList list;
  sm::coalesce(load, 128, list);
  return classify(load, list.line[0]);
}

TEST(Mapping, ThreadIToWordIIsConsecutive) {
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 4 * l; }), Mapping::Consecutive);
}

TEST(Mapping, OneWordForAllIsABroadcast) {
  EXPECT_EQ(of([](unsigned) { return 0x1010; }), Mapping::Broadcast);
  EXPECT_EQ(of([](unsigned) { return 0x1010; }, 0xffff), Mapping::Broadcast);
}

TEST(Mapping, OneThreadIsSingle) {
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 128 * l; }), Mapping::Single);
  EXPECT_EQ(of([](unsigned) { return 0x1000; }, 1u << 7), Mapping::Single);
}

TEST(Mapping, NeighboursToNeighboursAreARange) {
  EXPECT_EQ(of([](unsigned l) { return 0x1040 + 4 * l; }), Mapping::Range);  // 16 threads, 16 words
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 4 * l; }, 0x00ff'ff00), Mapping::Range);
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 8 * l; }, ~0u, 8), Mapping::Range);  // elements of 8 bytes
}

TEST(Mapping, EverythingElseIsRandom) {
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 4 * (31 - l); }), Mapping::Random);
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 8 * l; }), Mapping::Random);               // every other word
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 4 * l; }, 0xffff'fff5), Mapping::Random);  // a gap
  // A word for the half of the threads: not everybody's, so the ten bits cannot say whose.
  EXPECT_EQ(of([](unsigned l) { return 0x1000 + 128 * (l / 16); }), Mapping::Random);
}

}  // namespace
}  // namespace heddle::warppool
