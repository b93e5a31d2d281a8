// Properties of a DRAM channel under random traffic, for every scheduler.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

#include "harness.h"

namespace heddle::dram {
namespace {

std::vector<Push> random_traffic(std::uint32_t seed, const DramSpec& spec, std::uint32_t count) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<Push> out;
  Tick now = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (pick(50) == 0) now += pick(5000);  // sometimes idle for long
    now += pick(1 + seed % 9);
    out.push_back({now, {i, pick(spec.banks), pick(3), pick(16) * 32, 32 * (1 + pick(4)), pick(3) == 0}});
  }
  return out;
}

class DramProperty : public testing::TestWithParam<std::tuple<const char*, std::uint32_t>> {
 protected:
  DramSpec spec() const {
    const std::uint32_t seed = std::get<1>(GetParam());
    DramSpec s;
    s.scheduler = std::get<0>(GetParam());
    s.queue = 8 + seed * 7 % 64;
    s.pseudo_channels = 1 + seed % 2;
    s.tFAW = seed % 3 == 0 ? 40 : 0;
    if (seed % 2 == 0) s.tREFI = 700, s.tRFC = 90;
    if (seed % 4 == 0) s.refresh = Refresh::OneBank;
    if (seed % 4 == 1) s.write_drain_high = 6, s.write_drain_low = 2;
    s.row_hit_cap = seed % 5;
    s.bank_places = seed % 3 == 1;
    s.groups = seed % 5 < 2 ? BankGroups::Blocks : BankGroups::Modulo;
    s.tRCDW = seed % 4 == 2 ? 7 : 0;
    s.bank_queue = seed % 4 == 3 ? 1 + seed % 5 : 0;
    s.one_placement = seed % 3 != 0;
    s.command_order = seed % 5 % 2 == 0 ? CommandOrder::BankTurns : CommandOrder::ColumnsFirst;
    s.recall = seed % 4 != 0;
    s.write_recovery = seed % 3 == 2 ? WriteRecovery::Command : WriteRecovery::Data;
    s.write_extra = Bytes{seed % 2 * 16};
    return s;
  }
  std::uint32_t seed() const { return std::get<1>(GetParam()); }
};

TEST_P(DramProperty, EveryTransferFinishesOnceAndInOrderOfTime) {
  const DramSpec s = spec();
  const auto pushes = random_traffic(seed(), s, 2000);
  Channel c(s);
  const auto done = play(c, pushes);
  ASSERT_EQ(done.size(), pushes.size());
  std::set<std::uint32_t> ids;
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_TRUE(ids.insert(done[i].id).second) << done[i].id;
    EXPECT_EQ(done[i].write, pushes[done[i].id].transfer.write);
    const Tick least = (done[i].write ? s.tWL : s.tCL) + s.burst_ticks();
    EXPECT_GE(done[i].at, pushes[done[i].id].at + least);
    EXPECT_GE(done[i].at, done[i > 0 ? i - 1 : 0].at);
  }
  const DramStats& st = c.statistics();
  EXPECT_EQ(st.reads + st.writes, pushes.size());
  EXPECT_EQ(st.row_hits + st.row_misses + st.row_conflicts, pushes.size());
  EXPECT_EQ(st.bursts * s.burst_bytes(), st.read_bytes + st.write_bytes);
  EXPECT_LE(st.most_waiting, s.capacity() + (s.bank_places ? s.banks : 0));
  // Every transfer is at its bank for a tick at least, and at most one is.
  EXPECT_GE(st.bank_busy_ticks, pushes.size());
  EXPECT_LE(st.bank_busy_ticks, s.banks * done.back().at);
}

TEST_P(DramProperty, SkippingTicksChangesNothing) {
  const DramSpec s = spec();
  auto pushes = random_traffic(seed(), s, 2000);
  // First tick by tick; the ticks at which there was room are then played back.
  Channel slow(s);
  std::vector<Finished> expected;
  Tick now = 0;
  for (Push& p : pushes) {
    while (now < p.at || !slow.can_accept(p.transfer.bank)) slow.run(now, now + 1, expected), ++now;
    slow.push(p.at = now, p.transfer);
  }
  while (slow.waiting() != 0) slow.run(now, now + 1, expected), ++now;

  Channel fast(s);
  std::vector<Finished> got;
  Tick at = 0;
  for (const Push& p : pushes) {
    while (at < p.at) at = std::min(p.at, std::max(at + 1, fast.run(at, at + 1, got)));
    fast.push(p.at, p.transfer);
  }
  while (fast.waiting() != 0) {
    const Tick next = fast.run(at, at + 1, got);
    ASSERT_GT(next, at);
    if (next != kNever) at = next;
  }
  fast.run(at, now, got);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].id, expected[i].id);
    EXPECT_EQ(got[i].at, expected[i].at);
  }
  EXPECT_EQ(fast.statistics().activations, slow.statistics().activations);
  EXPECT_EQ(fast.statistics().refreshes, slow.statistics().refreshes);
  EXPECT_EQ(fast.statistics().bank_busy_ticks, slow.statistics().bank_busy_ticks);
  EXPECT_EQ(fast.statistics().turnarounds, slow.statistics().turnarounds);
}

INSTANTIATE_TEST_SUITE_P(Random, DramProperty,
                         testing::Combine(testing::Values("fifo", "fr_fcfs", "banked_fifo"),
                                          testing::Range(1u, 13u)));

}  // namespace
}  // namespace heddle::dram
