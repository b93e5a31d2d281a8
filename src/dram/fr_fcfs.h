// FR-FCFS (Rixner et al., ISCA 2000): the oldest transfer to an open row first, else the oldest.
//
// Each bank has its transfers in order of arrival, and those of one row are chained, so that the next hit is
// found by its row and not by looking through the queue. Only the oldest of a row is ever taken.
#pragma once

#include "dram/fifo.h"

namespace heddle::dram {

class FrFcfs final : public DramScheduler {
 public:
  // `cap`: hits that may pass an older transfer of their bank before that one must go; 0: any number.
  // `recalls`: a transfer that waits at its bank for another row to be closed gives way to a hit.
  FrFcfs(const SchedulerView& view, std::uint32_t cap, bool recalls);
  void arrived(Entry e) override;
  Entry place(BankMask free) override;
  bool recall(Entry placed, Entry newcomer) override;
  std::uint32_t choose(BankMask ready) override { return oldest_placed(view_, ready); }

 private:
  struct Row {
    std::uint32_t bank = 0, row = 0;
    EntryLinks::Chain waiting;
    std::uint32_t next = kNoEntry;  // in its bucket, or in the list of unused ones
  };
  struct Bank {
    Entry oldest = kNoEntry, youngest = kNoEntry;
    std::uint32_t passed = 0;  // times a hit went before the oldest
  };
  std::uint32_t& bucket(std::uint32_t bank, std::uint32_t row);
  std::uint32_t find(std::uint32_t bank, std::uint32_t row);
  std::uint32_t find_or_add(std::uint32_t bank, std::uint32_t row);
  void remove_row(std::uint32_t r);
  void take(Entry e, std::uint32_t row);

  SchedulerView view_;
  std::uint32_t cap_;
  bool recalls_;
  EntryLinks same_row_;
  std::vector<Entry> before_, after_;  // in the bank, by age
  std::vector<Bank> banks_;
  std::vector<Row> rows_;  // pool: one for each (bank, row) with a waiting transfer
  std::vector<std::uint32_t> buckets_;
  std::uint32_t unused_ = 0;
  BankMask waiting_ = 0;
};

}  // namespace heddle::dram
