// Which virtual registers hold a value that is still needed.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

template <class F>
void for_each_use(const Function& function, const Instr& in, F&& f) {
  auto use = [&](const Operand& o) {
    if (o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred) f(o.index);
  };
  use(in.guard);
  use(in.address);
  for (std::uint8_t i = 0; i < in.n_src; ++i) use(in.src[i]);
  if (in.matrix == kNoTarget) return;
  const MatrixInstr& m = function.matrices[in.matrix];
  for (const Fragment* fragment : {&m.a, &m.b, &m.c})
    for (std::uint8_t i = 0; i < fragment->count; ++i) use(fragment->reg[i]);
}

template <class F>
void for_each_def(const Function& function, const Instr& in, F&& f) {
  auto define = [&](const Operand& o) {
    if (o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred) f(o.index);
  };
  for (std::uint8_t i = 0; i < in.n_dst; ++i) define(in.dst[i]);
  if (in.matrix == kNoTarget) return;
  const Fragment& d = function.matrices[in.matrix].d;
  for (std::uint8_t i = 0; i < d.count; ++i) define(d.reg[i]);
}

// A set of virtual registers.
class RegSet {
 public:
  explicit RegSet(std::size_t n) : words_((n + 63) / 64) {}
  void insert(std::uint32_t r) { words_[r / 64] |= std::uint64_t{1} << (r % 64); }
  void erase(std::uint32_t r) { words_[r / 64] &= ~(std::uint64_t{1} << (r % 64)); }
  bool contains(std::uint32_t r) const { return words_[r / 64] >> (r % 64) & 1; }
  bool add(const RegSet& o) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t w = words_[i] | o.words_[i];
      changed |= w != words_[i];
      words_[i] = w;
    }
    return changed;
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t w = words_[i]; w != 0; w &= w - 1)
        f(static_cast<std::uint32_t>(i * 64 + static_cast<unsigned>(__builtin_ctzll(w))));
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Walks one instruction backwards: after it `live` holds what is live before the instruction.
void step_back(const Function& f, const Instr& in, RegSet& live);

// By block.
std::vector<RegSet> live_out_of_blocks(const Function& f, const ControlFlow& cf);

// 32-bit registers that the value of each register takes. None: what the machine has elsewhere, as kernel
// parameters lie in a constant bank that instructions read directly, and what is the same for all threads of
// a CTA is kept in uniform registers or made again. One: a word made 64 bits wide, whose upper half is made
// where it is read. Predicates have registers of their own.
std::vector<std::uint8_t> find_register_weights(const Function& f);

}  // namespace heddle::ptx
