// What holds each warp, for who looks on (sm/warp_states.h).
//
// A warp is in one state per cycle: what stands first in its way. From the end of its last instruction on
// that is what the instruction itself asks for (a branch, a barrier, a fence, a line of instructions), then
// results of fixed latency, then the last of the results of others, then acknowledgements. From there on the
// warp is ready: its queue or unit takes nothing more, no operand collector is free, or another warp is
// chosen.
#include <algorithm>
#include <span>

#include "sm/sm.h"

namespace heddle::sm {

using sim::Cycle;
using workload::InstrClass;
using workload::Issued;
using workload::StaticInstr;
using workload::WarpAccess;

namespace {

Cycle span_of(Cycle from, Cycle until) {
  return until > from ? until - from : 0;
}

constexpr auto kMemoryUnit = static_cast<std::size_t>(UnitKind::Memory);

}  // namespace

void Sm::watch(WarpStates* states) {
  states_ = states;
  watched_ = true;
  attended_ = ~WarpMask{0};
  states->pools.resize(units_.size());
  states->schedulers.resize(ports_.size());
  lsu_.watch(states);
}

// ---- what a step finds -------------------------------------------------------------------------------

void Sm::count_throttles(Cycle from, Cycle until, const WarpStates::Between& b) {
  if (from >= until) return;
  for (std::size_t p = 0; p < units_.size(); ++p)
    states_->pools[p].memory +=
        b.full ? until - from : span_of(from, std::min(until, units_[p].free_at(kMemoryUnit)));
  states_->stalled += span_of(from, std::min(until, b.stalls_until));
  for (WarpMask m = b.held; m != 0; m &= m - 1) (*states_)[first(m)].held += until - from;
}

// What throttles a warp is counted for all; what is counted since it became ready is the warp's.
void Sm::note_ready(Cycle now) {
  for (WarpMask m = any_ready_ & ~states_->ready; m != 0; m &= m - 1) {
    const unsigned warp = first(m);
    const WarpState& w = warps_[warp];
    WarpStates::Warp& s = (*states_)[warp];
    s.throttled = throttled(ports_[w.scheduler], w, now);
    s.dispatch = collectors_taken(ports_[w.scheduler], now);
    s.held = 0;
  }
  states_->ready = any_ready_;
}

void Sm::states_before(Cycle now) {
  count_throttles(states_->between.from, now, states_->between);
  note_ready(now);
  count_throttles(now, now + 1, {now, !lsu_.can_accept(), stalls_until(), any_ready_ & held_by_front()});
}

void Sm::states_after(Cycle now) {
  states_refused(now);
  note_ready(now + 1);
  states_->between = {now + 1, !lsu_.can_accept(), stalls_until(), any_ready_ & held_by_front()};
}

std::uint64_t Sm::throttled(const IssuePort& port, const WarpState& w, Cycle now) const {
  const auto kind = static_cast<std::size_t>(w.unit);
  const WarpStates::Pool& p = states_->pools[static_cast<std::size_t>(port.units - units_.data())];
  if (kind == kMemoryUnit) return p.memory + states_->stalled;
  return p.busy[kind] + span_of(p.issued[kind] + 1, std::min(now, port.units->free_at(kind))) +
         states_->stalled;
}

std::uint64_t Sm::collectors_taken(const IssuePort& port, Cycle now) const {
  const WarpStates::Scheduler& s = states_->schedulers[static_cast<std::size_t>(&port - ports_.data())];
  return s.taken + span_of(s.from, std::min(now, port.free_at));
}

IssueState Sm::throttle_of(const WarpState& w) const {
  if (spec_.lsu_stalls_issue) return IssueState::LgThrottle;
  if (w.unit == UnitKind::Special) return IssueState::MioThrottle;
  if (w.unit != UnitKind::Memory) return IssueState::MathPipeThrottle;
  switch (w.code[w.pc].cls) {
    case InstrClass::Load:
    case InstrClass::Store:
    case InstrClass::Atomic:
      return IssueState::LgThrottle;
    case InstrClass::Texture:
      return IssueState::TexThrottle;
    default:
      return IssueState::MioThrottle;
  }
}

// ---- what has held a warp ----------------------------------------------------------------------------

void Sm::operands_until(unsigned warp, const StaticInstr& i, Cycle end) {
  const WarpState& w = warps_[warp];
  const std::vector<IssueState>& states = (*states_)[warp].of_register;
  Cycle fixed = 0, latest = 0;
  IssueState last = IssueState::LongScoreboard;
  const auto look = [&](workload::RegisterId r, Cycle more) {
    const Cycle at = w.ready[r] + more;
    if (states[r] == IssueState::Wait) {
      fixed = std::max(fixed, at);
    } else if (at > latest) {
      latest = at;
      last = states[r];
    }
  };
  const auto look_at_all = [&](const StaticInstr& of, std::uint32_t sources) {
    for (std::uint32_t k = 0; k < sources; ++k) look(of.src[k], 0);
    for (std::uint32_t k = 0; k < of.n_dst; ++k) look(of.dst[k], 0);
  };
  if ((i.wide_src & StaticInstr::kGuarded) != 0) look(i.src[0], spec_.guard_delay);
  look_at_all(i, i.waited_for());
  if (i.more != 0)
    for (const StaticInstr& rest : std::span(w.code + i.rest(), i.more)) look_at_all(rest, rest.n_src);
  states_->until(warp, IssueState::Wait, fixed, end);
  states_->until(warp, last, latest, end);
}

void Sm::state_until(unsigned warp, const StaticInstr& i, Cycle now) {
  WarpStates::Warp& s = (*states_)[warp];
  const WarpState& w = warps_[warp];
  const Cycle end = std::min(now, halt_);
  states_->until(warp, IssueState::Selected, s.issues_until, end);
  if ((at_barrier_ & bit(warp)) != 0) return states_->until(warp, IssueState::Barrier, end, end);
  states_->until(warp, s.hold, w.earliest, end);
  operands_until(warp, i, end);
  // A barrier waits for atomics as a fence does for stores.
  const bool copies = (i.flags & StaticInstr::kCopies) != 0;
  const IssueState asked = s.refused || copies                   ? IssueState::LongScoreboard
                           : (i.flags & StaticInstr::kExit) != 0 ? IssueState::Drain
                                                                 : IssueState::Membar;
  const bool still = ((waiting_ack_ | refused_) & bit(warp)) != 0;
  states_->until(warp, asked, still ? end : s.let_go, end);
  if (s.since >= end) return;
  const IssuePort& port = ports_[w.scheduler];
  states_->add(warp, throttle_of(w), throttled(port, w, now) - s.throttled, end);
  states_->add(warp, IssueState::LgThrottle, s.held, end);
  states_->add(warp, IssueState::DispatchStall, collectors_taken(port, now) - s.dispatch, end);
  states_->until(warp, IssueState::NotSelected, end, end);
}

IssueState Sm::result_state(const StaticInstr& i, const Issued& r) const {
  using Space = WarpAccess::Space;
  if (r.event == Issued::Event::Memory) {
    for (const WarpAccess& a : std::span(r.access, r.accesses))
      if (a.space == Space::Global || a.space == Space::Local || a.space == Space::Texture)
        return IssueState::LongScoreboard;
    return IssueState::ShortScoreboard;
  }
  const bool queued = i.cls == InstrClass::Shuffle || i.cls == InstrClass::LoadParam ||
                      timing_[static_cast<std::size_t>(i.cls)].unit == UnitKind::Special;
  return queued ? IssueState::ShortScoreboard : IssueState::Wait;
}

void Sm::state_issued(unsigned warp, const Issued& r, Cycle now) {
  const StaticInstr& i = warps_[warp].code[warps_[warp].pc];
  const IssuePort& port = ports_[warps_[warp].scheduler];
  state_until(warp, i, now);
  states_->ready &= ~bit(warp);
  const ClassTiming& t = timing_[static_cast<std::size_t>(i.cls)];
  const auto kind = static_cast<std::size_t>(t.unit);
  WarpStates::Pool& pool = states_->pools[static_cast<std::size_t>(port.units - units_.data())];
  pool.busy[kind] += span_of(pool.issued[kind] + 1, port.units->free_at(kind));
  pool.issued[kind] = now;
  WarpStates::Scheduler& scheduler = states_->schedulers[warps_[warp].scheduler];
  scheduler.taken += span_of(scheduler.from, port.free_at);
  const std::uint32_t slots = slots_of(i, t);
  scheduler.from = now + slots;

  WarpStates::Warp& s = (*states_)[warp];
  s.issues_until = now + std::max(1u, slots);
  s.refused = false;
  s.let_go = 0;
  s.last = &i;
  s.exited = r.event == Issued::Event::Exited;
  const IssueState result = result_state(i, r);
  states_->set_results(warp, i, result);
  if (r.event == Issued::Event::Blocked)
    s.hold = IssueState::Barrier;
  else if ((i.flags & (StaticInstr::kBranch | StaticInstr::kCall)) != 0)
    s.hold = IssueState::BranchResolving;
  else if (i.cls == InstrClass::Fence && (i.flags & StaticInstr::kCopies) == 0)
    s.hold = IssueState::Membar;
  else
    s.hold = spec_.warp_overlap ? IssueState::Wait : result;
}

void Sm::state_not_fetched(unsigned warp, Cycle now) {
  const WarpState& w = warps_[warp];
  state_until(warp, w.code[w.pc], now);
  states_->ready &= ~bit(warp);
  (*states_)[warp].hold = IssueState::NoInstruction;
}

// Until now they were ready.
void Sm::states_refused(Cycle now) {
  const WarpMask all = refused_, more = refused_ & ~states_->refused;
  refused_ &= ~more;
  for (WarpMask m = more; m != 0; m &= m - 1) {
    const WarpState& w = warps_[first(m)];
    state_until(first(m), w.code[w.pc], now);
    (*states_)[first(m)].refused = true;
  }
  refused_ = states_->refused = all;
  states_->ready &= ~more;
}

// The result of an instruction that the assembler removes is there with the last of its operands.
void Sm::state_free(unsigned warp, const StaticInstr& i, Cycle at) {
  const WarpState& w = warps_[warp];
  const std::vector<IssueState>& states = (*states_)[warp].of_register;
  IssueState state = IssueState::Wait;
  for (std::uint32_t k = 0; k < i.n_src; ++k)
    if (w.ready[i.src[k]] == at) state = states[i.src[k]];
  states_->set_results(warp, i, state);
}

void Sm::state_acknowledged(unsigned warp, Cycle now) {
  WarpStates::Warp& s = (*states_)[warp];
  if ((waiting_ack_ & bit(warp)) != 0) s.let_go = now;
  if (!s.exited || warps_[warp].unacknowledged != 0) return;
  const Cycle end = std::min(now, halt_);
  states_->until(warp, IssueState::Selected, s.issues_until, end);
  states_->until(warp, IssueState::Drain, end, end);
}

void Sm::states_ended(WarpMask warps, Cycle now) {
  const Cycle end = std::min(now, halt_);
  for (; warps != 0; warps &= warps - 1) {
    const unsigned warp = first(warps);
    states_->until(warp, IssueState::Selected, (*states_)[warp].issues_until, end);
    states_->until(warp, IssueState::Ended, end, end);
  }
}

void Sm::settle_states() {
  if (states_ == nullptr) return;
  const Cycle end = std::min(last_step_, halt_);
  for (WarpMask m = resident_ & running_; m != 0; m &= m - 1) {
    const WarpState& w = warps_[first(m)];
    state_until(first(m), w.code[w.pc], end);
  }
  states_ended(resident_ & ~running_, end);
}

}  // namespace heddle::sm
