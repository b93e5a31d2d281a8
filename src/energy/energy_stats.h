// Where the energy of a run went, in picojoules: what happened (dynamic) and what is there (static).
#pragma once

#include <array>
#include <cstdint>

#include "mem/structure.h"
#include "stats/visitor.h"

namespace heddle::energy {

struct EnergyStats {
  static constexpr const char* kGroup = "energy";
  std::array<std::uint64_t, mem::kRegions> spent{};     // by what happened
  std::array<std::uint64_t, mem::kRegions> standing{};  // by what is there, for as long as the run took
  std::uint64_t other = 0;                              // of what is in no structure
  std::uint64_t total = 0;
  void statistics(stats::Visitor& v);
};

}  // namespace heddle::energy
