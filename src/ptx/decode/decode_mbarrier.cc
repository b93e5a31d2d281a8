// mbarrier: barriers that are objects in shared memory, and the arrival of asynchronous copies at them.
#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

constexpr Choice<MbarrierOp> kOperations[] = {
    {Mod::Init, MbarrierOp::Init},
    {Mod::Inval, MbarrierOp::Inval},
    {Mod::Arrive, MbarrierOp::Arrive},
    {Mod::ArriveDrop, MbarrierOp::ArriveDrop},
    {Mod::CompleteTx, MbarrierOp::CompleteTx},
    {Mod::TestWait, MbarrierOp::TestWait},
    {Mod::TryWait, MbarrierOp::TestWait},
    {Mod::PendingCount, MbarrierOp::PendingCount},
};

void space_and_order(Decoder& d) {
  static constexpr Choice<MemOrder> kOrders[] = {{Mod::Relaxed, MemOrder::Relaxed},
                                                 {Mod::Acquire, MemOrder::Acquire},
                                                 {Mod::Release, MemOrder::Release}};
  Instr& i = d.in();
  d.space();
  if (i.space != Space::Generic && i.space != Space::Shared)
    d.fail(d.fmt_opcode() + ": an mbarrier lies in .shared memory");
  d.scope();
  d.pick(kOrders, i.order);
  // Where nothing is written, arrivals release and waits acquire, for the CTA: no more than every access to
  // shared memory does.
  i.order = MemOrder::Weak;
  i.type = d.type({Type::B64});
}

// The count of an arrival; 1 when none is written.
void count(Decoder& d, bool required) {
  if (required || d.left() > 0) d.src(Type::U32);
}

void arrive(Decoder& d) {
  Instr& i = d.in();
  i.mbarrier_expects = d.take(Mod::ExpectTx);
  const bool no_complete = d.take(Mod::NoComplete);
  space_and_order(d);
  d.dst(Type::B64);
  d.address();
  count(d, i.mbarrier_expects || no_complete);
}

void wait(Decoder& d) {
  Instr& i = d.in();
  i.mbarrier_parity = d.take(Mod::Parity);
  const bool may_suspend = d.fmt_opcode().starts_with("mbarrier.try_wait");
  space_and_order(d);
  d.dst(Type::Pred);
  d.address();
  d.src(i.mbarrier_parity ? Type::U32 : Type::B64);
  // For how long the thread may sleep: it does not, and asks again.
  if (may_suspend && d.left() > 0) d.src(Type::U32);
}

}  // namespace

void decode_mbarrier(Decoder& d, const Root&) {
  Instr& i = d.in();
  // mbarrier.expect_tx, unless it is part of an arrival.
  if (!d.pick(kOperations, i.mbarrier)) {
    if (!d.take(Mod::ExpectTx)) d.fail_missing("an operation such as .arrive");
    i.mbarrier = MbarrierOp::ExpectTx;
  }
  switch (i.mbarrier) {
    case MbarrierOp::Arrive:
    case MbarrierOp::ArriveDrop:
      return arrive(d);
    case MbarrierOp::TestWait:
      return wait(d);
    case MbarrierOp::PendingCount:
      i.type = d.type({Type::B64});
      d.dst(Type::U32);
      return d.src(Type::B64);
    default:
      break;
  }
  space_and_order(d);
  d.address();
  if (i.mbarrier != MbarrierOp::Inval) d.src(Type::U32);
}

// cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [addr]
void decode_copy_arrival(Decoder& d) {
  Instr& i = d.in();
  i.op = Op::Mbarrier;
  i.mbarrier = MbarrierOp::CopyArrive;
  if (!d.take(Mod::Arrive)) d.fail_missing(".arrive");
  i.mbarrier_noinc = d.take(Mod::Noinc);
  space_and_order(d);
  d.address();
}

}  // namespace heddle::ptx
