// What limits an L1 beside its sizes, and what it keeps of requests: parameters that make it refuse, answer
// in turns or keep what a store has overtaken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "l1_rig.h"

namespace heddle::cache {
namespace {

using mem::Op;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outcome = mem::L1Port::Outcome;

std::vector<sim::Cycle> times(const Client& client) {
  std::vector<sim::Cycle> t;
  for (const Client::Got& g : client.got) t.push_back(g.at);
  return t;
}

// ---- several SMs before one L1 ------------------------------------------------------------------------

TEST(L1Sms, EveryAnswerCarriesTheSmOfItsRequest) {
  Rig rig(small_l1());
  const auto offer = [&](Op op, std::uint16_t sm, std::uint32_t token, bool no_l1 = false) {
    mem::Request r = rig.request(op, 0, 0b0001, token);
    r.sm = sm;
    r.no_l1 = no_l1;
    EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
  };
  offer(Op::Read, 7, 0);
  offer(Op::Read, 9, 1);  // joins
  offer(Op::Read, 5, 2, true);
  offer(Op::Write, 8, 3);
  offer(Op::Atomic, 6, 4);
  const auto sent = rig.sent();
  for (const mem::Request& r : sent) {
    EXPECT_EQ(r.sm, 3) << "the L1's own, whose replies these are";
    rig.answer(r);
  }
  std::vector<std::uint16_t> sms(5);
  for (const Client::Got& g : rig.client.got) sms[g.request.token] = g.request.sm;
  EXPECT_THAT(sms, ElementsAre(7, 9, 5, 8, 6));
}

// ---- what carries data leaves by sectors ---------------------------------------------------------------

TEST(L1Sends, ACycleForEachSectorAndOneForAMask) {
  struct Case {
    Op op;
    mem::SectorMask sectors;
    std::uint32_t lanes;  // of an atomic
    bool partial;
    sim::Cycle cycles;  // validation/data/h200_store_port.csv
  };
  const Case cases[] = {{Op::Write, 0b1111, 0, false, 4},    {Op::Write, 0b1111, 0, true, 5},
                        {Op::Write, 0b0010, 0, false, 1},    {Op::Write, 0b1000, 0, true, 2},
                        {Op::Write, 0b0111, 0, false, 3},    {Op::Atomic, 0b0001, 0x10, false, 1},
                        {Op::Atomic, 0b0001, 0xf, false, 2}, {Op::Atomic, 0b1111, ~0u, false, 5},
                        {Op::Read, 0b1111, 0, false, 1}};
  for (const bool by_sectors : {false, true})
    for (const Case& c : cases) {
      L1Spec s = small_l1();
      s.sector_sends = by_sectors;
      Rig rig(s);
      mem::Request r = rig.request(c.op, 0, c.sectors, 0);
      r.partial_write = c.partial;
      if (c.op == Op::Atomic) r.words = c.lanes;
      EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
      EXPECT_EQ(rig.read(128, 1), Outcome::Pending);
      rig.tick();
      const sim::Cycle first = rig.now - 1;
      while (rig.l1.queued() != 0) {
        ASSERT_LT(rig.now, first + 10);
        EXPECT_EQ(rig.l1.next_send(rig.now - 1), first + (by_sectors ? c.cycles : 1));
        rig.tick();
      }
      EXPECT_EQ(rig.now - 1 - first, by_sectors ? c.cycles : 1);
      EXPECT_EQ(rig.l1.statistics().send_cycles, 1 + (by_sectors ? c.cycles : 1));
    }
}

// Stores of structures, field after field: a line's sectors leave once while it waits.
TEST(L1Sends, SectorsLeaveOnceWhileTheirLineWaits) {
  const auto cycles = [](std::uint32_t lines, std::uint32_t idle, std::uint32_t stores, std::uint64_t apart,
                         sim::Cycle pause = 0) {
    L1Spec s = small_l1();
    s.sector_sends = true;
    s.store_lines = lines;
    s.store_idle = idle;
    Rig rig(s);
    for (std::uint32_t i = 0; i < stores; ++i) {
      EXPECT_EQ(rig.write(i * apart % 512, 0b1111, i, true), Outcome::Pending);
      while (rig.l1.queued() != 0) rig.tick();
      rig.now += pause;
    }
    return rig.l1.statistics().send_cycles;
  };
  EXPECT_EQ(cycles(0, 64, 3, 0), 3 * 5u);
  EXPECT_EQ(cycles(1, 64, 3, 0), 5 + 2 * 1u);
  EXPECT_EQ(cycles(4, 64, 8, 128), 4 * 5 + 4 * 1u);
  EXPECT_EQ(cycles(3, 64, 8, 128), 8 * 5u) << "a fourth line pushes out the first";
  EXPECT_EQ(cycles(4, 64, 3, 0, 50), 5 + 2 * 1u);
  EXPECT_EQ(cycles(4, 64, 3, 0, 100), 3 * 5u) << "nothing waits so long";
}

TEST(L1Sends, OnlyFurtherSectorsAreAdded) {
  StoreLines lines(2, 64);
  EXPECT_EQ(lines.add(0, 0, 0b0011), 0b0011);
  EXPECT_EQ(lines.add(1, 0, 0b0110), 0b0100);
  EXPECT_EQ(lines.add(2, 128, 0b0001), 0b0001);
  EXPECT_EQ(lines.add(3, 0, 0b1111), 0b1000);
  EXPECT_EQ(lines.add(4, 256, 0b0001), 0b0001);  // in the place of line 0, the oldest
  EXPECT_EQ(lines.add(5, 128, 0b0001), 0);
  EXPECT_EQ(lines.add(6, 0, 0b0001), 0b0001);
}

// ---- answers in turns -----------------------------------------------------------------------------------

L1Spec in_turns(std::uint32_t per_cycle) {
  L1Spec s = small_l1();
  s.replies_per_cycle = per_cycle;
  s.mshr_merges = 8;
  return s;
}

TEST(L1Turns, ReadersOfALineAreAnsweredSoManyPerCycle) {
  for (const std::uint32_t per_cycle : {1u, 2u, 3u, 5u}) {
    L1Spec s = in_turns(per_cycle);
    s.fill_latency = 4;
    Rig rig(s);
    for (std::uint32_t t = 0; t < 5; ++t) rig.read(0, 1, t);
    const auto sent = rig.sent();
    const sim::Cycle came = rig.now;
    rig.answer(sent[0]);
    while (!rig.l1.idle()) {
      ASSERT_EQ(rig.l1.next_send(rig.now), rig.now + 1);
      rig.tick();
    }
    ASSERT_EQ(rig.client.got.size(), 5u);
    for (std::uint32_t t = 0; t < 5; ++t) {
      EXPECT_EQ(rig.client.got[t].request.token, t);
      EXPECT_EQ(rig.client.got[t].at, came + 4 + t / per_cycle) << per_cycle << " per cycle";
    }
    EXPECT_EQ(rig.l1.next_send(rig.now), sim::kNever);
  }
}

TEST(L1Turns, LinesAreAnsweredInTheOrderInWhichTheyCame) {
  Rig rig(in_turns(1));
  for (std::uint32_t t = 0; t < 3; ++t) rig.read(0, 1, t);
  for (std::uint32_t t = 3; t < 5; ++t) rig.read(128, 1, t);
  const auto sent = rig.sent();
  const sim::Cycle came = rig.now;
  rig.answer(sent[1]);
  rig.answer(sent[0]);
  while (!rig.l1.idle()) rig.tick();
  EXPECT_THAT(rig.client.tokens(), ElementsAre(3, 4, 0, 1, 2));
  EXPECT_THAT(times(rig.client), ElementsAre(came, came + 1, came + 2, came + 3, came + 4));
}

// The data are there when they have come, and the MSHR is free when the last reader has been answered.
TEST(L1Turns, TheMshrIsHeldUntilTheLastAnswer) {
  L1Spec s = in_turns(1);
  s.mshr_entries = 1;
  Rig rig(s);
  for (std::uint32_t t = 0; t < 3; ++t) rig.read(0, 1, t);
  rig.answer(rig.sent()[0]);
  const sim::Cycle came = rig.now;
  EXPECT_EQ(rig.read(0, 1), Outcome::Hit);
  EXPECT_EQ(rig.l1.mshrs_used(), 1u);
  while (rig.read(128, 1) == Outcome::Blocked) {
    EXPECT_EQ(rig.l1.retry_at(rig.now), rig.now + 1);
    rig.tick();
    ASSERT_LT(rig.now, came + 10);
  }
  EXPECT_EQ(rig.now, came + 2);
  EXPECT_EQ(rig.l1.statistics().mshr_full, 2u);
}

// A store that comes before the last answer: the line is fetched anew for those who read it afterwards.
TEST(L1Turns, AStoreMeanwhileDropsTheLine) {
  Rig rig(in_turns(1));
  for (std::uint32_t t = 0; t < 3; ++t) rig.read(0, 1, t);
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.write(0, 1, 10), Outcome::Pending);
  EXPECT_EQ(rig.read(0, 1, 11), Outcome::Pending);
  EXPECT_EQ(rig.l1.mshrs_used(), 2u);
  EXPECT_EQ(rig.l1.statistics().mshr_peak, 2u);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  rig.answer(sent[0]);
  rig.answer(sent[1]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(0, 1, 2, 10, 11));
  EXPECT_TRUE(rig.l1.idle());
}

TEST(L1Turns, MshrCyclesCountEntriesUntilTheirLastAnswer) {
  Rig rig(in_turns(1));
  const sim::Cycle opened = rig.now;
  for (std::uint32_t t = 0; t < 4; ++t) rig.read(0, 1, t);
  rig.answer(rig.sent()[0]);
  const sim::Cycle last = rig.now + 3;
  while (!rig.l1.idle()) rig.tick();
  EXPECT_EQ(rig.l1.mshr_cycles(rig.now + 100), last - opened);
}

// ---- refusals -------------------------------------------------------------------------------------------

TEST(L1Refusal, AReadMustFindSoManyPlacesAlsoIfItMerges) {
  L1Spec s = small_l1();
  s.miss_queue = 3;
  s.read_places = 2;
  Rig rig(s);
  EXPECT_EQ(rig.read(0, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(128, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(256, 1), Outcome::Blocked) << "one place is left";
  EXPECT_EQ(rig.read(0, 1), Outcome::Blocked) << "would only join";
  EXPECT_EQ(rig.l1.retry_at(rig.now), rig.now + 1);
  EXPECT_EQ(rig.l1.statistics().queue_full, 2u);
  EXPECT_EQ(rig.write(512, 1), Outcome::Pending) << "a store takes the last one";
  rig.tick();
  rig.tick();
  EXPECT_EQ(rig.read(0, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(256, 1), Outcome::Pending);
}

TEST(L1Refusal, HitsNeedNoPlace) {
  L1Spec s = small_l1();
  s.miss_queue = 2;
  s.read_places = 2;
  Rig rig(s);
  rig.fetch(0, 1);
  EXPECT_EQ(rig.read(128, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(0, 1), Outcome::Hit);
}

TEST(L1Refusal, SoManyReadsThatAreNoHitsPerCycle) {
  L1Spec s = small_l1();
  s.misses_per_cycle = 2;
  Rig rig(s);
  rig.fetch(4096, 1);
  for (int cycle = 0; cycle < 2; ++cycle) {
    const std::uint64_t other = 128 * static_cast<std::uint64_t>(1 + 2 * cycle);
    EXPECT_EQ(rig.read(other, 1), Outcome::Pending);
    EXPECT_EQ(rig.read(other, 1), Outcome::Pending) << "joins, and counts";
    EXPECT_EQ(rig.read(other + 128, 1), Outcome::Blocked);
    EXPECT_EQ(rig.l1.retry_at(rig.now), rig.now + 1);
    EXPECT_EQ(rig.read(4096, 1), Outcome::Hit);
    EXPECT_EQ(rig.write(2048, 1), Outcome::Pending);
    rig.tick();
  }
  EXPECT_EQ(rig.l1.statistics().miss_limit, 2u);
}

TEST(L1Refusal, AStoreMayNeedAWayThatDoesNotPend) {
  for (const bool need : {false, true}) {
    L1Spec s = small_l1();
    s.stores_need_way = need;
    Rig rig(s);
    rig.read(0, 1);
    rig.read(512, 1);
    EXPECT_EQ(rig.write(0, 1), Outcome::Pending) << "to a line of the set";
    EXPECT_EQ(rig.write(1024, 1), need ? Outcome::Blocked : Outcome::Pending);
    if (!need) continue;
    EXPECT_EQ(rig.l1.statistics().reservation, 1u);
    EXPECT_EQ(rig.l1.retry_at(rig.now), sim::kNever);
    EXPECT_EQ(rig.write(128, 1), Outcome::Pending) << "another set";
    rig.answer(rig.sent()[1]);
    EXPECT_EQ(rig.write(1024, 1), Outcome::Pending);
  }
}

TEST(L1Refusal, MorePlacesThanTheQueueHasAreRefused) {
  config::Config c = config::Config::parse("miss_queue = 4\nread_places = 5", "f.toml");
  try {
    config::read<L1Spec>(c);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("read_places: a read would wait for 5 free places of a queue that has 4"));
  }
}

// ---- what a store overtakes -----------------------------------------------------------------------------

TEST(L1Overtaken, IsKeptWhereTheDescriptionSaysSo) {
  for (const bool kept : {false, true}) {
    L1Spec s = small_l1();
    s.overtaken_fill = kept ? OvertakenFill::Kept : OvertakenFill::Dropped;
    Rig rig(s);
    rig.read(0, 0b0001, 1);
    rig.write(0, 0b0001, 2);
    rig.read(0, 0b0001, 3);
    rig.answer(rig.sent()[0]);
    EXPECT_EQ(rig.read(0, 0b0001, 4), kept ? Outcome::Hit : Outcome::Pending);
    EXPECT_EQ(rig.l1.statistics().fills_not_kept, kept ? 0u : 1u);
    EXPECT_EQ(rig.l1.statistics().stale_merges, 1u) << "they are counted either way";
  }
}

}  // namespace
}  // namespace heddle::cache
