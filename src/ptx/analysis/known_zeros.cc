#include "ptx/analysis/known_zeros.h"

#include <algorithm>
#include <bit>

#include "ptx/analysis/liveness.h"

namespace heddle::ptx {
namespace {

constexpr unsigned kAll = 31;  // more is never asked for

unsigned trailing(std::uint64_t v) {
  return std::min<unsigned>(kAll, static_cast<unsigned>(std::countr_zero(v)));
}

}  // namespace

const Variable* placed_variable(const Module& module, std::uint32_t symbol) {
  const Symbol& s = module.symbols[symbol];
  const Variable* v = nullptr;
  if (s.kind == Symbol::Kind::Variable) v = &module.variables[s.index];
  if (s.kind == Symbol::Kind::FunctionVariable) v = &module.functions[s.function].variables[s.index];
  return v != nullptr && (v->space == Space::Shared || v->space == Space::Const) ? v : nullptr;
}

// Every register starts as if it were zero and loses what some definition of it does not keep; what is left
// holds for all values that it can ever have. A register that is never written reads as zero.
KnownZeros::KnownZeros(const Module& module, const Function& f)
    : module_(module), zeros_(f.registers.size(), kAll), symbols_(f.registers.size()) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instr& in : f.instrs) {
      const unsigned z = result(in);
      for_each_def(f, in, [&](std::uint32_t r) {
        if (z >= zeros_[r]) return;
        zeros_[r] = static_cast<std::uint8_t>(z);
        changed = true;
      });
    }
  }
  collect_symbols(f);
}

void KnownZeros::collect_symbols(const Function& f) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instr& in : f.instrs)
      for_each_def(f, in, [&](std::uint32_t r) {
        if (zeros_[r] == 0) return;  // rests on nothing
        const std::size_t before = symbols_[r].size();
        for (std::uint8_t i = 0; i < in.n_src; ++i) {
          if (in.src[i].kind == Operand::Kind::Symbol) symbols_[r].insert(in.src[i].index);
          if (in.src[i].kind == Operand::Kind::Reg && in.src[i].index != r)
            symbols_[r].insert(symbols_[in.src[i].index].begin(), symbols_[in.src[i].index].end());
        }
        changed |= symbols_[r].size() != before;
      });
  }
}

unsigned KnownZeros::of_symbol(std::uint32_t symbol) const {
  const Variable* v = placed_variable(module_, symbol);
  return v == nullptr ? 0 : trailing(std::max(v->align, kPlacedAlignment));
}

unsigned KnownZeros::of(const Operand& o) const {
  switch (o.kind) {
    case Operand::Kind::Reg:
      return zeros_[o.index];
    case Operand::Kind::Imm:
      return trailing(o.value);
    case Operand::Kind::Symbol:
      return std::min(of_symbol(o.index), trailing(o.value));
    default:
      return 0;
  }
}

unsigned KnownZeros::result(const Instr& in) const {
  if (in.n_dst != 1 || in.carry_in || in.sat || is_float(in.type) || bits(in.type) < 32) return 0;
  const unsigned a = of(in.src[0]), b = of(in.src[1]), c = of(in.src[2]);
  const bool shift_known = in.src[1].kind == Operand::Kind::Imm;
  const auto shift = static_cast<unsigned>(std::min<std::uint64_t>(in.src[1].value, kAll));
  switch (in.op) {
    case Op::Mov:
      return a;
    case Op::Cvta:
      return in.space == Space::Shared ? a : 0;  // windows lie at multiples of large powers of two
    case Op::Cvt:
      return is_float(in.src_type) || bits(in.src_type) < 32 ? 0 : a;
    case Op::Add:
    case Op::Sub:
    case Op::Or:
    case Op::Xor:
    case Op::Min:
    case Op::Max:
    case Op::Selp:
      return std::min(a, b);
    case Op::And:
      return std::max(a, b);
    case Op::Mul:
      return in.half == Half::Hi ? 0 : std::min(kAll, a + b);
    case Op::Mad:
      return in.half == Half::Hi ? 0 : std::min(std::min(kAll, a + b), c);
    case Op::Shl:
      return shift_known ? std::min(kAll, a + shift) : a;
    case Op::Shr:
      return shift_known && a > shift && a < kAll ? a - shift : 0;
    default:
      return 0;
  }
}

}  // namespace heddle::ptx
