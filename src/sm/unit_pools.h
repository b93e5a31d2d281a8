// Execution units as timestamps: when each takes the next instruction.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/time.h"
#include "sm/instruction_timing.h"

namespace heddle::sm {

// The units of a sub-core, or of an SM that is not divided: some of every kind.
class UnitPools {
 public:
  static constexpr std::uint32_t kMost = 8;  // of a kind

  UnitPools() = default;
  explicit UnitPools(const UnitCounts& units) {
    for (std::size_t k = 0; k < kUnitKinds; ++k)
      count_[k] = std::clamp(units.of(static_cast<UnitKind>(k)), 1u, kMost);
  }
  // When one of the kind is free. UnitKind::None always is.
  sim::Cycle free_at(std::size_t kind) const { return earliest_[kind]; }
  // The one that is free first takes an instruction.
  void occupy(UnitKind unit, sim::Cycle until) {
    const auto kind = static_cast<std::size_t>(unit);
    if (unit == UnitKind::None) return;
    if (count_[kind] == 1) [[likely]]
      earliest_[kind] = until;
    else
      occupy_one_of(kind, until);
  }

 private:
  [[gnu::noinline]] void occupy_one_of(std::size_t kind, sim::Cycle until) {
    auto* const begin = each_[kind].data();
    auto* const end = begin + count_[kind];
    *std::min_element(begin, end) = until;
    earliest_[kind] = *std::min_element(begin, end);
  }

  std::array<sim::Cycle, kUnitKinds> earliest_{};
  std::array<std::uint32_t, kUnitKinds> count_{};
  std::array<std::array<sim::Cycle, kMost>, kUnitKinds> each_{};  // of kinds with several
};

}  // namespace heddle::sm
