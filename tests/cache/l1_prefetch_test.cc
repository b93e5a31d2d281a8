// An L1 with a prefetcher: what is asked for, what is refused, who joins, what is counted, what is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cache/next_line.h"
#include "l1_rig.h"

namespace heddle::cache {
namespace {

using mem::Op;
using testing::ElementsAre;
using testing::IsEmpty;
using Outcome = mem::L1Port::Outcome;

// Remembers what it is told, and asks with every read for what `wants` says, once.
class Script final : public Prefetcher {
 public:
  struct Wanted {
    std::uint64_t line;
    mem::SectorMask sectors;
  };
  struct State {
    std::vector<std::string> told;
    std::vector<Wanted> wants;
  };
  explicit Script(State& state) : state_(state) {}
  void hit(const Access& a, Wishes& w) override { access("hit", a, w); }
  void miss(const Access& a, Wishes& w) override { access("miss", a, w); }
  void filled(const Fill& f, Wishes&) override {
    state_.told.push_back(fmt::format("fill {:x}/{:x}{}", f.line, f.kept, f.prefetched ? " prefetched" : ""));
  }
  void evicted(std::uint64_t line, bool unused) override {
    state_.told.push_back(fmt::format("evict {:x}{}", line, unused ? " unused" : ""));
  }
  void flushed() override { state_.told.emplace_back("flush"); }

 private:
  void access(const char* what, const Access& a, Wishes& w) {
    const char* met = a.met == Met::Nothing ? "" : a.met == Met::Arrived ? " first use" : " late";
    state_.told.push_back(fmt::format("{} {:x}/{:x}{}", what, a.line, a.sectors, met));
    for (const Wanted& wanted : state_.wants) w.fetch(wanted.line, wanted.sectors);
    state_.wants.clear();
  }
  State& state_;
};

L1Spec scripted(Script::State& state, L1Spec spec = small_l1()) {
  spec.prefetcher = "script";
  spec.make_prefetcher = [&state](const PrefetcherPlace&) { return std::make_unique<Script>(state); };
  return spec;
}

struct ScriptRig : Script::State, Rig {
  using Wanted = Script::Wanted;
  explicit ScriptRig(const L1Spec& spec = small_l1()) : Rig(scripted(*this, spec)) {}
  // A miss of `line` that asks for others; what leaves.
  std::vector<mem::Request> miss(std::uint64_t line, std::vector<Wanted> others) {
    wants = std::move(others);
    EXPECT_EQ(read(line, 1, 1), Outcome::Pending);
    return sent();
  }
  const PrefetchStats& counted() const { return l1.prefetch()->statistics(); }
};

TEST(L1Prefetch, IsAReadWithoutAReader) {
  ScriptRig rig;
  const auto sent = rig.miss(0x1000, {{0x1080, 0b0011}});
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_FALSE(sent[0].prefetch);  // the demand goes first
  EXPECT_TRUE(sent[1].prefetch);
  EXPECT_EQ(sent[1].op, Op::Read);
  EXPECT_EQ(sent[1].line, 0x1080u);
  EXPECT_EQ(sent[1].sectors, 0b0011);
  EXPECT_EQ(rig.l1.mshrs_used(), 2u);
  rig.answer(sent[0]);
  EXPECT_FALSE(rig.l1.idle());
  rig.answer(sent[1]);
  EXPECT_TRUE(rig.l1.idle());
  EXPECT_THAT(rig.client.tokens(), ElementsAre(1u));
  EXPECT_EQ(rig.read(0x1080, 0b0011), Outcome::Hit);
  EXPECT_EQ(rig.counted().useful, 1u);
  EXPECT_EQ(rig.read(0x1080, 0b0011), Outcome::Hit);
  EXPECT_EQ(rig.counted().useful, 1u);
  EXPECT_EQ(rig.l1.statistics().reads.in, 3u);
  EXPECT_EQ(rig.l1.statistics().reads.forwarded, 1u);
  EXPECT_THAT(rig.told, ElementsAre("miss 1000/1", "fill 1000/1", "fill 1080/3 prefetched",
                                    "hit 1080/3 first use", "hit 1080/3"));
}

// Without sectors a wish for any is one for the line.
TEST(L1Prefetch, OfWholeLines) {
  L1Spec spec = small_l1();
  spec.tags.sectored = false;
  ScriptRig rig(spec);
  const auto sent = rig.miss(0x1000, {{0x1080, 1}});
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].sectors, 0xf);
}

TEST(L1Prefetch, ADemandJoinsIt) {
  for (const std::uint32_t merges : {1u, 3u}) {
    L1Spec spec = small_l1();
    spec.mshr_merges = merges;
    ScriptRig rig(spec);
    const auto sent = rig.miss(0x1000, {{0x1080, 1}});
    for (std::uint32_t i = 0; i < merges; ++i) EXPECT_EQ(rig.read(0x1080, 1, 10 + i), Outcome::Pending);
    // It takes no place among the readers.
    EXPECT_EQ(rig.read(0x1080, 1, 20), Outcome::Blocked);
    EXPECT_THAT(rig.sent(), IsEmpty());
    EXPECT_EQ(rig.l1.statistics().reads.merged, merges);
    EXPECT_EQ(rig.counted().late, 1u);
    rig.answer(sent[1]);
    EXPECT_EQ(rig.client.got.size(), merges);
    EXPECT_EQ(rig.counted().answered, 1u);
    EXPECT_EQ(rig.counted().left, 0u);
    EXPECT_EQ(rig.read(0x1080, 1, 20), Outcome::Hit);
    EXPECT_EQ(rig.counted().useful, 0u);
    EXPECT_THAT(rig.told, testing::Contains("miss 1080/1 late").Times(1));
    rig.answer(sent[0]);
    EXPECT_TRUE(rig.l1.idle());
  }
}

// A demand for other sectors of the line asks for its own; the prefetch is none the less unused.
TEST(L1Prefetch, OtherSectorsAreNoUse) {
  ScriptRig rig;
  auto sent = rig.miss(0x1000, {{0x1080, 0b0001}});
  EXPECT_EQ(rig.read(0x1080, 0b0100, 5), Outcome::Pending);
  const auto more = rig.sent();
  ASSERT_EQ(more.size(), 1u);
  EXPECT_FALSE(more[0].prefetch);
  EXPECT_EQ(more[0].sectors, 0b0100);
  EXPECT_EQ(rig.counted().late, 0u);
  rig.answer(more[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(5u));
  EXPECT_EQ(rig.l1.mshrs_used(), 2u);  // the prefetch has not come
  rig.answer(sent[1]);
  EXPECT_EQ(rig.counted().left, 1u);
  EXPECT_EQ(rig.read(0x1080, 0b0100), Outcome::Hit);
  EXPECT_EQ(rig.counted().useful, 0u);
  EXPECT_EQ(rig.read(0x1080, 0b0101), Outcome::Hit);
  EXPECT_EQ(rig.counted().useful, 1u);
  rig.answer(sent[0]);
  EXPECT_TRUE(rig.l1.idle());
}

TEST(L1Prefetch, WhatIsRefused) {
  ScriptRig rig;  // 4 MSHRs, 4 sets of 2 ways
  rig.fetch(0x1000, 1);
  auto sent = rig.miss(0x1080, {{0x1000, 1},  // there
                                {0x1080, 1},  // under way
                                {0x2000, 1},  // another page
                                {0xf80, 1},   // the page before
                                {0x1101, 1},  // no line
                                {0x1100, 1},
                                {0x1180, 1},
                                {0x1200, 1},  // three MSHRs
                                {0x1300, 1}});
  EXPECT_EQ(sent.size(), 4u);
  const PrefetchStats& s = rig.counted();
  EXPECT_EQ(s.asked, 9u);
  EXPECT_EQ(s.sent, 3u);
  EXPECT_EQ(s.refused_there, 1u);
  EXPECT_EQ(s.refused_under_way, 1u);
  EXPECT_EQ(s.refused_page, 3u);
  EXPECT_EQ(s.refused_mshr_full, 1u);
  EXPECT_EQ(s.asked, s.sent + s.refusals());
  for (const auto& r : sent) rig.answer(r);
  // Prefetched and not read yet: its other sectors are not fetched either.
  sent = rig.miss(0x1400, {{0x1180, 2}});
  EXPECT_EQ(s.refused_there, 2u);
  for (const auto& r : sent) rig.answer(r);
  EXPECT_TRUE(rig.l1.idle());
}

TEST(L1Prefetch, IsRefusedWithoutAPlaceInTheQueueOrAWay) {
  L1Spec spec = small_l1();
  spec.miss_queue = 2;
  ScriptRig rig(spec);
  EXPECT_EQ(rig.miss(0x1000, {{0x1080, 1}, {0x1100, 1}}).size(), 2u);
  EXPECT_EQ(rig.counted().refused_queue_full, 1u);
  ScriptRig ways;  // lines 512 bytes apart meet in a set of two ways
  EXPECT_EQ(ways.miss(0x1000, {{0x1200, 1}, {0x1400, 1}}).size(), 2u);
  EXPECT_EQ(ways.counted().refused_reservation, 1u);
}

// Demands of the same cycle come first, whatever was wished for before them.
TEST(L1Prefetch, DemandsOfTheCycleComeFirst) {
  ScriptRig rig;
  rig.wants = {{0x1080, 1}};
  EXPECT_EQ(rig.read(0x1000, 1, 1), Outcome::Pending);
  for (const std::uint64_t line : {0x2000u, 0x2080u, 0x2100u})
    EXPECT_EQ(rig.read(line, 1, 2), Outcome::Pending);  // all four MSHRs
  EXPECT_EQ(rig.sent().size(), 4u);
  EXPECT_EQ(rig.counted().refused_mshr_full, 1u);
}

TEST(L1Prefetch, AnUnusedLineThatMakesRoomIsUseless) {
  ScriptRig rig;
  for (const auto& r : rig.miss(0x1000, {{0x1080, 1}})) rig.answer(r);
  rig.fetch(0x1280, 1);
  rig.fetch(0x1480, 1);  // the third of its set
  EXPECT_EQ(rig.counted().useless, 1u);
  EXPECT_EQ(rig.counted().left, 0u);
  EXPECT_THAT(rig.told, testing::Contains("evict 1080 unused"));
}

// A store to a line under way: what comes is out of date and is not stored.
TEST(L1Prefetch, AStoreToALineUnderWay) {
  for (const Allocate allocate : {Allocate::OnMiss, Allocate::OnFill}) {
    L1Spec spec = small_l1();
    spec.allocate = allocate;
    ScriptRig rig(spec);
    auto sent = rig.miss(0x1000, {{0x1080, 0b0011}});
    EXPECT_EQ(rig.write(0x1080, 0b0011, 7), Outcome::Pending);
    for (const auto& r : rig.sent()) sent.push_back(r);
    for (const auto& r : sent) rig.answer(r);
    EXPECT_EQ(rig.counted().useless, 1u);
    EXPECT_EQ(rig.read(0x1080, 1), Outcome::Pending);
    for (const auto& r : rig.sent()) rig.answer(r);
    EXPECT_TRUE(rig.l1.idle());
  }
}

// A store to a line that is there and unused evicts it (write = evict).
TEST(L1Prefetch, AStoreToAnUnusedLine) {
  ScriptRig rig;
  for (const auto& r : rig.miss(0x1000, {{0x1080, 1}})) rig.answer(r);
  EXPECT_EQ(rig.counted().left, 1u);
  EXPECT_EQ(rig.write(0x1080, 1, 7), Outcome::Pending);
  EXPECT_EQ(rig.counted().useless, 1u);
  EXPECT_EQ(rig.counted().left, 0u);
}

// Lines that nobody has read yet are counted in each kernel that finds them, until they are forgotten.
TEST(L1Prefetch, UnusedLinesOutliveAKernel) {
  ScriptRig rig;
  for (const auto& r : rig.miss(0x1000, {{0x1080, 1}, {0x1100, 1}})) rig.answer(r);
  EXPECT_EQ(rig.counted().left, 2u);
  rig.l1.clear_statistics();
  EXPECT_EQ(rig.counted().carried, 2u);
  EXPECT_EQ(rig.read(0x1080, 1), Outcome::Hit);
  EXPECT_EQ(rig.counted().useful, 1u);
  EXPECT_EQ(rig.counted().left, 1u);
  rig.l1.kernel_end();
  rig.l1.clear_statistics();
  EXPECT_EQ(rig.counted().carried, 0u);
  EXPECT_EQ(rig.told.back(), "flush");
}

// ---- next_line ------------------------------------------------------------------------------------------

L1Spec next_line(std::uint32_t degree, NextLineSpec::On on) {
  L1Spec spec = small_l1();
  spec.tags.sets = 64;
  spec.mshr_entries = 32;
  spec.prefetcher = "next_line";
  spec.make_prefetcher = [degree, on](const PrefetcherPlace& place) {
    return std::make_unique<NextLine>(NextLineSpec{degree, on}, place);
  };
  return spec;
}

// Which of the first lines of a page are asked for by their own loads, when these come one after the other.
std::string walk(const L1Spec& spec, std::uint32_t lines) {
  Rig rig(spec);
  std::string text;
  for (std::uint32_t i = 0; i < lines; ++i) {
    text += rig.read(0x1000 + i * 128, 1, i) == Outcome::Hit ? 'h' : 'm';
    for (const auto& r : rig.sent()) rig.answer(r);
  }
  EXPECT_TRUE(rig.l1.idle());
  return text;
}

TEST(NextLine, WhatMakesItAsk) {
  using On = NextLineSpec::On;
  EXPECT_EQ(walk(next_line(1, On::Miss), 8), "mhmhmhmh");
  EXPECT_EQ(walk(next_line(3, On::Miss), 8), "mhhhmhhh");
  EXPECT_EQ(walk(next_line(1, On::Tagged), 8), "mhhhhhhh");
  EXPECT_EQ(walk(next_line(1, On::Access), 8), "mhhhhhhh");
  // 32 lines are a page: the first of the next one misses.
  EXPECT_EQ(walk(next_line(1, On::Tagged), 40), "m" + std::string(31, 'h') + "m" + std::string(7, 'h'));
}

// A read that finds the line on its way is a first use of a prefetch, not a miss.
TEST(NextLine, ALateOneIsNoMiss) {
  for (const auto on : {NextLineSpec::On::Miss, NextLineSpec::On::Tagged}) {
    Rig rig(next_line(1, on));
    rig.read(0x1000, 1, 1);
    EXPECT_EQ(rig.sent().size(), 2u);
    EXPECT_EQ(rig.read(0x1080, 1, 2), Outcome::Pending);
    EXPECT_EQ(rig.sent().size(), on == NextLineSpec::On::Miss ? 0u : 1u);
  }
}

TEST(NextLine, AsksForTheSectorsOfTheRead) {
  Rig rig(next_line(1, NextLineSpec::On::Miss));
  rig.read(0x1000, 0b0110, 1);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].sectors, 0b0110);
}

// Addresses end, too.
TEST(NextLine, AtTheLastLineOfAll) {
  Rig rig(next_line(2, NextLineSpec::On::Miss));
  rig.read(~std::uint64_t{127}, 1, 1);
  EXPECT_EQ(rig.sent().size(), 1u);
  EXPECT_EQ(rig.l1.prefetch()->statistics().refused_page, 2u);
}

}  // namespace
}  // namespace heddle::cache
