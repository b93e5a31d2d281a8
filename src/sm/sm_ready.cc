// Which warps can issue, and what: the next instruction of their code or one that was set aside.
#include <algorithm>
#include <bit>

#include "sm/sm.h"

namespace heddle::sm {

using sim::Cycle;
using sim::kNever;
using workload::StaticInstr;

namespace {

constexpr WarpMask bit(unsigned w) {
  return WarpMask{1} << w;
}
unsigned first(WarpMask m) {
  return static_cast<unsigned>(std::countr_zero(m));
}

}  // namespace

Cycle Sm::operands_ready(const WarpState& w, const StaticInstr& i) const {
  Cycle at = w.earliest;
  for (std::uint32_t k = 0; k < i.n_src; ++k) at = std::max(at, w.ready[i.src[k]]);
  if (ahead_.enabled()) return at;  // registers are renamed
  for (std::uint32_t k = 0; k < i.n_dst; ++k) at = std::max(at, w.ready[i.dst[k]]);
  return at;
}

void Sm::make_ready(unsigned warp) {
  const WarpState& w = warps_[warp];
  const StaticInstr& i = w.aside == kFromCode ? w.code[w.pc] : *ahead_.at(warp, w.aside).instr;
  const UnitKind unit = unit_of(i);
  ready_[static_cast<std::size_t>(unit)] |= bit(warp);
  any_ready_ |= bit(warp);
}

void Sm::wait_until(unsigned warp, Cycle at, Cycle now) {
  if (at - now < 64) {
    wheel_[at & 63] |= bit(warp);
    wheel_used_ |= std::uint64_t{1} << (at & 63);
  } else {
    far_ |= bit(warp);
    far_at_[warp] = at;
    far_next_ = std::min(far_next_, at);
  }
}

// Puts a running warp where it belongs: ready, in the wheel, or waiting for memory or acknowledgements.
void Sm::schedule(unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  w.aside = kFromCode;
  Cycle at = 0;
  for (;;) {
    const StaticInstr& i = w.code[w.pc];
    if (timing_[static_cast<std::size_t>(i.cls)].slots == 0 && run_free(warp, now)) continue;
    if (i.unrolled && pass_round(warp, now)) continue;
    at = operands_ready(w, i);
    if (at <= now || !set_aside(warp, now)) break;
  }
  const StaticInstr& i = w.code[w.pc];
  if (!ahead_.empty(warp)) at = choose(warp, i, now);
  if (at >= kPending) {
    waiting_memory_ |= bit(warp);
    return;
  }
  // A fence waits for what its warp has under way; a barrier orders atomics as well.
  if (w.aside == kFromCode) {
    const bool fence = (i.flags & StaticInstr::kFence) != 0 && w.unacknowledged != 0;
    const bool barrier = (i.flags & (StaticInstr::kBarrier | StaticInstr::kExit)) != 0 && w.atomics != 0;
    if (fence || barrier) {
      waiting_ack_ |= bit(warp);
      return;
    }
  }
  if (at <= now)
    make_ready(warp);
  else
    wait_until(warp, at, now);
}

// An instruction that the assembler removes: its result is ready when its operands are, at no cost. False:
// it waits for what is not known yet.
bool Sm::run_free(unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  const StaticInstr& i = w.code[w.pc];
  const Cycle at = operands_ready(w, i);
  if (at >= RunAhead::kSetAside) return false;
  if (at >= kPending) {
    // A copy of a value under way arrives with it.
    const bool copy = i.cls == workload::InstrClass::Move && i.n_src == 1 && i.n_dst == 1 &&
                      w.ready[i.src[0]] == at && (ahead_.enabled() || w.ready[i.dst[0]] < kPending);
    if (!copy || !lsu_.add_target(static_cast<std::uint32_t>(at - kPending), i.dst[0])) return false;
  }
  now_ = now;
  const workload::Issued r = ctas_[w.cta].stream->issue(w.in_cta);
  count(i, r, 0);
  w.pc = r.next_pc;
  for (std::uint32_t k = 0; k < i.n_dst; ++k) w.ready[i.dst[k]] = at;
  return true;
}

void Sm::collect(Cycle now) {
  const std::uint64_t bucket = std::uint64_t{1} << (now & 63);
  if ((wheel_used_ & bucket) != 0) {
    wheel_used_ &= ~bucket;
    WarpMask due = wheel_[now & 63];
    wheel_[now & 63] = 0;
    for (; due != 0; due &= due - 1) make_ready(first(due));
  }
  if (far_next_ > now) return;
  far_next_ = kNever;
  for (WarpMask m = far_; m != 0; m &= m - 1) {
    const unsigned w = first(m);
    if (far_at_[w] <= now) {
      far_ &= ~bit(w);
      make_ready(w);
    } else {
      far_next_ = std::min(far_next_, far_at_[w]);
    }
  }
}

// ---- what the assembler would have moved ----------------------------------------------------------------

// The warp's next instruction waits; what follows need not. False: it has to be waited for.
bool Sm::set_aside(unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  const StaticInstr& i = w.code[w.pc];
  if (!ahead_.enabled() || i.flags != 0 || i.cls == workload::InstrClass::ReadClock || ahead_.full(warp))
    return false;
  std::array<Cycle, 7> operands{};
  for (std::uint32_t k = 0; k < i.n_src; ++k) operands[k] = w.ready[i.src[k]];
  now_ = now;
  const workload::Issued r = ctas_[w.cta].stream->issue(w.in_cta);
  count(i, r, 0);
  const Cycle name = ahead_.add(warp, i, w.earliest, operands);
  for (std::uint32_t k = 0; k < i.n_dst; ++k) w.ready[i.dst[k]] = name;
  w.pc = r.next_pc;
  return true;
}

// A branch back that unrolling has removed. False: it is there.
bool Sm::pass_round(unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  if (!ahead_.enabled() || w.rounds + 1u >= spec_.unroll) return false;
  now_ = now;
  const StaticInstr& i = w.code[w.pc];
  const workload::Issued r = ctas_[w.cta].stream->issue(w.in_cta);
  count(i, r, 0);
  w.rounds = static_cast<std::uint8_t>(r.next_pc < w.pc ? w.rounds + 1 : 0);
  w.pc = r.next_pc;
  return true;
}

// Nothing moves across these.
bool Sm::waits_for_aside(const StaticInstr& i) {
  constexpr std::uint8_t kOrdered = StaticInstr::kBarrier | StaticInstr::kFence | StaticInstr::kCall |
                                    StaticInstr::kExit | StaticInstr::kDeferred | StaticInstr::kBranch;
  if (i.cls == workload::InstrClass::ReadClock) return true;
  return (i.flags & kOrdered) != 0 || i.cls == workload::InstrClass::Store ||
         i.cls == workload::InstrClass::StoreShared || i.cls == workload::InstrClass::AtomicShared;
}

// What the assembler removes costs nothing when its operands are known, set aside or not.
void Sm::settle_free(unsigned warp) {
  for (std::uint32_t i = 0; i < ahead_.size(warp);) {
    const RunAhead::Entry& e = ahead_.at(warp, i);
    if (e.n_waits != 0 || timing_[static_cast<std::size_t>(e.instr->cls)].slots != 0) {
      ++i;
      continue;
    }
    const RunAhead::Entry done = ahead_.take(warp, i);
    known(warp, done, done.at);
  }
}

// The results of an instruction set aside are there at `at`.
void Sm::known(unsigned warp, const RunAhead::Entry& e, Cycle at) {
  const WarpState& w = warps_[warp];
  for (std::uint32_t k = 0; k < e.instr->n_dst; ++k)
    if (w.ready[e.instr->dst[k]] == e.name) w.ready[e.instr->dst[k]] = at;
  ahead_.resolve(warp, e.name, at);
}

// Between the next instruction and those set aside: loads first, then the oldest. Returns when it can issue.
Cycle Sm::choose(unsigned warp, const StaticInstr& i, Cycle now) {
  WarpState& w = warps_[warp];
  settle_free(warp);
  if (ahead_.empty(warp)) return operands_ready(w, i);
  const bool load = (i.flags & StaticInstr::kMemory) != 0 && i.n_dst != 0;
  const bool no_register = load && w.loading >= spec_.load_registers;
  const Cycle at = no_register || waits_for_aside(i) ? kPending : operands_ready(w, i);
  if (at <= now && (i.flags & StaticInstr::kMemory) != 0) return at;
  const std::uint32_t oldest = ahead_.next(warp, now);
  const Cycle aside = ahead_.at(warp, oldest).ready();
  if (aside > now && at <= aside) return at;
  w.aside = static_cast<std::uint8_t>(oldest);
  return aside;
}

// Issues an instruction that was set aside; it has been executed already.
UnitKind Sm::issue_aside(std::uint32_t scheduler, unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  const RunAhead::Entry e = ahead_.take(warp, w.aside);
  const StaticInstr& i = *e.instr;
  const ClassTiming& t = timing_[static_cast<std::size_t>(i.cls)];
  stats_.slots += t.slots;
  known(warp, e, now + use_unit(scheduler, warp, i, t, now));
  w.earliest = std::max(w.earliest, now + 1);
  schedule(warp, now);
  return unit_of(i);
}

}  // namespace heddle::sm
