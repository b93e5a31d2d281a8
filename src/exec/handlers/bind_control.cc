// Branches, calls, returns, and how a kernel stops itself.
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/builtins/builtins.h"
#include "exec/handlers/bind.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;

// imm of a branch: target below, reconvergence (in loops: KernelImage::loop_branches) above.
std::uint32_t low(const Code& c) {
  return static_cast<std::uint32_t>(c.imm);
}
std::uint32_t high(const Code& c) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(c.imm) >> 32);
}

void branch(Warp& w, const Code& c, Mask active) {
  w.branch(active, low(c), high(c));
}

void find_targets(Warp& w, const Code& c, Mask active, std::uint32_t* target) {
  const std::vector<std::uint32_t>& table = w.image().branch_tables[low(c)];
  const std::uint32_t* index = w.in<std::uint32_t>(c.a);
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if (index[lane] >= table.size())
      throw Error(w.image().place(w.pc() - 1),
                  fmt::format("brx.idx with index {}: the table has {} entries", index[lane], table.size()));
    target[lane] = table[index[lane]];
  }
}

void branch_indexed(Warp& w, const Code& c, Mask active) {
  std::uint32_t target[kLanes] = {};
  find_targets(w, c, active, target);
  w.branch_indexed(active, target, high(c));
}

void branch_in_loop(Warp& w, const Code& c, Mask active) {
  w.branch(active, low(c), w.image().loop_branches[high(c)]);
}
void branch_indexed_in_loop(Warp& w, const Code& c, Mask active) {
  std::uint32_t target[kLanes] = {};
  find_targets(w, c, active, target);
  w.branch_indexed(active, target, w.image().loop_branches[high(c)]);
}

void call(Warp& w, const Code& c, Mask active) {
  const CallInfo& info = w.image().calls[low(c)];
  if (info.builtin != Builtin::None)
    call_builtin(w, info, active);
  else
    w.call(active, info, info.function);
}

void call_indirect(Warp& w, const Code& c, Mask active) {
  const std::uint64_t* pointer = w.in<std::uint64_t>(c.a);
  const CallInfo& info = w.image().calls[low(c)];
  std::uint32_t function[kLanes] = {};
  for (Mask m = active; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    function[lane] = w.image().function_at(pointer[lane]);
    if (function[lane] == kNone)
      throw Error(
          w.image().place(w.pc() - 1),
          fmt::format("indirect call to {:#x}, which is not the address of a function", pointer[lane]));
    const FunctionImage& callee = w.image().functions[function[lane]];
    if (info.callee_bytes > callee.frame_bytes)
      throw Error(w.image().place(w.pc() - 1),
                  fmt::format("indirect call of '{}' with {} bytes of parameters and results; it has only {}",
                              callee.source->name, info.callee_bytes, callee.frame_bytes),
                  "The function is of another type than the call's prototype.");
  }
  w.call_indirect(active, info, function);
}

// A frame that a result is on its way to must stay.
void ret(Warp& w, const Code&, Mask active) {
  if (w.frame_awaits_result()) {
    w.retry(active);
    return;
  }
  w.ret(active);
}
void leave(Warp& w, const Code&, Mask active) {
  if (w.frame_awaits_result()) {
    w.retry(active);
    return;
  }
  w.exit(active);
}
void nothing(Warp&, const Code&, Mask) {}
void sleep(Warp& w, const Code&, Mask) {
  w.note_spin_hint();
}

void trap(Warp& w, const Code& c, Mask active) {
  const workload::Dim3 cta = w.cta().id;
  throw Error(w.image().place(w.pc() - 1),
              fmt::format("{} executed by CTA ({},{},{}), warp {} lane {}, in kernel '{}'",
                          c.instr->op == Op::Trap ? "trap" : "brkpt", cta.x, cta.y, cta.z, w.index(),
                          std::countr_zero(active), w.image().name),
              "The program itself asked to stop here.");
}

}  // namespace

bool bind_control(const Instr& in, Binder& b, Code& c) {
  switch (in.op) {
    case Op::Bra:
      c.handler = branch;
      return true;
    case Op::BrxIdx:
      c.a = b.place(in.src[0], ptx::Type::U32);
      c.handler = branch_indexed;
      return true;
    case Op::Call:
      c.handler = c.a.bits() == kNone ? call : call_indirect;
      return true;
    case Op::Ret:
      c.handler = ret;
      return true;
    case Op::Exit:
      c.handler = leave;
      return true;
    case Op::Trap:
    case Op::Brkpt:
      c.handler = trap;
      return true;
    case Op::Nop:
      c.handler = nothing;
      return true;
    case Op::Nanosleep:
      c.handler = sleep;
      return true;
    default:
      return false;
  }
}

void bind_loop_branch(std::uint32_t index, Code& c) {
  c.imm = static_cast<std::int64_t>(std::uint64_t{index} << 32 | low(c));
  c.handler = c.instr->op == Op::Bra ? branch_in_loop : branch_indexed_in_loop;
  c.even_if_none = true;
}

}  // namespace heddle::exec
