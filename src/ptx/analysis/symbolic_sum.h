// Sums of products: a value as c0 + c1 * x * y + c2 * z + ..., over atoms (symbolic_atoms.h) that stand for
// what the program does not compute itself. Arithmetic does not wrap: indices that overflow are not the aim.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::ptx {

using AtomId = std::uint32_t;

// Ascending, with repetitions; empty: the constant's.
using Monomial = std::vector<AtomId>;

class Sum {
 public:
  struct Term {
    Monomial atoms;
    std::int64_t factor = 0;  // never 0
    friend auto operator<=>(const Term&, const Term&) = default;
  };

  Sum() = default;  // 0
  Sum(std::int64_t constant);
  static Sum of(AtomId atom);

  const std::vector<Term>& terms() const { return terms_; }  // by monomial
  bool is_constant() const { return terms_.empty() || (terms_.size() == 1 && terms_[0].atoms.empty()); }
  std::int64_t constant_part() const;
  std::int64_t factor(const Monomial& m) const;
  bool mentions(AtomId atom) const;
  std::size_t degree() const;

  friend Sum operator+(const Sum& a, const Sum& b);
  friend Sum operator-(const Sum& a, const Sum& b);
  friend Sum operator*(const Sum& a, const Sum& b);
  friend bool operator==(const Sum&, const Sum&) = default;

  // Every occurrence of the atom by a sum.
  Sum with(AtomId atom, const Sum& value) const;
  // The terms whose factors d divides, divided by d, and the others.
  std::pair<Sum, Sum> split(std::int64_t d) const;
  // f such that this sum is f * atom + something without it; nothing where the atom occurs in higher powers.
  std::optional<Sum> factor_of(AtomId atom) const;
  // Zero bits at the low end that every value has, whatever the atoms are; at most 63.
  unsigned low_zeros() const;

 private:
  static Sum of_terms(std::vector<Term> terms);
  std::vector<Term> terms_;
};

}  // namespace heddle::ptx
