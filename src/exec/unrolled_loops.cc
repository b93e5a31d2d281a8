// Which loops the vendor's assembler unrolls. ptxas 13.0 (-O3, sm_90), asked with loops of one block that
// load and multiply-add, makes four rounds one as long as the body has at most 49 instructions and fewer than
// 16 loads, and leaves a loop behind .pragma "nounroll" alone.
#include <algorithm>
#include <vector>

#include "exec/kernel_image.h"
#include "exec/static_code.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;

constexpr std::uint32_t kMostInstructions = 49, kMostLoads = 15;

bool plain(const Instr& in) {
  switch (in.op) {
    case Op::Atom:
    case Op::Red:
    case Op::Bra:
    case Op::BrxIdx:
    case Op::Call:
    case Op::Ret:
    case Op::Exit:
    case Op::Trap:
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRed:
    case Op::BarWarp:
    case Op::Membar:
    case Op::Nanosleep:
    case Op::CpAsync:
    case Op::CpAsyncCommit:
    case Op::CpAsyncWait:
      return false;
    case Op::Mov:  // a clock is read for its time
      return in.src[0].kind != ptx::Operand::Kind::Sreg ||
             static_cast<ptx::Sreg>(in.src[0].index) < ptx::kFirstDynamicSreg;
    default:
      return in.order == ptx::MemOrder::Weak;
  }
}

// Instructions [first, last]; the last is a branch to the first.
bool unrolled(const ptx::Function& f, std::uint32_t first, std::uint32_t last) {
  if (last - first + 1 > kMostInstructions) return false;
  std::uint32_t loads = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    if (!plain(f.instrs[i])) return false;
    loads += f.instrs[i].op == Op::Ld && f.instrs[i].space != ptx::Space::Param ? 1 : 0;
  }
  if (loads > kMostLoads) return false;
  return std::none_of(f.nounroll.begin(), f.nounroll.end(),
                      [&](std::uint32_t i) { return first <= i && i <= last; });
}

// A block of its own: nobody else jumps into it behind its start.
bool entered_at_start(const std::vector<bool>& is_target, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first + 1; i <= last; ++i)
    if (is_target[i]) return false;
  return true;
}

}  // namespace

void mark_unrolled_loops(KernelImage& image) {
  for (const FunctionImage& f : image.functions) {
    const std::vector<Instr>& code = f.source->instrs;
    std::vector<bool> is_target(code.size() + 1);
    for (const Instr& in : code)
      if (in.op == Op::Bra) is_target[in.target] = true;
    for (const auto& table : f.source->branch_tables)
      for (const std::uint32_t t : table) is_target[t] = true;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const Instr& in = code[i];
      if (in.op != Op::Bra || in.target > i || in.guard.kind == ptx::Operand::Kind::None) continue;
      image.statics[f.entry_pc + i].unrolled =
          entered_at_start(is_target, in.target, i) && unrolled(*f.source, in.target, i);
    }
  }
}

}  // namespace heddle::exec
