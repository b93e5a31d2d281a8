#include "sm/memory_records.h"

namespace heddle::sm {

void MemoryRecords::finish(std::uint32_t record) {
  const InFlight& r = records_[record];
  // Bulk copies would hide what a load takes.
  if (r.memory && r.kind == workload::WarpAccess::Kind::Load) {
    stats_.load_latency_sum += r.ready - r.issued;
    ++stats_.loads_completed;
  }
  client_.completed(r, record, r.ready);
  next_free_[record] = free_;
  free_ = record;
  --in_flight_;
}

void MemoryRecords::landed(sim::Cycle now) {
  for (std::size_t i = 0; i < landing_.size();) {
    if (landing_[i].at > now) {
      ++i;
      continue;
    }
    const std::uint32_t record = landing_[i].record;
    landing_.erase(landing_.begin() + static_cast<std::ptrdiff_t>(i));
    finish(record);
  }
}

}  // namespace heddle::sm
