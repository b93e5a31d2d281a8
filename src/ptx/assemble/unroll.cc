#include "ptx/assemble/unroll.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/analysis/liveness.h"
#include "ptx/assemble/counted_loop.h"
#include "ptx/assemble/loops_to_unroll.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kFactor = 4, kRest = 2;
constexpr std::int64_t kMostOffset = (1 << 23) - 1;  // of an address, as the machine encodes it

bool unguarded(const Instr& in) {
  return in.guard.kind == Operand::Kind::None;
}

bool makes_value(const Instr& in) {
  return unguarded(in) || in.fresh;
}

template <class F>
void for_each_use_operand(Instr& in, F&& f) {
  auto visit = [&](Operand& o) {
    if (o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred) f(o);
  };
  visit(in.guard);
  visit(in.address);
  for (std::uint8_t i = 0; i < in.n_src; ++i) visit(in.src[i]);
}

// Bodies one behind the other. Every value has a register of its own, but for the last ones of the last copy,
// which are written where the loop has them. A write under a guard changes the value that is there, in some
// lanes, unless nobody reads it in the others (Instr::fresh).
class BodyCopies {
 public:
  BodyCopies(Function& f, const CountedLoop& loop)
      : f_(f),
        own_(static_cast<std::uint32_t>(f.registers.size())),
        body_(f.instrs.begin() + loop.first, f.instrs.begin() + loop.end - 1) {
    body_.erase(body_.begin() + (loop.test - loop.first));
    // What is left of rounds to a bound in a register is counted in registers of lanes (ptxas_constants.csv).
    for (Instr& in : body_)
      if (in.op == Op::Ld && in.space == Space::Const) in.by_lane = loop.bound.kind == Operand::Kind::Reg;
    for (std::uint32_t k = 0; k < body_.size(); ++k)
      for_each_def(f_, body_[k], [&](std::uint32_t r) {
        if (makes_value(body_[k])) last_value_[r] = k;
      });
  }

  std::vector<Instr> make(std::uint32_t n) {
    for (std::uint32_t c = 0; c < n; ++c)
      for (std::uint32_t k = 0; k < body_.size(); ++k) copy(k, c + 1 == n);
    drop_unused();
    return std::move(out_);
  }

 private:
  // A value as another register's plus a constant.
  struct Sum {
    std::uint32_t base = 0;
    std::uint64_t addend = 0;
  };

  unsigned width(std::uint32_t r) const { return bits(f_.registers[r].type); }
  Sum sum_of(std::uint32_t r) const {
    const auto it = sums_.find(r);
    return it == sums_.end() ? Sum{r, 0} : it->second;
  }

  void copy(std::uint32_t k, bool last) {
    Instr in = body_[k];
    for_each_use_operand(in, [&](Operand& o) {
      if (const auto it = name_.find(o.index); it != name_.end()) o.index = it->second;
    });
    fold_address(in);
    const bool counts = is_constant_add(in);
    Sum sum;
    if (counts) {
      sum = sum_of(in.src[0].index);
      if (in.op == Op::Add) sum.addend += in.src[1].value;
    }
    if (counts && in.op == Op::Add) {
      in.src[0].index = sum.base;
      in.src[1].value =
          bits(in.type) == 32
              ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(sum.addend)))
              : sum.addend;
    }
    for (std::uint8_t i = 0; i < in.n_dst; ++i) {
      Operand& o = in.dst[i];
      if (o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred)
        o.index = define(o.index, makes_value(body_[k]), last && last_value_[o.index] == k);
    }
    if (counts && sum.base != in.dst[0].index) sums_[in.dst[0].index] = sum;
    out_.push_back(in);
  }

  // The register that receives a value of r: a new one, or a change of the one that r has. `last`: behind the
  // copies it is where the loop has it.
  std::uint32_t define(std::uint32_t r, bool value, bool last) {
    const auto now = name_.find(r);
    const std::uint32_t to = !value ? (now == name_.end() ? r : now->second)
                             : last ? r
                                    : add_register(f_, f_.registers[r].type);
    name_[r] = to;
    sums_.erase(to);
    if (!value || last) std::erase_if(sums_, [&](const auto& s) { return s.second.base == to; });
    return to;
  }

  bool is_constant_add(const Instr& in) const {
    const bool add = in.op == Op::Add && in.src[1].kind == Operand::Kind::Imm && !in.sat;
    if (!(add || in.op == Op::Mov) || !unguarded(in) || is_float(in.type)) return false;
    const Operand &d = in.dst[0], &s = in.src[0];
    return d.kind == Operand::Kind::Reg && s.kind == Operand::Kind::Reg && width(d.index) == bits(in.type) &&
           width(s.index) == bits(in.type) && (bits(in.type) == 32 || bits(in.type) == 64);
  }

  // 64-bit addresses only: 32-bit ones wrap around before the offset is added.
  void fold_address(Instr& in) const {
    if ((in.op != Op::Ld && in.op != Op::St) || in.address.kind != Operand::Kind::Reg ||
        width(in.address.index) != 64)
      return;
    const Sum s = sum_of(in.address.index);
    const std::int64_t offset = in.offset + static_cast<std::int64_t>(s.addend);
    if (offset < -kMostOffset || offset > kMostOffset) return;
    in.address.index = s.base;
    in.offset = offset;
  }

  // Sums that went into addresses, and counters of tests that are not there.
  void drop_unused() {
    std::unordered_map<std::uint32_t, std::uint32_t> uses;
    for (const Instr& in : out_) for_each_use(f_, in, [&](std::uint32_t r) { ++uses[r]; });
    std::vector<Instr> kept;
    for (std::size_t k = out_.size(); k-- > 0;) {
      const Instr& in = out_[k];
      if (is_constant_add(in) && in.dst[0].index >= own_ && uses[in.dst[0].index] == 0)
        for_each_use(f_, in, [&](std::uint32_t r) { --uses[r]; });
      else
        kept.push_back(in);
    }
    std::reverse(kept.begin(), kept.end());
    out_ = std::move(kept);
  }

  Function& f_;
  const std::uint32_t own_;  // registers that the function had
  std::vector<Instr> body_;  // without the test and the branch
  std::unordered_map<std::uint32_t, std::uint32_t> last_value_, name_;
  std::unordered_map<std::uint32_t, Sum> sums_;
  std::vector<Instr> out_;
};

// What stands for a loop. Targets of its branches are places in `code`, or kLeave.
constexpr std::uint32_t kLeave = kNoTarget - 1;

class Unrolled {
 public:
  std::vector<Instr> code;

  Unrolled(Function& f, const CountedLoop& loop) : back_(f.instrs[loop.end - 1]) {
    const std::vector<Instr> original(f.instrs.begin() + loop.first, f.instrs.begin() + loop.end);
    const Instr test = f.instrs[loop.test];
    const CertainRounds many = certain_rounds(f, loop, kFactor), few = certain_rounds(f, loop, kRest);
    // The first round runs whatever the test would say.
    code.push_back(always(test));
    append(many.once);
    append(many.every);
    const std::size_t skip = branch(many.certain, true, 0);
    const auto top = static_cast<std::uint32_t>(code.size());
    append(BodyCopies(f, loop).make(kFactor));
    append(many.every);
    branch(many.certain, false, top);
    code.push_back(test);
    code[skip].target = static_cast<std::uint32_t>(code.size());
    append(few.once);
    append(few.every);
    const std::size_t skip_rest = branch(few.certain, true, 0);
    append(BodyCopies(f, loop).make(kRest));
    code.push_back(test);
    code[skip_rest].target = static_cast<std::uint32_t>(code.size());
    branch(back_.guard, !back_.guard.negated, kLeave);
    const auto rest = static_cast<std::uint32_t>(code.size());
    append(original);
    code.back().target = rest;
  }

 private:
  void append(const std::vector<Instr>& more) { code.insert(code.end(), more.begin(), more.end()); }

  std::size_t branch(Operand guard, bool negated, std::uint32_t target) {
    Instr in = back_;
    in.uniform = false;
    in.guard = guard;
    in.guard.negated = negated;
    in.target = target;
    code.push_back(in);
    return code.size() - 1;
  }

  // The test's predicate as one that goes on.
  Instr always(Instr test) const {
    test.cmp = back_.guard.negated ? Cmp::Ne : Cmp::Eq;
    test.src[0] = test.src[1] = Operand{.kind = Operand::Kind::Imm};
    return test;
  }

  Instr back_;
};

}  // namespace

bool unroll_loops(const Module& module, Function& f) {
  const std::vector<CountedLoop> loops = find_loops_to_unroll(module, f);
  if (loops.empty()) return false;
  std::vector<Instr> code;
  std::vector<std::uint8_t> is_new;                       // by new place: so is the branch's target
  std::vector<std::uint32_t> moved(f.instrs.size() + 1);  // by old place
  auto loop = loops.begin();
  for (std::uint32_t i = 0; i < f.instrs.size();) {
    const auto base = moved[i] = static_cast<std::uint32_t>(code.size());
    if (loop == loops.end() || loop->first != i) {
      code.push_back(f.instrs[i++]);
      is_new.push_back(0);
      continue;
    }
    for (Instr& in : Unrolled(f, *loop).code) {
      is_new.push_back(in.op == Op::Bra && in.target != kLeave);
      if (in.op == Op::Bra) in.target = is_new.back() ? base + in.target : loop->end;
      code.push_back(in);
    }
    i = loop++->end;
  }
  moved.back() = static_cast<std::uint32_t>(code.size());
  for (std::size_t k = 0; k < code.size(); ++k)
    if (code[k].op == Op::Bra && !is_new[k]) code[k].target = moved[code[k].target];
  for (auto& table : f.branch_tables)
    for (std::uint32_t& t : table) t = moved[t];
  f.instrs = std::move(code);
  f.no_unroll.clear();  // places of before
  return true;
}

}  // namespace heddle::ptx
