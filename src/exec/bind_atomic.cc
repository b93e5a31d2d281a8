// atom and red. Lanes act one after another, lowest first: one legal order, the same on every host.
#include <bit>
#include <cstring>

#include "exec/alu/float_ops.h"
#include "exec/alu/half_ops.h"
#include "exec/bind.h"
#include "exec/memory_access.h"

namespace heddle::exec {

void bind_address_operand(const ptx::Instr& in, Binder& b, Code& c, ptx::Space& space, bool& kernel_param);

namespace {

using ptx::AtomOp;
using ptx::Instr;
using ptx::Space;
using ptx::Type;

template <class To, class From>
To as(From v) {
  return std::bit_cast<To>(v);
}

constexpr auto add_f16 = alu::add_half<alu::Half, false, alu::Post::None>;
constexpr auto add_bf16 = alu::add_half<alu::Bhalf, false, alu::Post::None>;

std::uint32_t add_float(Type type, std::uint32_t a, std::uint32_t b, bool flush) {
  using ptx::Round;
  switch (type) {
    case Type::F32:
      return as<std::uint32_t>(flush ? alu::add_f32<Round::Rn, true, false>(as<float>(a), as<float>(b))
                                     : alu::add_f32<Round::Rn, false, false>(as<float>(a), as<float>(b)));
    case Type::F16:
      return add_f16(a, b);
    case Type::BF16:
      return add_bf16(a, b);
    case Type::F16x2:
      return alu::pair2<add_f16>(a, b);
    case Type::BF16x2:
      return alu::pair2<add_bf16>(a, b);
    default:
      return a + b;
  }
}

// What an H200 does with NaNs: global memory keeps one as it is, the operand's first; shared memory makes it
// quiet, the cell's first.
std::uint64_t add_double(std::uint64_t old, std::uint64_t b, bool global) {
  const double cell = as<double>(old), operand = as<double>(b);
  if (global && operand != operand) return b;
  if (global && cell != cell) return old;
  return as<std::uint64_t>(alu::add_f64(operand, cell));
}

// The new value of a memory cell. In global memory subnormal f32 sums are flushed to zero.
template <class U>
U apply(const Instr& in, U old, U b, U c, bool global) {
  using S = std::make_signed_t<U>;
  const bool is_signed = ptx::is_signed(in.type);
  switch (in.atom) {
    case AtomOp::Add:
      if constexpr (sizeof(U) == 8) {
        return in.type == Type::F64 ? add_double(old, b, global) : old + b;
      } else {
        return ptx::is_float(in.type) ? static_cast<U>(add_float(in.type, old, b, global))
                                      : static_cast<U>(old + b);
      }
    case AtomOp::And:
      return old & b;
    case AtomOp::Or:
      return old | b;
    case AtomOp::Xor:
      return old ^ b;
    case AtomOp::Exch:
      return b;
    case AtomOp::Cas:
      return old == b ? c : old;
    case AtomOp::Inc:
      return old >= b ? 0 : static_cast<U>(old + 1);
    case AtomOp::Dec:
      return old == 0 || old > b ? b : static_cast<U>(old - 1);
    case AtomOp::Min:
      return is_signed ? static_cast<U>(std::min(static_cast<S>(old), static_cast<S>(b))) : std::min(old, b);
    case AtomOp::Max:
      return is_signed ? static_cast<U>(std::max(static_cast<S>(old), static_cast<S>(b))) : std::max(old, b);
    case AtomOp::None:
      break;
  }
  return old;
}

// Code: a address, b and c sources, d result (aux bit 0: there is one), address flags as for loads.
template <class Memory, class Lane>
void atomic(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  w.note_spin_hint();
  Access& access = w.access();
  access.space = in.space == Space::Generic || in.space == Space::Shared ? in.space : Space::Global;
  access.write = access.atomic = true;
  access.bytes = sizeof(Memory);
  access.mask = active;
  if ((c.aux() & (1u << 8)) != 0) {
    const std::uint32_t* a = w.in<std::uint32_t>(c.a);
    for (int i = 0; i < kLanes; ++i)
      access.address[static_cast<unsigned>(i)] =
          static_cast<std::uint32_t>(a[i] + static_cast<std::uint32_t>(c.imm));
  } else {
    const std::uint64_t* a = w.in<std::uint64_t>(c.a);
    for (int i = 0; i < kLanes; ++i)
      access.address[static_cast<unsigned>(i)] = a[i] + static_cast<std::uint64_t>(c.imm);
  }
  const Lane* b = w.in<Lane>(c.b);
  const Lane* other = w.in<Lane>(c.c);
  Lane* d = (c.aux() & 1) != 0 ? w.out<Lane>(c.d) : nullptr;
  with_regions(w, c, active, [&](const Region& region, Mask lanes, const Shape&) {
    const bool global = access.space == Space::Global;
    for (Mask m = lanes; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      void* const cell = reinterpret_cast<void*>(region.bias + access.address[static_cast<unsigned>(i)] +
                                                 static_cast<std::size_t>(i) * region.lane_stride);
      Memory old;
      std::memcpy(&old, cell, sizeof old);
      const auto next = static_cast<Memory>(
          apply<Lane>(in, old, static_cast<Memory>(b[i]), static_cast<Memory>(other[i]), global));
      std::memcpy(cell, &next, sizeof next);
      if (d != nullptr) d[i] = old;
    }
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
