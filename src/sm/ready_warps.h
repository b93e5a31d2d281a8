// Warps of one scheduler whose next instruction has its operands, by the unit that it needs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sm/instruction_timing.h"
#include "sm/warp_mask.h"

namespace heddle::sm {

class ReadyWarps {
 public:
  void add(unsigned warp, UnitKind unit) {
    of_kind_[static_cast<std::size_t>(unit)] |= bit(warp);
    kinds_ |= 1u << static_cast<unsigned>(unit);
  }
  void remove(unsigned warp, UnitKind unit) {
    WarpMask& of = of_kind_[static_cast<std::size_t>(unit)];
    of &= ~bit(warp);
    if (of == 0) kinds_ &= ~(1u << static_cast<unsigned>(unit));
  }
  std::uint32_t kinds() const { return kinds_; }  // that somebody waits for: bit per UnitKind
  // That somebody of `warps` waits for.
  std::uint32_t kinds(WarpMask warps) const {
    std::uint32_t some = 0;
    for_each_kind([&](std::size_t kind, WarpMask of) { some |= (of & warps) != 0 ? 1u << kind : 0; });
    return some;
  }
  // Calls f(kind, warps) for every such kind.
  template <class F>
  void for_each_kind(F&& f) const {
    for (std::uint32_t k = kinds_; k != 0; k &= k - 1) {
      const auto kind = static_cast<std::size_t>(std::countr_zero(k));
      f(kind, of_kind_[kind]);
    }
  }

 private:
  std::array<WarpMask, kUnitKinds> of_kind_{};
  std::uint32_t kinds_ = 0;
};

}  // namespace heddle::sm
