// Reads first; writes gather and go in batches. Two schedulers of any kind, one for each.
#pragma once

#include "dram/dram_scheduler.h"

namespace heddle::dram {

class WriteDrain final : public DramScheduler {
 public:
  // Writes go when `high` of them wait, until only `low` do, and whenever no read waits.
  WriteDrain(const SchedulerView& view, std::unique_ptr<DramScheduler> reads,
             std::unique_ptr<DramScheduler> writes, std::uint32_t high, std::uint32_t low)
      : view_(view), of_{std::move(reads), std::move(writes)}, high_(high), low_(low) {}
  void arrived(Entry e) override {
    const bool write = view_.transfers[e].write;
    of_[write]->arrived(e);
    ++waiting_[write];
  }
  Entry place(BankMask free) override {
    if (waiting_[1] >= high_) draining_ = true;
    if (waiting_[1] <= low_) draining_ = false;
    const bool write = draining_ || waiting_[0] == 0;
    const Entry e = of_[write]->place(free);
    if (e != kNoEntry) --waiting_[write];
    return e;
  }
  bool recall(Entry placed, Entry newcomer) override {
    const bool write = view_.transfers[placed].write;
    if (write != view_.transfers[newcomer].write || !of_[write]->recall(placed, newcomer)) return false;
    ++waiting_[write];
    return true;
  }
  std::uint32_t choose(BankMask ready) override { return of_[draining_]->choose(ready); }

 private:
  SchedulerView view_;
  std::unique_ptr<DramScheduler> of_[2];  // reads, writes
  std::uint32_t waiting_[2] = {0, 0};
  std::uint32_t high_, low_;
  bool draining_ = false;
};

}  // namespace heddle::dram
