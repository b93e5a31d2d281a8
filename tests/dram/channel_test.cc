// The timing of a DRAM channel, each constraint as a formula of its specification.
#include "dram/channel.h"

#include <gtest/gtest.h>

#include "harness.h"

namespace heddle::dram {
namespace {

TEST(DramChannel, AnUnloadedReadTakesRowColumnAndBurst) {
  DramSpec s;
  s.minimum_latency = 30;
  const auto done = play_at_once(s, {read(3, 7)});
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].at, s.tRCD + s.tCL + s.burst_ticks() + s.minimum_latency);
  EXPECT_FALSE(done[0].write);
}

TEST(DramChannel, AnUnloadedWriteTakesRowWriteLatencyAndBurst) {
  const DramSpec s;
  const auto done = play_at_once(s, {write(3, 7)});
  EXPECT_EQ(done.at(0).at, s.tRCD + s.tWL + s.burst_ticks());
  EXPECT_TRUE(done[0].write);
}

TEST(DramChannel, ATransferOfSeveralBurstsIssuesAColumnCommandForEach) {
  const DramSpec s;
  const std::uint32_t n = 4;
  const auto done = play_at_once(s, {read(0, 1, 0, n * s.burst_bytes())});
  // One bank, so one group.
  EXPECT_EQ(done.at(0).at, s.tRCD + (n - 1) * s.tCCDL + s.tCL + s.burst_ticks());
}

TEST(DramChannel, BytesThatStraddleABurstNeedTwo) {
  const DramSpec s;
  Channel c(s);
  Transfer t = read(0, 1, 0, s.burst_bytes());
  t.column = s.burst_bytes() / 2;
  play(c, {{0, t}});
  EXPECT_EQ(c.statistics().bursts, 2u);
  EXPECT_EQ(c.statistics().read_bytes, 2u * s.burst_bytes());
}

// Row hits spread over `banks` banks that are all open: ticks per burst in the steady state.
double ticks_per_burst(const DramSpec& s, const std::vector<std::uint32_t>& banks) {
  const std::uint32_t n = 400;
  std::vector<Transfer> all;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back(read(banks[i % banks.size()], 1, i, s.burst_bytes()));
  const auto done = play_at_once(s, all);
  return static_cast<double>(done[299].at - done[99].at) / 200;
}

TEST(DramChannel, HitsInDifferentGroupsFollowAtTheBusRate) {
  DramSpec s;
  s.tCCDS = 1;
  s.tCCDL = 3;
  EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0, 1, 2, 3}), s.burst_ticks());
}
TEST(DramChannel, HitsInDifferentGroupsFollowAtTccdsWhereTheBusIsFaster) {
  DramSpec s;
  s.burst = 4;
  s.tCCDS = 2;
  EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0, 1, 2, 3}), s.tCCDS);
}
TEST(DramChannel, HitsInOneGroupFollowAtTccdl) {
  DramSpec s;
  s.tCCDL = 5;
  EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0}), s.tCCDL);
  EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0, 4, 8}), s.tCCDL);
}

TEST(DramChannel, RowsOfOneBankFollowAtTrc) {
  const DramSpec s;
  const auto done = play_at_once(s, {read(0, 1, 0), read(0, 2, 1), read(0, 3, 2), read(0, 4, 3)});
  for (std::uint32_t i = 1; i < 4; ++i) EXPECT_EQ(done.at(i).at - done[i - 1].at, s.tRC);
}
TEST(DramChannel, ARowStaysOpenForTras) {
  DramSpec s;
  s.tRAS = 50;
  s.tRC = 1;
  const auto done = play_at_once(s, {read(0, 1, 0), read(0, 2, 1)});
  EXPECT_EQ(done.at(1).at - done[0].at, s.tRAS + s.tRP);
}
TEST(DramChannel, ARowIsClosedTrtpAfterARead) {
  DramSpec s;
  s.tRTP = 40;
  s.tRC = s.tRAS = 1;
  const auto done = play_at_once(s, {read(0, 1, 0), read(0, 2, 1)});
  EXPECT_EQ(done.at(1).at - done[0].at, s.tRTP + s.tRP + s.tRCD);
}
TEST(DramChannel, ARowIsClosedTwrAfterWrittenData) {
  DramSpec s;
  s.tWR = 40;
  s.tRC = s.tRAS = 1;
  const auto done = play_at_once(s, {write(0, 1, 0), write(0, 2, 1)});
  EXPECT_EQ(done.at(1).at - done[0].at, s.tWR + s.tRP + s.tRCD + s.tWL + s.burst_ticks());
}

TEST(DramChannel, ActivationsFollowAtTrrd) {
  DramSpec s;
  s.tRRD = 9;
  std::vector<Transfer> all;
  for (std::uint32_t b = 0; b < 8; ++b) all.push_back(read(b, 1, b));
  const auto done = play_at_once(s, all);
  for (std::uint32_t b = 1; b < 8; ++b) EXPECT_EQ(done.at(b).at - done[b - 1].at, s.tRRD);
}
TEST(DramChannel, AtMostFourActivationsInTfaw) {
  DramSpec s;
  s.tRRD = 5;  // not a divisor of tRCD: no tick needs two commands
  s.tFAW = 50;
  std::vector<Transfer> all;
  for (std::uint32_t b = 0; b < 12; ++b) all.push_back(read(b, 1, b));
  const auto done = play_at_once(s, all);
  for (std::uint32_t b = 0; b < 12; ++b)
    EXPECT_EQ(done.at(b).at, b / 4 * s.tFAW + b % 4 * s.tRRD + s.tRCD + s.tCL + s.burst_ticks()) << b;
}

TEST(DramChannel, AReadFollowsWrittenDataAfterTwtr) {
  const DramSpec s;
  const auto done = play_at_once(s, {write(0, 1, 0), read(0, 1, 1)});
  EXPECT_EQ(done.at(1).at - done[0].at, s.tWTR + s.tCL + s.burst_ticks());
}
TEST(DramChannel, AWriteFollowsAReadAfterTrtw) {
  DramSpec s;
  s.tRTW = 17;
  Channel c(s);
  const auto done = play(c, {{0, read(0, 1, 0)}, {0, write(0, 1, 1)}});
  EXPECT_EQ(done.at(1).at - done[0].at, s.tRTW + s.tWL - s.tCL);
  EXPECT_EQ(c.statistics().turnarounds, 1u);
}
TEST(DramChannel, AWriteWaitsForTheBusWhereTrtwIsShort) {
  DramSpec s;
  s.tRTW = 0;
  const auto done = play_at_once(s, {read(0, 1, 0), write(1, 1, 1)});
  // Opened tRRD later, its data could be there before the read's.
  ASSERT_LE(s.tRRD + s.tWL, s.tCL + s.burst_ticks());
  EXPECT_EQ(end_of(done, 1), end_of(done, 0) + s.burst_ticks());
}

TEST(DramChannel, RefreshTakesItsShareOfTheBandwidth) {
  DramSpec s;
  s.tREFI = 2000;
  s.tRFC = 200;
  s.queue = 32;
  Channel c(s);
  std::vector<Push> all;
  const std::uint32_t n = 20'000;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back({0, read(i % 4, 1, i)});
  const auto done = play(c, all);
  const Tick total = done.back().at;
  EXPECT_EQ(c.statistics().refreshes, total / s.tREFI);
  const double lost = 1 - static_cast<double>(n) * s.burst_ticks() / static_cast<double>(total);
  const double share = static_cast<double>(s.tRFC) / s.tREFI;
  // Beside the refresh itself all rows are closed and four are opened again.
  const double around = static_cast<double>(s.tRTP + s.tRP + s.tRCD + 3 * s.tRRD + s.burst_ticks()) / s.tREFI;
  EXPECT_GT(lost, share);
  EXPECT_LT(lost, share + around);
}
TEST(DramChannel, RefreshesOfAnIdleChannelCost) {
  DramSpec s;
  s.tREFI = 1000;
  s.tRFC = 100;
  Channel c(s);
  // The 41st refresh begins at 41'000; nobody looked since the start.
  const Tick at = 41'000 + 30;
  const auto done = play(c, {{at, read(0, 1)}}, at);
  EXPECT_EQ(done.at(0).at, 41'000 + s.tRFC + s.tRCD + s.tCL + s.burst_ticks());
}

TEST(DramChannel, ARefreshOfOneBankLeavesTheOthers) {
  DramSpec s;
  s.tREFI = 3200;
  s.tRFC = 400;
  s.refresh = Refresh::OneBank;
  const Tick apart = s.tREFI / s.banks;
  // Bank 2 has its third turn when two rounds are over; bank 3 has just been refreshed in the second.
  const Tick begins = 2 * s.tREFI + 3 * apart;
  const Tick read_takes = s.tRCD + s.tCL + s.burst_ticks();
  for (const std::uint32_t bank : {2u, 4u}) {
    Channel c(s);
    const Tick at = begins + 30;
    const auto done = play(c, {{at, read(bank, 1)}}, at);
    EXPECT_EQ(done.at(0).at, (bank == 2 ? begins + s.tRFC : at) + read_takes) << bank;
  }
}
TEST(DramChannel, RefreshesOfOneBankTakeLittleOfTheBandwidth) {
  DramSpec s;
  s.tREFI = 3200;
  s.tRFC = 400;
  s.refresh = Refresh::OneBank;
  Channel c(s);
  std::vector<Push> all;
  const std::uint32_t n = 20'000;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back({0, read(i % s.banks, 1, i)});
  const auto done = play(c, all);
  // One bank in eight is closed at any time; the queue has work for the others.
  const double lost = 1 - static_cast<double>(n) * s.burst_ticks() / static_cast<double>(done.back().at);
  EXPECT_LT(lost, 0.04);
  EXPECT_EQ(c.statistics().refreshes, done.back().at / s.tREFI);
}

TEST(DramChannel, PseudoChannelsHaveTheirOwnHalfOfBanksAndBus) {
  DramSpec s;
  s.pseudo_channels = 2;
  s.bus = 16_B;
  EXPECT_EQ(s.burst_bytes(), 64u);
  // Even banks are one's, odd ones the other's.
  const auto same = play_at_once(s, {read(0, 1, 0), read(2, 1, 1)});
  EXPECT_EQ(same.at(1).at - same[0].at, s.tRRD);
  const auto apart = play_at_once(s, {read(0, 1, 0), read(1, 1, 1)});
  EXPECT_EQ(apart.at(1).at, apart[0].at);
  EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0, 1, 2, 3}), s.burst_ticks() / 2.0);
}

TEST(DramChannel, CountsHowRowsWereFound) {
  const DramSpec s;
  Channel c(s);
  play(c, {{0, read(0, 1, 0)}, {100, read(0, 1, 1)}, {200, read(0, 2, 2)}, {300, write(1, 2, 3)}});
  const DramStats& st = c.statistics();
  EXPECT_EQ(st.row_misses, 2u);
  EXPECT_EQ(st.row_hits, 1u);
  EXPECT_EQ(st.row_conflicts, 1u);
  EXPECT_EQ(st.activations, 3u);
  EXPECT_EQ(st.reads, 3u);
  EXPECT_EQ(st.writes, 1u);
  EXPECT_EQ(st.busy_ticks, 4u * s.burst_ticks());
}

TEST(DramChannel, TheQueueIsLimited) {
  DramSpec s;
  s.queue = 3;
  Channel c(s);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(c.can_accept(0));
    c.push(0, read(0, i, i));
  }
  EXPECT_FALSE(c.can_accept(0));
  std::vector<Finished> done;
  c.run(0, s.tRCD + 1, done);  // the first one's column command has gone
  EXPECT_TRUE(c.can_accept(0));
  EXPECT_EQ(c.waiting(), 3u);
  EXPECT_NE(c.waits(), "");
}

TEST(DramChannel, RunSaysWhenTheNextThingHappens) {
  const DramSpec s;
  Channel c(s);
  std::vector<Finished> done;
  EXPECT_EQ(c.run(0, 10, done), kNever);
  c.push(10, read(0, 1));
  EXPECT_EQ(c.run(10, 12, done), 10 + s.tRCD);
  EXPECT_EQ(c.run(12, 11 + s.tRCD, done), 10 + s.tRCD + s.tCL + s.burst_ticks());
  EXPECT_EQ(c.next_answer(), 10 + s.tRCD + s.tCL + s.burst_ticks());
  c.run(11 + s.tRCD, c.next_answer() - 1, done);
  EXPECT_EQ(done.size(), 0u);
  EXPECT_EQ(c.run(c.next_answer() - 1, c.next_answer(), done), kNever);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(c.next_answer(), kNever);
  EXPECT_EQ(c.waits(), "");
}

// A write may follow the opening of its row sooner than a read, or later.
TEST(DramChannel, AWriteHasItsOwnDelayAfterARowIsOpened) {
  for (const std::uint32_t ticks : {7u, 12u, 20u}) {
    DramSpec s;
    s.tRCDW = ticks;
    EXPECT_EQ(play_at_once(s, {write(3, 7)}).at(0).at, ticks + s.tWL + s.burst_ticks());
    EXPECT_EQ(play_at_once(s, {read(3, 7)}).at(0).at, s.tRCD + s.tCL + s.burst_ticks());
  }
}

// Banks 0 and 1 of 16 in two groups: of different ones, or of one; 0 and 8 the other way round.
TEST(DramChannel, BankGroupsAreNeighboursOrBlocks) {
  DramSpec s;
  s.bank_groups = 2;
  s.tCCDS = 1;
  s.tCCDL = 5;
  for (const BankGroups order : {BankGroups::Modulo, BankGroups::Blocks}) {
    s.groups = order;
    const bool modulo = order == BankGroups::Modulo;
    const double one = s.tCCDL, both = s.tCCDL / 2.0;
    EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0, 1}), modulo ? both : one);
    EXPECT_DOUBLE_EQ(ticks_per_burst(s, {0, 8}), modulo ? one : both);
  }
}

// A transfer that its bank has taken is not in the queue: one per bank more.
TEST(DramChannel, PlacedTransfersLeaveTheQueue) {
  for (const std::uint32_t banks : {1u, 5u, 16u})
    for (const bool places : {false, true}) {
      DramSpec s;
      s.queue = 16;
      s.bank_places = places;
      Channel c(s);
      std::uint32_t n = 0;
      for (; c.can_accept(n % banks) && n < 100; ++n) c.push(0, read(n % banks, n / banks, n));
      EXPECT_EQ(n, s.queue + (places ? banks : 0));
    }
}

}  // namespace
}  // namespace heddle::dram
