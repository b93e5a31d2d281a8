#include "ptx/analysis/symbolic_sum.h"

#include <algorithm>
#include <bit>

namespace heddle::ptx {
namespace {

// Two's complement, as the machine has it.
std::int64_t wrapped_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial m;
  m.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(m));
  return m;
}

}  // namespace

Sum::Sum(std::int64_t constant) {
  if (constant != 0) terms_.push_back({{}, constant});
}

Sum Sum::of(AtomId atom) {
  Sum s;
  s.terms_.push_back({{atom}, 1});
  return s;
}

Sum Sum::of_terms(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end());
  Sum s;
  for (Term& t : terms) {
    if (!s.terms_.empty() && s.terms_.back().atoms == t.atoms)
      s.terms_.back().factor = wrapped_add(s.terms_.back().factor, t.factor);
    else
      s.terms_.push_back(std::move(t));
  }
  std::erase_if(s.terms_, [](const Term& t) { return t.factor == 0; });
  return s;
}

std::int64_t Sum::constant_part() const {
  return !terms_.empty() && terms_[0].atoms.empty() ? terms_[0].factor : 0;
}

std::int64_t Sum::factor(const Monomial& m) const {
  for (const Term& t : terms_)
    if (t.atoms == m) return t.factor;
  return 0;
}

bool Sum::mentions(AtomId atom) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& t) {
    return std::find(t.atoms.begin(), t.atoms.end(), atom) != t.atoms.end();
  });
}

std::size_t Sum::degree() const {
  std::size_t most = 0;
  for (const Term& t : terms_) most = std::max(most, t.atoms.size());
  return most;
}

Sum operator+(const Sum& a, const Sum& b) {
  std::vector<Sum::Term> all = a.terms_;
  all.insert(all.end(), b.terms_.begin(), b.terms_.end());
  return Sum::of_terms(std::move(all));
}

Sum operator-(const Sum& a, const Sum& b) {
  return a + Sum(-1) * b;
}

Sum operator*(const Sum& a, const Sum& b) {
  std::vector<Sum::Term> all;
  all.reserve(a.terms_.size() * b.terms_.size());
  for (const Sum::Term& x : a.terms_)
    for (const Sum::Term& y : b.terms_)
      all.push_back({product(x.atoms, y.atoms), wrapped_mul(x.factor, y.factor)});
  return Sum::of_terms(std::move(all));
}

Sum Sum::with(AtomId atom, const Sum& value) const {
  Sum result;
  std::vector<Term> kept;
  for (const Term& t : terms_) {
    if (std::find(t.atoms.begin(), t.atoms.end(), atom) == t.atoms.end()) {
      kept.push_back(t);
      continue;
    }
    Sum one = t.factor;
    for (AtomId a : t.atoms) one = one * (a == atom ? value : Sum::of(a));
    result = result + one;
  }
  return result + of_terms(std::move(kept));
}

std::pair<Sum, Sum> Sum::split(std::int64_t d) const {
  Sum quotient, rest;
  for (const Term& t : terms_) {
    if (t.factor % d == 0)
      quotient.terms_.push_back({t.atoms, t.factor / d});
    else
      rest.terms_.push_back(t);
  }
  // A constant is a multiple and a rest that is not negative.
  if (const std::int64_t c = rest.constant_part(); c != 0 && d > 0) {
    const std::int64_t low = ((c % d) + d) % d;
    rest = rest - Sum(c - low);
    quotient = quotient + Sum((c - low) / d);
  }
  return {quotient, rest};
}

std::optional<Sum> Sum::factor_of(AtomId atom) const {
  std::vector<Term> found;
  for (const Term& t : terms_) {
    const auto n = std::count(t.atoms.begin(), t.atoms.end(), atom);
    if (n == 0) continue;
    if (n > 1) return std::nullopt;
    Term f = t;
    f.atoms.erase(std::find(f.atoms.begin(), f.atoms.end(), atom));
    found.push_back(std::move(f));
  }
  return of_terms(std::move(found));
}

unsigned Sum::low_zeros() const {
  unsigned zeros = 63;
  for (const Term& t : terms_)
    zeros = std::min(zeros, static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(t.factor))));
  return zeros;
}

}  // namespace heddle::ptx
