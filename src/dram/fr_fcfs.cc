#include "dram/fr_fcfs.h"

#include <bit>

namespace heddle::dram {

FrFcfs::FrFcfs(const SchedulerView& view, std::uint32_t cap, bool recalls)
    : view_(view),
      cap_(cap),
      recalls_(recalls),
      same_row_(view.entries),
      before_(view.entries, kNoEntry),
      after_(view.entries, kNoEntry),
      banks_(view.banks),
      rows_(view.entries),
      buckets_(std::bit_ceil(view.entries * 2), kNoEntry) {
  for (std::uint32_t i = 0; i < view.entries; ++i) rows_[i].next = i + 1 < view.entries ? i + 1 : kNoEntry;
}

std::uint32_t& FrFcfs::bucket(std::uint32_t bank, std::uint32_t row) {
  const std::uint64_t h = (std::uint64_t{row} * 64 + bank) * 0x9e3779b97f4a7c15u;
  return buckets_[(h >> 32) & (buckets_.size() - 1)];
}

std::uint32_t FrFcfs::find(std::uint32_t bank, std::uint32_t row) {
  std::uint32_t r = bucket(bank, row);
  while (r != kNoEntry && (rows_[r].row != row || rows_[r].bank != bank)) r = rows_[r].next;
  return r;
}

std::uint32_t FrFcfs::find_or_add(std::uint32_t bank, std::uint32_t row) {
  if (const std::uint32_t r = find(bank, row); r != kNoEntry) return r;
  const std::uint32_t r = unused_;
  unused_ = rows_[r].next;
  std::uint32_t& head = bucket(bank, row);
  rows_[r] = {bank, row, {}, head};
  return head = r;
}

void FrFcfs::remove_row(std::uint32_t r) {
  std::uint32_t* link = &bucket(rows_[r].bank, rows_[r].row);
  while (*link != r) link = &rows_[*link].next;
  *link = rows_[r].next;
  rows_[r].next = unused_;
  unused_ = r;
}

void FrFcfs::arrived(Entry e) {
  const Waiting& w = view_.transfers[e];
  same_row_.append(rows_[find_or_add(w.bank, w.row)].waiting, e);
  Bank& b = banks_[w.bank];
  before_[e] = b.youngest;
  after_[e] = kNoEntry;
  if (b.youngest == kNoEntry)
    b.oldest = e;
  else
    after_[b.youngest] = e;
  b.youngest = e;
  waiting_ |= BankMask{1} << w.bank;
}

// `e` is the oldest of row `r`.
void FrFcfs::take(Entry e, std::uint32_t r) {
  same_row_.take(rows_[r].waiting);
  if (rows_[r].waiting.empty()) remove_row(r);
  const std::uint32_t bank = view_.transfers[e].bank;
  Bank& b = banks_[bank];
  (before_[e] == kNoEntry ? b.oldest : after_[before_[e]]) = after_[e];
  (after_[e] == kNoEntry ? b.youngest : before_[after_[e]]) = before_[e];
  if (b.oldest == kNoEntry) waiting_ &= ~(BankMask{1} << bank);
}

Entry FrFcfs::place(BankMask free) {
  const BankMask m = free & waiting_;
  if (m == 0) return kNoEntry;
  const auto bank = static_cast<std::uint32_t>(__builtin_ctzll(m));
  Bank& b = banks_[bank];
  const std::uint32_t open = view_.open_row[bank];
  const Entry oldest = b.oldest;
  if (open != kNoRow && view_.transfers[oldest].row != open) {
    const std::uint32_t r = find(bank, open);
    if (r != kNoEntry && (cap_ == 0 || b.passed < cap_)) {
      ++b.passed;
      const Entry e = rows_[r].waiting.first;
      take(e, r);
      return e;
    }
  }
  b.passed = 0;
  take(oldest, find(bank, view_.transfers[oldest].row));
  return oldest;
}

bool FrFcfs::recall(Entry placed, Entry newcomer) {
  const Waiting& p = view_.transfers[placed];
  // With a cap, `placed` may be here because enough have passed it.
  if (!recalls_ || cap_ != 0 || view_.transfers[newcomer].row != view_.open_row[p.bank]) return false;
  same_row_.put_back(rows_[find_or_add(p.bank, p.row)].waiting, placed);
  Bank& b = banks_[p.bank];
  before_[placed] = kNoEntry;
  after_[placed] = b.oldest;
  before_[b.oldest] = placed;  // the newcomer at least is there
  b.oldest = placed;
  return true;
}

}  // namespace heddle::dram
