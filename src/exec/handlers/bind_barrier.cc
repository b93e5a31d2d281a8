// Barriers of the CTA.
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/handlers/bind.h"
#include "exec/warp/cta.h"

namespace heddle::exec {
namespace {

using ptx::Op;

// Barrier number and thread count are the same for all lanes of a warp; the lowest active one is asked.
std::uint32_t uniform(Warp& w, Place p, Mask active) {
  return w.in<std::uint32_t>(p)[std::countr_zero(active)];
}

void barrier(Warp& w, const Code& c, Mask active) {
  const std::uint32_t number = uniform(w, c.a, active);
  const std::uint32_t threads = uniform(w, c.b, active);
  if (number >= kBarriers || threads % kLanes != 0)
    throw Error(
        w.image().place(w.pc() - 1),
        fmt::format("barrier {} with {} threads: the number must be below {} and the count a multiple of {}",
                    number, threads, kBarriers, kLanes));
  if (c.instr->op == Op::BarArrive) {
    w.cta().arrive(number, threads);
    return;
  }
  w.cta().note_wait(number, threads);
  w.wait_at_barrier(active, number);
}

}  // namespace

bool bind_barrier(const ptx::Instr& in, Binder& b, Code& c) {
  if (in.op != Op::BarSync && in.op != Op::BarArrive && in.op != Op::BarRed) return false;
  // bar.red has its predicate behind an optional thread count.
  const unsigned numbers = in.op == Op::BarRed ? in.n_src - 1u : in.n_src;
  const auto number = [&](unsigned i) {
    return i < numbers && in.src[i].kind != ptx::Operand::Kind::None ? b.place(in.src[i], ptx::Type::U32)
                                                                     : b.constant32(0);
  };
  c.a = number(0);
  c.b = number(1);
  if (in.op == Op::BarRed) {
    const ptx::Operand& p = in.src[in.n_src - 1u];
    c.p = b.predicate(p);
    c.p_flip = p.negated ? kAllLanes : 0;
    if (in.bar_red == ptx::BarRedOp::Popc)
      c.d = b.place(in.dst[0], ptx::Type::U32);
    else
      c.pd = b.predicate(in.dst[0]);
  }
  c.handler = barrier;
  return true;
}

}  // namespace heddle::exec
