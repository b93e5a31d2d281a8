// A command bus, a data bus and up to 64 banks: all of a channel, or one of its pseudo channels.
//
// Time moves from one command to the next. Between commands nothing changes but by an arrival, so the tick of
// the next command is known as soon as the last one has been issued.
#pragma once

#include <memory>
#include <vector>

#include "base/ring_queue.h"
#include "dram/channel.h"
#include "dram/dram_scheduler.h"

namespace heddle::dram {

class PseudoChannel {
 public:
  // `queued` counts the transfers of all parts whose last command has not been issued.
  PseudoChannel(const DramSpec& spec, DramStats& stats, std::uint32_t& queued);
  PseudoChannel(const PseudoChannel&) = delete;
  PseudoChannel& operator=(const PseudoChannel&) = delete;

  // Issues all commands before `until`.
  void advance(Tick until);
  // `bank` counts from 0 here. All commands before `now` have been issued.
  void push(Tick now, const Transfer& transfer, std::uint32_t bank);
  Tick next() const { return next_; }  // tick of the next command; kNever: nothing waits
  // No column command before this tick; kNever: nothing waits.
  Tick next_column() const {
    if (next_ == kNever || (want_read_ | want_write_) != 0) return next_;
    if (spec_.one_placement && queued_ != 0) return next_;  // perhaps one for an open row
    return next_ + least_to_column_ + (want_activate_ != 0 ? 0 : spec_.tRP);
  }
  std::uint32_t waiting() const { return used_; }
  std::uint32_t placed() const { return used_ - queued_; }  // of these, at their banks
  // Of these, in the queue of bank `b`.
  std::uint32_t waiting_at(std::uint32_t b) const {
    return of_bank_[b] - (spec_.bank_places && placed_[b] != kNoEntry ? 1 : 0);
  }
  // Transfers whose last command has been issued, in the order of their end.
  bool any_finished() const { return !finished_.empty(); }
  const Finished& finished() const { return finished_.front(); }
  void pop_finished() { finished_.pop(); }
  std::uint32_t finished_count() const { return finished_.size(); }
  std::string waits() const;
  // Counts its transfers by bank of the channel, this being its part number `part`.
  void count_banks(BankCounts* counts, std::uint32_t part) {
    bank_counts_ = counts;
    part_ = part;
  }

 private:
  // How the row was found, for the statistics.
  enum class Found : std::uint8_t { Open, Closed, Other };
  struct Burst {
    std::uint32_t id = 0;
    std::uint16_t left = 0;
    bool started = false;
    bool global_read = false;
    Found found = Found::Open;
  };
  static constexpr std::uint32_t kMaxBanks = 64;

  Tick step();
  Tick step_in_turn();
  BankMask can_transfer() const;
  BankMask can_open_or_close() const;
  void open_or_close(std::uint32_t b);
  void put(Entry e);
  bool place_one();
  BankMask from_turn() const { return ~BankMask{0} << turn_; }
  Tick earliest() const;
  void wake();
  void column(std::uint32_t b);
  void count_bank(std::uint32_t b, bool hit);
  void limit_columns(std::uint32_t b, bool write, Tick data_end);
  void activate(std::uint32_t b);
  void precharge(std::uint32_t b);
  void refresh();
  void refresh_all();
  void refresh_one();
  void pass_refreshes(Tick until);
  void settle(std::uint32_t b);
  void refill();
  void finish(std::uint32_t b, Tick at);

  const DramSpec spec_;
  DramStats& stats_;
  BankCounts* bank_counts_ = nullptr;  // nullptr: nobody wants them
  std::uint32_t part_ = 0;
  std::uint32_t& channel_queued_;
  const Tick burst_ticks_;
  const Tick write_after_activate_, least_to_column_;  // from opening a row
  const Tick recovery_from_;                           // from a write command to when tWR and tWTR begin
  const bool in_turn_;                                 // placements one by one, or commands by banks in turn
  const std::uint32_t burst_bytes_, banks_;
  const Tick refresh_interval_;

  Tick now_ = 0, next_ = kNever;
  // Banks by what their placed transfer needs next; `at_` says when the bank itself allows it, and `awake_`
  // where it does already. No other bank does before `wake_`.
  BankMask free_ = 0, want_read_ = 0, want_write_ = 0, want_activate_ = 0, want_precharge_ = 0;
  BankMask awake_ = 0;
  Tick wake_ = kNever;
  Tick at_[kMaxBanks] = {};
  Tick column_ok_[kMaxBanks] = {}, write_column_ok_[kMaxBanks] = {}, activate_ok_[kMaxBanks] = {},
       precharge_ok_[kMaxBanks] = {};
  Tick closed_[kMaxBanks] = {};  // a precharge is over
  std::uint8_t group_[kMaxBanks] = {};
  std::uint32_t open_row_[kMaxBanks];
  Entry placed_[kMaxBanks];
  std::uint32_t of_bank_[kMaxBanks] = {};  // transfers that wait for the bank or are placed there
  Tick at_bank_from_[kMaxBanks] = {};      // of what is placed, or when the last one had gone
  std::uint32_t turn_ = 0;                 // the first bank in turn
  // What commands to other banks allow: the bus and its direction, the bank group, tRRD and tFAW.
  Tick read_ok_ = 0, write_ok_ = 0;
  Tick group_ok_[kMaxBanks] = {};
  BankMask banks_of_group_[kMaxBanks] = {};
  Tick activate_any_ok_ = 0;
  Tick last_activations_[4] = {};  // a ring: four of them in tFAW
  std::uint32_t activations_ = 0;
  Tick refresh_due_ = kNever;
  std::uint32_t refresh_bank_ = 0;  // whose turn it is, with Refresh::OneBank
  bool last_was_write_ = false;

  std::vector<Waiting> transfers_;
  std::vector<Burst> bursts_;
  std::vector<Entry> unused_;
  std::uint32_t used_ = 0, queued_ = 0;  // in the controller; of those, not at a bank
  std::uint64_t order_ = 0;
  std::unique_ptr<DramScheduler> scheduler_;

  RingQueue<Finished> finished_;
};

}  // namespace heddle::dram
