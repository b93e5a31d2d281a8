#include "ptx/analysis/symbolic_operations.h"

#include <bit>
#include <cmath>

namespace heddle::ptx {
namespace {

constexpr std::size_t kMostTerms = 48, kMostFloatTerms = 8, kMostDegree = 5;
constexpr std::int64_t kMostThreads = 1024;

bool plain(const Instr& in) {
  return !in.sat && !in.carry_in && !in.carry_out;
}

std::optional<std::int64_t> constant(const SymbolicValue& v) {
  if (!v.sum.is_constant() || v.about) return std::nullopt;
  return v.sum.constant_part();
}

bool within(const std::optional<Bounds>& b, std::int64_t least, std::int64_t most) {
  return b && b->least >= least && b->most <= most;
}

SymbolicValue axis_value(Atoms& atoms, AtomKind kind, unsigned axis, std::int64_t most) {
  Atom a{.kind = kind, .index = axis};
  a.least = 0;
  a.most = most;
  return {Sum::of(atoms.intern(std::move(a))), false};
}

SymbolicValue lane_value(Atoms& atoms, Sreg sreg, std::int64_t most) {
  Atom a{.kind = AtomKind::Function, .index = 1000 + static_cast<std::uint32_t>(sreg)};
  for (const Axis axis : kAxes)
    a.args.push_back(Sum::of(atoms.simple(AtomKind::Tid, static_cast<std::uint32_t>(axis))));
  a.least = 0;
  a.most = most;
  return {Sum::of(atoms.intern(std::move(a))), false};
}

}  // namespace

SymbolicValue immediate_value(std::uint64_t v, Type type) {
  double real = 0;
  if (type == Type::F32)
    real = std::bit_cast<float>(static_cast<std::uint32_t>(v));
  else if (type == Type::F64)
    real = std::bit_cast<double>(v);
  else
    return {Sum(bits(type) == 32 ? static_cast<std::int32_t>(v) : static_cast<std::int64_t>(v)), false};
  if (!(std::abs(real) < 1e9)) return {Sum(0), true};
  const double whole = std::floor(real);
  return {Sum(static_cast<std::int64_t>(whole)), whole != real};
}

SymbolicValue sreg_value(Sreg s, const KnownLaunch& known, Atoms& atoms) {
  const auto of = [&](Sreg first) { return static_cast<unsigned>(s) - static_cast<unsigned>(first); };
  if (s <= Sreg::TidZ) {
    const unsigned axis = of(Sreg::TidX);
    return axis_value(atoms, AtomKind::Tid, axis,
                      known.block ? std::int64_t{(*known.block)[axis]} - 1 : kMostThreads - 1);
  }
  if (s <= Sreg::NtidZ) {
    const unsigned axis = of(Sreg::NtidX);
    if (known.block) return {Sum((*known.block)[axis]), false};
    return axis_value(atoms, AtomKind::Ntid, axis, kMostThreads);
  }
  if (s <= Sreg::CtaidZ) {
    const unsigned axis = of(Sreg::CtaidX);
    return axis_value(atoms, AtomKind::Ctaid, axis,
                      known.grid ? std::int64_t{(*known.grid)[axis]} - 1 : std::int64_t{1} << 31);
  }
  if (s <= Sreg::NctaidZ) {
    const unsigned axis = of(Sreg::NctaidX);
    if (known.grid) return {Sum((*known.grid)[axis]), false};
    return axis_value(atoms, AtomKind::Nctaid, axis, std::int64_t{1} << 31);
  }
  if (s == Sreg::Laneid) return lane_value(atoms, s, 31);
  if (s == Sreg::Warpid || (s >= Sreg::LanemaskEq && s <= Sreg::LanemaskGt))
    return lane_value(atoms, s, std::int64_t{1} << 32);
  return {Sum::of(atoms.simple(AtomKind::Unknown, 1 + static_cast<std::uint32_t>(s))), false};
}

SymbolicValue SymbolicOperations::source(std::uint8_t i) {
  const Type t = in_->op == Op::Cvt && in_->src_type != Type::None ? in_->src_type : in_->type;
  return v_.operand(in_->src[i], t, at_);
}

SymbolicValue SymbolicOperations::checked(SymbolicValue v) {
  const std::size_t most = is_float(in_->type) ? kMostFloatTerms : kMostTerms;
  return v.sum.terms().size() > most || v.sum.degree() > kMostDegree ? function() : v;
}

SymbolicValue SymbolicOperations::function(std::optional<Bounds> bounds) {
  Atom f{.kind = AtomKind::Function, .instr = in_, .result = which_};
  for (std::uint8_t i = 0; i < in_->n_src; ++i)
    if (in_->src[i].kind != Operand::Kind::None) f.args.push_back(source(i).sum);
  // What other lanes have: it depends on the lane, too.
  if (in_->op == Op::Shfl || in_->op == Op::Vote || in_->op == Op::Match || in_->op == Op::Redux ||
      in_->op == Op::Activemask || in_->op == Op::Elect)
    f.args.push_back(lane_value(atoms_, Sreg::Laneid, 31).sum);
  if (in_->matrix != kNoTarget) f.args.push_back(Sum::of(atoms_.simple(AtomKind::Unknown, 0)));
  if (bounds) {
    f.least = bounds->least;
    f.most = bounds->most;
  }
  return {Sum::of(atoms_.intern(std::move(f))), false};
}

SymbolicValue SymbolicOperations::multiply(const Value& a, const Value& b) {
  if (a.sum.terms().size() * b.sum.terms().size() > kMostTerms) return function();
  return checked({a.sum * b.sum, a.about || b.about});
}

// Exact where what is no multiple lies between 0 and the divisor. Values are taken as not negative.
SymbolicValue SymbolicOperations::divide(const Value& a, std::int64_t by, bool rest) {
  const auto [quotient, low] = a.sum.split(by);
  if (within(atoms_.bounds(low), 0, by - 1)) return {rest ? low : quotient, a.about};
  return function(rest ? std::optional(Bounds{0, by - 1}) : std::nullopt);
}

SymbolicValue SymbolicOperations::masked(const Value& a, std::int64_t mask) {
  if (mask == 0) return {Sum(0), false};
  if (mask == 0xFFFFFFFF || mask == 0x7FFFFFFF) return a;  // a 32-bit value as a 64-bit one
  // All low bits: the rest of a division.
  if (mask > 0 && (mask & (mask + 1)) == 0) return divide(a, mask + 1, true);
  // All but some low bits, which are zero anyway.
  const auto zeros = static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(mask)));
  if (mask < 0 && mask == -(std::int64_t{1} << zeros)) {
    if (a.sum.low_zeros() >= zeros) return a;
    const auto [quotient, low] = a.sum.split(std::int64_t{1} << zeros);
    if (within(atoms_.bounds(low), 0, (std::int64_t{1} << zeros) - 1)) return {a.sum - low, a.about};
  }
  return function(mask > 0 ? std::optional(Bounds{0, mask}) : std::nullopt);
}

// `or` and `xor` add where no bit is set in both.
SymbolicValue SymbolicOperations::either(const Value& a, const Value& b) {
  const auto disjoint = [&](const Value& high, const Value& low) {
    const unsigned zeros = std::min(high.sum.low_zeros(), 32u);
    return within(atoms_.bounds(low.sum), 0, (std::int64_t{1} << zeros) - 1);
  };
  if (disjoint(a, b) || disjoint(b, a)) return checked({a.sum + b.sum, a.about || b.about});
  return function();
}

SymbolicValue SymbolicOperations::arithmetic() {
  const bool real = is_float(in_->type);
  if (!plain(*in_) || (real && in_->type != Type::F32 && in_->type != Type::F64)) return function();
  switch (in_->op) {
    case Op::Add:
    case Op::Sub: {
      const Value a = source(0), b = source(1);
      return checked({in_->op == Op::Add ? a.sum + b.sum : a.sum - b.sum, a.about || b.about || real});
    }
    case Op::Mul:
    case Op::Mul24:
      if (in_->half == Half::Hi || real) return function();
      return multiply(source(0), source(1));
    case Op::Mad:
    case Op::Mad24: {
      if (in_->half == Half::Hi || real) return function();
      const Value product = multiply(source(0), source(1)), added = source(2);
      return checked({product.sum + added.sum, product.about || added.about});
    }
    case Op::Neg: {
      const Value a = source(0);
      return {Sum(-1) * a.sum, a.about};
    }
    case Op::Div:
    case Op::Rem: {
      const std::optional<std::int64_t> by = constant(source(1));
      if (real || !by || *by <= 0) return function();
      return divide(source(0), *by, in_->op == Op::Rem);
    }
    default:
      return function();
  }
}

SymbolicValue SymbolicOperations::bitwise() {
  if (in_->op == Op::Not) {
    const Value a = source(0);
    return in_->type == Type::Pred ? function(Bounds{0, 1}) : Value{Sum(-1) * a.sum - Sum(1), a.about};
  }
  if (in_->type == Type::Pred) return function(Bounds{0, 1});
  const Value a = source(0), b = source(1);
  const std::optional<std::int64_t> left = constant(a), right = constant(b);
  switch (in_->op) {
    case Op::And:
      if (right) return masked(a, *right);
      if (left) return masked(b, *left);
      return function();
    case Op::Or:
    case Op::Xor:
      return either(a, b);
    case Op::Shl:
      if (!right || *right < 0 || *right > 40) return function();
      return multiply(a, {Sum(std::int64_t{1} << *right), false});
    case Op::Shr:
      if (!right || *right < 0 || *right > 40) return function();
      return divide(a, std::int64_t{1} << *right, false);
    case Op::Bfe: {
      const std::optional<std::int64_t> length = constant(source(2));
      if (!right || !length || *right < 0 || *right > 31 || *length < 1 || *length > 31) return function();
      const Bounds bounds{0, (std::int64_t{1} << *length) - 1};
      const auto [quotient, low] = a.sum.split(std::int64_t{1} << *right);
      if (within(atoms_.bounds(low), 0, (std::int64_t{1} << *right) - 1)) {
        const auto [over, kept] = quotient.split(bounds.most + 1);
        if (within(atoms_.bounds(kept), 0, bounds.most)) return {kept, a.about};
      }
      return is_signed(in_->type) ? function() : function(bounds);
    }
    default:
      return function();
  }
}

SymbolicValue SymbolicOperations::select() {
  if (in_->op == Op::Selp)
    return v_.choice({source(0), source(1)}, {v_.operand(in_->src[2], Type::Pred, at_).sum});
  return v_.choice({source(0), source(1)}, {});  // min, max: the sources decide themselves
}

SymbolicValue SymbolicOperations::convert() {
  const Value a = source(0);
  const Type to = in_->type, from = in_->src_type;
  if (is_float(to) && is_float(from)) return in_->round == Round::None ? a : Value{a.sum, true};
  if (is_float(to)) return a;
  if (is_float(from)) return {a.sum, true};
  const unsigned narrow = std::min(bits(to), bits(from));
  if (narrow >= 32) return a;
  const std::int64_t most = (std::int64_t{1} << (is_signed(from) ? narrow - 1 : narrow)) - 1;
  if (within(atoms_.bounds(a.sum), 0, most)) return a;
  return is_signed(from) ? function() : function(Bounds{0, most});
}

SymbolicValue SymbolicOperations::result(std::uint32_t instr, std::uint8_t which) {
  at_ = instr;
  which_ = which;
  in_ = &v_.function_.instrs[instr];
  switch (in_->op) {
    case Op::Mov:
      return source(0);
    case Op::Cvta:
      return source(0);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Mad:
    case Op::Mul24:
    case Op::Mad24:
    case Op::Neg:
    case Op::Div:
    case Op::Rem:
      return arithmetic();
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Shl:
    case Op::Shr:
    case Op::Bfe:
      return bitwise();
    case Op::Min:
    case Op::Max:
      if (bits(in_->type) != 32 && bits(in_->type) != 64) return function();
      return select();
    case Op::Selp:
      return select();
    case Op::Cvt:
      return convert();
    case Op::Setp:
      return function(Bounds{0, 1});
    case Op::Ld:
    case Op::Atom:
    case Op::Tex:
    case Op::Tld4:
    case Op::Suld:
    case Op::WmmaLoad:
    case Op::LoadMatrix:
      return load();
    default:
      return function();
  }
}

}  // namespace heddle::ptx
