#include "techniques/cta_clustering/rewrite/early_exit.h"

#include <fmt/format.h>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/cta_uniformity.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using ptx::Op;
using tree::Refusal;

// Waits for all threads of the CTA. One with a number of threads waits for that many, whoever leaves.
bool is_cta_barrier(const ptx::Instr& in) {
  return (in.op == Op::BarSync || in.op == Op::BarRed) && in.src[1].kind == ptx::Operand::Kind::None;
}

// Waits for lanes of the warp, which may be among those that have left.
bool is_collective(const ptx::Instr& in) {
  switch (in.op) {
    case Op::BarWarp:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Redux:
    case Op::Elect:
    case Op::Mma:
    case Op::WmmaLoad:
    case Op::WmmaStore:
    case Op::LoadMatrix:
    case Op::StoreMatrix:
    case Op::MoveMatrix:
      return true;
    default:
      return false;
  }
}

struct Meeting {
  bool cta = false, warp = false;
};

// Of a call: whatever the functions behind it have, not only the one that is called.
Meeting of_called(const KernelCode& code) {
  Meeting m;
  for (std::size_t i = 1; i < code.functions.size(); ++i)
    for (const ptx::Instr& in : code.functions[i].decoded->instrs) {
      m.cta |= is_cta_barrier(in);
      m.warp |= is_collective(in);
    }
  return m;
}

// In a function, too: threads that return from it early may leave the kernel while others meet in it.
std::optional<Refusal> refuse_early_exit(const KernelCode& code, const FunctionCode& of,
                                         const Meeting& called) {
  const ptx::Function& f = *of.decoded;
  const ptx::ControlFlow flow = ptx::build_control_flow(f);
  const ptx::CtaUniformity uniformity(code.decoded, f, flow);
  for (const std::uint32_t parting : uniformity.partings()) {
    const auto region = uniformity.region(parting);
    const std::uint32_t branch = flow.blocks[parting].end - 1;
    for (const std::uint32_t b : region.blocks)
      for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
        const ptx::Instr& in = f.instrs[i];
        const bool call = in.op == Op::Call;
        const bool barrier = is_cta_barrier(in) || (call && called.cta);
        const bool collective = region.leaves && (is_collective(in) || (call && called.warp));
        if (!barrier && !collective) continue;
        const tree::Statement* const by = of.instructions.at(branch);
        const std::string where = fmt::format("which threads come here is decided on line {}", by->at.line);
        return tree::refuse(
            region.leaves ? "early exit" : "divergent barrier",
            region.leaves ? fmt::format("some threads may have left the kernel when others meet, {}", where)
                          : fmt::format("not all threads of a CTA may meet at this barrier, {}", where),
            f.name, of.instructions.at(i));
      }
  }
  return {};
}

}  // namespace

std::optional<Refusal> refuse_early_exit(const KernelCode& code) {
  const Meeting called = of_called(code);
  for (const FunctionCode& f : code.functions)
    if (auto no = refuse_early_exit(code, f, called)) return no;
  return {};
}

}  // namespace heddle::cta_clustering
