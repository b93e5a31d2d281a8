// The meters of locality and of what could have merged, against plain references that remember everything.
#include "mem/locality_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "mem/potential_meter.h"

namespace heddle::mem {
namespace {

using sim::Cycle;

struct Step {
  Cycle at = 0;
  std::uint64_t line = 0;
  std::uint32_t words = 0;
  std::uint16_t sm = 0;
};

Request request(const Step& s) {
  Request r;
  r.line = s.line;
  r.words = s.words;
  r.sm = s.sm;
  return r;
}

// All pairs of requests, by the definition in the header.
LocalityStats reference(const std::vector<Step>& steps) {
  LocalityStats stats;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    ++stats.requests;
    for (std::size_t i = 0; i < kLocalityWindows.size(); ++i) {
      bool redundant = false, other = false;
      std::uint32_t words = 0;
      for (std::size_t m = 0; m < n; ++m) {
        if (steps[m].line != steps[n].line || steps[n].at - steps[m].at > kLocalityWindows[i]) continue;
        redundant = true;
        words |= steps[m].words;
        other |= steps[m].sm != steps[n].sm;
      }
      LocalityStats::Window& w = stats.windows[i];
      w.redundant += redundant;
      w.data_sharing += redundant && (words & steps[n].words) != 0;
      w.line_sharing += redundant && (words & steps[n].words) == 0;
      w.other_sm += redundant && other;
      w.same_sm += redundant && !other;
    }
  }
  return stats;
}

LocalityStats measured(const std::vector<Step>& steps) {
  LocalityMeter meter;
  for (const Step& s : steps) meter.request(s.at, request(s));
  return meter.statistics();
}

bool equal(const LocalityStats& a, const LocalityStats& b) {
  bool same = a.requests == b.requests;
  for (std::size_t i = 0; i < kLocalityWindows.size(); ++i) {
    const auto &x = a.windows[i], &y = b.windows[i];
    same = same && x.redundant == y.redundant && x.line_sharing == y.line_sharing &&
           x.data_sharing == y.data_sharing && x.same_sm == y.same_sm && x.other_sm == y.other_sm;
  }
  return same;
}

// Few lines and words, so that they meet; steps in time of every size about the windows; a start anywhere,
// also where the lower half of the clock wraps round.
std::vector<Step> random_steps() {
  const auto gaps = *rc::gen::container<std::vector<Cycle>>(rc::gen::weightedOneOf<Cycle>(
      {{6, rc::gen::inRange<Cycle>(0, 4)},
       {3, rc::gen::inRange<Cycle>(0, 700)},
       {1, rc::gen::inRange<Cycle>(400, 2100)},
       {1, rc::gen::element<Cycle>(499, 500, 501, 1999, 2000, 2001, 4002, Cycle{1} << 32)}}));
  std::vector<Step> steps;
  Cycle now = *rc::gen::element<Cycle>(0, 12345, (Cycle{1} << 32) - 1500, (Cycle{1} << 40) - 700);
  const auto lines = *rc::gen::inRange<std::uint64_t>(1, 200);
  for (const Cycle gap : gaps) {
    now += gap;
    steps.push_back({now, *rc::gen::inRange<std::uint64_t>(0, lines) * 128,
                     *rc::gen::oneOf(rc::gen::element<std::uint32_t>(1, 2, 4, 0x80000000u, ~0u),
                                     rc::gen::arbitrary<std::uint32_t>()),
                     static_cast<std::uint16_t>(*rc::gen::inRange(0, 3))});
  }
  return steps;
}

RC_GTEST_PROP(LocalityMeter, CountsAsTheDefinitionSays, ()) {
  const std::vector<Step> steps = random_steps();
  RC_ASSERT(equal(measured(steps), reference(steps)));
}

TEST(LocalityMeter, WordsDecideTheCause) {
  // The union of the window, not the last request alone.
  const LocalityStats s = measured({{0, 0, 1, 0}, {10, 0, 2, 0}, {20, 0, 1, 0}, {600, 0, 1, 0}});
  EXPECT_EQ(s.requests, 4u);
  EXPECT_EQ(s.windows[0].redundant, 2u);  // the last one is 580 cycles after
  EXPECT_EQ(s.windows[0].line_sharing, 1u);
  EXPECT_EQ(s.windows[0].data_sharing, 1u);
  EXPECT_EQ(s.windows[1].redundant, 3u);
  EXPECT_EQ(s.windows[1].data_sharing, 2u);
}

TEST(LocalityMeter, SameSmAndOtherSm) {
  const LocalityStats s = measured({{0, 0, 1, 4}, {700, 0, 1, 5}, {800, 0, 1, 5}, {1100, 0, 1, 4}});
  EXPECT_EQ(s.windows[0].same_sm, 1u);   // the third: SM 4 was 800 cycles before
  EXPECT_EQ(s.windows[0].other_sm, 1u);  // the fourth
  EXPECT_EQ(s.windows[1].same_sm, 0u);
  EXPECT_EQ(s.windows[1].other_sm, 3u);
}

TEST(LocalityMeter, ForgetsWhatIsOlderThanEveryWindow) {
  LocalityMeter meter;
  std::uint32_t most = 0;
  for (Cycle now = 0; now < 100'000; ++now) {
    meter.request(now, request({now, now * 128, 1, 0}));
    most = std::max(most, meter.remembered());
  }
  EXPECT_EQ(most, kLocalityWindows.back() + 1);
}

// A line that never is forgotten for more than 2^32 cycles: a word touched at their beginning stays old.
TEST(LocalityMeter, OldWordsNeverLookYoungAgain) {
  LocalityMeter meter;
  meter.request(0, request({0, 0, 1, 0}));
  Cycle now = 0;
  while (now < (Cycle{1} << 32)) meter.request(now += 2000, request({now, 0, 2, 0}));
  const std::uint64_t before = meter.statistics().windows.back().line_sharing;
  meter.request(now + 1, request({now + 1, 0, 1, 0}));
  EXPECT_EQ(meter.statistics().windows.back().line_sharing, before + 1);
}

TEST(LocalityMeter, ClearingKeepsWhatWasAskedFor) {
  LocalityMeter meter;
  meter.request(0, request({0, 0, 1, 0}));
  meter.clear_statistics();
  meter.request(10, request({10, 0, 1, 0}));
  EXPECT_EQ(meter.statistics().requests, 1u);
  EXPECT_EQ(meter.statistics().windows[0].redundant, 1u);
}

TEST(PotentialMeter, CountsWhatIsRecentOrUnderWay) {
  PotentialMeter m(100);
  EXPECT_FALSE(m.request(0, 1, true));
  EXPECT_TRUE(m.request(100, 1, true));
  EXPECT_FALSE(m.request(150, 2, false));
  EXPECT_TRUE(m.request(5000, 1, true));    // two answers are still to come
  EXPECT_FALSE(m.request(5000, 2, false));  // answered at once, long ago
  for (int i = 0; i < 3; ++i) m.answer(1);
  EXPECT_TRUE(m.request(5100, 1, false));
  EXPECT_FALSE(m.request(5201, 1, false));
  EXPECT_EQ(m.statistics().requests, 7u);
  EXPECT_EQ(m.statistics().could_merge, 3u);
}

TEST(PotentialMeter, AllBurstsButTheFirstOfARowCouldGoTogether) {
  PotentialMeter m(100);
  m.request(0, 7, false, 4);
  EXPECT_EQ(m.statistics().could_merge, 3u);
  m.request(50, 7, false, 4);
  EXPECT_EQ(m.statistics().could_merge, 7u);
  EXPECT_EQ(m.statistics().requests, 8u);
}

TEST(PotentialMeter, RequestsCouldJoinWhatIsNoRequest) {
  PotentialMeter m(100);
  m.under_way(0, 1);
  EXPECT_EQ(m.statistics().requests, 0u);
  EXPECT_EQ(m.statistics().could_merge, 0u);
  EXPECT_TRUE(m.request(500, 1, false));  // without its answer for longer than the window
  m.answer(1);
  EXPECT_FALSE(m.request(601, 1, false));
  EXPECT_EQ(m.statistics().could_merge, 1u);
  m.merged();  // it did all the same
  EXPECT_EQ(m.statistics().could_merge, 2u);
  EXPECT_EQ(m.statistics().requests, 2u);
}

// Random requests and answers against a reference that forgets nothing.
RC_GTEST_PROP(PotentialMeter, CountsAsAPlainReferenceDoes, ()) {
  const Cycle window = *rc::gen::inRange<Cycle>(1, 300);
  PotentialMeter meter(window);
  std::map<std::uint64_t, Cycle> last;
  std::multiset<std::uint64_t> under_way;
  std::uint64_t could = 0;
  Cycle now = *rc::gen::element<Cycle>(0, (Cycle{1} << 32) - 50);
  const auto moves = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      rc::gen::pair(rc::gen::inRange(0u, 400u), rc::gen::inRange(0u, 600u)));
  for (const auto& [what, gap] : moves) {
    now += gap / 4;
    if (what < 100 && !under_way.empty()) {
      meter.answer(*under_way.begin());
      under_way.erase(under_way.begin());
      continue;
    }
    const std::uint64_t key = what % 90 * 128;
    const bool known = (last.contains(key) && now - last[key] <= window) || under_way.contains(key);
    could += known;
    RC_ASSERT(meter.request(now, key, what % 3 == 0) == known);
    last[key] = now;
    if (what % 3 == 0) under_way.insert(key);
  }
  RC_ASSERT(meter.statistics().could_merge == could);
}

}  // namespace
}  // namespace heddle::mem
