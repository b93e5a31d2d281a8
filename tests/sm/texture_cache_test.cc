// The cache for textures beside the L1.
#include "sm/texture_cache.h"

#include <gtest/gtest.h>

#include "tests/sm/script.h"
#include "tests/stats/check_declared.h"

namespace heddle::sm {
namespace {

const StaticInstr kFetch = op(InstrClass::Texture, {1}, {0}, StaticInstr::kMemory);
const StaticInstr kOverwrite = op(InstrClass::Store, {}, {0}, StaticInstr::kMemory);
const StaticInstr kUseTexel = op(InstrClass::IntAdd, {2}, {1});

SmSpec with_cache(Bytes bytes, std::uint32_t ways = 2) {
  SmSpec s = plain();
  s.textures = {bytes, 64_B, ways, 4, 64};
  return s;
}

// Fetches that lanes make of blocks of 64 bytes; the L1 answers after 100 cycles.
struct TextureBench : Bench {
  explicit TextureBench(const SmSpec& spec) : Bench(spec) {
    l1.behave = [this](sim::Cycle now, const mem::Request& r) {
      mem::Request answer = r;
      answer.reply = true;
      replies.emplace_back(now + 100, answer);
      return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
    };
  }
  // By instruction: the block of each lane.
  void run(std::vector<StaticInstr> code, std::uint32_t warps, auto block) {
    code.push_back(exit_op());
    Script s(code, warps);
    s.access = [&](std::uint64_t, std::uint32_t warp, std::uint32_t pc, WarpAccess& a) {
      if (code[pc].cls == InstrClass::Texture)
        a.space = WarpAccess::Space::Texture;
      else
        a.kind = WarpAccess::Kind::Store;
      for (std::uint64_t l = 0; l < 32; ++l)
        const_cast<std::uint64_t*>(a.address)[l] = 64 * block(warp, pc, l) + l % 16 * 4;
    };
    Bench::run(s);
    issued = s.issued;
  }
  TextureCacheStats stats() const { return sm.textures()->statistics(); }
  std::vector<std::vector<sim::Cycle>> issued;
};

TEST(TextureCacheStats, Declared) {
  stats::check_declared<TextureCacheStats>();
  stats::check_declared<AvailableStats>();
}

TEST(TextureCache, AMissFetchesItsBlockPastTheL1AndTheNextReadHits) {
  TextureBench b(with_cache(8_KiB));
  b.run({kFetch, kUseTexel, kFetch, kUseTexel}, 1, [](auto...) { return 5; });
  ASSERT_EQ(b.l1.seen.size(), 1u);
  const mem::Request& r = b.l1.seen[0].second;
  EXPECT_EQ(r.line, 256u);  // 5 x 64 lies in its second half
  EXPECT_EQ(r.sectors, 0b1100);
  EXPECT_TRUE(r.no_l1);
  EXPECT_EQ(r.space, mem::Space::Texture);
  EXPECT_EQ(b.issued[0][1] - b.issued[0][0], 1 + 100u);
  EXPECT_EQ(b.issued[0][3] - b.issued[0][2], 1 + 4u) << "the unit's cycle and a hit's latency";
  EXPECT_EQ(b.stats().reads, 2u);
  EXPECT_EQ(b.stats().hits, 1u);
  EXPECT_EQ(b.stats().misses, 1u);
}

// Blocks that are there cost no turns: eight of them take as long as one. Misses leave one per cycle.
TEST(TextureCache, HitsOfAnInstructionTakeOneCycle) {
  TextureBench b(with_cache(8_KiB));
  b.run({kFetch, kUseTexel, kFetch, kUseTexel}, 1, [](auto, auto, std::uint64_t lane) { return lane / 4; });
  ASSERT_EQ(b.l1.seen.size(), 8u);
  EXPECT_EQ(b.l1.seen[7].first - b.l1.seen[0].first, 7u);
  EXPECT_EQ(b.issued[0][1] - b.issued[0][0], 8 + 100u);
  EXPECT_EQ(b.issued[0][3] - b.issued[0][2], 1 + 4u);
}

// Warps that want a block under way wait for the one fetch.
TEST(TextureCache, ReadsOfABlockUnderWayMerge) {
  TextureBench b(with_cache(8_KiB));
  b.run({kFetch, kUseTexel}, 6, [](auto...) { return 9; });
  EXPECT_EQ(b.l1.seen.size(), 1u);
  EXPECT_EQ(b.stats().misses, 1u);
  EXPECT_EQ(b.stats().merged, 5u);
  EXPECT_EQ(b.sm.statistics().requests_sent, 1u);
  EXPECT_EQ(b.sm.statistics().replies_received, 1u);
}

// 2 sets of 2 ways: blocks 0, 2, 4 meet in one set, the least recently used one makes room.
TEST(TextureCache, SetsAndReplacement) {
  TextureBench b(with_cache(256_B));
  const std::array<int, 6> order = {0, 2, 0, 4, 0, 2};  // 2 is gone at its second use, 0 is not
  std::vector<StaticInstr> code;
  for (std::size_t i = 0; i < order.size(); ++i) code.insert(code.end(), {kFetch, kUseTexel});
  b.run(code, 1, [&](auto, std::uint32_t pc, auto) { return order[pc / 2]; });
  EXPECT_EQ(b.stats().hits, 2u);
  EXPECT_EQ(b.stats().misses, 4u);
}

// A store of the SM drops what it writes to: what is there, and what is on its way.
TEST(TextureCache, StoresDropBlocks) {
  TextureBench b(with_cache(8_KiB));
  b.run({kFetch, kUseTexel, kOverwrite, kFetch, kUseTexel, kFetch, kUseTexel}, 1, [](auto...) { return 3; });
  EXPECT_EQ(b.stats().misses, 2u);
  EXPECT_EQ(b.stats().hits, 1u);
  TextureBench under_way(with_cache(8_KiB));
  under_way.run({kFetch, kOverwrite, kUseTexel, kFetch, kUseTexel}, 1, [](auto...) { return 3; });
  EXPECT_EQ(under_way.stats().misses, 2u);
}

TEST(TextureCache, ForgetsAtAKernelsEnd) {
  TextureBench b(with_cache(8_KiB));
  b.run({kFetch, kUseTexel}, 1, [](auto...) { return 3; });
  b.sm.kernel_end();
  b.run({kFetch, kUseTexel}, 1, [](auto...) { return 3; });
  EXPECT_EQ(b.stats().misses, 2u);
}

// With one MSHR the second block waits for the first one's answer.
TEST(TextureCache, LinesUnderWayAreLimited) {
  SmSpec spec = with_cache(8_KiB);
  spec.textures.mshr_entries = 1;
  TextureBench b(spec);
  b.run({kFetch, kUseTexel}, 1, [](auto, auto, std::uint64_t lane) { return lane / 16; });
  ASSERT_EQ(b.l1.seen.size(), 2u);
  EXPECT_EQ(b.l1.seen[1].first - b.l1.seen[0].first, 100u);
}

}  // namespace
}  // namespace heddle::sm
