// Reuse of lines and windows between warps, on streams of which both are known.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "analysis/line_reuse.h"
#include "mem/merge_window.h"
#include "workload/random.h"

namespace heddle::analysis {
namespace {

using mem::left_with_window;
using mem::MergeWindow;
using mem::WindowCounts;

TEST(Reuse, SaysWhoTouchedTheLineBefore) {
  LineReuse r;
  r.launch();
  r.touch(0, 0xf, 1, 0);    // first
  r.touch(0, 0xf, 1, 0);    // same warp
  r.touch(0, 0xf0, 1, 3);   // same CTA
  r.touch(0, 0x1, 2, 3);    // another CTA, though a warp of the same number
  r.touch(0, 0x1, 1, 0);    // and back: the last one counts
  r.touch(128, 0x1, 1, 0);  // first
  EXPECT_EQ(r.touches().first, 2u);
  EXPECT_EQ(r.touches().same_warp, 1u);
  EXPECT_EQ(r.touches().same_cta, 1u);
  EXPECT_EQ(r.touches().other_cta, 2u);
  EXPECT_EQ(r.touches().all(), 6u);
  EXPECT_EQ(r.words(), 9u);
  EXPECT_EQ(r.lines(), 2u);
}

TEST(Reuse, BeginsAnewWithALaunchButTheFootprintStays) {
  LineReuse r;
  for (int launch = 0; launch < 3; ++launch) {
    r.launch();
    r.touch(0, 0x3, 0, 0);
  }
  EXPECT_EQ(r.touches().first, 3u);
  EXPECT_EQ(r.words(), 2u);
}

// The rule as it is written down, for one window.
std::uint64_t left_by_rule(const std::vector<std::pair<std::uint64_t, mem::Op>>& stream, std::size_t w) {
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    bool saved = false;
    for (std::size_t j = i; j-- > 0 && i - j <= w;) {
      if (stream[j].first != stream[i].first) continue;
      saved = stream[j].second == stream[i].second && stream[i].second != mem::Op::Atomic;
      break;
    }
    left += saved ? 0 : 1;
  }
  return left;
}

TEST(Window, FollowsTheRuleOnRandomStreams) {
  workload::Random random(7);
  for (const std::uint32_t lines : {3u, 40u, 200u}) {
    std::vector<std::pair<std::uint64_t, mem::Op>> stream;
    MergeWindow window;
    WindowCounts counts{};
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t line = random.below(lines) * 128u;
      const std::uint32_t kind = random.below(10);
      const mem::Op op = kind == 0 ? mem::Op::Atomic : kind < 3 ? mem::Op::Write : mem::Op::Read;
      stream.emplace_back(line, op);
      window.request(line, op, counts);
    }
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 1000u);
    for (const std::uint32_t w : {0u, 1u, 2u, 7u, 64u, 127u, 128u})
      EXPECT_DOUBLE_EQ(left_with_window(counts, w), static_cast<double>(left_by_rule(stream, w)) / 1000) << w;
  }
}

// n lines over and over: a window of n saves all but the first round, a smaller one nothing.
TEST(Window, SavesACycleOfLinesOnceItHoldsIt) {
  for (const std::uint32_t n : {1u, 32u, 128u}) {
    MergeWindow window;
    WindowCounts counts{};
    for (std::uint32_t i = 0; i < 4 * n; ++i) window.request(i % n * 128, mem::Op::Read, counts);
    EXPECT_DOUBLE_EQ(left_with_window(counts, n - 1), 1);
    EXPECT_DOUBLE_EQ(left_with_window(counts, n), 0.25);
  }
}

TEST(Window, BeginsAnewAndSavesNothingOfNothing) {
  MergeWindow window;
  WindowCounts counts{};
  EXPECT_DOUBLE_EQ(left_with_window(counts, 128), 1);
  window.request(0, mem::Op::Read, counts);
  window.clear();
  window.request(0, mem::Op::Read, counts);
  EXPECT_DOUBLE_EQ(left_with_window(counts, 128), 1);
}

}  // namespace
}  // namespace heddle::analysis
