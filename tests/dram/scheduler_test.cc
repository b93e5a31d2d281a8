// Who goes first: what sets the DRAM schedulers apart.
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/config.h"
#include "harness.h"

namespace heddle::dram {
namespace {

std::vector<std::uint32_t> order(const DramSpec& spec, const std::vector<Transfer>& transfers) {
  std::vector<std::uint32_t> ids;
  for (const Finished& f : play_at_once(spec, transfers)) ids.push_back(f.id);
  return ids;
}
using Ids = std::vector<std::uint32_t>;

const std::vector<Transfer> kHitBehindConflict = {read(0, 1, 0), read(0, 2, 1), read(0, 1, 2)};

TEST(DramScheduler, FrFcfsPrefersAHitToAnOlderConflict) {
  DramSpec s;
  s.scheduler = "fr_fcfs";
  EXPECT_EQ(order(s, kHitBehindConflict), (Ids{0, 2, 1}));
}
TEST(DramScheduler, FifoAndBankedFifoDoNot) {
  DramSpec s;
  s.scheduler = "fifo";
  EXPECT_EQ(order(s, kHitBehindConflict), (Ids{0, 1, 2}));
  s.scheduler = "banked_fifo";
  EXPECT_EQ(order(s, kHitBehindConflict), (Ids{0, 1, 2}));
}
TEST(DramScheduler, FrFcfsTakesAHitThatArrivesBeforeTheRowIsClosed) {
  DramSpec s;
  Channel c(s);
  // 1 waits for tRAS; 2 arrives before that, 3 after the row has been closed.
  const auto done = play(
      c, {{0, read(0, 1, 0)}, {0, read(0, 2, 1)}, {s.tRAS - 3, read(0, 1, 2)}, {s.tRAS + 1, read(0, 1, 3)}});
  EXPECT_EQ(done.at(1).id, 2u);
  EXPECT_EQ(done.at(2).id, 1u);
  EXPECT_EQ(c.statistics().row_hits, 1u);
}
TEST(DramScheduler, TheCapLimitsHowManyHitsPassAnOlderTransfer) {
  DramSpec s;
  std::vector<Transfer> all = {read(0, 1, 0), read(0, 2, 1)};
  for (std::uint32_t i = 2; i < 12; ++i) all.push_back(read(0, 1, i));
  const auto position = [&] {
    const Ids ids = order(s, all);
    return std::find(ids.begin(), ids.end(), 1u) - ids.begin();
  };
  EXPECT_EQ(position(), 11);
  s.row_hit_cap = 4;
  EXPECT_EQ(position(), 1 + 4);
}
TEST(DramScheduler, BankedFifoDoesNotHoldUpOtherBanks) {
  // Bank 0 has three rows to open; the transfer to bank 1 came last.
  const std::vector<Transfer> all = {read(0, 1, 0), read(0, 2, 1), read(0, 3, 2), read(1, 1, 3)};
  DramSpec s;
  s.scheduler = "banked_fifo";
  EXPECT_EQ(order(s, all), (Ids{0, 3, 1, 2}));
  s.scheduler = "fifo";
  EXPECT_EQ(order(s, all).at(0), 0u);
  EXPECT_EQ(order(s, all).at(1), 1u);
}
TEST(DramScheduler, BankedFifoLetsBanksTakeTurns) {
  DramSpec s;
  s.scheduler = "banked_fifo";
  s.tRRD = s.tCCDS = s.tCCDL = 1;
  s.burst = 4;  // a tick on the bus: banks 0 and 1 can always go
  std::vector<Transfer> all;
  for (std::uint32_t i = 0; i < 8; ++i) all.push_back(read(0, 1, i));
  for (std::uint32_t i = 8; i < 16; ++i) all.push_back(read(1, 1, i));
  const Ids ids = order(s, all);
  for (std::uint32_t i = 2; i + 1 < 14; ++i) EXPECT_NE(ids[i] / 8, ids[i + 1] / 8) << i;
}
TEST(DramScheduler, WritesGatherUntilTheHighMark) {
  DramSpec s;
  s.write_drain_high = 3;
  s.write_drain_low = 1;
  s.queue = 64;
  const auto writes_between_reads = [&](std::uint32_t writes) {
    std::vector<Transfer> all;
    for (std::uint32_t i = 0; i < writes; ++i) all.push_back(write(1, 1, 100 + i));
    for (std::uint32_t i = 0; i < 20; ++i) all.push_back(read(0, i, i));
    const Ids ids = order(s, all);
    // The last read leaves none waiting as soon as it is at its bank.
    const auto end = std::find(ids.begin(), ids.end(), 18u);
    return std::count_if(ids.begin(), end, [](std::uint32_t id) { return id >= 100; });
  };
  // The first write finds no read waiting and goes at once.
  EXPECT_EQ(writes_between_reads(1 + 2), 1);
  EXPECT_EQ(writes_between_reads(1 + 3), 1 + 2);
}

std::string refusal(const std::string& toml) {
  try {
    auto config = config::Config::parse(toml, "test.toml");
    config::read<DramSpec>(config);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(DramSpec, ContradictionsAreRefused) {
  EXPECT_EQ(refusal("tCL = 14"), "");
  EXPECT_NE(refusal("tCCDS = 4\ntCCDL = 3").find("tCCDL"), std::string::npos);
  EXPECT_NE(refusal("tREFI = 3900").find("tRFC"), std::string::npos);
  EXPECT_NE(refusal("tREFI = 300\ntRFC = 260").find("tREFI"), std::string::npos);
  EXPECT_NE(refusal("banks = 16\nbank_groups = 3").find("bank_groups"), std::string::npos);
  EXPECT_NE(refusal("write_drain_high = 8\nwrite_drain_low = 8").find("write_drain_low"), std::string::npos);
  EXPECT_NE(refusal("scheduler = 'frfcfs'").find("fr_fcfs"), std::string::npos);
}

}  // namespace
}  // namespace heddle::dram
