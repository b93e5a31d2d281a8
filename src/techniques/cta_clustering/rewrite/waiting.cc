#include "techniques/cta_clustering/rewrite/waiting.h"

#include <algorithm>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using ptx::Op;
using ptx::Operand;
using tree::Refusal;

bool reads_only(const ptx::Instr& in) {
  const bool zero = in.src[0].kind == Operand::Kind::Imm && in.src[0].value == 0;
  const bool neutral =
      in.atom == ptx::AtomOp::Add || in.atom == ptx::AtomOp::Or || in.atom == ptx::AtomOp::Xor;
  if (in.atom == ptx::AtomOp::Cas) return in.src[0] == in.src[1];
  return neutral && zero;
}

// Looks at what other CTAs may have written meanwhile.
bool polls(const ptx::Instr& in) {
  if (in.space != ptx::Space::Global && in.space != ptx::Space::Generic) return false;
  return (in.op == Op::Ld && in.order != ptx::MemOrder::Weak) || (in.op == Op::Atom && reads_only(in));
}

std::vector<std::uint8_t> reach(const ptx::ControlFlow& flow, std::uint32_t from, bool backwards) {
  std::vector<std::uint8_t> seen(flow.blocks.size(), 0);
  std::vector<std::uint32_t> work{from};
  while (!work.empty()) {
    const ptx::Block& b = flow.blocks[work.back()];
    work.pop_back();
    for (const std::uint32_t n : backwards ? b.predecessors : b.successors) {
      if (seen[n]) continue;
      seen[n] = 1;
      work.push_back(n);
    }
  }
  return seen;
}

// The blocks of the loops around a block.
std::vector<std::uint8_t> loop_around(const ptx::ControlFlow& flow, std::uint32_t block) {
  std::vector<std::uint8_t> loop = reach(flow, block, false);
  const std::vector<std::uint8_t> back = reach(flow, block, true);
  for (std::size_t i = 0; i < loop.size(); ++i) loop[i] &= back[i];
  return loop;
}

// Whether a way out of the loop depends on what instruction `first` reads.
bool decides_the_end(const ptx::Function& f, const ptx::ControlFlow& flow, std::uint32_t first) {
  const std::vector<std::uint8_t> loop = loop_around(flow, flow.block_of[first]);
  if (!loop[flow.block_of[first]]) return false;
  std::vector<std::uint8_t> tainted(f.registers.size(), 0);
  for_each_def(f, f.instrs[first], [&](std::uint32_t r) { tainted[r] = 1; });
  const auto uses = [&](const ptx::Instr& in) {
    bool any = false;
    for_each_use(f, in, [&](std::uint32_t r) { any |= tainted[r] != 0; });
    return any;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < f.instrs.size(); ++i) {
      if (!loop[flow.block_of[i]] || !uses(f.instrs[i])) continue;
      for_each_def(f, f.instrs[i], [&](std::uint32_t r) {
        changed |= tainted[r] == 0;
        tainted[r] = 1;
      });
    }
  }
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const ptx::Instr& last = f.instrs[flow.blocks[b].end - 1];
    const bool control =
        last.op == Op::Bra || last.op == Op::BrxIdx || last.op == Op::Ret || last.op == Op::Exit;
    if (!loop[b] || !control || !uses(last)) continue;
    const auto& next = flow.blocks[b].successors;
    if (next.size() < 2 || std::any_of(next.begin(), next.end(), [&](std::uint32_t s) { return !loop[s]; }))
      return true;
  }
  return false;
}

}  // namespace

std::optional<Refusal> refuse_waiting(const KernelCode& code) {
  const char* const reason = "it waits until another CTA has written this, which may not run before it ends";
  bool callee_polls = false;
  for (std::size_t n = 1; n < code.functions.size(); ++n)
    for (const ptx::Instr& in : code.functions[n].decoded->instrs) callee_polls |= polls(in);
  for (const FunctionCode& f : code.functions) {
    const ptx::ControlFlow flow = ptx::build_control_flow(*f.decoded);
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      const ptx::Instr& in = f.decoded->instrs[i];
      const bool waits = polls(in) && decides_the_end(*f.decoded, flow, i);
      // What a function has read comes back in a parameter: where it goes is not followed.
      const bool calls =
          in.op == Op::Call && callee_polls && loop_around(flow, flow.block_of[i])[flow.block_of[i]];
      if (waits || calls) return tree::refuse("waits for other CTAs", reason, f.name(), f.instructions[i]);
    }
  }
  return {};
}

}  // namespace heddle::cta_clustering
