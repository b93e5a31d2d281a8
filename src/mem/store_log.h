// Stores of one unit (an SM, or an L2 slice's atomics) that other units do not see before the window's end.
//
// A load of the same unit sees them at once: `may_touch` is the quick question, `overlay` the answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mem/device_memory.h"

namespace heddle::mem {

class StoreLog {
 public:
  bool empty() const { return entries_.empty(); }
  void append(Address at, const void* data, std::uint32_t bytes);
  // False: surely no logged byte lies in the 128-byte lines of [at, at + bytes).
  bool may_touch(Address at, std::uint32_t bytes) const;
  // Puts logged bytes of [at, at + bytes) over `data`, later entries last.
  void overlay(Address at, void* data, std::uint32_t bytes) const;
  // Writes everything into memory, in order, and forgets it.
  void commit(DeviceMemory& memory);

 private:
  struct Entry {
    Address at = 0;
    std::uint32_t bytes = 0;
    std::uint32_t offset = 0;  // in data_
  };
  std::vector<Entry> entries_;
  std::vector<std::byte> data_;
  std::array<std::uint64_t, 16> filter_{};  // a bit per hashed line
};

}  // namespace heddle::mem
