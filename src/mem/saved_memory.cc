#include "mem/saved_memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::mem {
namespace {

bool all_zero(const std::byte* from, std::uint64_t bytes) {
  return from[0] == std::byte{0} && std::memcmp(from, from + 1, bytes - 1) == 0;
}

}  // namespace

SavedMemory::SavedMemory(DeviceMemory& memory) : memory_(memory) {
  for (const auto& [begin, a] : memory.allocations()) {
    if (!a.writable) continue;
    for (Address at = begin; at < a.end; at += kBlock) {
      Block b{at, std::min(kBlock, a.end - at)};
      const std::byte* const from = memory.host(at);
      if (!all_zero(from, b.bytes)) {
        b.kept = contents_.size();
        contents_.insert(contents_.end(), from, from + b.bytes);
      }
      blocks_.push_back(b);
    }
  }
}

void SavedMemory::restore() {
  for (const Block& b : blocks_) {
    std::byte* const to = memory_.host(b.at);
    if (b.kept == kZeros) {
      if (!all_zero(to, b.bytes)) std::memset(to, 0, b.bytes);
    } else if (std::memcmp(to, contents_.data() + b.kept, b.bytes) != 0) {
      std::memcpy(to, contents_.data() + b.kept, b.bytes);
    }
  }
}

}  // namespace heddle::mem
