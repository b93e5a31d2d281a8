// Schedulers without regard to rows: `fifo` and `banked_fifo`.
#pragma once

#include "dram/dram_scheduler.h"

namespace heddle::dram {

// Chains of entries, first in first out.
class EntryLinks {
 public:
  struct Chain {
    Entry first = kNoEntry, last = kNoEntry;
    bool empty() const { return first == kNoEntry; }
  };
  explicit EntryLinks(std::uint32_t entries) : next_(entries, kNoEntry) {}
  void append(Chain& c, Entry e) {
    next_[e] = kNoEntry;
    if (c.empty())
      c.first = e;
    else
      next_[c.last] = e;
    c.last = e;
  }
  Entry take(Chain& c) {
    const Entry e = c.first;
    c.first = next_[e];
    return e;
  }
  void put_back(Chain& c, Entry e) {
    next_[e] = c.first;
    if (c.empty()) c.last = e;
    c.first = e;
  }

 private:
  std::vector<Entry> next_;
};

// Transfers go to their banks strictly in order of arrival; one whose bank is busy holds up all behind it.
class Fifo final : public DramScheduler {
 public:
  explicit Fifo(const SchedulerView& view) : view_(view), links_(view.entries) {}
  void arrived(Entry e) override { links_.append(queue_, e); }
  Entry place(BankMask free) override {
    if (queue_.empty() || (free >> view_.transfers[queue_.first].bank & 1) == 0) return kNoEntry;
    return links_.take(queue_);
  }
  bool recall(Entry, Entry) override { return false; }
  std::uint32_t choose(BankMask ready) override { return oldest_placed(view_, ready); }
  bool chooses_bank() const override { return false; }

 private:
  SchedulerView view_;
  EntryLinks links_;
  EntryLinks::Chain queue_;
};

// In order within each bank; banks take turns.
class BankedFifo final : public DramScheduler {
 public:
  explicit BankedFifo(const SchedulerView& view) : view_(view), links_(view.entries), queues_(view.banks) {}
  void arrived(Entry e) override {
    const std::uint32_t b = view_.transfers[e].bank;
    links_.append(queues_[b], e);
    waiting_ |= BankMask{1} << b;
  }
  Entry place(BankMask free) override {
    const BankMask m = free & waiting_;
    if (m == 0) return kNoEntry;
    auto& queue = queues_[static_cast<std::uint32_t>(__builtin_ctzll(m))];
    const Entry e = links_.take(queue);
    if (queue.empty()) waiting_ &= ~(m & -m);
    return e;
  }
  bool recall(Entry, Entry) override { return false; }
  std::uint32_t choose(BankMask ready) override {
    const BankMask later = last_ == 63 ? 0 : ready & ~BankMask{0} << (last_ + 1);
    last_ = static_cast<std::uint32_t>(__builtin_ctzll(later != 0 ? later : ready));
    return last_;
  }

 private:
  SchedulerView view_;
  EntryLinks links_;
  std::vector<EntryLinks::Chain> queues_;  // by bank
  BankMask waiting_ = 0;                   // banks whose queue is not empty
  std::uint32_t last_ = 63;
};

}  // namespace heddle::dram
