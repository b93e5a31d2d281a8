// Numbers that RapidCheck draws.
#pragma once

#include <rapidcheck.h>

#include <cstdint>

namespace heddle::clustering {

inline std::uint32_t between(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange(low, high + 1);
}

}  // namespace heddle::clustering
