#include "ptx/assemble/vector_loads.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/known_zeros.h"
#include "ptx/analysis/liveness.h"
#include "ptx/assemble/machine_cost.h"
#include "ptx/assemble/rewrite.h"
#include "ptx/assemble/schedule.h"

namespace heddle::ptx {
namespace {

// How far apart in the text two loads may be: the work grows with it.
constexpr std::uint32_t kWindow = 64;
constexpr std::int64_t kFarthest = 1 << 24;  // more than any shared memory

std::uint32_t most_bytes(Space s) {
  return s == Space::Const ? 8 : 16;
}

bool is_single_load(const Function& f, const Instr& in) {
  return in.op == Op::Ld && (in.space == Space::Shared || in.space == Space::Const) && in.vector == 1 &&
         in.n_dst == 1 && in.order == MemOrder::Weak && in.cache == CacheHint::None &&
         in.dst[0].kind == Operand::Kind::Reg && (bits(in.type) == 32 || bits(in.type) == 64) &&
         bits(f.registers[in.dst[0].index].type) == bits(in.type) && in.offset >= -kFarthest &&
         in.offset <= kFarthest &&
         (in.address.kind == Operand::Kind::Reg || in.address.value <= std::uint64_t{kFarthest});
}

// Loads from that space do not move up across it.
bool stops_loads(const Instr& in, Space from) {
  if (keeps_its_place(in)) return true;
  return from == Space::Shared && writes_memory(in) && in.space != Space::Global &&
         in.space != Space::Local && in.space != Space::Param;
}

bool touches(const Function& f, const Instr& in, std::uint32_t r) {
  bool yes = false;
  for_each_use(f, in, [&](std::uint32_t u) { yes |= u == r; });
  for_each_def(f, in, [&](std::uint32_t d) { yes |= d == r; });
  return yes;
}

bool writes(const Function& f, const Instr& in, std::uint32_t r) {
  bool yes = false;
  for_each_def(f, in, [&](std::uint32_t d) { yes |= d == r; });
  return yes;
}

std::int64_t place(const Instr& in) {
  return in.offset +
         (in.address.kind == Operand::Kind::Reg ? 0 : static_cast<std::int64_t>(in.address.value));
}

class LoadMerger {
 public:
  LoadMerger(Module& module, Function& f)
      : module_(module), f_(f), known_(module, f), gone_(f.instrs.size(), 0) {}

  bool block(const Block& b) {
    bool any = false;
    for (std::uint32_t i = b.first; i < b.end; ++i)
      if (!gone_[i] && is_single_load(f_, f_.instrs[i]))
        for (std::uint32_t n = most_bytes(f_.instrs[i].space) / bytes(f_.instrs[i].type); n >= 2; n /= 2)
          if (merge(i, b.end, n)) {
            any = true;
            break;
          }
    return any;
  }

  // By instruction: part of another now.
  const std::vector<std::uint8_t>& gone() const { return gone_; }

 private:
  bool same_base_and_guard(const Instr& a, const Instr& b) const {
    return a.space == b.space && a.address.kind == b.address.kind && a.address.index == b.address.index &&
           a.guard == b.guard;
  }

  // `n` words side by side, of which instruction i is the first in the text.
  bool merge(std::uint32_t i, std::uint32_t end, std::uint32_t n) {
    const Instr& first = f_.instrs[i];
    const std::int64_t size = bytes(first.type), span = size * n;
    if (!aligned(first, static_cast<std::uint32_t>(span))) return false;
    const std::int64_t low = place(first) - (place(first) % span + span) % span;
    std::vector<std::uint32_t> at(n, kNoTarget);
    at[static_cast<std::size_t>((place(first) - low) / size)] = i;
    if ((place(first) - low) % size != 0) return false;
    std::uint32_t left = n - 1;
    for (std::uint32_t k = i + 1; k < std::min(end, i + kWindow) && left != 0; ++k) {
      const Instr& in = f_.instrs[k];
      if (gone_[k]) continue;
      if (stops_loads(in, first.space)) return false;
      if (is_single_load(f_, in) && same_base_and_guard(in, first) && bits(in.type) == bits(first.type) &&
          can_move_up(k, i)) {
        const std::int64_t from = place(in) - low;
        const auto e = static_cast<std::size_t>(from / size);
        if (from >= 0 && from < span && from % size == 0 && at[e] == kNoTarget) {
          at[e] = k;
          --left;
          continue;
        }
      }
      if (first.address.kind == Operand::Kind::Reg && writes(f_, in, first.address.index)) return false;
      if (first.guard.kind == Operand::Kind::Pred && writes(f_, in, first.guard.index)) return false;
    }
    if (left != 0) return false;
    join(i, at, low);
    return true;
  }

  // Its result is neither read nor written between the two places, and is not the address.
  bool can_move_up(std::uint32_t k, std::uint32_t to) const {
    const std::uint32_t d = f_.instrs[k].dst[0].index;
    for (std::uint32_t j = to; j < k; ++j)
      if (!gone_[j] && touches(f_, f_.instrs[j], d)) return false;
    return true;
  }

  bool aligned(const Instr& in, std::uint32_t span) const {
    const Operand& a = in.address;
    if (a.kind == Operand::Kind::Reg)
      return 1u << known_.of(a.index) >= span && !writes(f_, in, a.index) &&
             can_align(known_.symbols(a.index));
    if (a.kind == Operand::Kind::Symbol) return 1u << known_.of_symbol(a.index) >= span;
    return a.kind == Operand::Kind::Imm;
  }
  bool can_align(const std::set<std::uint32_t>& symbols) const {
    return std::all_of(symbols.begin(), symbols.end(),
                       [&](std::uint32_t s) { return placed_variable(module_, s) != nullptr; });
  }

  void join(std::uint32_t i, const std::vector<std::uint32_t>& at, std::int64_t low) {
    Instr in = f_.instrs[i];
    for (std::size_t e = 0; e < at.size(); ++e) {
      in.dst[e] = f_.instrs[at[e]].dst[0];
      in.fresh &= f_.instrs[at[e]].fresh;
      gone_[at[e]] = at[e] != i;
    }
    in.n_dst = in.vector = static_cast<std::uint8_t>(at.size());
    in.offset += low - place(in);
    f_.instrs[i] = in;
    if (in.address.kind == Operand::Kind::Symbol) align(in.address.index);
    if (in.address.kind == Operand::Kind::Reg)
      for (const std::uint32_t s : known_.symbols(in.address.index)) align(s);
  }

  void align(std::uint32_t symbol) {
    const Symbol& s = module_.symbols[symbol];
    Variable& v = s.kind == Symbol::Kind::Variable ? module_.variables[s.index]
                                                   : module_.functions[s.function].variables[s.index];
    v.align = std::max(v.align, kPlacedAlignment);
  }

  Module& module_;
  Function& f_;
  const KnownZeros known_;
  std::vector<std::uint8_t> gone_;
};

}  // namespace

void merge_loads(Module& module, Function& f) {
  if (std::none_of(f.instrs.begin(), f.instrs.end(), [&](const Instr& in) { return is_single_load(f, in); }))
    return;
  const ControlFlow cf = build_control_flow(f);
  LoadMerger merger(module, f);
  bool any = false;
  for (const Block& b : cf.blocks) any |= merger.block(b);
  if (any) drop_instructions(f, merger.gone());
}

}  // namespace heddle::ptx
