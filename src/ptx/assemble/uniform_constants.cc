#include "ptx/assemble/uniform_constants.h"

#include <algorithm>
#include <vector>

#include "ptx/analysis/cta_uniformity.h"
#include "ptx/analysis/liveness.h"
#include "ptx/analysis/natural_loops.h"
#include "ptx/assemble/rewrite.h"

namespace heddle::ptx {
namespace {

bool is_constant_load(const Instr& in) {
  return is_load(in.op) && in.space == Space::Const;
}

// What the uniform pipe computes.
bool is_uniform_operation(const Instr& in) {
  if (is_float(in.type) || in.guard.kind != Operand::Kind::None || in.n_dst != 1 || in.carry_in ||
      in.carry_out)
    return false;
  switch (in.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
    case Op::Mul:
    case Op::Mad:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Shl:
    case Op::Shr:
    case Op::Min:
    case Op::Max:
      return true;
    case Op::Cvt:
      return !is_float(in.src_type);
    default:
      return false;
  }
}

class UniformConstants {
 public:
  UniformConstants(const Module& module, Function& f, const ControlFlow& flow)
      : f_(f),
        flow_(flow),
        forest_(find_loops(f, flow)),
        uniformity_(module, f, flow, CtaUniformity::Leaving::Ignored),
        definitions_(f.registers.size()),
        held_(f.registers.size(), Held::Unknown),
        counts_to_constant_(f.registers.size(), 0) {
    for (std::uint32_t i = 0; i < f.instrs.size(); ++i)
      for_each_def(f, f.instrs[i], [&](std::uint32_t r) { definitions_[r].push_back(i); });
    // A comparison has one operand in a uniform register, and that is the second: not what meets a constant.
    for (const NaturalLoop& loop : forest_.loops)
      for (const std::uint32_t b : loop.latches) find_counter(flow_.blocks[b]);
  }

  void run() {
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      Instr& in = f_.instrs[i];
      if (is_constant_load(in))
        in.one_address = !in.by_lane && uniformity_.uniform_address(i) && in_uniform_loops(i) &&
                         (!is_register(in.address) || is_held(in.address.index));
    }
    leave_what_does_not_fit();
  }

 private:
  enum class Held : std::uint8_t { Unknown, Asked, Yes, No };

  void find_counter(const Block& latch) {
    const Operand& guard = f_.instrs[latch.end - 1].guard;
    if (guard.kind != Operand::Kind::Pred || definitions_[guard.index].size() != 1) return;
    const Instr& test = f_.instrs[definitions_[guard.index][0]];
    if (test.op == Op::Setp && is_register(test.src[0]) && test.src[1].kind == Operand::Kind::Imm)
      counts_to_constant_[test.src[0].index] = 1;
  }

  // An instruction has one operand in a uniform register, and what is stored is in none.
  void leave_what_does_not_fit() {
    for (const Instr& in : f_.instrs) {
      std::vector<std::uint32_t> loads;
      for (std::uint8_t s = 0; s < in.n_src; ++s) {
        const std::uint32_t load = is_register(in.src[s]) ? constant_in(in.src[s].index) : kNoTarget;
        if (load != kNoTarget) loads.push_back(load);
      }
      if (loads.size() > 1 || is_store(in.op))
        for (const std::uint32_t load : loads) f_.instrs[load].one_address = false;
    }
  }

  // The load of a constant that alone makes the register.
  std::uint32_t constant_in(std::uint32_t r) const {
    if (definitions_[r].size() != 1) return kNoTarget;
    const Instr& in = f_.instrs[definitions_[r][0]];
    return is_constant_load(in) ? definitions_[r][0] : kNoTarget;
  }

  std::uint32_t loop_of(std::uint32_t instr) const { return forest_.innermost[flow_.block_of[instr]]; }

  // All threads make the same number of rounds, by one comparison.
  bool in_uniform_loops(std::uint32_t instr) const {
    for (std::uint32_t l = loop_of(instr); l != kNoTarget; l = forest_.loops[l].parent) {
      unsigned exits = 0;
      for (const std::uint32_t b : forest_.loops[l].blocks)
        for (const std::uint32_t s : flow_.blocks[b].successors) {
          if (forest_.contains(l, s)) continue;
          if (++exits > 1 || !by_one_comparison(b)) return false;
        }
    }
    return true;
  }
  bool by_one_comparison(std::uint32_t block) const {
    const auto& parting = uniformity_.partings();
    if (std::binary_search(parting.begin(), parting.end(), block)) return false;
    const Operand& guard = f_.instrs[flow_.blocks[block].end - 1].guard;
    if (guard.kind != Operand::Kind::Pred || definitions_[guard.index].size() != 1) return false;
    const Instr& test = f_.instrs[definitions_[guard.index][0]];
    return test.op == Op::Setp && test.bool_op == BoolOp::None;
  }

  bool is_held(std::uint32_t r) {
    if (held_[r] == Held::Unknown) {
      held_[r] = Held::Asked;
      held_[r] = find_held(r) ? Held::Yes : Held::No;
    }
    return held_[r] != Held::No;
  }

  bool find_held(std::uint32_t r) {
    const std::vector<std::uint32_t>& at = definitions_[r];
    if (at.empty() || counts_to_constant_[r]) return false;
    return std::all_of(at.begin(), at.end(), [this](std::uint32_t i) { return makes_held(i); });
  }

  bool makes_held(std::uint32_t i) {
    const Instr& in = f_.instrs[i];
    if (in.guard.kind != Operand::Kind::None) return false;
    if (is_load(in.op)) return in.space == Space::Param || (in.space == Space::Const && in.one_address);
    if (in.op == Op::Mov) return is_held(in.src[0], true);
    if (!is_uniform_operation(in)) return false;
    // In a loop parameters are read into registers of lanes where they meet others.
    const bool loop = loop_of(i) != kNoTarget;
    return std::all_of(in.src.begin(), in.src.begin() + in.n_src,
                       [&](const Operand& o) { return is_held(o, !loop || in.n_src == 1); });
  }

  bool is_held(const Operand& o, bool parameters) {
    switch (o.kind) {
      case Operand::Kind::Imm:
      case Operand::Kind::Symbol:
        return true;
      case Operand::Kind::Sreg: {
        const auto s = static_cast<Sreg>(o.index);
        return s >= Sreg::NtidX && s <= Sreg::NctaidZ;
      }
      case Operand::Kind::Reg:
        return (parameters || !is_parameter(o.index)) && is_held(o.index);
      default:
        return false;
    }
  }
  bool is_parameter(std::uint32_t r) const {
    if (definitions_[r].size() != 1) return false;
    const Instr& in = f_.instrs[definitions_[r][0]];
    return is_load(in.op) && in.space == Space::Param;
  }

  Function& f_;
  const ControlFlow& flow_;
  const LoopForest forest_;
  const CtaUniformity uniformity_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by register: instructions
  std::vector<Held> held_;                               // by register: in a uniform one
  std::vector<std::uint8_t> counts_to_constant_;         // by register
};

}  // namespace

void find_uniform_constants(const Module& module, Function& f, const ControlFlow& flow) {
  if (std::any_of(f.instrs.begin(), f.instrs.end(), is_constant_load))
    UniformConstants(module, f, flow).run();
}

}  // namespace heddle::ptx
