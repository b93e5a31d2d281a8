#include "sm/coalescer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>

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

// What its maker could have said about an access.
workload::AccessShape looked_at(const WarpAccess& a) {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  bool contiguous = a.mask == ~0u;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const std::uint32_t i = static_cast<std::uint32_t>(std::countr_zero(m));
    low = std::min(low, a.address[i]);
    high = std::max(high, a.address[i]);
    contiguous &= a.address[i] == a.address[0] + std::uint64_t{i} * a.bytes;
  }
  return {static_cast<std::uint32_t>(high - low), contiguous};
}

// Lanes at one place, along a line, in two halves, anywhere; all of them or some.
Lanes any_lanes(std::mt19937& random) {
  const std::uint32_t bytes = 1u << random() % 6;
  const std::uint32_t pattern = random() % 4, stride = random() % 5 * bytes;
  const std::uint32_t spread = 1u << (5 + random() % 10);
  const std::uint64_t base = random() % 64 * bytes;
  const std::uint32_t mask =
      random() % 2 == 0 ? ~0u : static_cast<std::uint32_t>(random()) | 1u << random() % 32;
  return {bytes,
          [&](std::uint64_t i) -> std::uint64_t {
            if (pattern == 0) return base + i * bytes;
            if (pattern == 1) return base + i * stride;
            if (pattern == 2) return base + i / 16 * stride + i % 16 * bytes;
            return random() % spread / bytes * bytes;
          },
          mask};
}

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

// Any lanes: the requests are those of a plain map over segments of whole or half warps, each with the
// smallest quarter, half or whole of its segment that holds all bytes touched.
TEST(Coalescer, SegmentsAgreeWithAPlainMap) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const Lanes l = any_lanes(random);
    const std::uint32_t bytes = l.access.bytes, line_bytes = 32u << random() % 4;
    if (bytes > line_bytes) continue;
    const std::uint32_t segment = std::min(line_bytes, bytes == 1 ? 32u : bytes == 2 ? 64u : 128u);
    const std::uint32_t together = 16u << random() % 2;
    struct Expected {
      std::uint32_t words = 0, lanes = 0, low = ~0u, high = 0;  // bytes of the segment
    };
    using Key = std::pair<std::uint64_t, std::uint32_t>;  // segment, group of lanes
    std::map<Key, Expected> want;
    std::vector<Key> order;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if ((l.access.mask >> i & 1) == 0) continue;
      const std::uint64_t at = l.address[i] / segment * segment;
      const Key key{at, i / together};
      if (!want.contains(key)) order.push_back(key);
      Expected& e = want[key];
      e.lanes |= 1u << i;
      for (std::uint64_t b = l.address[i]; b < l.address[i] + bytes; ++b) {
        e.words |= 1u << (b % line_bytes / 4 % 32);
        e.low = std::min(e.low, static_cast<std::uint32_t>(b - at));
        e.high = std::max(e.high, static_cast<std::uint32_t>(b - at));
      }
    }
    LineList out;
    Lanes again = l;
    again.access.address = again.address.data();
    coalesce(again.access, line_bytes, out, {Segments::BySize, together});
    ASSERT_EQ(out.count, order.size());
    for (std::uint32_t i = 0; i < out.count; ++i) {
      const Expected& e = want.at(order[i]);
      std::uint32_t size = segment;  // halved while one half holds all
      while (size > 32 && e.low / (size / 2) == e.high / (size / 2)) size /= 2;
      const std::uint64_t at = order[i].first;
      const auto first = static_cast<std::uint32_t>(at % line_bytes + e.low / size * size) / 32;
      EXPECT_EQ(out.line[i].line, at / line_bytes * line_bytes);
      EXPECT_EQ(out.line[i].words, e.words);
      EXPECT_EQ(out.line[i].lanes, e.lanes);
      EXPECT_EQ(out.line[i].sectors, ((1u << size / 32) - 1) << first);
    }
  }
}

// Requests and the bytes of each, of patterns made by hand (CUDA 2.0's programming guide, compute
// capability 1.3).
TEST(Coalescer, HalfWarpsByHand) {
  const auto requests = [](std::uint32_t bytes, auto f, std::uint32_t mask = ~0u,
                           Segments segments = Segments::BySize) {
    Lanes l(bytes, f, mask);
    LineList out;
    coalesce(l.access, 128, out, {segments, 16});
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t i = 0; i < out.count; ++i)
      sizes.push_back(32 * mem::sector_count(out.line[i].sectors));
    return sizes;
  };
  using Sizes = std::vector<std::uint32_t>;
  const auto words = [](std::uint64_t i) { return 0x1000 + 4 * i; };
  EXPECT_EQ(requests(4, words), (Sizes{64, 64})) << "a warp's 128 bytes are two requests";
  EXPECT_EQ(requests(8, [](std::uint64_t i) { return 0x1000 + 8 * i; }), (Sizes{128, 128}));
  EXPECT_EQ(requests(1, [](std::uint64_t i) { return 0x1000 + i; }), (Sizes{32, 32}))
      << "the same 32 bytes, twice";
  EXPECT_EQ(requests(2, [](std::uint64_t i) { return 0x1000 + 2 * i; }), (Sizes{32, 32}));
  EXPECT_EQ(requests(4, [](std::uint64_t i) { return 0x1004 + 4 * i; }), (Sizes{128, 64, 32}))
      << "lanes 0-15 in 68 bytes of one segment; 16-30 in 60 of it, 31 in the next";
  EXPECT_EQ(requests(4, [](std::uint64_t) { return 0x1010ull; }), (Sizes{32, 32})) << "one word for all";
  EXPECT_EQ(requests(4, words, 0xffff0000u), (Sizes{64})) << "an empty half asks for nothing";
  EXPECT_EQ(requests(4, [](std::uint64_t i) { return 0x1000 + 128 * (i % 16); }), Sizes(32, 32));
  EXPECT_EQ(requests(4, words, ~0u, Segments::Line), (Sizes{64, 64})) << "sectors of the line, of each half";
}

TEST(Coalescer, HalfWarpsOfLocalMemory) {
  Lanes l(4, [](std::uint64_t) { return 8ull; });
  LineList out;
  coalesce_local(l.access, {0x10000}, 128, out, {Segments::BySize, 16});
  ASSERT_EQ(out.count, 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(out.line[i].line, 0x10000u + 2 * 128);
    EXPECT_EQ(out.line[i].sectors, i == 0 ? 0b0011 : 0b1100);
  }
}

TEST(Coalescer, BlocksBecomePartsOfLines) {
  Lanes l(4, [](std::uint64_t i) { return 0x1000 + 64 * (i % 3) + 4 * (i / 3); });
  l.access.space = WarpAccess::Space::Texture;
  LineList out;
  coalesce(l.access, 64, out, {Segments::BySize, 16});
  ASSERT_EQ(out.count, 3u) << "of all lanes together";
  blocks_in_lines(out, 64, 128);
  EXPECT_EQ(out.line[0].line, 0x1000u);
  EXPECT_EQ(out.line[0].sectors, 0b0011);
  EXPECT_EQ(out.line[1].line, 0x1000u);
  EXPECT_EQ(out.line[1].sectors, 0b1100);
  EXPECT_EQ(out.line[2].line, 0x1080u);
  EXPECT_EQ(out.line[2].sectors, 0b0011);
}

TEST(Coalescer, TexturesHaveNoSegments) {
  Lanes l(1, [](std::uint64_t i) { return 4 * i; });
  LineList out;
  coalesce(l.access, 128, out, {Segments::BySize});
  EXPECT_EQ(out.count, 4u);
  l.access.space = WarpAccess::Space::Texture;
  coalesce(l.access, 128, out, {Segments::BySize});
  EXPECT_EQ(out.count, 1u);
}

TEST(Coalescer, LocalMemoryInSegments) {
  for (const auto& [bytes, requests] : {std::pair(1u, 4u), {2u, 2u}, {4u, 1u}, {16u, 4u}}) {
    Lanes l(bytes, [](std::uint64_t) { return 16ull; });
    LineList out;
    coalesce_local(l.access, {0x10000}, 128, out, {Segments::BySize});
    EXPECT_EQ(out.count, requests) << bytes;
  }
}

TEST(Coalescer, LocalMemoryIsInterleaved) {
  Lanes l(4, [](std::uint64_t) { return 8ull; });
  LineList out;
  coalesce_local(l.access, {0x10000}, 128, out);
  ASSERT_EQ(out.count, 1u);
  EXPECT_EQ(out.line[0].line, 0x10000u + 2 * 128);
}

// Every word of every lane in a line of its own: none is lost.
TEST(Coalescer, LocalMemoryWithLanesAtDifferentOffsets) {
  for (const std::uint32_t bytes : {4u, 8u, 16u, 32u}) {
    Lanes l(bytes, [&](std::uint64_t i) { return 64 * i; });
    LineList out;
    coalesce_local(l.access, {0x10000}, 128, out);
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
    return shared_passes(l.access, {});
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

// validation/data/h200_shared_atomics.csv: loads by width.
TEST(SharedBanks, PairsOfGroups) {
  auto passes = [](std::uint32_t bytes, std::uint64_t apart, WarpAccess::Kind kind = WarpAccess::Kind::Load) {
    Lanes l(bytes, [apart](std::uint64_t i) { return i * apart; });
    l.access.kind = kind;
    return shared_passes(l.access, {.pairs = true});
  };
  EXPECT_EQ(passes(8, 0), 1u);
  EXPECT_EQ(passes(8, 8), 2u);
  EXPECT_EQ(passes(8, 16), 4u);
  EXPECT_EQ(passes(16, 0), 2u);
  EXPECT_EQ(passes(16, 16), 4u);
  EXPECT_EQ(passes(16, 32), 8u);
  EXPECT_EQ(passes(16, 64), 16u);
  EXPECT_EQ(passes(16, 0, WarpAccess::Kind::Store), 4u);
  Lanes half(
      16, [](std::uint64_t i) { return i / 16 * 4096 + i % 2 * 16; });  // two places in each half of the warp
  EXPECT_EQ(shared_passes(half.access, {.pairs = true}), 2u);
  EXPECT_EQ(shared_passes(half.access, {}), 4u);
}

// The rule as it is written down, without any short cut.
std::uint32_t plain_passes(const WarpAccess& a, const SharedBanks& of) {
  const std::uint32_t words = std::max(1, a.bytes / 4), banks = of.banks;
  const std::uint32_t group = std::min(of.lanes, 32 / std::min(4u, words));
  const bool atomic = a.kind == WarpAccess::Kind::Atomic;
  std::uint32_t passes = 0;
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> distinct;
    std::map<std::uint64_t, std::size_t> met;
    for (std::uint32_t lane = first; lane < first + group; ++lane)
      for (std::uint32_t w = 0; w < words && (a.mask >> lane & 1) != 0; ++w) {
        const std::uint64_t word = a.address[lane] / 4 + w;
        distinct[word % banks].insert(word);
        ++met[word % banks];
      }
    std::size_t most = 0;
    for (const auto& [bank, n] : met)
      most = std::max(most, atomic ? std::min<std::size_t>(n, 32) : distinct[bank].size());
    passes += static_cast<std::uint32_t>(most);
  }
  return (passes + of.ports - 1) / of.ports;
}

// GPGPU-Sim 2: 16 banks, half-warps, two words of a bank per cycle.
TEST(SharedBanks, HalfWarpsAndPorts) {
  const SharedBanks old{16, 16, 2};
  const auto passes = [&](std::uint32_t stride, std::uint32_t mask = ~0u) {
    return shared_passes(Lanes(
                             4, [&](std::uint64_t i) { return stride * i; }, mask)
                             .access,
                         old);
  };
  EXPECT_EQ(passes(4), 1u) << "a word of every bank for each half";
  EXPECT_EQ(passes(4, 0xffffu), 1u);
  EXPECT_EQ(passes(8), 2u) << "two words of a bank in each half";
  EXPECT_EQ(passes(64), 16u) << "16 words of a bank in each half";
  EXPECT_EQ(passes(68), 1u);
  EXPECT_EQ(passes(0), 1u);
}

TEST(SharedBanks, AgreeWithThePlainRuleWhateverTheMakerSays) {
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    Lanes l = any_lanes(random);
    l.access.address = l.address.data();
    l.access.kind = round % 8 == 0 ? WarpAccess::Kind::Atomic : WarpAccess::Kind::Load;
    const SharedBanks banks{16u << random() % 3, 16u << random() % 2,
                            1 + static_cast<std::uint32_t>(random()) % 3};
    const std::uint32_t want = plain_passes(l.access, banks);
    ASSERT_EQ(shared_passes(l.access, banks), want) << round;
    l.access.shape = looked_at(l.access);
    ASSERT_EQ(shared_passes(l.access, banks), want) << round << " with its shape";
  }
}

TEST(Coalescer, TheSameLinesWhateverTheMakerSays) {
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    Lanes l = any_lanes(random);
    l.access.address = l.address.data();
    const std::uint32_t line_bytes = 32u << random() % 4;
    if (l.access.bytes > line_bytes) continue;
    LineList want, out;
    coalesce(l.access, line_bytes, want);
    l.access.shape = looked_at(l.access);
    coalesce(l.access, line_bytes, out);
    ASSERT_EQ(out.count, want.count);
    for (std::uint32_t i = 0; i < out.count; ++i) ASSERT_EQ(out.line[i], want.line[i]) << round;
  }
}

}  // namespace
}  // namespace heddle::sm
