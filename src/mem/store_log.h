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
  StoreLog() { heads_.fill(kNone); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }  // entries: stores, cut at the borders of lines
  void append(Address at, const void* data, std::uint32_t bytes);
  // False: surely no logged byte lies in the 128-byte lines of [at, at + bytes).
  bool may_touch(Address at, std::uint32_t bytes) const {
    for (Address line = at / kLine; line <= (at + bytes - 1) / kLine; ++line)
      if (heads_[bucket(line)] != kNone) return true;
    return false;
  }
  // Puts logged bytes of [at, at + bytes) over `data`, later entries last.
  void overlay(Address at, void* data, std::uint32_t bytes) const;
  // Writes everything into memory, in order, and forgets it.
  void commit(DeviceMemory& memory);

 private:
  static constexpr Address kLine = 128;
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kBuckets = 512;

  // Bytes of one line.
  struct Entry {
    Address at = 0;
    std::uint32_t bytes = 0;
    std::uint32_t offset = 0;      // in data_
    std::uint32_t before = kNone;  // the entry made before it in the same bucket
    std::uint32_t bucket = 0;
  };
  // Consecutive lines fall into different buckets.
  static std::size_t bucket(Address line) { return (line ^ line >> 9 ^ line >> 18) % kBuckets; }
  void append_in_line(Address at, const std::byte* data, std::uint32_t bytes);
  void overlay_line(Address at, std::byte* data, std::uint32_t bytes) const;

  std::vector<Entry> entries_;
  std::vector<std::byte> data_;
  std::array<std::uint32_t, kBuckets> heads_;  // the last entry of each bucket; kNone: no store
};

}  // namespace heddle::mem
