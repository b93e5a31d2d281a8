// Where the local memory of threads lies.
#include "sm/local_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

std::uint64_t address(const LocalPlace& p, std::uint64_t word, std::uint64_t lane) {
  return p.base + word * p.stride + 4 * lane;
}

TEST(LocalLayout, PerWarpContextsLieApart) {
  const LocalPlace a = local_per_warp(3, 5), b = local_per_warp(3, 6);
  EXPECT_EQ(b.base - a.base, 1u << 24);
  EXPECT_EQ(local_per_warp(4, 5).base - a.base, 64u << 24);
  EXPECT_EQ(address(a, 2, 7) - a.base, 2 * 128 + 28u);
}

// One word of all threads is contiguous: those of a CTA, the same place of the next SM, then the next place.
// No two threads' words are the same.
TEST(LocalLayout, InterleavedOverSms) {
  InterleavedWarp w;
  w.sms = 28;
  w.places = 3;
  w.warps = 4;
  const std::uint64_t base = local_interleaved(w).base;
  const std::uint64_t row = 28 * 3 * 4 * 128;  // bytes of one word of all threads
  std::set<std::uint64_t> seen;
  for (w.place = 0; w.place < w.places; ++w.place)
    for (w.sm = 0; w.sm < w.sms; ++w.sm)
      for (w.warp = 0; w.warp < w.warps; ++w.warp)
        for (const std::uint64_t word : {0u, 1u, 9u}) {
          const std::uint64_t at = address(local_interleaved(w), word, 0);
          EXPECT_EQ(at - base, word * row + ((w.place * 28 + w.sm) * 4 + w.warp) * 128);
          EXPECT_TRUE(seen.insert(at).second);
        }
  w = {};
  w.kernel = 1;
  EXPECT_GT(local_interleaved(w).base, *seen.rbegin()) << "kernels that run together lie apart";
}

// Three CTAs of two warps on one SM of one: places in the order of their start, and again when they are free.
TEST(LocalLayout, CtasTakeTheFirstFreePlace) {
  SmSpec spec = plain();
  spec.local_layout = LocalLayout::Interleaved;
  spec.ctas = 2;
  Bench b(spec);
  const StaticInstr load = op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory);
  Script s({load, op(InstrClass::IntAdd, {2}, {1}), exit_op()}, 2, 2);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.space = WarpAccess::Space::Local;
    for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = 8;
  };
  b.run(s);
  std::set<std::uint64_t> lines;
  for (const auto& [at, r] : b.l1.seen) lines.insert(r.line);
  InterleavedWarp w;
  w.places = 2;
  w.warps = 2;
  const std::uint64_t word = local_interleaved(w).base + 2 * local_interleaved(w).stride;
  EXPECT_EQ(lines, (std::set<std::uint64_t>{word, word + 128, word + 256, word + 384}));
  EXPECT_EQ(local_interleaved(w).stride, 4 * 128u);
}

}  // namespace
}  // namespace heddle::sm
