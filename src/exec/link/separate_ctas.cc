#include "exec/link/separate_ctas.h"

#include <algorithm>

#include "exec/image/kernel_image.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Space;

bool may_be_global(Space space) {
  return space == Space::Global || space == Space::Generic || space == Space::None;
}

// .cg and .cv ask for what others have written since: who polls uses them.
bool asks_for_news(const Instr& in) {
  return in.order != ptx::MemOrder::Weak || in.cache == ptx::CacheHint::Cg || in.cache == ptx::CacheHint::Cv;
}

// What is not listed is not known to concern the CTA alone.
bool concerns_its_cta(const Instr& in) {
  if (in.op <= Op::MoveMatrix) return true;  // registers only; a clock counts the warp's own instructions
  switch (in.op) {
    case Op::Ld:
      return !may_be_global(in.space) || !asks_for_news(in);
    case Op::St:
      return !may_be_global(in.space) || in.order == ptx::MemOrder::Weak;
    case Op::Atom:
    case Op::Red:
      return in.space == Space::Shared;
    case Op::Prefetch:
    case Op::CpAsync:
    case Op::CpAsyncCommit:
    case Op::CpAsyncWait:
      return in.atom == ptx::AtomOp::None;
    case Op::Membar:
      return in.scope == ptx::Scope::Cta;
    case Op::Mbarrier:  // in shared memory
    case Op::Tex:
    case Op::Tld4:
    case Op::Txq:
    case Op::Suld:
    case Op::Sust:
    case Op::WmmaLoad:
    case Op::WmmaStore:
    case Op::LoadMatrix:
    case Op::StoreMatrix:
    case Op::Bra:
    case Op::BrxIdx:
    case Op::Call:
    case Op::Ret:
    case Op::Exit:
    case Op::Trap:
    case Op::Brkpt:
    case Op::Nop:
    case Op::BarSync:
    case Op::BarArrive:
    case Op::BarRed:
    case Op::BarWarp:
    case Op::Shfl:
    case Op::Vote:
    case Op::Match:
    case Op::Activemask:
    case Op::Redux:
    case Op::Elect:
      return true;
    default:
      return false;
  }
}

}  // namespace

// An image holds every function that an indirect call can reach.
bool has_separate_ctas(const KernelImage& image) {
  return std::all_of(image.code.begin(), image.code.end(),
                     [](const Code& c) { return concerns_its_cta(*c.instr); }) &&
         std::all_of(image.calls.begin(), image.calls.end(), [](const CallInfo& call) {
           return call.builtin == Builtin::None || call.builtin == Builtin::Assertfail;
         });
}

}  // namespace heddle::exec
