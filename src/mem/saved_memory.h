// What device memory holds at one time, to put it back later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mem/device_memory.h"

namespace heddle::mem {

// Between both calls nothing may be allocated or released. Blocks of zeros, which memory that nobody has
// touched consists of, take no room.
class SavedMemory {
 public:
  explicit SavedMemory(DeviceMemory& memory);
  // Writes only what has changed.
  void restore();
  std::uint64_t bytes() const { return contents_.size(); }  // that it keeps

 private:
  struct Block {
    Address at = 0;
    std::uint64_t bytes = 0;
    std::uint64_t kept = kZeros;  // where in contents_
  };
  static constexpr std::uint64_t kZeros = ~std::uint64_t{0};
  static constexpr std::uint64_t kBlock = 64 << 10;

  DeviceMemory& memory_;
  std::vector<Block> blocks_;
  std::vector<std::byte> contents_;
};

}  // namespace heddle::mem
