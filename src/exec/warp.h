// The state of one warp as handlers see it. Control flow (which lanes run where) is in convergence.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "exec/code.h"

namespace heddle::exec {

class Warp {
 public:
  // Lane vectors. T is a 4-byte or 8-byte type; narrower values live zero-extended in 4-byte lanes.
  template <class T>
  const T* in(Place p) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return reinterpret_cast<const T*>(bank_[p.bank()] + p.offset());
  }
  template <class T>
  T* out(Place p) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return reinterpret_cast<T*>(bank_[p.bank()] + p.offset());
  }

  Mask predicate(PredSlot slot, Mask flip = 0) const { return predicates_[slot] ^ flip; }
  // Replaces the bits of active lanes; writing to kPredFalse does nothing.
  void set_predicate(PredSlot slot, Mask value, Mask active) {
    if (slot == kPredFalse) return;
    predicates_[slot] = (predicates_[slot] & ~active) | (value & active);
  }

  // The condition code of add.cc and its kin.
  Mask carry() const { return carry_; }
  void set_carry(Mask value, Mask active) { carry_ = (carry_ & ~active) | (value & active); }

 protected:
  std::array<std::byte*, 3> bank_{};
  Mask* predicates_ = nullptr;
  Mask carry_ = 0;
};

}  // namespace heddle::exec
