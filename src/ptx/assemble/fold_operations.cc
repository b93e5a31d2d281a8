#include "ptx/assemble/fold_operations.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/analysis/liveness.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kInputs = 3;  // of LOP3 and IADD3

bool is_word(Type t) {
  return !is_float(t) && bits(t) == 32;
}

// Halves of 64 bits have an instruction each.
bool is_logic(const Instr& in) {
  return (in.op == Op::And || in.op == Op::Or || in.op == Op::Xor || in.op == Op::Not || in.op == Op::Lop3) &&
         (is_word(in.type) || bits(in.type) == 64);
}

bool is_sum(const Instr& in) {
  return (in.op == Op::Add || in.op == Op::Sub || in.op == Op::Neg) && is_word(in.type) && !in.sat &&
         !in.carry_in && !in.carry_out;
}

bool is_fixed_shift(const Instr& in) {
  return in.op == Op::Shl && in.src[1].kind == Operand::Kind::Imm;
}

// With a sum it is one IMAD.
bool is_low_product(const Instr& in) {
  return in.op == Op::Mul && in.half == Half::Lo && is_word(in.type);
}

bool is_fixed_product(const Instr& in) {
  return is_low_product(in) && (in.src[0].kind == Operand::Kind::Imm || in.src[1].kind == Operand::Kind::Imm);
}

bool is_wide_sum(const Instr& in) {
  return in.op == Op::Add && !is_float(in.type) && bits(in.type) == 64 && !in.carry_in && !in.carry_out;
}

bool tests_for_zero(const Instr& in) {
  return in.op == Op::Setp && (in.cmp == Cmp::Eq || in.cmp == Cmp::Ne) && is_word(in.type) &&
         in.bool_op == BoolOp::None && in.src[1].kind == Operand::Kind::Imm && in.src[1].value == 0;
}

// -x and |x| of its operands cost it nothing.
bool takes_signs(const Instr& in) {
  switch (in.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Fma:
    case Op::Min:
    case Op::Max:
    case Op::Setp:
      return in.type == Type::F32 || in.type == Type::F64;
    default:
      return false;
  }
}

// Without a rounding of its own it may be part of a multiply-add.
bool may_contract(const Instr& in) {
  return (in.type == Type::F32 || in.type == Type::F64) && in.round == Round::None && !in.sat;
}
bool is_product(const Instr& in) {
  return in.op == Op::Mul && may_contract(in);
}
bool is_float_sum(const Instr& in) {
  return (in.op == Op::Add || in.op == Op::Sub) && may_contract(in);
}

bool is_sign(const Instr& in) {
  return (in.op == Op::Neg || in.op == Op::Abs) && (in.type == Type::F32 || in.type == Type::F64);
}

bool is_predicate_logic(const Instr& in) {
  return (in.op == Op::And || in.op == Op::Or || in.op == Op::Xor || in.op == Op::Not) &&
         in.type == Type::Pred;
}

bool is_fixed_sreg(const Instr& in) {
  return in.op == Op::Mov && in.src[0].kind == Operand::Kind::Sreg &&
         static_cast<Sreg>(in.src[0].index) < kFirstDynamicSreg;
}

class Folder {
 public:
  Folder(Function& f, const ControlFlow& flow)
      : f_(f), flow_(flow), uses_(f.instrs.size(), 0), sign_uses_(f.instrs.size(), 0) {}

  void run() {
    const std::vector<RegSet> live_out = live_out_of_blocks(f_, flow_);
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      const Block& block = flow_.blocks[b];
      count_uses(block, live_out[b]);
      made_by_.clear();
      inputs_.clear();
      for (std::uint32_t i = block.first; i < block.end; ++i) {
        fold(i);
        for_each_def(f_, f_.instrs[i], [&](std::uint32_t r) { made_by_[r] = i; });
      }
    }
    fold_known_registers();
  }

 private:
  // Of each value that is made in the block. Lanes without a guard go on with what they have.
  void count_uses(const Block& block, const RegSet& live_out) {
    made_by_.clear();
    auto use = [&](std::uint32_t r, bool sign) {
      const auto it = made_by_.find(r);
      if (it == made_by_.end()) return;
      ++uses_[it->second];
      sign_uses_[it->second] += sign ? 1 : 0;
    };
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Instr& in = f_.instrs[i];
      for_each_use(f_, in, [&](std::uint32_t r) { use(r, takes_signs(in)); });
      if (in.op == Op::Call && f_.calls[in.call].pointer.kind == Operand::Kind::Reg)
        use(f_.calls[in.call].pointer.index, false);
      const bool keeps = in.guard.kind != Operand::Kind::None && !in.fresh;
      for_each_def(f_, in, [&](std::uint32_t r) {
        if (keeps) use(r, false);
        made_by_[r] = i;
      });
    }
    live_out.for_each([&](std::uint32_t r) { use(r, false); });
  }

  void fold(std::uint32_t i) {
    Instr& in = f_.instrs[i];
    if (is_sign(in))
      in.folded = sign_uses_[i] == uses_[i];
    else if (is_predicate_logic(in))
      in.folded = in.op == Op::Not || reads_own_test(in);
    else if (is_logic(in))
      join_inputs(i, is_logic, true);
    else if (is_sum(in) && !absorb_any(in, is_fixed_shift) && !absorb_product(in))
      join_inputs(i, is_sum, false);
    else if (is_float_sum(in))
      absorb_any(in, is_product);
    else if (is_wide_sum(in))
      absorb_any(in, is_fixed_shift);
    else if (tests_for_zero(in))
      absorb(in, in.src[0], is_logic);
  }

  static bool is_register(const Operand& o) {
    return o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred;
  }

  // Who makes the operand in this block, if nobody else reads it and both run under the same guard.
  std::uint32_t own_producer(const Instr& in, const Operand& o) const {
    if (!is_register(o)) return kNoTarget;
    const auto it = made_by_.find(o.index);
    if (it == made_by_.end()) return kNoTarget;
    const Instr& p = f_.instrs[it->second];
    return p.guard == in.guard && p.n_dst == 1 && uses_[it->second] == 1 ? it->second : kNoTarget;
  }

  template <class Kind>
  bool absorb(const Instr& in, const Operand& o, Kind kind) {
    const std::uint32_t p = own_producer(in, o);
    if (p == kNoTarget || f_.instrs[p].folded || !kind(f_.instrs[p])) return false;
    f_.instrs[p].folded = true;
    return true;
  }

  // A comparison may end with a logic operation on another predicate.
  bool reads_own_test(const Instr& in) const {
    for (std::uint8_t s = 0; s < in.n_src; ++s) {
      const std::uint32_t p = own_producer(in, in.src[s]);
      if (p != kNoTarget && f_.instrs[p].op == Op::Setp && f_.instrs[p].bool_op == BoolOp::None) return true;
    }
    return false;
  }

  template <class Kind>
  bool absorb_any(const Instr& in, Kind kind) {
    for (std::uint8_t s = 0; s < in.n_src; ++s)
      if (absorb(in, in.src[s], kind)) return true;
    return false;
  }

  // What is subtracted is multiplied by the negated constant.
  bool absorb_product(const Instr& in) {
    if (in.op == Op::Neg) return absorb(in, in.src[0], is_fixed_product);
    if (absorb(in, in.src[0], is_low_product)) return true;
    return in.op == Op::Add ? absorb(in, in.src[1], is_low_product) : absorb(in, in.src[1], is_fixed_product);
  }

  // A value: what stands in an operand, and who made it in this block.
  struct Input {
    Operand operand;
    std::uint32_t made_by;
    bool operator==(const Input&) const = default;
  };
  Input input(const Operand& o) const {
    const auto it = is_register(o) ? made_by_.find(o.index) : made_by_.end();
    return {o, it == made_by_.end() ? kNoTarget : it->second};
  }

  // Inputs of a tree of operations of one kind, as long as they are few enough. `once`: what is read twice
  // is one of them.
  template <class Kind>
  void join_inputs(std::uint32_t i, Kind kind, bool once) {
    const Instr& in = f_.instrs[i];
    auto add = [once](std::vector<Input>& to, const Input& v) {
      if (!once || std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
    };
    std::vector<Input> all;
    std::vector<std::uint32_t> producers;
    for (std::uint8_t s = 0; s < in.n_src; ++s) add(all, input(in.src[s]));
    for (std::uint8_t s = 0; s < in.n_src; ++s) {
      const std::uint32_t p = own_producer(in, in.src[s]);
      const auto inputs = p == kNoTarget ? inputs_.end() : inputs_.find(p);
      if (inputs == inputs_.end() || !kind(f_.instrs[p])) continue;
      std::vector<Input> more = all;
      std::erase(more, input(in.src[s]));
      for (const Input& v : inputs->second) add(more, v);
      const auto constants = std::count_if(
          more.begin(), more.end(), [](const Input& v) { return v.operand.kind == Operand::Kind::Imm; });
      if (more.size() > kInputs || constants > 1) continue;
      all = std::move(more);
      producers.push_back(p);
    }
    for (const std::uint32_t p : producers) f_.instrs[p].folded = true;
    inputs_[i] = std::move(all);
  }

  // Read once, at the start.
  void fold_known_registers() {
    std::unordered_set<std::uint32_t> known;
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      Instr& in = f_.instrs[i];
      if (!is_fixed_sreg(in)) continue;
      if (known.contains(in.src[0].index))
        in.folded = true;
      else if (flow_.block_of[i] == 0)
        known.insert(in.src[0].index);
    }
  }

  Function& f_;
  const ControlFlow& flow_;
  std::vector<std::uint32_t> uses_, sign_uses_;  // of what an instruction makes, in its block and behind it
  std::unordered_map<std::uint32_t, std::uint32_t> made_by_;      // by register, in this block
  std::unordered_map<std::uint32_t, std::vector<Input>> inputs_;  // by operation that may be joined
};

}  // namespace

void fold_operations(Function& f, const ControlFlow& flow) {
  Folder(f, flow).run();
}

}  // namespace heddle::ptx
