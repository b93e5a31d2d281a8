#include "exec/functional/repetition.h"

#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"

namespace heddle::exec {
namespace {

using ptx::Op;

// What is not listed may change something.
bool changes_nothing(const KernelImage& image, const Code& c) {
  const ptx::Instr& in = *c.instr;
  if (in.op <= Op::MoveMatrix) return true;
  switch (in.op) {
    case Op::Ld:
    case Op::Atom:  // counted where they are executed
    case Op::Red:
    case Op::Prefetch:
    case Op::Tex:
    case Op::Tld4:
    case Op::Txq:
    case Op::Suld:
    case Op::WmmaLoad:
    case Op::LoadMatrix:
    case Op::Bra:
    case Op::BrxIdx:
    case Op::Ret:
    case Op::Exit:
    case Op::Nop:
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRed:
    case Op::BarWarp:
    case Op::Membar:
    case Op::Nanosleep:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Activemask:
    case Op::Redux:
    case Op::Elect:
      return true;
    case Op::Call:
      return image.calls[static_cast<std::uint32_t>(c.imm)].builtin == Builtin::None;
    case Op::Mbarrier:
      return in.mbarrier == ptx::MbarrierOp::TestWait;
    default:
      return false;
  }
}

}  // namespace

bool Repetition::seen(std::uint64_t state) {
  if (patience_ != 0 && state == kept_) return true;
  if (age_ == patience_) {
    kept_ = state;
    age_ = 0;
    patience_ = patience_ == 0 ? 1 : 2 * patience_;
  }
  ++age_;
  return false;
}

std::uint64_t visible_changes(const ExecContext& context) {
  std::uint64_t n = context.changed_cells;
  for (std::size_t pc = 0; pc < context.counts.size(); ++pc)
    if (!changes_nothing(*context.image, context.image->code[pc])) n += context.counts[pc].issued;
  return n;
}

}  // namespace heddle::exec
