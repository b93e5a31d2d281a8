// Sizes and addresses rounded up to what something must be aligned to.
#pragma once

#include <cstdint>

namespace heddle {

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace heddle
