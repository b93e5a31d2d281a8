#include "ptx/analysis/liveness.h"

#include <algorithm>

namespace heddle::ptx {

// A guarded write keeps the old value in lanes that do not execute it, so it does not end a live range unless
// that value is of no use (Instr::fresh).
void step_back(const Function& f, const Instr& in, RegSet& live) {
  if (in.guard.kind == Operand::Kind::None || in.fresh)
    for_each_def(f, in, [&](std::uint32_t r) { live.erase(r); });
  for_each_use(f, in, [&](std::uint32_t r) { live.insert(r); });
  if (in.op == Op::Call && f.calls[in.call].pointer.kind == Operand::Kind::Reg)
    live.insert(f.calls[in.call].pointer.index);
}

std::vector<RegSet> live_out_of_blocks(const Function& f, const ControlFlow& cf) {
  std::vector<RegSet> in(cf.blocks.size(), RegSet(f.registers.size()));
  std::vector<RegSet> out = in;
  std::vector<std::uint8_t> queued(cf.blocks.size(), 1);
  std::vector<std::uint32_t> work(cf.blocks.size());
  for (std::uint32_t b = 0; b < work.size(); ++b) work[b] = b;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    queued[b] = 0;
    const Block& block = cf.blocks[b];
    for (std::uint32_t s : block.successors) out[b].add(in[s]);
    RegSet live = out[b];
    for (std::uint32_t i = block.end; i-- > block.first;) step_back(f, f.instrs[i], live);
    if (!in[b].add(live)) continue;
    for (std::uint32_t p : block.predecessors)
      if (!queued[p]) {
        queued[p] = 1;
        work.push_back(p);
      }
  }
  return out;
}

namespace {

std::uint8_t register_weight(Type t) {
  return t == Type::Pred ? 0 : bits(t) > 32 ? 2 : 1;
}

bool widens_word(const Instr& in) {
  return in.op == Op::Cvt && !is_float(in.type) && !is_float(in.src_type) && bits(in.type) == 64 &&
         bits(in.src_type) <= 32;
}

}  // namespace

std::vector<std::uint8_t> find_register_weights(const Function& f) {
  std::vector<std::uint32_t> definitions(f.registers.size(), 0);
  for (const Instr& in : f.instrs) for_each_def(f, in, [&](std::uint32_t r) { ++definitions[r]; });
  std::vector<std::uint8_t> free(f.registers.size(), 0), weights(f.registers.size());
  for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = register_weight(f.registers[r].type);
  auto is_free = [&](const Operand& o) {
    switch (o.kind) {
      case Operand::Kind::Reg:
        return free[o.index] != 0;
      case Operand::Kind::Imm:
      case Operand::Kind::Symbol:
        return true;
      case Operand::Kind::Sreg: {
        const auto s = static_cast<Sreg>(o.index);
        return s >= Sreg::NtidX && s <= Sreg::NctaidZ;
      }
      default:
        return false;
    }
  };
  // One pass in order of the text: a single definition nearly always precedes its uses.
  for (const Instr& in : f.instrs) {
    if (in.n_dst != 1 || in.dst[0].kind != Operand::Kind::Reg ||
        (in.guard.kind != Operand::Kind::None && !in.fresh))
      continue;
    if (definitions[in.dst[0].index] != 1) continue;
    bool yes = false;
    if (in.op == Op::Ld)
      yes = f.entry && in.space == Space::Param && in.address.kind == Operand::Kind::Symbol;
    else if (in.op <= Op::Cvta && in.n_src > 0)
      yes = std::all_of(in.src.begin(), in.src.begin() + in.n_src, is_free);
    const std::uint32_t r = in.dst[0].index;
    free[r] = yes;
    if (yes)
      weights[r] = 0;
    else if (widens_word(in))
      weights[r] = 1;
  }
  return weights;
}

}  // namespace heddle::ptx
