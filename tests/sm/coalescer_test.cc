#include "sm/coalescer.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

namespace heddle::sm {
namespace {

using workload::WarpAccess;

struct Lanes {
  alignas(64) std::array<std::uint64_t, 32> address{};
  WarpAccess access;
  Lanes(std::uint32_t bytes, auto f, std::uint32_t mask = ~0u) {
    for (std::uint32_t i = 0; i < 32; ++i) address[i] = f(i);
    access.bytes = static_cast<std::uint8_t>(bytes);
    access.mask = mask;
    access.address = address.data();
  }
};

TEST(Coalescer, AlignedFloatsAreOneLine) {
  Lanes l(4, [](std::uint64_t i) { return 0x1000 + 4 * i; });
  LineList out;
  coalesce(l.access, 128, out);
  ASSERT_EQ(out.count, 1u);
  EXPECT_EQ(out.line[0].line, 0x1000u);
  EXPECT_EQ(out.line[0].sectors, 0xf);
  EXPECT_EQ(out.line[0].words, ~0u);
  EXPECT_EQ(out.line[0].lanes, ~0u);
  EXPECT_FALSE(out.line[0].partial);
}

TEST(Coalescer, MisalignedFloatsAreTwoLines) {
  Lanes l(4, [](std::uint64_t i) { return 0x1004 + 4 * i; });
  LineList out;
  coalesce(l.access, 128, out);
  ASSERT_EQ(out.count, 2u);
  EXPECT_EQ(out.line[0].lanes, 0x7fffffffu);
  EXPECT_EQ(out.line[1].lanes, 0x80000000u);
  EXPECT_EQ(out.line[1].sectors, 0x1);
  EXPECT_TRUE(out.line[0].partial);
}

TEST(Coalescer, OneWordForAll) {
  Lanes l(4, [](std::uint64_t) { return 0x1040ull; });
  LineList out;
  coalesce(l.access, 128, out);
  ASSERT_EQ(out.count, 1u);
  EXPECT_EQ(out.line[0].sectors, 0x4);
  EXPECT_EQ(out.line[0].words, 1u << 16);
}

// Any lanes: the lines, sectors, words and lanes of a plain map, in the order of first use.
TEST(Coalescer, AgreesWithAPlainMap) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t bytes = 1u << random() % 5;
    const std::uint32_t spread = 1u << (4 + random() % 12);
    const std::uint32_t mask = round % 3 == 0 ? ~0u : random() | 1u;
    const bool contiguous = round % 5 == 0;
    const std::uint64_t base = random() % 64 * bytes;
    Lanes l(
        bytes,
        [&](std::uint64_t i) { return contiguous ? base + i * bytes : random() % spread / bytes * bytes; },
        mask);
    LineList out;
    coalesce(l.access, 128, out);
    struct Expected {
      std::uint32_t words = 0, lanes = 0, sectors = 0, order = 0;
      std::map<std::uint64_t, bool> touched;
    };
    std::map<std::uint64_t, Expected> want;
    std::uint32_t order = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if ((mask >> i & 1) == 0) continue;
      const std::uint64_t line = l.address[i] / 128 * 128;
      if (!want.contains(line)) want[line].order = order++;
      Expected& e = want[line];
      e.lanes |= 1u << i;
      for (std::uint64_t b = l.address[i]; b < l.address[i] + bytes; ++b) {
        e.words |= 1u << (b % 128 / 4);
        e.sectors |= 1u << (b % 128 / 32);
        e.touched[b] = true;
      }
    }
    ASSERT_EQ(out.count, want.size());
    for (std::uint32_t i = 0; i < out.count; ++i) {
      const Expected& e = want.at(out.line[i].line);
      EXPECT_EQ(e.order, i);
      EXPECT_EQ(out.line[i].words, e.words);
      EXPECT_EQ(out.line[i].lanes, e.lanes);
      EXPECT_EQ(out.line[i].sectors, e.sectors);
      const bool whole = e.touched.size() == static_cast<std::size_t>(std::popcount(e.sectors)) * 32;
      if (bytes >= 4 || contiguous) {
        EXPECT_EQ(out.line[i].partial, !whole);
      }
    }
  }
}

TEST(Coalescer, LocalMemoryIsInterleaved) {
  Lanes l(4, [](std::uint64_t) { return 8ull; });
  LineList out;
  coalesce_local(l.access, 0x10000, 128, out);
  ASSERT_EQ(out.count, 1u);
  EXPECT_EQ(out.line[0].line, 0x10000u + 2 * 128);
}

// Every word of every lane in a line of its own: none is lost.
TEST(Coalescer, LocalMemoryWithLanesAtDifferentOffsets) {
  for (const std::uint32_t bytes : {4u, 8u, 16u, 32u}) {
    Lanes l(bytes, [&](std::uint64_t i) { return 64 * i; });
    LineList out;
    coalesce_local(l.access, 0x10000, 128, out);
    ASSERT_EQ(out.count, 32 * bytes / 4);
    std::map<std::uint64_t, std::uint32_t> lanes;
    for (std::uint32_t i = 0; i < out.count; ++i) {
      lanes[out.line[i].line] = out.line[i].lanes;
      EXPECT_TRUE(out.line[i].partial);
      EXPECT_EQ(std::popcount(out.line[i].words), 1);
    }
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t w = 0; w < bytes / 4; ++w)
        EXPECT_EQ(lanes.at(0x10000 + (16 * lane + w) * 128), 1u << lane);
  }
}

TEST(SharedBanks, Passes) {
  auto passes = [](std::uint32_t bytes, auto f, WarpAccess::Kind kind = WarpAccess::Kind::Load) {
    Lanes l(bytes, f);
    l.access.kind = kind;
    return shared_passes(l.access, 32);
  };
  EXPECT_EQ(passes(4, [](std::uint64_t i) { return i * 4; }), 1u);
  EXPECT_EQ(passes(4, [](std::uint64_t) { return 64ull; }), 1u);
  EXPECT_EQ(passes(4, [](std::uint64_t i) { return i * 8; }), 2u);
  EXPECT_EQ(passes(4, [](std::uint64_t i) { return i * 128; }), 32u);
  EXPECT_EQ(passes(4, [](std::uint64_t i) { return i * 132; }), 1u);
  EXPECT_EQ(passes(8, [](std::uint64_t i) { return i * 8; }), 2u);
  EXPECT_EQ(passes(16, [](std::uint64_t i) { return i * 16; }), 4u);
  EXPECT_EQ(passes(1, [](std::uint64_t i) { return i; }), 1u);
  EXPECT_EQ(passes(
                4, [](std::uint64_t) { return 64ull; }, WarpAccess::Kind::Atomic),
            32u);
}

}  // namespace
}  // namespace heddle::sm
