// Which warps can issue their next instruction, and when.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "sm/sm.h"

namespace heddle::sm {

using sim::Cycle;
using sim::kNever;
using workload::StaticInstr;

Cycle Sm::operands_ready(const WarpState& w, const StaticInstr& i) const {
  Cycle at = w.earliest;
  if ((i.wide_src & StaticInstr::kGuarded) != 0) at = std::max(at, w.ready[i.src[0]] + spec_.guard_delay);
  for (std::uint32_t k = 0; k < i.waited_for(); ++k) at = std::max(at, w.ready[i.src[k]]);
  for (std::uint32_t k = 0; k < i.n_dst; ++k) at = std::max(at, w.ready[i.dst[k]]);
  if (i.more != 0) [[unlikely]]
    return rest_ready(w, i, at);
  return at;
}

Cycle Sm::rest_ready(const WarpState& w, const StaticInstr& i, Cycle at) {
  for (const StaticInstr& rest : std::span(w.code + i.rest(), i.more)) {
    for (std::uint32_t k = 0; k < rest.n_src; ++k) at = std::max(at, w.ready[rest.src[k]]);
    for (std::uint32_t k = 0; k < rest.n_dst; ++k) at = std::max(at, w.ready[rest.dst[k]]);
  }
  return at;
}

void Sm::set_rest(WarpState& w, const StaticInstr& i, Cycle at) {
  for (const StaticInstr& rest : std::span(w.code + i.rest(), i.more))
    for (std::uint32_t k = 0; k < rest.n_dst; ++k) w.ready[rest.dst[k]] = at;
}

void Sm::make_ready(unsigned warp) {
  const WarpState& w = warps_[warp];
  ports_[w.scheduler].ready.add(warp, w.unit);
  any_ready_ |= bit(warp);
}

void Sm::prefetch() const {
  WarpMask soon = any_ready_;
  for (std::uint64_t buckets = wheel_used_; buckets != 0; buckets &= buckets - 1)
    soon |= wheel_[static_cast<std::size_t>(std::countr_zero(buckets))];
  for (; soon != 0; soon &= soon - 1) prefetch(warps_[first(soon)]);
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
  while (timing_[static_cast<std::size_t>(w.code[w.pc].cls)].slots == 0 && run_free(warp, now)) {
  }
  const StaticInstr& i = w.code[w.pc];
  w.unit = unit_of(i);
  if (lsu_.front() != nullptr) [[unlikely]]
    note_next(warp, i);
  const Cycle at = operands_ready(w, i);
  if (at >= kPending) {
    waiting_memory_ |= bit(warp);
    return;
  }
  if (waits_for_all(i) && awaits_value(w)) [[unlikely]] {  // its own values are there before it begins
    waiting_memory_ |= bit(warp);
    return;
  }
  // A fence waits for what its warp has under way; a barrier orders atomics as well.
  const bool fence = (i.flags & StaticInstr::kFence) != 0 &&
                     ((i.flags & StaticInstr::kCopies) != 0
                          ? !copies_[warp][static_cast<std::size_t>(i.copies())].complete(i.groups_left())
                          : w.unacknowledged != 0 && !waits_for_all(i));
  const bool barrier = (i.flags & (StaticInstr::kBarrier | StaticInstr::kExit)) != 0 && w.atomics != 0;
  if (fence || barrier) {
    waiting_ack_ |= bit(warp);
    return;
  }
  if (at <= now)
    make_ready(warp);
  else
    wait_until(warp, at, now);
}

WarpMask Sm::held_by_scheduler(const IssuePort& port) const {
  if (!limits_) return 0;
  const WarpMask running = running_ & port.warps;
  const WarpMask waiting = at_barrier_ | waiting_ack_ | refused_ | with_atomics_;
  return running & ~port.policy->admitted(running, running & waiting);
}

WarpMask Sm::held_by_schedulers() const {
  WarpMask held = 0;
  for (const IssuePort& port : ports_) held |= held_by_scheduler(port);
  return held;
}

// Generic addresses may be global ones. What has an own path does not meet the front.
void Sm::note_next(unsigned warp, const StaticInstr& i) {
  using workload::InstrClass;
  const auto put = [&](WarpMask& mask, bool is) { mask = is ? mask | bit(warp) : mask & ~bit(warp); };
  const bool memory = (i.flags & StaticInstr::kMemory) != 0;
  const bool store = i.cls == InstrClass::Store || i.cls == InstrClass::Atomic;
  const bool apart = i.cls == InstrClass::LoadShared || i.cls == InstrClass::StoreShared ||
                     i.cls == InstrClass::AtomicShared || i.cls == InstrClass::LoadParam ||
                     i.cls == InstrClass::LoadConst || i.cls == InstrClass::Texture;
  put(next_store_, memory && store);
  put(next_load_, memory && !store && !apart);
  put(next_drain_, (i.flags & StaticInstr::kBarrier) != 0 ||
                       (i.flags & (StaticInstr::kFence | StaticInstr::kCopies)) == StaticInstr::kFence);
}

// What execution refused is tried again: something that it may have waited for is over. All that it can wait
// for happens in this SM, so no such moment is missed.
void Sm::retry(Cycle now) {
  retrying_ |= refused_;
  attended_ |= refused_;
  if (states_ != nullptr) [[unlikely]]
    states_->let_go(refused_, now);
  for (WarpMask m = std::exchange(refused_, 0); m != 0; m &= m - 1) schedule(first(m), now);
}

// An instruction that the assembler removes: its result is ready when its operands are, at no cost. False:
// it waits for what is not known yet.
bool Sm::run_free(unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  const StaticInstr& i = w.code[w.pc];
  if ((i.flags & StaticInstr::kCopies) != 0) return false;  // issue() notes groups
  const Cycle at = operands_ready(w, i);
  if (at >= kPending) {
    // A copy of a value under way arrives with it.
    const bool copy = i.cls == workload::InstrClass::Move && i.n_src == 1 && i.n_dst == 1 &&
                      w.ready[i.src[0]] == at && w.ready[i.dst[0]] < kPending;
    if (!copy || !lsu_.add_target(static_cast<std::uint32_t>(at - kPending), i.dst[0])) return false;
  }
  now_ = now;
  const workload::Issued r = w.stream->issue(w.in_cta);
  count(i, r, 0);
  w.pc = r.next_pc;
  if (states_ != nullptr) [[unlikely]]
    state_free(warp, i, at);
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

}  // namespace heddle::sm
