#include "dram/pseudo_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace heddle::dram {

namespace {

constexpr BankMask bit(std::uint32_t b) {
  return BankMask{1} << b;
}
std::uint32_t first(BankMask m) {
  return static_cast<std::uint32_t>(std::countr_zero(m));
}
void raise(Tick& t, Tick to) {
  t = std::max(t, to);
}

}  // namespace

PseudoChannel::PseudoChannel(const DramSpec& spec, DramStats& stats, std::uint32_t& queued)
    : spec_(spec),
      stats_(stats),
      channel_queued_(queued),
      burst_ticks_(spec.burst_ticks()),
      write_after_activate_(spec.write_after_activate()),
      least_to_column_(std::min(spec.tRCD, spec.write_after_activate())),
      recovery_from_(spec.write_recovery == WriteRecovery::Data ? spec.tWL + spec.burst_ticks() : 0),
      in_turn_(spec.one_placement || spec.command_order == CommandOrder::BankTurns),
      burst_bytes_(spec.burst_bytes()),
      banks_(spec.banks / spec.pseudo_channels),
      refresh_interval_(spec.refresh == Refresh::OneBank ? spec.tREFI / banks_ : spec.tREFI),
      transfers_(spec.entries()),
      bursts_(spec.entries()),
      // Data are on the bus for at least a tick each; at most so many transfers lie between command and
      // answer.
      finished_(spec.tCL + spec.tWL + spec.minimum_latency + spec.burst_ticks() + 2) {
  free_ = banks_ == 64 ? ~BankMask{0} : bit(banks_) - 1;
  for (std::uint32_t b = 0; b < kMaxBanks; ++b) {
    open_row_[b] = kNoRow;
    placed_[b] = kNoEntry;
    if (b >= banks_) continue;
    group_[b] = static_cast<std::uint8_t>(spec.group_of(b));
    banks_of_group_[group_[b]] |= bit(b);
  }
  for (std::uint32_t e = spec.entries(); e-- > 0;) unused_.push_back(e);
  if (spec.tREFI != 0) refresh_due_ = refresh_interval_;
  scheduler_ = make_scheduler(spec, {transfers_.data(), open_row_, placed_, banks_, spec.entries()});
}

void PseudoChannel::push(Tick now, const Transfer& transfer, std::uint32_t bank) {
  assert(!unused_.empty() && now >= now_);
  now_ = now;
  const Entry e = unused_.back();
  unused_.pop_back();
  transfers_[e] = {order_++, transfer.row, static_cast<std::uint16_t>(bank), transfer.write};
  const auto extra = transfer.write ? static_cast<std::uint32_t>(spec_.write_extra.count()) : 0;
  const std::uint32_t bursts = spec_.bursts_of(transfer.column, transfer.bytes + extra);
  bursts_[e] = {transfer.id, static_cast<std::uint16_t>(bursts), false, transfer.global_read, Found::Open};
  ++used_;
  ++channel_queued_;
  ++queued_;
  ++of_bank_[bank];
  scheduler_->arrived(e);
  if ((want_precharge_ & bit(bank)) != 0 && scheduler_->recall(placed_[bank], e)) {
    if (now_ > at_bank_from_[bank]) stats_.bank_busy_ticks += now_ - at_bank_from_[bank];
    raise(at_bank_from_[bank], now_);
    placed_[bank] = kNoEntry;
    ++queued_;
    settle(bank);
  }
  refill();
  next_ = now;
}

void PseudoChannel::advance(Tick until) {
  while (next_ < until) {
    now_ = next_;
    if (now_ >= refresh_due_) refresh();
    next_ = std::min(step(), refresh_due_);
  }
  if (now_ < until) now_ = until;
  if (used_ != 0) return;
  next_ = kNever;
  pass_refreshes(until);
}

// Nothing waits: refreshes pass by unseen. After a round of them all banks are closed, and each of the others
// begins when it is due.
void PseudoChannel::pass_refreshes(Tick until) {
  const std::uint32_t round = spec_.refresh == Refresh::OneBank ? banks_ : 1;
  const auto pass_round = [&] {
    for (std::uint32_t n = 0; n < round && refresh_due_ < until; ++n) refresh();
  };
  pass_round();
  if (refresh_due_ >= until) return;
  // The last round may not be over.
  const Tick rounds = (until - 1 - refresh_due_) / (refresh_interval_ * round);
  const Tick passed = rounds == 0 ? 0 : rounds - 1;
  refresh_due_ += passed * refresh_interval_ * round;
  stats_.refreshes += passed;
  pass_round();
  pass_round();
}

// Nothing can be issued at now_: when to look again. Not before anything can be; for a bank group, which is
// rarely what holds a command up, perhaps a tick or two earlier.
inline Tick PseudoChannel::earliest() const {
  Tick at = wake_;
  if ((awake_ & want_activate_) != 0) at = std::min(at, activate_any_ok_);
  if ((awake_ & want_read_) != 0) at = std::min(at, std::max(read_ok_, now_ + 1));
  if ((awake_ & want_write_) != 0) at = std::min(at, std::max(write_ok_, now_ + 1));
  return at;
}

// Banks that can issue a column command at now_.
inline BankMask PseudoChannel::can_transfer() const {
  BankMask can = (read_ok_ <= now_ ? want_read_ : 0) | (write_ok_ <= now_ ? want_write_ : 0);
  can &= awake_;
  if (can != 0)
    for (std::uint32_t g = 0; g < spec_.bank_groups; ++g)
      if (group_ok_[g] > now_) can &= ~banks_of_group_[g];
  return can;
}
inline BankMask PseudoChannel::can_open_or_close() const {
  return awake_ & (want_precharge_ | (activate_any_ok_ <= now_ ? want_activate_ : 0));
}

// Issues a command at now_ if one can be; returns when to look again.
Tick PseudoChannel::step() {
  if (now_ >= wake_) wake();
  if (in_turn_) [[unlikely]]
    return step_in_turn();
  if (const BankMask can = can_transfer(); can != 0) {
    column(scheduler_->choose(can));
    return used_ != 0 ? now_ + 1 : kNever;
  }
  const BankMask can = can_open_or_close();
  if (can == 0) return earliest();
  open_or_close(scheduler_->choose(can));
  return now_ + 1;
}

// The same where a tick is a placement and a command, or banks take turns. A row command moves the turn, a
// column command does not: a bank whose row is open goes on.
Tick PseudoChannel::step_in_turn() {
  const bool placed = spec_.one_placement && place_one();
  const BankMask columns = can_transfer(), rows = can_open_or_close();
  if ((columns | rows) == 0) return placed && queued_ != 0 ? now_ + 1 : earliest();
  std::uint32_t b = 0;
  if (spec_.command_order == CommandOrder::BankTurns) {
    const BankMask later = (columns | rows) & from_turn();
    b = first(later != 0 ? later : columns | rows);
  } else {
    b = scheduler_->choose(columns != 0 ? columns : rows);
  }
  if ((columns & bit(b)) != 0) {
    column(b);
    return used_ != 0 ? now_ + 1 : kNever;
  }
  open_or_close(b);
  turn_ = b + 1 < banks_ ? b + 1 : 0;
  return now_ + 1;
}

void PseudoChannel::open_or_close(std::uint32_t b) {
  if ((want_activate_ & bit(b)) != 0)
    activate(b);
  else
    precharge(b);
}

// Finds the banks whose own time has come.
void PseudoChannel::wake() {
  wake_ = kNever;
  const BankMask asleep = (want_read_ | want_write_ | want_activate_ | want_precharge_) & ~awake_;
  for (BankMask m = asleep; m != 0; m &= m - 1) {
    const std::uint32_t b = first(m);
    const Tick at = at_[b];
    awake_ |= at <= now_ ? bit(b) : 0;
    wake_ = std::min(wake_, at <= now_ ? kNever : at);
  }
}

void PseudoChannel::column(std::uint32_t b) {
  const Entry e = placed_[b];
  const bool write = transfers_[e].write;
  Burst& burst = bursts_[e];
  if (!burst.started) {
    burst.started = true;
    ++(burst.found == Found::Open     ? stats_.row_hits
       : burst.found == Found::Closed ? stats_.row_misses
                                      : stats_.row_conflicts);
    if (bank_counts_ != nullptr) count_bank(b, burst.found == Found::Open);
  }
  const Tick data_end = now_ + (write ? spec_.tWL : spec_.tCL) + burst_ticks_;
  limit_columns(b, write, data_end);
  raise(precharge_ok_[b], now_ + (write ? recovery_from_ + spec_.tWR : spec_.tRTP));
  ++stats_.bursts;
  stats_.global_bursts += burst.global_read ? 1 : 0;
  stats_.busy_ticks += burst_ticks_;
  (write ? stats_.write_bytes : stats_.read_bytes) += burst_bytes_;
  if (--burst.left == 0) finish(b, data_end + spec_.minimum_latency);
}

// Neighbouring banks of a channel lie in different parts.
void PseudoChannel::count_bank(std::uint32_t b, bool hit) {
  const std::uint32_t bank = b * spec_.pseudo_channels + part_;
  ++bank_counts_->accesses[bank];
  bank_counts_->hits[bank] += hit ? 1 : 0;
}

// When the next column commands may follow the one of bank `b` at now_.
void PseudoChannel::limit_columns(std::uint32_t b, bool write, Tick data_end) {
  const Tick other_group = now_ + spec_.tCCDS;
  // The bus is free for the next data at data_end.
  Tick read = std::max(other_group, data_end > spec_.tCL ? data_end - spec_.tCL : 0);
  Tick write_again = std::max(other_group, data_end > spec_.tWL ? data_end - spec_.tWL : 0);
  if (write)
    raise(read, now_ + recovery_from_ + spec_.tWTR);
  else
    raise(write_again, now_ + spec_.tRTW);
  raise(read_ok_, read);
  raise(write_ok_, write_again);
  group_ok_[group_[b]] = now_ + spec_.tCCDL;
  stats_.turnarounds += write != last_was_write_;
  last_was_write_ = write;
}

void PseudoChannel::finish(std::uint32_t b, Tick at) {
  const Entry e = placed_[b];
  const bool write = transfers_[e].write;
  ++(write ? stats_.writes : stats_.reads);
  stats_.global_reads += bursts_[e].global_read ? 1 : 0;
  // No room only for a caller that pushes far ahead without asking what is finished.
  if (finished_.full()) finished_.reserve(2 * finished_.capacity());
  finished_.push({bursts_[e].id, at, write});
  unused_.push_back(e);
  --used_;
  --channel_queued_;
  --of_bank_[b];
  stats_.bank_busy_ticks += now_ + 1 - at_bank_from_[b];
  at_bank_from_[b] = now_ + 1;
  placed_[b] = kNoEntry;
  settle(b);
  refill();
}

void PseudoChannel::activate(std::uint32_t b) {
  const Entry e = placed_[b];
  if (bursts_[e].found == Found::Open) bursts_[e].found = Found::Closed;
  open_row_[b] = transfers_[e].row;
  column_ok_[b] = now_ + spec_.tRCD;
  write_column_ok_[b] = now_ + write_after_activate_;
  raise(precharge_ok_[b], now_ + spec_.tRAS);
  raise(activate_ok_[b], now_ + spec_.tRC);
  last_activations_[activations_++ & 3] = now_;
  raise(activate_any_ok_, now_ + spec_.tRRD);
  if (spec_.tFAW != 0 && activations_ >= 4)
    raise(activate_any_ok_, last_activations_[activations_ & 3] + spec_.tFAW);
  ++stats_.activations;
  stats_.global_activations += bursts_[e].global_read ? 1 : 0;
  settle(b);
}

void PseudoChannel::precharge(std::uint32_t b) {
  bursts_[placed_[b]].found = Found::Other;
  open_row_[b] = kNoRow;
  closed_[b] = now_ + spec_.tRP;
  raise(activate_ok_[b], closed_[b]);
  settle(b);
}

void PseudoChannel::refresh() {
  if (spec_.refresh == Refresh::OneBank)
    refresh_one();
  else
    refresh_all();
  refresh_due_ += refresh_interval_;
}

// A bank is closed as soon as it can be, then refreshed; the others go on.
void PseudoChannel::refresh_one() {
  const std::uint32_t b = refresh_bank_;
  Tick closed = std::max(refresh_due_, closed_[b]);
  if (open_row_[b] != kNoRow) closed = std::max(closed, std::max(refresh_due_, precharge_ok_[b]) + spec_.tRP);
  open_row_[b] = kNoRow;
  raise(activate_ok_[b], closed + spec_.tRFC);
  settle(b);
  if (++refresh_bank_ < banks_) return;
  refresh_bank_ = 0;
  ++stats_.refreshes;
}

// All banks are closed as soon as each can be, then refreshed. Nothing else is issued from when it is due.
void PseudoChannel::refresh_all() {
  Tick all_closed = refresh_due_;
  Tick close = refresh_due_;
  bool any_open = false;
  for (std::uint32_t b = 0; b < banks_; ++b) {
    raise(all_closed, closed_[b]);
    if (open_row_[b] == kNoRow) continue;
    any_open = true;
    raise(close, precharge_ok_[b]);
  }
  if (any_open) raise(all_closed, close + spec_.tRP);
  for (std::uint32_t b = 0; b < banks_; ++b) {
    open_row_[b] = kNoRow;
    raise(activate_ok_[b], all_closed + spec_.tRFC);
    settle(b);
  }
  ++stats_.refreshes;
}

// What bank `b` needs next.
void PseudoChannel::settle(std::uint32_t b) {
  const BankMask m = bit(b);
  free_ &= ~m;
  want_read_ &= ~m;
  want_write_ &= ~m;
  want_activate_ &= ~m;
  want_precharge_ &= ~m;
  awake_ &= ~m;
  const Entry e = placed_[b];
  if (e == kNoEntry) {
    free_ |= m;
    return;
  }
  if (open_row_[b] == transfers_[e].row) {
    const bool write = transfers_[e].write;
    (write ? want_write_ : want_read_) |= m;
    at_[b] = write ? write_column_ok_[b] : column_ok_[b];
  } else if (open_row_[b] == kNoRow) {
    want_activate_ |= m;
    at_[b] = activate_ok_[b];
  } else {
    want_precharge_ |= m;
    at_[b] = precharge_ok_[b];
  }
  if (at_[b] <= now_)
    awake_ |= m;
  else
    wake_ = std::min(wake_, at_[b]);
}

void PseudoChannel::refill() {
  if (spec_.one_placement) return;  // in step_in_turn()
  while (queued_ != 0) {
    const Entry e = scheduler_->place(free_);
    if (e == kNoEntry) return;
    put(e);
  }
}

// Banks in turn. Where the scheduler chooses among them, the next tick begins with the next bank.
bool PseudoChannel::place_one() {
  if (queued_ == 0) return false;
  Entry e = scheduler_->place(free_ & from_turn());
  if (e == kNoEntry) e = scheduler_->place(free_ & ~from_turn());
  if (e == kNoEntry) return false;
  put(e);
  if (scheduler_->chooses_bank()) turn_ = turn_ + 1 < banks_ ? turn_ + 1 : 0;
  return true;
}

inline void PseudoChannel::put(Entry e) {
  --queued_;
  const std::uint32_t b = transfers_[e].bank;
  assert((free_ & bit(b)) != 0);
  raise(at_bank_from_[b], now_);
  placed_[b] = e;
  settle(b);
}

std::string PseudoChannel::waits() const {
  if (used_ == 0) return {};
  return fmt::format(
      "{} transfers wait (banks to read {}, to write {}, to activate {}, to precharge {}); next command at "
      "{}",
      used_, std::popcount(want_read_), std::popcount(want_write_), std::popcount(want_activate_),
      std::popcount(want_precharge_), next_);
}

}  // namespace heddle::dram
