// What one instruction makes of its operands, as a sum where it is one.
#pragma once

#include "ptx/analysis/symbolic_values.h"

namespace heddle::ptx {

// Integers as signed values; of floating-point values what is below the point is dropped.
SymbolicValue immediate_value(std::uint64_t bits_of_value, Type type);
SymbolicValue sreg_value(Sreg sreg, const KnownLaunch& known, Atoms& atoms);

class SymbolicOperations {
 public:
  explicit SymbolicOperations(SymbolicValues& values) : v_(values), atoms_(values.atoms_) {}

  SymbolicValue result(std::uint32_t instr, std::uint8_t which);

 private:
  using Value = SymbolicValue;
  Value source(std::uint8_t i);
  Value arithmetic();
  Value bitwise();
  Value select();
  Value convert();
  Value load();
  Value load_parameter();
  Value returned(std::uint32_t symbol, std::int64_t offset);
  Value multiply(const Value& a, const Value& b);
  Value divide(const Value& a, std::int64_t by, bool rest);
  Value masked(const Value& a, std::int64_t mask);
  Value either(const Value& a, const Value& b);
  // The value is no sum of its operands': a function of all of them.
  Value function(std::optional<Bounds> bounds = std::nullopt);
  Value checked(Value v);

  SymbolicValues& v_;
  Atoms& atoms_;
  std::uint32_t at_ = 0;
  std::uint8_t which_ = 0;
  const Instr* in_ = nullptr;
};

}  // namespace heddle::ptx
