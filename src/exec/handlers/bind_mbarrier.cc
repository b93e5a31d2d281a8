// mbarrier: a barrier object in shared memory (warp/mbarrier.h). Lanes act one after another, lowest first,
// as for atomics.
#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/image/kernel_image.h"
#include "exec/memory/memory_access.h"
#include "exec/warp/mbarrier.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::MbarrierOp;
using ptx::Op;
using ptx::Space;
using ptx::Type;

[[noreturn]] void wrong_use(Warp& w, const Code& c, int lane, const char* what) {
  wrong_mbarrier_use(w, static_cast<std::uint32_t>(&c - w.image().code.data()), lane, what);
}

// Changes the barrier as one lane asks for; what is wrong about it, or nullptr. `value`: the source operand.
const char* apply(const Instr& in, Mbarrier& b, std::uint64_t value) {
  if (in.mbarrier == MbarrierOp::Init) {
    if (value == 0 || value > Mbarrier::kMostArrivals)
      return "mbarrier.init with a count that is not 1 to 1048575";
    b = {value, value, 0, true, false};
    return nullptr;
  }
  if (!b.valid) return "use of an mbarrier that was not initialised";
  std::uint64_t arrivals = 0;
  std::int64_t bytes = 0;
  switch (in.mbarrier) {
    case MbarrierOp::Arrive:
    case MbarrierOp::ArriveDrop:
      arrivals = in.mbarrier_expects ? 1 : value;
      bytes = in.mbarrier_expects ? static_cast<std::int64_t>(value) : 0;
      break;
    case MbarrierOp::CopyArrive:
      // The copies have come; without .noinc the barrier expects one arrival more, and here it is.
      arrivals = in.mbarrier_noinc ? 1 : 0;
      break;
    case MbarrierOp::ExpectTx:
      bytes = static_cast<std::int64_t>(value);
      break;
    case MbarrierOp::CompleteTx:
      bytes = -static_cast<std::int64_t>(value);
      break;
    default:
      break;
  }
  // Who drops out is not expected in the next phase, which may begin with this.
  if (in.mbarrier == MbarrierOp::ArriveDrop && arrivals <= b.pending)
    b.expected -= std::min(b.expected, arrivals);
  return b.advance(arrivals, bytes);
}

// Code: a address, b source, d state before the arrival (aux bit 0: it is wanted).
void change(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  Access& access = w.access();
  set_addresses(w, c, sizeof(std::uint64_t), in.space, true, active);
  access.atomic = true;
  const std::uint32_t* values = w.in<std::uint32_t>(c.b);
  std::uint64_t* d = (c.aux() & 1) != 0 ? w.out<std::uint64_t>(c.d) : nullptr;
  with_regions(w, c, active, [&](const Region& region, Mask lanes, const Shape&) {
    if (access.space != Space::Shared)
      wrong_use(w, c, std::countr_zero(lanes), "mbarrier instruction on memory that is not shared");
    for (Mask m = lanes; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      void* const cell = reinterpret_cast<void*>(region.bias + access.address[static_cast<unsigned>(i)]);
      std::uint64_t word = 0;
      std::memcpy(&word, cell, sizeof word);
      Mbarrier barrier = Mbarrier::from(word);
      if (const char* wrong = apply(in, barrier, values[i]); wrong != nullptr) wrong_use(w, c, i, wrong);
      if (d != nullptr) d[i] = word;
      word = in.mbarrier == MbarrierOp::Inval ? 0 : barrier.word();
      std::memcpy(cell, &word, sizeof word);
    }
  });
}

// test_wait and try_wait. Code: a address, b state or parity, pd whether that phase is over.
void test_wait(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  Access& access = w.access();
  set_addresses(w, c, sizeof(std::uint64_t), in.space, false, active);
  w.note_spin_hint();
  Mask over = 0;
  with_regions(w, c, active, [&](const Region& region, Mask lanes, const Shape&) {
    if (access.space != Space::Shared)
      wrong_use(w, c, std::countr_zero(lanes), "mbarrier instruction on memory that is not shared");
    for (Mask m = lanes; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      std::uint64_t word = 0;
      std::memcpy(&word,
                  reinterpret_cast<const void*>(region.bias + access.address[static_cast<unsigned>(i)]),
                  sizeof word);
      const Mbarrier barrier = Mbarrier::from(word);
      if (!barrier.valid) wrong_use(w, c, i, "use of an mbarrier that was not initialised");
      const bool odd = in.mbarrier_parity ? (w.in<std::uint32_t>(c.b)[i] & 1) != 0
                                          : Mbarrier::from(w.in<std::uint64_t>(c.b)[i]).odd;
      if (barrier.odd != odd) over |= 1u << i;
    }
  });
  w.set_predicate(c.p, over, active);
}

void pending_count(Warp& w, const Code& c, Mask active) {
  const std::uint64_t* state = w.in<std::uint64_t>(c.b);
  write_lanes(w.out<std::uint32_t>(c.d), active,
              [&](int i) { return static_cast<std::uint32_t>(Mbarrier::from(state[i]).pending); });
}

}  // namespace

bool bind_mbarrier(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::Mbarrier) return false;
  if (in.mbarrier == MbarrierOp::PendingCount) {
    c.d = b.place(in.dst[0], Type::U32);
    c.b = b.place(in.src[0], Type::U64);
    c.handler = pending_count;
    return true;
  }
  Space space = in.space;
  bool kernel_param = false;
  c.set_aux(0);
  bind_address_operand(in, b, c, space, kernel_param);
  if (in.mbarrier == MbarrierOp::TestWait) {
    c.p = b.predicate(in.dst[0]);
    c.b = b.place(in.src[0], in.mbarrier_parity ? Type::U32 : Type::U64);
    c.handler = test_wait;
    return true;
  }
  if (in.n_dst > 0 && in.dst[0].kind == ptx::Operand::Kind::Reg) {
    c.d = b.place(in.dst[0], Type::U64);
    c.set_aux(c.aux() | 1);
  }
  c.b = in.n_src > 0 ? b.place(in.src[0], Type::U32) : b.constant32(1);
  c.handler = change;
  return true;
}

}  // namespace heddle::exec
