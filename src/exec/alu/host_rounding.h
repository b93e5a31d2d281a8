// Directed rounding by the host's own rounding mode: one mode change per warp instruction instead of soft
// arithmetic.
#pragma once

#include <cfenv>

#include "exec/alu/lane_handlers.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::alu {

// The barriers keep the compiler from moving loads or stores of lanes, and with them the arithmetic in
// between, out of the guarded part.
class HostRounding {
 public:
  explicit HostRounding(ptx::Round r) {
    std::fesetround(r == ptx::Round::Rz ? FE_TOWARDZERO : r == ptx::Round::Rm ? FE_DOWNWARD : FE_UPWARD);
    asm volatile("" ::: "memory");
  }
  ~HostRounding() {
    asm volatile("" ::: "memory");
    std::fesetround(FE_TONEAREST);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
};

template <auto H>
void directed(Warp& warp, const Code& code, Mask active) {
  const HostRounding mode(code.instr->round);
  H(warp, code, active);
}

// The handler H, run in the instruction's rounding mode.
template <auto H>
Handler handler_in_mode(const ptx::Instr& instr) {
  switch (instr.round) {
    case ptx::Round::None:
    case ptx::Round::Rn:
      return H;
    case ptx::Round::Rz:
    case ptx::Round::Rm:
    case ptx::Round::Rp:
      return &directed<H>;
    default:
      return nullptr;
  }
}
template <auto F>
Handler in_mode(const ptx::Instr& instr) {
  return handler_in_mode<lanes<F>>(instr);
}

}  // namespace heddle::exec::alu
