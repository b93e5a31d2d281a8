// Conversions between generic addresses and those of a space, and addresses of variables.
#include "exec/handlers/bind.h"
#include "exec/warp/context.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"
#include "mem/device_memory.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

std::uint64_t window(Space space, bool in_entry) {
  switch (space) {
    case Space::Shared:
      return mem::kSharedWindow;
    case Space::Local:
      return mem::kLocalWindow;
    case Space::Param:
      return in_entry ? mem::kParamWindow : mem::kLocalWindow;
    default:
      return 0;
  }
}

template <class D, class S>
void add_constant(Warp& w, const Code& c, Mask active) {
  const S* a = w.in<S>(c.a);
  write_lanes(w.out<D>(c.d), active,
              [&](int i) { return static_cast<D>(a[i] + static_cast<std::uint64_t>(c.imm)); });
}

// The address of a variable in the running frame.
template <class D>
void frame_address(Warp& w, const Code& c, Mask active) {
  const std::uint64_t v = w.local_base() + static_cast<std::uint64_t>(c.imm);
  write_lanes(w.out<D>(c.d), active, [&](int) { return static_cast<D>(v); });
}

// .global or .const: both lie in the device's memory, constants are what a kernel cannot write.
void is_in_memory(Warp& w, const Code& c, Mask active) {
  const std::uint64_t* a = w.in<std::uint64_t>(c.a);
  Mask m = 0;
  for (int i = 0; i < kLanes; ++i) {
    const bool elsewhere = a[i] >= mem::kSharedWindow && a[i] < mem::kFunctionWindow;
    const mem::Allocation* x = elsewhere ? nullptr : w.context().memory.find(a[i]);
    const bool constant = x != nullptr && !x->writable;
    m |= static_cast<Mask>(c.instr->space == Space::Const ? constant : !elsewhere && !constant) << i;
  }
  w.set_predicate(c.pd, m, active);
}

void is_in_window(Warp& w, const Code& c, Mask active) {
  const std::uint64_t* a = w.in<std::uint64_t>(c.a);
  const auto base = static_cast<std::uint64_t>(c.imm);
  Mask m = 0;
  for (int i = 0; i < kLanes; ++i) {
    m |= static_cast<Mask>(a[i] >= base && a[i] < base + mem::kWindowBytes) << i;
  }
  w.set_predicate(c.pd, m, active);
}

// Special registers that change while the warp runs.
template <class D>
void read_clock(Warp& w, const Code& c, Mask active) {
  const workload::HardwareView* view = w.context().view;
  const std::uint64_t polled = view != nullptr ? 0 : w.poll_clock();
  const std::uint64_t cycles = view != nullptr ? view->clock() : polled;
  const std::uint64_t time = view != nullptr ? view->globaltimer() : polled;
  std::uint64_t v = 0;
  switch (static_cast<ptx::Sreg>(c.imm)) {
    case ptx::Sreg::Clock:
    case ptx::Sreg::Clock64:
      v = cycles;
      break;
    case ptx::Sreg::ClockHi:
      v = cycles >> 32;
      break;
    case ptx::Sreg::Globaltimer:
    case ptx::Sreg::GlobaltimerLo:
      v = time;
      break;
    case ptx::Sreg::GlobaltimerHi:
      v = time >> 32;
      break;
    default:
      break;
  }
  write_lanes(w.out<D>(c.d), active, [&](int) { return static_cast<D>(v); });
}

bool bind_mov(const Instr& in, Binder& b, Code& c) {
  const Operand& s = in.src[0];
  const bool wide = ptx::bits(in.type) == 64;
  if (s.kind == Operand::Kind::Sreg && static_cast<ptx::Sreg>(s.index) >= ptx::kFirstDynamicSreg) {
    c.imm = s.index;
    c.handler = wide ? read_clock<std::uint64_t> : read_clock<std::uint32_t>;
  } else if (s.kind == Operand::Kind::Symbol) {
    const Binder::Resolved r = b.resolve(s);
    c.imm = static_cast<std::int64_t>(r.value);
    if (r.kind == Binder::Resolved::Kind::FrameRelative) {
      c.handler = wide ? frame_address<std::uint64_t> : frame_address<std::uint32_t>;
    } else {
      c.a = b.constant64(0);
      c.handler =
          wide ? add_constant<std::uint64_t, std::uint64_t> : add_constant<std::uint32_t, std::uint64_t>;
    }
  } else {
    return false;
  }
  c.d = b.place(in.dst[0], in.type);
  return true;
}

bool bind_cvta(const Instr& in, Binder& b, Code& c) {
  if (ptx::bits(in.type) != 64) b.unsupported("32-bit generic addresses");
  const std::uint64_t base = window(in.space, b.in_entry());
  c.d = b.place(in.dst[0], Type::U64);
  if (in.src[0].kind == Operand::Kind::Symbol) {
    const Binder::Resolved r = b.resolve(in.src[0]);
    c.imm = static_cast<std::int64_t>(r.value + base);
    c.a = b.constant64(0);
    c.handler = r.kind == Binder::Resolved::Kind::FrameRelative ? frame_address<std::uint64_t>
                                                                : add_constant<std::uint64_t, std::uint64_t>;
    return true;
  }
  c.a = b.place(in.src[0], Type::U64);
  c.imm = static_cast<std::int64_t>(in.to_space ? 0 - base : base);
  c.handler = add_constant<std::uint64_t, std::uint64_t>;
  return true;
}

}  // namespace

bool bind_address(const Instr& in, Binder& b, Code& c) {
  switch (in.op) {
    case Op::Mov:
      return bind_mov(in, b, c);
    case Op::Cvta:
      return bind_cvta(in, b, c);
    case Op::Isspacep:
      c.pd = b.predicate(in.dst[0]);
      c.a = b.place(in.src[0], Type::U64);
      c.imm = static_cast<std::int64_t>(window(in.space, b.in_entry()));
      c.handler = c.imm != 0 ? is_in_window : is_in_memory;
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::exec
