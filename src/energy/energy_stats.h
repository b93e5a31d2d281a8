// Where the energy of a run went, in picojoules: what happened (dynamic) and what is there (static).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mem/structure.h"
#include "stats/visitor.h"

namespace heddle::energy {

struct EnergyStats {
  static constexpr const char* kGroup = "energy";
  std::array<std::uint64_t, mem::kRegions> spent{};     // by what happened
  std::array<std::uint64_t, mem::kRegions> standing{};  // by what is there, for as long as the run took
  std::uint64_t other = 0;                              // of what is in no structure
  std::uint64_t all_standing = 0;                       // with what is in no structure
  std::uint64_t total = 0;
  void statistics(stats::Visitor& v);

  // What is kept over time: `all_standing`, then `spent` by region.
  static constexpr std::size_t kOverTime = mem::kRegions + 1;
  std::array<std::uint64_t, kOverTime> over_time() const;
};

// One of them: its statistic, and what a page calls it.
struct OverTime {
  std::string statistic;  // "energy.sm"
  std::string curve;      // "power.sm"
  std::string title;      // "SMs"
};
const std::array<OverTime, EnergyStats::kOverTime>& energy_over_time();

}  // namespace heddle::energy
