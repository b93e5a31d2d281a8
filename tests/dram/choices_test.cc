// How controllers differ beside their scheduler: a queue for each bank, placements one by one, commands by
// banks in turn, what writes cost. Every choice as a formula of the specification.
#include <gtest/gtest.h>

#include "harness.h"

namespace heddle::dram {
namespace {

TEST(DramChoices, AQueueForEachBankIsLimitedByItself) {
  DramSpec s;
  s.scheduler = "banked_fifo";
  s.queue = 1;  // no part of it
  s.bank_queue = 3;
  for (const bool places : {false, true}) {
    s.bank_places = places;
    Channel c(s);
    std::uint32_t n = 0;
    for (; c.can_accept(5); ++n) c.push(0, read(5, n, n));
    EXPECT_EQ(n, places ? 4u : 3u);
    for (std::uint32_t b = 0; b < s.banks; ++b) EXPECT_EQ(c.can_accept(b), b != 5);
    // A place is free when the first has had its command.
    std::vector<Finished> done;
    c.run(0, s.tRCD, done);
    EXPECT_FALSE(c.can_accept(5));
    c.run(s.tRCD, s.tRCD + 1, done);
    EXPECT_TRUE(c.can_accept(5));
  }
}
TEST(DramChoices, QueuesOfBanksHoldAsManyAsTheyAre) {
  DramSpec s;
  s.scheduler = "banked_fifo";
  s.bank_queue = 4;
  s.pseudo_channels = 2;
  Channel c(s);
  std::uint32_t n = 0;
  for (std::uint32_t b = 0; b < s.banks; ++b)
    for (; c.can_accept(b); ++n) c.push(0, read(b, n, n));
  EXPECT_EQ(n, s.banks * s.bank_queue);
  std::vector<Finished> done;
  c.run(0, 1'000'000, done);
  EXPECT_EQ(done.size(), n);
}

// A transfer waits for its row to be closed; those behind it go to other banks a tick later each.
TEST(DramChoices, OnePlacementPerTick) {
  DramSpec s;
  s.scheduler = "fifo";
  s.tRRD = 1;
  const std::vector<Transfer> all = {read(0, 1, 0), read(0, 2, 1), read(1, 1, 2)};
  const Tick opened_at = s.tRCD + 1, takes = s.tRCD + s.tCL + s.burst_ticks();
  ASSERT_LT(opened_at + 1, s.tRAS);
  EXPECT_EQ(end_of(play_at_once(s, all), 2), opened_at + takes);
  s.one_placement = true;
  EXPECT_EQ(end_of(play_at_once(s, all), 2), opened_at + 1 + takes);
}

// Bank 0 could issue a column command in every tick when bank 1 could open its row.
TEST(DramChoices, BanksInTurnDoNotWaitForColumnCommands) {
  DramSpec s;
  s.burst = 4;
  s.tCCDS = s.tCCDL = 1;
  s.tRRD = s.tRCD + 8;
  constexpr std::uint32_t kBursts = 32;
  const std::vector<Transfer> all = {read(0, 1, 0, kBursts * s.burst_bytes()),
                                     read(1, 1, 1, s.burst_bytes())};
  ASSERT_EQ(s.burst_ticks(), 1u);
  const Tick column_and_data = s.tCL + s.burst_ticks();
  EXPECT_EQ(end_of(play_at_once(s, all), 1), s.tRCD + kBursts + s.tRCD + column_and_data);
  s.command_order = CommandOrder::BankTurns;
  const auto done = play_at_once(s, all);
  // The tick in which the row is opened is lost for bank 0, which goes on: column commands move no turn.
  EXPECT_EQ(end_of(done, 0), s.tRCD + kBursts + column_and_data);
  EXPECT_EQ(end_of(done, 1), s.tRCD + kBursts + 1 + column_and_data);
}

TEST(DramChoices, AHitRecallsAnotherTransferOrNot) {
  DramSpec s;
  const std::vector<Push> pushes = {{0, read(0, 1, 0)}, {0, read(0, 2, 1)}, {s.tRAS - 3, read(0, 1, 2)}};
  for (const bool recalls : {true, false}) {
    s.recall = recalls;
    Channel c(s);
    const auto done = play(c, pushes);
    EXPECT_EQ(done.at(1).id, recalls ? 2u : 1u);
    EXPECT_EQ(c.statistics().activations, recalls ? 2u : 3u);
  }
}

TEST(DramChoices, WriteRecoveryCountsFromTheCommand) {
  DramSpec s;
  s.tWTR = 0;
  s.tWR = 1;
  s.tRC = s.tRAS = 1;
  s.write_recovery = WriteRecovery::Command;
  const auto turned = play_at_once(s, {write(0, 1, 0), read(0, 1, 1)});
  EXPECT_EQ(turned.at(1).at - turned[0].at, s.tCCDL + s.tCL - s.tWL);
  const auto closed = play_at_once(s, {write(0, 1, 0), write(0, 2, 1)});
  EXPECT_EQ(closed.at(1).at - closed[0].at, s.tWR + s.tRP + s.tRCD);
}
// Read data come later than written ones, but the bus is one.
TEST(DramChoices, ReadsWaitForTheBusEvenSo) {
  DramSpec s;
  s.tWTR = 0;
  s.tCL = 2;
  s.tWL = 20;
  s.write_recovery = WriteRecovery::Command;
  const auto done = play_at_once(s, {write(0, 1, 0), read(0, 1, 1)});
  EXPECT_EQ(end_of(done, 1), end_of(done, 0) + s.burst_ticks());
}

TEST(DramChoices, WritesMayCarryMoreThanData) {
  DramSpec s;
  s.bus = 8_B;
  s.burst = 4;
  ASSERT_EQ(s.burst_bytes(), 32u);
  s.write_extra = 16_B;
  for (const std::uint32_t bytes : {32u, 64u, 128u}) {
    Channel c(s);
    play(c, {{0, write(0, 1, 0, bytes)}, {100, read(0, 1, 1, bytes)}});
    EXPECT_EQ(c.statistics().write_bytes / 32, bytes / 32 + 1);
    EXPECT_EQ(c.statistics().read_bytes, bytes);
  }
}

// A transfer is at its bank from the tick in which it is placed to that of its last command.
TEST(DramChoices, BanksAreBusyFromPlacementToTheLastCommand) {
  DramSpec s;
  Channel c(s);
  play(c, {{0, read(0, 1, 0, 2 * s.burst_bytes())}});
  const std::uint64_t first = s.tRCD + s.tCCDL + 1;
  EXPECT_EQ(c.statistics().bank_busy_ticks, first);
  // Two more for a bank: the second is placed when the first has gone, and counts from the tick after.
  play(c, {{1000, read(0, 1, 1, s.burst_bytes())}, {1000, read(0, 1, 2, s.burst_bytes())}});
  EXPECT_EQ(c.statistics().bank_busy_ticks, first + 1 + s.tCCDL);
  s.one_placement = true;
  Channel one(s);
  play(one, {{0, read(0, 1, 0, s.burst_bytes())}, {0, read(1, 1, 1, s.burst_bytes())}});
  // The second is placed in tick 1 and opens its row in tick tRRD.
  EXPECT_EQ(one.statistics().bank_busy_ticks, s.tRCD + 1 + s.tRRD + s.tRCD);
}
// One that gives way to a hit was there, too.
TEST(DramChoices, ARecalledTransferWasAtItsBank) {
  DramSpec s;
  Channel c(s);
  const Tick hit = s.tRAS - 3;
  play(c, {{0, read(0, 1, 0)}, {0, read(0, 2, 1)}, {hit, read(0, 1, 2)}});
  // Without a gap up to the last command: row 2 is opened tRC after row 1.
  EXPECT_EQ(c.statistics().bank_busy_ticks, std::max(s.tRC, s.tRAS + s.tRP) + s.tRCD + 1);
}

}  // namespace
}  // namespace heddle::dram
