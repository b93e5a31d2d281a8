// How many low bits of a register are zero whatever the program does: what is known of an address's
// alignment.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Shared and constant variables of the module itself are taken to lie at multiples of kPlacedAlignment, as
// the assembler places them if that serves a purpose; who relies on it sees to it (`symbols`).
inline constexpr std::uint32_t kPlacedAlignment = 16;

class KnownZeros {
 public:
  KnownZeros(const Module& module, const Function& function);
  unsigned of(std::uint32_t reg) const { return zeros_[reg]; }
  // Symbols whose alignment `of(reg)` rests on.
  const std::set<std::uint32_t>& symbols(std::uint32_t reg) const { return symbols_[reg]; }
  unsigned of_symbol(std::uint32_t symbol) const;

 private:
  unsigned of(const Operand& o) const;
  unsigned result(const Instr& in) const;
  void collect_symbols(const Function& function);

  const Module& module_;
  std::vector<std::uint8_t> zeros_;  // by register
  std::vector<std::set<std::uint32_t>> symbols_;
};

// The variable in shared or constant memory that a symbol means, or nullptr.
const Variable* placed_variable(const Module& module, std::uint32_t symbol);

}  // namespace heddle::ptx
