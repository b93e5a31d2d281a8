#include "ptx/assemble/loops_to_unroll.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/cta_uniformity.h"
#include "ptx/analysis/liveness.h"
#include "ptx/assemble/machine_cost.h"
#include "ptx/assemble/rewrite.h"
#include "ptx/assemble/schedule.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kMostCost = 50, kMostWithoutLoad = 21, kForSharedLoad = 4;

// Their registers are in tables of their own.
bool is_matrix(const Instr& in) {
  return in.matrix != kNoTarget || in.op == Op::Mma || in.op == Op::MoveMatrix || in.op == Op::WmmaLoad ||
         in.op == Op::WmmaStore || in.op == Op::LoadMatrix || in.op == Op::StoreMatrix;
}

bool is_outer_access(const Instr& in) {
  return (in.op == Op::Ld || in.op == Op::St) && in.space != Space::Shared && in.space != Space::Param &&
         in.space != Space::Const;
}

// Where lanes that make other numbers of rounds are needed, or the order among threads.
bool wants_all_threads(const Instr& in) {
  return is_collective(in.op) || in.op == Op::Atom || in.op == Op::Red || in.op == Op::BarSync ||
         in.op == Op::BarArrive || in.op == Op::BarRed || in.op == Op::BarWarp;
}

bool can_be_copied(const Instr& in) {
  if (in.carry_in || in.carry_out || is_matrix(in)) return false;
  return wants_all_threads(in) || is_outer_access(in) || !keeps_its_place(in);
}

// What the assembler weighs, and what it allows.
class Size {
 public:
  // False: the body is not copied.
  bool add(const Instr& in) {
    if (!can_be_copied(in)) return false;
    const bool outer = is_outer_access(in) || in.op == Op::Tex || in.op == Op::Tld4 || in.op == Op::Prefetch;
    total_ += outer ? 2 : machine_instructions(in);
    loads_ |= outer && in.op != Op::St;
    if (in.op == Op::Ld && in.space == Space::Shared) ++shared_loads_;
    if (in.guard.kind == Operand::Kind::Pred && guards_.insert(in.guard.index).second) ++total_;
    all_threads |= wants_all_threads(in);
    return total_ <= kMostCost;
  }
  bool fits() const {
    return total_ <=
           (loads_ ? kMostCost : std::min(kMostCost, kMostWithoutLoad + kForSharedLoad * shared_loads_));
  }

  bool all_threads = false;

 private:
  std::uint32_t total_ = 1;  // the branch
  std::uint32_t shared_loads_ = 0;
  bool loads_ = false;
  std::unordered_set<std::uint32_t> guards_;
};

class LoopFinder {
 public:
  LoopFinder(const Module& module, const Function& f)
      : module_(module), f_(f), flow_(build_control_flow(f)) {}

  std::vector<CountedLoop> find() {
    std::vector<CountedLoop> loops;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
      if (const auto loop = find_counted_loop(f_, flow_, b); loop && should_unroll(*loop, b))
        loops.push_back(*loop);
    return loops;
  }

 private:
  bool should_unroll(const CountedLoop& loop, std::uint32_t block) {
    if (!reads_count(loop)) return false;
    for (const std::uint32_t i : f_.no_unroll)
      if (i >= loop.first && i < loop.end) return false;
    Size size;
    for (std::uint32_t i = loop.first; i + 1 < loop.end; ++i)
      if (!size.add(f_.instrs[i])) return false;
    return size.fits() && !(size.all_threads && divides(block));
  }

  // ptxas copies a body that goes on while its test holds, not one that leaves to what follows when it does.
  // A bound that stands first is negated in the test, so that the loop changes it
  // (tools/probes/ptxas_blocks.py).
  bool reads_count(const CountedLoop& loop) const {
    return !f_.instrs[loop.end - 1].guard.negated && !(loop.bound_first && is_negated(loop.bound));
  }

  // What only a negation makes, but not of a parameter.
  bool is_negated(const Operand& bound) const {
    const Instr* made = only_definition(bound);
    if (made == nullptr) return false;
    const bool from_zero =
        made->op == Op::Sub && made->src[0].kind == Operand::Kind::Imm && made->src[0].value == 0;
    if (made->op != Op::Neg && !from_zero) return false;
    const Instr* source = only_definition(made->src[from_zero ? 1 : 0]);
    return source == nullptr || !is_load(source->op) || source->space != Space::Param;
  }
  const Instr* only_definition(const Operand& o) const {
    const Instr* found = nullptr;
    for (const Instr& in : f_.instrs)
      for_each_def(f_, in, [&](std::uint32_t r) {
        if (is_register(o) && r == o.index) found = found == nullptr ? &in : &two_;
      });
    return found == &two_ ? nullptr : found;
  }

  // Whether threads of a CTA may leave the loop after different numbers of rounds.
  bool divides(std::uint32_t block) {
    if (!uniformity_) uniformity_.emplace(module_, f_, flow_);
    return std::binary_search(uniformity_->partings().begin(), uniformity_->partings().end(), block);
  }

  const Module& module_;
  const Function& f_;
  const ControlFlow flow_;
  const Instr two_;  // stands for more than one
  std::optional<CtaUniformity> uniformity_;
};

}  // namespace

std::vector<CountedLoop> find_loops_to_unroll(const Module& module, const Function& f) {
  return f.instrs.empty() ? std::vector<CountedLoop>() : LoopFinder(module, f).find();
}

}  // namespace heddle::ptx
