// What a short link costs, in calls: time differs between hosts, and bench/engine_speed measures it.
#include "pairs.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace heddle::sim {
namespace {

constexpr Cycle kCycles = 119 * 40;

template <class Units>
std::uint64_t calls(const Units& units) {
  return std::accumulate(units.begin(), units.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& u) { return sum + u->calls; });
}
template <class Units>
std::uint64_t messages(const Units& units) {
  return std::accumulate(units.begin(), units.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& u) { return sum + u->messages; });
}

// Windows and threads stay as they are with long links only; who stands at a short link is called once a
// cycle at most, who does not, once a window.
TEST(ShortLinks, CostOnlyThoseWhoStandAtThem) {
  Pairs far({.near = 119, .work = 1}), near({.near = 1, .work = 1});
  far.run(kCycles);
  near.run(kCycles);
  EXPECT_EQ(near.engine.window(), 119u);
  EXPECT_EQ(near.engine.windows(), far.engine.windows());
  EXPECT_EQ(near.engine.windows(), kCycles / 119);
  EXPECT_EQ(far.engine.parts(), 200u);
  EXPECT_EQ(near.engine.parts(), 60u + 20u);
  EXPECT_EQ(calls(far.sms), 120 * near.engine.windows());
  EXPECT_EQ(calls(near.sms), 120 * kCycles);
  EXPECT_LE(calls(near.slices), 20 * near.engine.windows());
  // A node runs only when something comes: each of its two SMs sends in every eighth cycle.
  EXPECT_LE(calls(near.nodes), messages(near.nodes) * 2 + 60 * near.engine.windows());
  EXPECT_GT(messages(near.sms), 100'000u * kCycles / 119 / 60);
}

TEST(ShortLinks, GiveTheSameOnAnyThreads) {
  const auto states = [](const EngineOptions& options) {
    Pairs p({.near = 1, .work = 20, .engine = options});
    p.run(119 * 40);
    std::vector<std::uint64_t> all;
    std::set<std::thread::id> threads;
    for (const auto& sm : p.sms) {
      all.push_back(sm->state);
      threads.insert(sm->ran_on.begin(), sm->ran_on.end());
    }
    EXPECT_EQ(threads.size() > 1, options.threads > 1);
    return all;
  };
  const auto oracle = states({.every_cycle = true});
  EXPECT_EQ(states({}), oracle);
  EXPECT_EQ(states({.threads = 2}), oracle);
  EXPECT_EQ(states({.threads = 4, .thread_map = 1}), oracle);
}

}  // namespace
}  // namespace heddle::sim
