#include "ptx/assemble/counted_loop.h"

#include <algorithm>
#include <limits>

#include "ptx/analysis/liveness.h"
#include "ptx/ir/comparison.h"

namespace heddle::ptx {
namespace {

constexpr std::int64_t kMostStep = 1 << 20;

bool is_register(const Operand& o, std::uint32_t r) {
  return o.kind == Operand::Kind::Reg && o.index == r;
}

bool is_plain(const Instr& in) {
  return in.guard.kind == Operand::Kind::None && !in.sat && !in.carry_in && !in.carry_out;
}

// The only definition of a register among instructions [first, end); kNoTarget: none, or several.
std::uint32_t only_definition(const Function& f, std::uint32_t first, std::uint32_t end, std::uint32_t r) {
  std::uint32_t found = kNoTarget;
  unsigned n = 0;
  for (std::uint32_t i = first; i < end; ++i)
    for_each_def(f, f.instrs[i], [&](std::uint32_t d) {
      if (d != r) return;
      found = i;
      ++n;
    });
  return n == 1 ? found : kNoTarget;
}

bool is_defined(const Function& f, std::uint32_t first, std::uint32_t end, std::uint32_t r) {
  bool yes = false;
  for (std::uint32_t i = first; i < end; ++i)
    for_each_def(f, f.instrs[i], [&](std::uint32_t d) { yes |= d == r; });
  return yes;
}

bool is_used(const Function& f, std::uint32_t first, std::uint32_t end, std::uint32_t r) {
  bool yes = false;
  for (std::uint32_t i = first; i < end; ++i)
    for_each_use(f, f.instrs[i], [&](std::uint32_t u) { yes |= u == r; });
  return yes;
}

// `test` compares two integers of 32 or 64 bits and does nothing else. The bound may stand first.
bool read_test(const Function& f, const Instr& test, bool negated, CountedLoop& loop) {
  const Type t = test.type;
  if (test.op != Op::Setp || !is_plain(test) || test.bool_op != BoolOp::None || test.n_src != 2) return false;
  if (test.n_dst > 1 && test.dst[1].kind == Operand::Kind::Pred) return false;
  if (is_float(t) || (bits(t) != 32 && bits(t) != 64)) return false;
  const Operand& last = test.src[1];
  loop.bound_first = last.kind == Operand::Kind::Reg && is_defined(f, loop.first, loop.end, last.index);
  const Operand& tested = test.src[loop.bound_first ? 1 : 0];
  if (tested.kind != Operand::Kind::Reg || bits(f.registers[tested.index].type) != bits(t)) return false;
  loop.tested = tested.index;
  const Cmp c = plain(test.cmp);
  const bool sign = is_signed(t) && c == test.cmp;
  loop.cmp = loop.bound_first ? mirrored(c) : c;
  if (negated) loop.cmp = opposite(loop.cmp);
  loop.type = bits(t) == 32 ? (sign ? Type::S32 : Type::U32) : (sign ? Type::S64 : Type::U64);
  loop.bound = test.src[loop.bound_first ? 0 : 1];
  if (loop.bound.kind == Operand::Kind::Reg)
    return !is_defined(f, loop.first, loop.end, loop.bound.index) &&
           bits(f.registers[loop.bound.index].type) == bits(t);
  return loop.bound.kind == Operand::Kind::Imm;
}

// Either `add i, i, step` and a test of i, or `add v, i, step`, a test of v, and `mov i, v`.
bool read_counter(const Function& f, CountedLoop& loop) {
  const std::uint32_t tested = loop.tested;
  const std::uint32_t add = only_definition(f, loop.first, loop.end, tested);
  if (add == kNoTarget || add > loop.test) return false;
  const Instr& in = f.instrs[add];
  if (in.op != Op::Add || !is_plain(in) || is_float(in.type) || bits(in.type) != bits(loop.type) ||
      in.src[0].kind != Operand::Kind::Reg || in.src[1].kind != Operand::Kind::Imm)
    return false;
  loop.counter = in.src[0].index;
  if (loop.counter != tested) {
    const std::uint32_t move = only_definition(f, loop.first, loop.end, loop.counter);
    if (move == kNoTarget || move < add) return false;
    const Instr& m = f.instrs[move];
    if (m.op != Op::Mov || !is_plain(m) || bits(m.type) != bits(loop.type) || !is_register(m.src[0], tested))
      return false;
  }
  loop.step = bits(loop.type) == 32 ? static_cast<std::int32_t>(in.src[1].value)
                                    : static_cast<std::int64_t>(in.src[1].value);
  return loop.step != 0 && loop.step >= -kMostStep && loop.step <= kMostStep;
}

Operand reg(std::uint32_t r) {
  Operand o;
  o.kind = Operand::Kind::Reg;
  o.index = r;
  return o;
}

Operand immediate(std::uint64_t value) {
  Operand o;
  o.kind = Operand::Kind::Imm;
  o.value = value;
  return o;
}

// Instructions at the place of the loop's test.
class Maker {
 public:
  Maker(Function& f, const CountedLoop& loop) : f_(f), loop_(loop) {}

  Operand compute(std::vector<Instr>& out, Op op, Type type, Operand a, Operand b) {
    const Operand d = reg(add_register(f_, type));
    out.push_back(make(op, type, d, a, b));
    return d;
  }
  Operand compare(std::vector<Instr>& out, Cmp cmp, Type type, Operand a, Operand b) {
    Operand d;
    d.kind = Operand::Kind::Pred;
    d.index = add_register(f_, Type::Pred);
    out.push_back(make(Op::Setp, type, d, a, b));
    out.back().cmp = cmp;
    return d;
  }

 private:
  Instr make(Op op, Type type, Operand d, Operand a, Operand b) const {
    Instr in;
    in.op = op;
    in.type = type;
    in.dst[0] = d;
    in.n_dst = 1;
    in.src[0] = a;
    in.src[1] = b;
    in.n_src = 2;
    in.line = f_.instrs[loop_.test].line;
    in.column = f_.instrs[loop_.test].column;
    return in;
  }
  Function& f_;
  const CountedLoop& loop_;
};

// Least (or greatest) value of the type, as its bits, sign-extended if it has a sign.
template <class T>
std::uint64_t extreme(bool least) {
  using L = std::numeric_limits<T>;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(least ? L::min() : L::max()));
}
std::uint64_t extreme(Type t, bool least) {
  switch (t) {
    case Type::S32:
      return extreme<std::int32_t>(least);
    case Type::U32:
      return extreme<std::uint32_t>(least);
    case Type::S64:
      return extreme<std::int64_t>(least);
    default:
      return extreme<std::uint64_t>(least);
  }
}

bool less(Type t, std::uint64_t a, std::uint64_t b) {
  switch (t) {
    case Type::S32:
      return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
    case Type::U32:
      return static_cast<std::uint32_t>(a) < static_cast<std::uint32_t>(b);
    case Type::S64:
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    default:
      return a < b;
  }
}

// i + distance < bound (or <=, >, >=) without wrap-around: the bound is moved towards the counter's start as
// far as the type goes. At the type's end the comparison is strict and never true.
CertainRounds before_moved_bound(Function& f, const CountedLoop& loop, std::uint64_t distance) {
  const bool up = loop.step > 0;
  if (loop.cmp == Cmp::Le || loop.cmp == Cmp::Ge) --distance;  // i <= b is i < b + 1
  const std::uint64_t nearest = extreme(loop.type, up) + (up ? distance : std::uint64_t{0} - distance);
  Maker make(f, loop);
  CertainRounds r;
  Operand moved;
  if (loop.bound.kind == Operand::Kind::Imm) {
    const bool beyond =
        up ? less(loop.type, loop.bound.value, nearest) : less(loop.type, nearest, loop.bound.value);
    const std::uint64_t b = beyond ? nearest : loop.bound.value;
    const std::uint64_t v = up ? b - distance : b + distance;
    moved =
        immediate(bits(loop.type) == 32
                      ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v)))
                      : v);
  } else {
    const Operand b = make.compute(r.once, up ? Op::Max : Op::Min, loop.type, loop.bound, immediate(nearest));
    moved = make.compute(r.once, up ? Op::Sub : Op::Add, loop.type, b, immediate(distance));
  }
  r.certain = make.compare(r.every, up ? Cmp::Lt : Cmp::Gt, loop.type, reg(loop.counter), moved);
  return r;
}

// i != bound for this round and all up to `distance` from here: what is left, modulo the type, is more.
CertainRounds more_left(Function& f, const CountedLoop& loop, std::uint64_t distance) {
  const Type t = bits(loop.type) == 32 ? Type::U32 : Type::U64;
  Maker make(f, loop);
  CertainRounds r;
  Operand left = reg(loop.counter);
  if (loop.step > 0)
    left = make.compute(r.every, Op::Sub, t, loop.bound, left);
  else if (loop.bound.kind != Operand::Kind::Imm || loop.bound.value != 0)
    left = make.compute(r.every, Op::Sub, t, left, loop.bound);
  r.certain = make.compare(r.every, Cmp::Gt, t, left, immediate(distance));
  return r;
}

}  // namespace

std::uint32_t add_register(Function& f, Type type) {
  const auto r = static_cast<std::uint32_t>(f.registers.size());
  f.registers.push_back({"%unrolled" + std::to_string(r), type});
  return r;
}

std::optional<CountedLoop> find_counted_loop(const Function& f, const ControlFlow& cf, std::uint32_t block) {
  CountedLoop loop;
  loop.first = cf.blocks[block].first;
  loop.end = cf.blocks[block].end;
  const Instr& branch = f.instrs[loop.end - 1];
  if (branch.op != Op::Bra || branch.target != loop.first || branch.guard.kind != Operand::Kind::Pred ||
      loop.end == f.instrs.size())
    return std::nullopt;
  const std::uint32_t p = branch.guard.index;
  loop.test = only_definition(f, loop.first, loop.end, p);
  if (loop.test == kNoTarget || is_used(f, loop.first, loop.end - 1, p) ||
      !read_test(f, f.instrs[loop.test], branch.guard.negated, loop) || !read_counter(f, loop))
    return std::nullopt;
  const bool up = loop.step > 0;
  const bool towards = loop.cmp == Cmp::Ne || (up ? loop.cmp == Cmp::Lt || loop.cmp == Cmp::Le
                                                  : loop.cmp == Cmp::Gt || loop.cmp == Cmp::Ge);
  return towards ? std::optional(loop) : std::nullopt;
}

CertainRounds certain_rounds(Function& f, const CountedLoop& loop, std::uint32_t rounds) {
  const std::uint64_t distance =
      static_cast<std::uint64_t>(loop.step > 0 ? loop.step : -loop.step) * (rounds - 1);
  return loop.cmp == Cmp::Ne ? more_left(f, loop, distance) : before_moved_bound(f, loop, distance);
}

}  // namespace heddle::ptx
