// atom and red. Lanes act one after another, lowest first: one legal order, the same on every host.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/memory/atomic_ops.h"
#include "exec/memory/atomic_records.h"
#include "exec/memory/logged_access.h"
#include "exec/memory/memory_access.h"

namespace heddle::exec {

namespace {

using ptx::Instr;
using ptx::Space;
using ptx::Type;

// Keeps what the L2 slice will need to execute the lanes.
template <class Lane>
std::uint16_t capture(AtomicRecords& records, const Instr& in, const Access& access, Mask lanes,
                      const Lane* b, const Lane* c, Lane* d) {
  const std::uint16_t index = records.take();
  AtomicRecord& r = records[index];
  r.instr = &in;
  r.destination = reinterpret_cast<std::byte*>(d);
  r.mask = lanes;
  r.bytes = static_cast<std::uint8_t>(access.bytes);
  r.address = access.address;
  std::copy_n(b, kLanes, r.b.begin());
  std::copy_n(c, kLanes, r.c.begin());
  records.count_lines(r);
  return index;
}

// Lanes one after another: `f(old, b, c)` is the new value of a lane's cell.
template <class Memory, class Lane, class F>
struct LaneByLane {
  const Lane *b, *c;
  Lane* d;  // nullptr: nobody wants the old values
  F f;
  Memory next(int i, Memory old) const {
    return static_cast<Memory>(f(static_cast<Lane>(old), static_cast<Lane>(static_cast<Memory>(b[i])),
                                 static_cast<Lane>(static_cast<Memory>(c[i]))));
  }
  Memory take(int i, Memory old) const {
    const Memory value = next(i, old);
    if (d != nullptr) d[i] = old;
    return value;
  }

  // All lanes on one cell, which stays in a register. Whether it changed.
  bool on_cell(void* cell, Mask lanes) const {
    Memory value;
    std::memcpy(&value, cell, sizeof value);
    const Memory before = value;
    if (lanes != kAllLanes) {
      for (Mask m = lanes; m != 0; m &= m - 1) value = take(std::countr_zero(m), value);
    } else if (d == nullptr) {
      for (int i = 0; i < kLanes; ++i) value = next(i, value);
    } else {
      for (int i = 0; i < kLanes; ++i) value = take(i, value);
    }
    std::memcpy(cell, &value, sizeof value);
    return value != before;
  }
  // Returns how many cells changed.
  std::uint64_t on_cells(const Region& region, const Access& access, Mask lanes) const {
    std::uint64_t changed = 0;
    for (Mask m = lanes; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      void* const cell = reinterpret_cast<void*>(region.bias + access.address[static_cast<unsigned>(i)] +
                                                 static_cast<std::size_t>(i) * region.lane_stride);
      Memory old;
      std::memcpy(&old, cell, sizeof old);
      const Memory value = take(i, old);
      changed += value != old;
      std::memcpy(cell, &value, sizeof value);
    }
    return changed;
  }
};

// Runs `body` with the operation, so that what it is need not be asked lane by lane; what is used most.
template <class Lane, class Body>
std::uint64_t with_operation(const Instr& in, bool global, Body&& body) {
  using ptx::AtomOp;
  using S = std::make_signed_t<Lane>;
  const bool is_signed = ptx::is_signed(in.type);
  switch (in.atom) {
    case AtomOp::Add:
      if (!ptx::is_float(in.type)) return body([](Lane old, Lane b, Lane) { return old + b; });
      break;
    case AtomOp::And:
      return body([](Lane old, Lane b, Lane) { return old & b; });
    case AtomOp::Or:
      return body([](Lane old, Lane b, Lane) { return old | b; });
    case AtomOp::Xor:
      return body([](Lane old, Lane b, Lane) { return old ^ b; });
    case AtomOp::Exch:
      return body([](Lane, Lane b, Lane) { return b; });
    case AtomOp::Cas:
      return body([](Lane old, Lane b, Lane c) { return old == b ? c : old; });
    case AtomOp::Min:
      if (ptx::is_float(in.type)) break;
      if (!is_signed) return body([](Lane old, Lane b, Lane) { return std::min(old, b); });
      return body([](Lane old, Lane b, Lane) {
        return static_cast<Lane>(std::min(static_cast<S>(old), static_cast<S>(b)));
      });
    case AtomOp::Max:
      if (ptx::is_float(in.type)) break;
      if (!is_signed) return body([](Lane old, Lane b, Lane) { return std::max(old, b); });
      return body([](Lane old, Lane b, Lane) {
        return static_cast<Lane>(std::max(static_cast<S>(old), static_cast<S>(b)));
      });
    default:
      break;
  }
  return body([&](Lane old, Lane b, Lane c) { return apply_atomic(in, old, b, c, global); });
}

// One cell of global memory for a whole warp, when nobody wants to know addresses: warp.access() is left
// alone. nullptr: take the long way, which also finds out what is wrong.
void* plain_cell(Warp& w, const Code& c, Mask active, std::uint32_t bytes) {
  constexpr std::uint32_t kHasResult = 1;
  const ExecContext& context = w.context();
  if (active != kAllLanes || c.instr->space != Space::Global || (c.aux() & ~kHasResult) != 0 ||
      context.log != nullptr || context.count_accesses)
    return nullptr;
  const LinearAddresses line = linear_addresses(w.in<std::uint64_t>(c.a), static_cast<std::uint64_t>(c.imm));
  const bool plain = line.found && line.stride == 0 && (line.first & (bytes - 1)) == 0 &&
                     within(bounds_of(w, c), line.first, line.first);
  return plain ? reinterpret_cast<void*>(context.global + line.first) : nullptr;
}

// Code: a address, b and c sources, d result (aux bit 0: there is one), address flags as for loads.
template <class Memory, class Lane>
void atomic(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  AtomicRecords* const records = w.context().atomics;
  if (records != nullptr && records->full()) {
    w.retry(active);
    return;
  }
  const Lane* b = w.in<Lane>(c.b);
  const Lane* other = w.in<Lane>(c.c);
  Lane* d = (c.aux() & 1) != 0 ? w.out<Lane>(c.d) : nullptr;
  if (void* const cell = plain_cell(w, c, active, sizeof(Memory)); cell != nullptr) {
    w.note_spin_hint();
    w.context().changed_cells += with_operation<Lane>(in, true, [&](auto f) {
      return std::uint64_t{LaneByLane<Memory, Lane, decltype(f)>{b, other, d, f}.on_cell(cell, active)};
    });
    return;
  }
  Access& access = w.access();
  const bool elsewhere = in.space == Space::Generic || in.space == Space::Shared;
  set_addresses(w, c, sizeof(Memory), elsewhere ? in.space : Space::Global, true, active);
  if (records != nullptr && in.space != Space::Shared && is_awaited(w, active)) {
    w.retry(active);
    return;
  }
  w.note_spin_hint();
  access.atomic = true;
  with_regions(w, c, active, [&](const Region& region, Mask lanes, const Shape& shape) {
    const bool global = access.space == Space::Global;
    if (global && records != nullptr) {
      access.payload = capture(*records, in, access, lanes, b, other, d);
      if (d != nullptr) w.expect_result();
      return;
    }
    w.context().changed_cells += with_operation<Lane>(in, global, [&](auto f) {
      const LaneByLane<Memory, Lane, decltype(f)> turns{b, other, d, f};
      if (!shape.uniform() || region.lane_stride != 0) return turns.on_cells(region, access, lanes);
      return std::uint64_t{turns.on_cell(reinterpret_cast<void*>(region.bias + shape.lowest), lanes)};
    });
  });
}

}  // namespace

bool bind_atomic(const Instr& in, Binder& b, Code& c) {
  if (in.op != ptx::Op::Atom && in.op != ptx::Op::Red) return false;
  if (in.vector != 1) b.unsupported("vector atomics");
  Space space = in.space;
  bool kernel_param = false;
  c.set_aux(0);
  bind_address_operand(in, b, c, space, kernel_param);
  if (in.n_dst > 0 && in.dst[0].kind == ptx::Operand::Kind::Reg) {
    c.d = b.place(in.dst[0], in.type);
    c.set_aux(c.aux() | 1);
  }
  c.b = b.place(in.src[0], in.type);
  c.c = in.n_src > 1 ? b.place(in.src[1], in.type) : c.b;
  switch (ptx::bytes(in.type)) {
    case 2:
      c.handler = atomic<std::uint16_t, std::uint32_t>;
      break;
    case 4:
      c.handler = atomic<std::uint32_t, std::uint32_t>;
      break;
    case 8:
      c.handler = atomic<std::uint64_t, std::uint64_t>;
      break;
    default:
      b.unsupported("an atomic of this size");
  }
  return true;
}

}  // namespace heddle::exec
