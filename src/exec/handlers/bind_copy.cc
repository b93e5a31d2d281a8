// Asynchronous copies, and what orders memory: nothing is left to order when every access is complete at
// once.
#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/handlers/bind.h"
#include "exec/handlers/memory_operands.h"
#include "exec/memory/logged_access.h"
#include "exec/memory/memory_access.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Space;
using ptx::Type;

// Commits, waits, fences, and prefetches that bring nothing nearer here.
void nothing_left(Warp&, const Code&, Mask) {}

// The lines of global memory that a prefetch names, for who has a cache; an address where nothing lies is no
// mistake.
void prefetch(Warp& w, const Code& c, Mask active) {
  set_addresses(w, c, 1, Space::Global, false, active);
  Access& access = w.access();
  for (Mask m = active; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    if (w.context().memory.find(access.address[lane]) == nullptr) access.mask &= ~(1u << lane);
  }
  if (access.mask == 0) return;
  fill_inactive(access.address.data(), access.mask);
  const Shape shape = shape_of(access.address.data(), access.mask, access.bytes);
  access.shape = {shape.reach(), shape.contiguous};
}

// cp.async: the copy is complete at once; commit and wait have nothing left to do.
void copy_async(Warp& w, const Code& c, Mask active) {
  const Instr& in = *c.instr;
  std::uint8_t data[kLanes][16] = {};
  Access& access = w.access();
  const std::uint64_t* from = w.in<std::uint64_t>(c.b);
  const std::uint32_t* size = in.n_src > 1 ? w.in<std::uint32_t>(c.c) : nullptr;
  Mask reads = active;
  for (int i = 0; i < kLanes; ++i) {
    access.address[static_cast<unsigned>(i)] = from[i] + static_cast<std::uint64_t>(in.offset2);
    if (size != nullptr && size[i] == 0) reads &= ~(1u << i);
  }
  access.begin(Space::Global, in.cp_size, false, reads);
  const mem::StoreLog* const log = w.context().log;
  if (log != nullptr && reads != 0 && awaits_atomic(w, reads)) {
    w.retry(active);
    return;
  }
  if (reads != 0)
    with_regions(w, c, reads, [&](const Region& region, Mask lanes, const Shape&) {
      for (Mask m = lanes; m != 0; m &= m - 1) {
        const int i = std::countr_zero(m);
        const std::size_t n = size != nullptr ? std::min<std::size_t>(size[i], in.cp_size) : in.cp_size;
        std::memcpy(data[i],
                    reinterpret_cast<const void*>(region.bias + access.address[static_cast<unsigned>(i)]), n);
        if (log != nullptr)
          log->overlay(access.address[static_cast<unsigned>(i)], data[i], static_cast<unsigned>(n));
      }
    });
  Access source;
  if (log != nullptr) source = access;
  set_addresses(w, c, in.cp_size, Space::Shared, true, active);
  fill_inactive(access.address.data(), active);
  const Region region = check_access(w, c, active, shape_of(access.address.data(), active, access.bytes));
  for (Mask m = active; m != 0; m &= m - 1) {
    const int i = std::countr_zero(m);
    std::memcpy(reinterpret_cast<void*>(region.bias + access.address[static_cast<unsigned>(i)]), data[i],
                in.cp_size);
  }
  if (log == nullptr) return;
  if (reads != 0) w.add_part(source);
  w.add_part(access);
}

}  // namespace

bool bind_copy(const Instr& in, Binder& b, Code& c) {
  switch (in.op) {
    case Op::Prefetch: {
      c.handler = nothing_left;
      if (!ptx::prefetches_lines(in)) return true;
      Space space = in.space;
      bool kernel_param = false;
      bind_address_operand(in, b, c, space, kernel_param);
      c.handler = prefetch;
      return true;
    }
    case Op::CpAsyncCommit:
    case Op::CpAsyncWait:
    case Op::Membar:
      c.handler = nothing_left;
      return true;
    case Op::CpAsync: {
      Space space = in.space;
      bool kernel_param = false;
      c.set_aux(in.vector);
      bind_address_operand(in, b, c, space, kernel_param);
      c.b = b.place(in.src[0], Type::U64);
      if (in.n_src > 1) c.c = b.place(in.src[1], Type::U32);
      c.handler = copy_async;
      return true;
    }
    default:
      return false;
  }
}

}  // namespace heddle::exec
