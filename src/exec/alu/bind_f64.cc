#include <cfenv>

#include "exec/alu/bind.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;

// The host's rounding mode, for directed f64 arithmetic. The barriers keep the compiler from moving loads or
// stores of lanes, and with them the arithmetic in between, out of the guarded part.
class HostRounding {
 public:
  explicit HostRounding(Round r) {
    std::fesetround(r == Round::Rz ? FE_TOWARDZERO : r == Round::Rm ? FE_DOWNWARD : FE_UPWARD);
    asm volatile("" ::: "memory");
  }
  ~HostRounding() {
    asm volatile("" ::: "memory");
    std::fesetround(FE_TONEAREST);
  }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
};

template <auto F>
void directed(Warp& warp, const Code& code, Mask active) {
  const HostRounding mode(code.instr->round);
  lanes<F>(warp, code, active);
}

template <auto F>
Handler either(const ptx::Instr& instr) {
  switch (instr.round) {
    case Round::None: case Round::Rn: return lanes<F>;
    case Round::Rz: case Round::Rm: case Round::Rp: return &directed<F>;
    default: return nullptr;
  }
}

}  // namespace

Handler bind_f64(const ptx::Instr& instr) {
  if (instr.sat) return nullptr;
  switch (instr.op) {
    case Op::Add: return either<add_f64>(instr);
    case Op::Sub: return either<sub_f64>(instr);
    case Op::Mul: return either<mul_f64>(instr);
    case Op::Fma: case Op::Mad: return either<fma_f64>(instr);
    case Op::Div: return either<div_f64>(instr);
    case Op::Rcp: return either<rcp_f64>(instr);
    case Op::Sqrt: return either<sqrt_f64>(instr);
    default: return nullptr;
  }
}

}  // namespace heddle::exec::alu
