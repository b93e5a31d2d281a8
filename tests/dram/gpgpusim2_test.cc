// The controller of GPGPU-Sim 2.1.1b, simulated tick by tick from its description (docs/gpgpusim.md), beside
// a channel that is configured to be it: every transfer ends in the same tick.
//
// A tick is a placement and a command. Placement: `fifo` moves the head of the queue to its bank if that is
// free; `fr_fcfs` looks at the banks from the one in turn, takes for the first free one that has transfers
// the oldest of the open row, else the oldest, and moves the turn by one. Command: the first bank from the
// one in turn whose transfer can go on; opening or closing a row gives the turn to the bank after it. Writes
// limit what follows by tCCD only.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>

#include "harness.h"

namespace heddle::dram {
namespace {

struct Bank {
  std::optional<Push> placed;
  std::uint32_t left = 0;  // bursts
  std::optional<std::uint32_t> row;
  Tick read_from = 0, write_from = 0, close_from = 0, open_from = 0;
};

class Model {
 public:
  explicit Model(const DramSpec& s) : s_(s), banks_(s.banks) {}
  bool full() const { return queue_.size() >= s_.queue; }
  bool empty() const {
    return queue_.empty() &&
           std::none_of(banks_.begin(), banks_.end(), [](const Bank& b) { return b.placed.has_value(); });
  }
  void push(Tick now, const Transfer& t) { queue_.push_back({now, t}); }
  void tick(Tick now) {
    place();
    for (const Bank& b : banks_) busy += b.placed.has_value();
    for (std::uint32_t i = 0; i < s_.banks; ++i)
      if (command(now, (turn_ + i) % s_.banks)) break;
  }
  std::map<std::uint32_t, Tick> ends;
  std::uint64_t busy = 0, opened = 0;

 private:
  void place() {
    if (queue_.empty()) return;
    if (s_.scheduler == "fifo") {
      if (!banks_[queue_.front().transfer.bank].placed) move(queue_.begin());
      return;
    }
    for (std::uint32_t i = 0; i < s_.banks; ++i) {
      const std::uint32_t b = (turn_ + i) % s_.banks;
      if (banks_[b].placed) continue;
      const auto of_bank = [&](const Push& p) { return p.transfer.bank == b; };
      const auto hit = [&](const Push& p) { return of_bank(p) && banks_[b].row == p.transfer.row; };
      auto best = std::find_if(queue_.begin(), queue_.end(), hit);
      if (best == queue_.end()) best = std::find_if(queue_.begin(), queue_.end(), of_bank);
      if (best == queue_.end()) continue;
      move(best);
      turn_ = (turn_ + 1) % s_.banks;
      return;
    }
  }
  void move(std::deque<Push>::iterator p) {
    Bank& b = banks_[p->transfer.bank];
    b.placed = *p;
    const std::uint32_t bytes = p->transfer.bytes + (p->transfer.write ? 16 : 0);
    b.left = (bytes + s_.burst_bytes() - 1) / s_.burst_bytes();
    queue_.erase(p);
  }
  bool command(Tick now, std::uint32_t n) {
    Bank& b = banks_[n];
    if (!b.placed) return false;
    const Transfer& t = b.placed->transfer;
    if (!b.row) {
      if (now < std::max(b.open_from, open_any_from_)) return false;
      b.row = t.row;
      ++opened;
      open_any_from_ = now + s_.tRRD;
      b.open_from = now + s_.tRC;
      b.close_from = now + s_.tRAS;
      b.read_from = now + s_.tRCD;
      b.write_from = now + s_.tRCDW;
      turn_ = (n + 1) % s_.banks;
      return true;
    }
    if (b.row != t.row) {
      if (now < b.close_from) return false;
      b.row.reset();
      b.open_from = std::max(b.open_from, now + s_.tRP);
      turn_ = (n + 1) % s_.banks;
      return true;
    }
    if (now < column_from_ || now < (t.write ? std::max(b.write_from, write_any_from_) : b.read_from))
      return false;
    column_from_ = now + s_.tCCDS;
    if (!t.write) write_any_from_ = now + s_.tRTW;
    if (--b.left == 0) {
      ends[t.id] = now + (t.write ? s_.tWL : s_.tCL) + s_.burst_ticks();
      b.placed.reset();
    }
    return true;
  }

  DramSpec s_;
  std::vector<Bank> banks_;
  std::deque<Push> queue_;
  std::uint32_t turn_ = 0;
  Tick column_from_ = 0, write_any_from_ = 0, open_any_from_ = 0;
};

// Its latencies 9 and 4 are those to the end of a burst.
DramSpec spec_of_2009(const std::string& scheduler) {
  DramSpec s;
  s.scheduler = scheduler;
  s.banks = 4;
  s.bank_groups = 1;
  s.bus = 8_B;
  s.transfers_per_tick = 2;
  s.burst = 4;
  s.tCL = 7, s.tWL = 2, s.tRCD = 12, s.tRP = 13, s.tRAS = 21, s.tRC = 34, s.tRRD = 8;
  s.tCCDS = s.tCCDL = 2;
  s.tWR = s.tRTP = 1, s.tWTR = 0, s.tRTW = 9;
  s.tRCDW = s.tRCD - 4 - 1;
  s.write_recovery = WriteRecovery::Command;
  s.write_extra = 16_B;
  s.queue = 32;
  s.bank_places = s.one_placement = true;
  s.recall = false;
  s.command_order = CommandOrder::BankTurns;
  return s;
}

class Gpgpusim2 : public testing::TestWithParam<std::tuple<const char*, std::uint32_t>> {};

TEST_P(Gpgpusim2, EveryTransferEndsInItsTick) {
  const auto [scheduler, seed] = GetParam();
  const DramSpec s = spec_of_2009(scheduler);
  Channel channel(s);
  Model model(s);
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<Finished> done;
  std::uint32_t id = 0;
  constexpr std::uint32_t kAll = 3000;
  const std::uint32_t every = 1 + seed * 5, writes = 2 + seed % 3, rows = 1 + seed % 4;
  for (Tick now = 0; id < kAll || channel.waiting() != 0 || !model.empty(); ++now) {
    if (id < kAll && pick(every) == 0) {
      const Transfer t{id, pick(4), 1 + pick(rows), 0, 32u << pick(3), pick(writes) == 0};
      ASSERT_EQ(channel.can_accept(t.bank), !model.full()) << now;
      if (!model.full()) {
        channel.push(now, t);
        model.push(now, t);
        ++id;
      }
    }
    channel.run(now, now + 1, done);
    model.tick(now);
  }
  ASSERT_EQ(done.size(), kAll);
  for (const Finished& f : done) ASSERT_EQ(f.at, model.ends.at(f.id)) << f.id;
  EXPECT_EQ(channel.statistics().activations, model.opened);
  EXPECT_EQ(channel.statistics().bank_busy_ticks, model.busy);
}

INSTANTIATE_TEST_SUITE_P(Random, Gpgpusim2,
                         testing::Combine(testing::Values("fifo", "fr_fcfs"), testing::Range(0u, 8u)));

}  // namespace
}  // namespace heddle::dram
