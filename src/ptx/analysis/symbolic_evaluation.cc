#include "ptx/analysis/symbolic_evaluation.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

using Number = std::optional<std::int64_t>;

bool compares(Cmp c, std::int64_t a, std::int64_t b) {
  switch (c) {
    case Cmp::Eq:
      return a == b;
    case Cmp::Ne:
      return a != b;
    case Cmp::Lt:
    case Cmp::Lo:
      return a < b;
    case Cmp::Le:
    case Cmp::Ls:
      return a <= b;
    case Cmp::Gt:
    case Cmp::Hi:
      return a > b;
    default:
      return a >= b;
  }
}

Number shifted(Op op, std::int64_t a, std::int64_t by) {
  if (by < 0 || by > 62) return std::nullopt;
  if (op == Op::Shr) return a >> by;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << by);
}

Number high_half(Type t, std::int64_t a, std::int64_t b) {
  if (bits(t) != 32) return std::nullopt;
  if (is_signed(t)) return (std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b)) >> 32;
  return static_cast<std::int64_t>(
      (std::uint64_t{static_cast<std::uint32_t>(a)} * static_cast<std::uint32_t>(b)) >> 32);
}

Number of_two(const Instr& in, std::int64_t a, std::int64_t b) {
  switch (in.op) {
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::Shl:
    case Op::Shr:
      return shifted(in.op, a, b);
    case Op::Div:
      return b == 0 ? Number() : Number(a / b);
    case Op::Rem:
      return b == 0 ? Number() : Number(a % b);
    case Op::Min:
      return std::min(a, b);
    case Op::Max:
      return std::max(a, b);
    case Op::Mul:
      return in.half == Half::Hi ? high_half(in.type, a, b) : Number(a * b);
    case Op::Setp:
      return compares(in.cmp, a, b) ? 1 : 0;
    default:
      return std::nullopt;
  }
}

Number narrowed(Type to, Type from, std::int64_t a) {
  const Type t = bits(to) < bits(from) ? to : from;
  const unsigned n = bits(t);
  if (n >= 64) return a;
  const std::int64_t low = a & ((std::int64_t{1} << n) - 1);
  return is_signed(t) && (low >> (n - 1)) != 0 ? low - (std::int64_t{1} << n) : low;
}

}  // namespace

Number Evaluation::operator()(const Sum& sum) const {
  std::int64_t all = 0;
  for (const Sum::Term& t : sum.terms()) {
    std::int64_t product = t.factor;
    for (AtomId a : t.atoms) {
      const Number n = (*this)(a);
      if (!n) return std::nullopt;
      product *= *n;
    }
    all += product;
  }
  return all;
}

Number Evaluation::operator()(AtomId id) const {
  if (id < values_.size() && values_[id]) return values_[id];
  const Atom& a = atoms_[id];
  if (a.kind == AtomKind::Pending && a.solution) return (*this)(*a.solution);
  if (a.kind != AtomKind::Function || depth_ > 200) return std::nullopt;
  ++depth_;
  const Number n = computed(a);
  --depth_;
  return n;
}

Number Evaluation::computed(const Atom& a) const {
  if (a.join != JoinKind::None) return std::nullopt;
  if (a.instr == nullptr) {
    if (a.index == 1000 + static_cast<std::uint32_t>(Sreg::Laneid)) return thread_ % 32;
    if (a.index == 1000 + static_cast<std::uint32_t>(Sreg::Warpid)) return thread_ / 32;
    return std::nullopt;
  }
  const Instr& in = *a.instr;
  if (is_float(in.type) || a.args.empty() || a.args.size() > 3 || a.result != 0) return std::nullopt;
  const Number x = (*this)(a.args[0]);
  if (!x) return std::nullopt;
  if (in.op == Op::Cvt) return is_float(in.src_type) ? Number() : narrowed(in.type, in.src_type, *x);
  if (in.op == Op::Abs) return std::abs(*x);
  if (in.op == Op::Not && in.type == Type::Pred) return *x == 0 ? 1 : 0;
  if (a.args.size() < 2) return std::nullopt;
  const Number y = (*this)(a.args[1]);
  if (!y) return std::nullopt;
  if (a.args.size() == 2) return of_two(in, *x, *y);
  const Number z = (*this)(a.args[2]);
  if (!z) return std::nullopt;
  if (in.op == Op::Bfe && *y >= 0 && *y < 63 && *z > 0 && *z < 63)
    return (*x >> *y) & ((std::int64_t{1} << *z) - 1);
  return std::nullopt;
}

Sum Evaluation::reduced(const Sum& sum) const {
  Sum all;
  for (const Sum::Term& t : sum.terms()) {
    Sum product = t.factor;
    for (AtomId a : t.atoms) product = product * (has(a) ? Sum(*values_[a]) : Sum::of(a));
    all = all + product;
  }
  return all;
}

std::optional<std::int64_t> trips(const Evaluation& evaluate, const SymbolicLoop& loop) {
  if (!loop.distance) return std::nullopt;
  const Number distance = evaluate(*loop.distance), step = evaluate(loop.step);
  if (!distance || !step || *step <= 0) return std::nullopt;
  const std::int64_t whole = *distance >= 0 ? (*distance + *step - 1) / *step : -((-*distance) / *step);
  return std::max<std::int64_t>(0, whole + loop.extra);
}

}  // namespace heddle::ptx
