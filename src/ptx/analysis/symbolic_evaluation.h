// Numbers for sums: what they are for one thread, one CTA and one iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/analysis/symbolic_atoms.h"

namespace heddle::ptx {

class Evaluation {
 public:
  explicit Evaluation(const Atoms& atoms) : atoms_(atoms), values_(atoms.size()) {}

  void set(AtomId atom, std::int64_t value) { values_[atom] = value; }
  bool has(AtomId atom) const { return values_[atom].has_value(); }
  // The thread's number in its CTA, for lanes and warps.
  void set_thread(std::int64_t linear) { thread_ = linear; }

  // Nothing where an atom has no number and is no function that can be computed.
  std::optional<std::int64_t> operator()(const Sum& sum) const;
  std::optional<std::int64_t> operator()(AtomId atom) const;
  // The sum with numbers for all atoms that have been set.
  Sum reduced(const Sum& sum) const;

 private:
  std::optional<std::int64_t> computed(const Atom& atom) const;

  const Atoms& atoms_;
  std::vector<std::optional<std::int64_t>> values_;
  std::int64_t thread_ = 0;
  mutable unsigned depth_ = 0;
};

// How often a loop runs, with the numbers given; never negative.
std::optional<std::int64_t> trips(const Evaluation& evaluate, const SymbolicLoop& loop);

}  // namespace heddle::ptx
