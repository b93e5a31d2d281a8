// The merge table: one entry per key, waiters in order, sectors asked for once.
#include "mem/merge_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <random>

namespace heddle::mem {
namespace {

using Table = MergeTable<std::uint64_t>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Waiter waiter(std::uint32_t token, SectorMask missing) {
  return {.token = token, .wants = missing, .missing = missing};
}
std::vector<std::uint32_t> arrive(Table& t, Table::Entry e, SectorMask m, bool* closed = nullptr) {
  std::vector<std::uint32_t> tokens;
  const bool c = t.arrive(e, m, [&](const Waiter& w) { tokens.push_back(w.token); });
  if (closed != nullptr) *closed = c;
  return tokens;
}

TEST(MergeTable, FindsWhatIsOpen) {
  Table t(4, 2);
  EXPECT_EQ(t.find(128), Table::kNone);
  const auto e = t.open(128, waiter(7, 0xf), 0xf);
  EXPECT_EQ(t.find(128), e);
  EXPECT_EQ(t.find(256), Table::kNone);
  EXPECT_EQ(t.key(e), 128u);
  EXPECT_EQ(t.used(), 1u);
  EXPECT_EQ(t.waiters(e), 1u);
  EXPECT_EQ(t.requested(e), 0xf);
}

TEST(MergeTable, DetachedEntryIsNotFoundButAnswered) {
  Table t(2, 2);
  const auto first = t.open(128, waiter(1, 1), 1);
  t.detach(first);
  EXPECT_EQ(t.find(128), Table::kNone);
  const auto second = t.open(128, waiter(2, 1), 1);
  EXPECT_NE(second, first);
  EXPECT_EQ(t.find(128), second);
  EXPECT_TRUE(t.full());
  EXPECT_THAT(arrive(t, first, 1), ElementsAre(1u));
  EXPECT_EQ(t.find(128), second);
  EXPECT_FALSE(t.full());
  EXPECT_THAT(arrive(t, second, 1), ElementsAre(2u));
  EXPECT_EQ(t.used(), 0u);
}

TEST(MergeTable, WaitersAreAnsweredInTheOrderOfJoining) {
  Table t(4, 4);
  const auto e = t.open(0, waiter(3, 1), 1);
  EXPECT_EQ(t.join(e, waiter(1, 1)), 0);
  EXPECT_EQ(t.join(e, waiter(2, 1)), 0);
  bool closed = false;
  EXPECT_THAT(arrive(t, e, 1, &closed), ElementsAre(3, 1, 2));
  EXPECT_TRUE(closed);
  EXPECT_EQ(t.find(0), Table::kNone);
  EXPECT_EQ(t.used(), 0u);
}

TEST(MergeTable, AFollowerAsksOnlyForTheRest) {
  Table t(4, 4);
  const auto e = t.open(0, waiter(1, 0b0011), 0b0011);
  EXPECT_EQ(t.join(e, waiter(2, 0b0110)), 0b0100);
  EXPECT_EQ(t.join(e, waiter(3, 0b0111)), 0);
  EXPECT_EQ(t.requested(e), 0b0111);
  bool closed = true;
  EXPECT_THAT(arrive(t, e, 0b0011, &closed), ElementsAre(1));
  EXPECT_FALSE(closed);
  EXPECT_EQ(t.requested(e), 0b0100);
  EXPECT_EQ(t.waiters(e), 2u);
  EXPECT_THAT(arrive(t, e, 0b0100, &closed), ElementsAre(2, 3));
  EXPECT_TRUE(closed);
}

TEST(MergeTable, SectorsThatArrivedAndAreMissingAgainAreAskedForAgain) {
  Table t(4, 4);
  const auto e = t.open(0, waiter(1, 0b11), 0b11);
  EXPECT_THAT(arrive(t, e, 0b01), IsEmpty());
  EXPECT_EQ(t.join(e, waiter(2, 0b11)), 0b01);
}

TEST(MergeTable, RefusesBeyondItsLimits) {
  Table t(2, 2);
  const auto a = t.open(0, waiter(0, 1), 1);
  EXPECT_TRUE(t.can_join(a));
  t.join(a, waiter(1, 1));
  EXPECT_FALSE(t.can_join(a));
  EXPECT_FALSE(t.full());
  t.open(1, waiter(2, 1), 1);
  EXPECT_TRUE(t.full());
  arrive(t, a, 1);
  EXPECT_FALSE(t.full());
}

struct Pair {
  std::uint32_t bank = 0, row = 0;
  bool operator==(const Pair&) const = default;
};
struct PairHash {
  std::uint64_t operator()(const Pair& p) const { return p.row; }  // banks collide on purpose
};
TEST(MergeTable, AnyKeyWithAHash) {
  MergeTable<Pair, Waiter, PairHash> t(8, 1);
  std::vector<std::uint32_t> e;
  for (std::uint32_t bank = 0; bank < 8; ++bank) e.push_back(t.open({bank, 5}, waiter(bank, 1), 1));
  for (std::uint32_t bank = 0; bank < 8; bank += 2) t.arrive(e[bank], 1, [](const Waiter&) {});
  for (std::uint32_t bank = 0; bank < 8; ++bank) {
    EXPECT_EQ(t.find({bank, 5}), bank % 2 == 0 ? t.kNone : e[bank]);
  }
}

// The same as a map of queues, under random traffic that fills the table and empties it often.
TEST(MergeTable, BehavesLikeAMapOfQueues) {
  struct Model {
    std::deque<Waiter> waiters;
    SectorMask requested = 0;
  };
  std::mt19937 rng(1);
  Table t(13, 3);
  std::map<std::uint64_t, Model> model;
  std::uint32_t token = 0;
  for (int step = 0; step < 200000; ++step) {
    const std::uint64_t key = (rng() % 40) * 4096;
    const auto mask = static_cast<SectorMask>(1 + rng() % 15);
    const auto e = t.find(key);
    ASSERT_EQ(e != Table::kNone, model.contains(key));
    if (e == Table::kNone) {
      ASSERT_EQ(t.full(), model.size() == 13);
      if (t.full()) continue;
      t.open(key, waiter(token, mask), mask);
      model[key] = {{waiter(token++, mask)}, mask};
      continue;
    }
    Model& m = model[key];
    if (rng() % 2 == 0) {
      ASSERT_EQ(t.can_join(e), m.waiters.size() < 3);
      if (!t.can_join(e)) continue;
      ASSERT_EQ(t.join(e, waiter(token, mask)), mask & ~m.requested);
      m.waiters.push_back(waiter(token++, mask));
      m.requested |= mask;
    } else {
      std::vector<std::uint32_t> expected;
      std::deque<Waiter> left;
      for (Waiter w : m.waiters) {
        w.missing &= static_cast<SectorMask>(~mask);
        if (w.missing == 0)
          expected.push_back(w.token);
        else
          left.push_back(w);
      }
      m.waiters = left;
      m.requested &= static_cast<SectorMask>(~mask);
      bool closed = false;
      ASSERT_EQ(arrive(t, e, mask, &closed), expected);
      ASSERT_EQ(closed, left.empty());
      if (closed) model.erase(key);
    }
    ASSERT_EQ(t.used(), model.size());
  }
  EXPECT_GT(token, 20000u);
}

// The upper bits of the hash, which choose a place, take part in every bit of the key: lines at any stride
// are spread over the places about as chance would.
TEST(MixHash, SpreadsLinesAtAnyStride) {
  const MixHash hash;
  for (int shift = 0; shift < 52; ++shift)
    for (const std::uint64_t odd : {1u, 3u, 5u, 129u}) {
      std::array<int, 256> places{};
      for (std::uint64_t i = 0; i < 2048; ++i) ++places[hash(i * odd << shift) >> 56];
      EXPECT_LE(*std::max_element(places.begin(), places.end()), 32) << shift << " " << odd;
    }
}

}  // namespace
}  // namespace heddle::mem
