#include "exec/memory/atomic_records.h"

#include <algorithm>
#include <bit>

namespace heddle::exec {

AtomicRecords::AtomicRecords() : chunks_(kMost / kChunk + 1) {}

std::uint16_t AtomicRecords::take() {
  ++in_flight_;
  if (!free_.empty()) {
    const std::uint16_t index = free_.back();
    free_.pop_back();
    return index;
  }
  if (made_ % kChunk == 0) chunks_[made_ / kChunk] = std::make_unique<Chunk>();
  return static_cast<std::uint16_t>(made_++);
}

void AtomicRecords::count_lines(const AtomicRecord& record) {
  for (Mask m = record.mask; m != 0; m &= m - 1)
    ++lines_[bucket(record.address[static_cast<unsigned>(std::countr_zero(m))])];
}

bool AtomicRecords::awaited_by_others(const Warp& warp, mem::Address a) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Waiting& w) { return w.warp != &warp && w.lines[bucket(a)]; });
}

void AtomicRecords::await(const Warp& warp, mem::Address a) {
  auto it = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.warp == &warp; });
  if (it == waiting_.end()) it = waiting_.insert(it, {&warp, {}});
  it->lines.set(bucket(a));
}

void AtomicRecords::done_waiting(const Warp& warp) {
  std::erase_if(waiting_, [&](const Waiting& w) { return w.warp == &warp; });
}

void AtomicRecords::retire(std::uint16_t index) {
  const AtomicRecord& record = (*this)[index];
  for (Mask m = record.mask; m != 0; m &= m - 1)
    --lines_[bucket(record.address[static_cast<unsigned>(std::countr_zero(m))])];
  --in_flight_;
  free_.push_back(index);
}

}  // namespace heddle::exec
