#include "exec/atomic_records.h"

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

void AtomicRecords::forget_waiting() {
  awaited_.fill(false);
  awaited_count_ = 0;
}

void AtomicRecords::retire(std::uint16_t index) {
  const AtomicRecord& record = (*this)[index];
  for (Mask m = record.mask; m != 0; m &= m - 1)
    --lines_[bucket(record.address[static_cast<unsigned>(std::countr_zero(m))])];
  --in_flight_;
  free_.push_back(index);
}

}  // namespace heddle::exec
