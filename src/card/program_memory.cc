#include "card/program_memory.h"

#include <algorithm>

namespace heddle::card {

void ProgramMemory::add(CUdeviceptr at, std::uint64_t bytes) {
  if (bytes != 0) regions_.push_back({at, bytes, 0});
}

void ProgramMemory::remove(CUdeviceptr at) {
  const auto found =
      std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.at == at; });
  if (found == regions_.end()) return;
  if (found->copy != 0) driver_.cuMemFree_v2(found->copy);
  regions_.erase(found);
}

void ProgramMemory::save() {
  for (Region& r : regions_) {
    if (r.copy == 0) driver_.cuMemAlloc_v2(&r.copy, r.bytes);
    driver_.cuMemcpyDtoDAsync_v2(r.copy, r.at, r.bytes, nullptr);
  }
}

void ProgramMemory::restore() {
  if (const std::uint64_t bytes = 2 * driver_.info().l2_bytes; bytes != 0) {
    if (flushing_ == 0) driver_.cuMemAlloc_v2(&flushing_, bytes);
    driver_.cuMemsetD8Async(flushing_, 0, bytes, nullptr);
  }
  for (const Region& r : regions_) driver_.cuMemcpyDtoDAsync_v2(r.at, r.copy, r.bytes, nullptr);
}

}  // namespace heddle::card
