#include "ptx/assemble/combine_atomics.h"

#include <vector>

#include "ptx/analysis/cta_uniformity.h"

namespace heddle::ptx {
namespace {

bool can_combine(const Instr& in) {
  if ((in.op != Op::Atom && in.op != Op::Red) || (in.space != Space::Global && in.space != Space::None))
    return false;
  switch (in.atom) {
    case AtomOp::Add:
      if (in.type == Type::U64 || in.type == Type::S64) return in.src[0].kind == Operand::Kind::Imm;
      return in.type == Type::U32 || in.type == Type::S32;
    case AtomOp::Min:
    case AtomOp::Max:
    case AtomOp::And:
    case AtomOp::Or:
    case AtomOp::Xor:
      return in.type == Type::U32 || in.type == Type::S32 || in.type == Type::B32;
    default:
      return false;
  }
}

}  // namespace

void combine_atomics(const Module& module, Function& function) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < function.instrs.size(); ++i)
    if (can_combine(function.instrs[i])) candidates.push_back(i);
  if (candidates.empty()) return;
  const ControlFlow flow = build_control_flow(function);
  const CtaUniformity uniformity(module, function, flow);
  for (const std::uint32_t i : candidates)
    if (uniformity.uniform_address(i)) function.instrs[i].combined = true;
}

}  // namespace heddle::ptx
