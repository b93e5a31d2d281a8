#include "sm/sm.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace heddle::sm {

using sim::Cycle;
using sim::kNever;
using workload::CtaStream;
using workload::StaticInstr;

Sm::Sm(const SmSpec& spec, std::uint32_t id, std::uint32_t count, Frequency clock)
    : spec_(spec),
      id_(id),
      count_(count),
      clock_(clock),
      lsu_(spec_, id, *this, stats_),
      ctas_(spec.ctas),
      ports_(spec.schedulers),
      units_(spec.sub_core ? spec.schedulers : 1, UnitPools(spec.units)),
      code_fetch_(spec),
      timing_(spec.timing.classes) {
  for (unsigned w = 0; w < spec.warps; ++w)
    warps_[w].scheduler = static_cast<std::uint8_t>(w % spec.schedulers);
  banks_ = spec.sub_core ? std::max(1u, spec.register_banks / spec.schedulers) : spec.register_banks;
  collectors_ =
      spec.sub_core ? std::max(1u, spec.operand_collectors / spec.schedulers) : spec.operand_collectors;
  if (std::has_single_bit(banks_)) bank_mask_ = banks_ - 1;
  bank_free_.resize(std::size_t{banks_} * units_.size());
  for (std::size_t s = 0; s < ports_.size(); ++s) {
    ports_[s].policy = spec.make_scheduler ? spec.make_scheduler(ages_, {spec.active_warps})
                                           : make_warp_scheduler(spec.scheduler, ages_, {spec.active_warps});
    ports_[s].units = &units_[s % units_.size()];
    ports_[s].banks = bank_free_.data() + s % units_.size() * banks_;
    for (std::size_t w = s; w < spec.warps; w += ports_.size())
      ports_[s].warps |= bit(static_cast<unsigned>(w));
    limits_ |= ports_[s].policy->limits();
  }
  may_hold_ = limits_ || lsu_.front() != nullptr;
  if (spec.fences_wait_for_all) fence_waits_ = std::make_unique<FenceWaits>();
  if (spec.count == Counting::AsPtx)
    for (ClassTiming& t : timing_) t.slots = 1;
}

std::uint64_t Sm::globaltimer() const {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(now_) * 1'000'000'000u / clock_.count());
}

// ---- CTAs -----------------------------------------------------------------------------------------------

void Sm::launch(workload::GridStream& grid, std::uint32_t kernel, std::uint64_t cta, Cycle at,
                const KernelCode& code) {
  starting_.push_back({&grid, kernel, cta, at, code});
}

void Sm::start_due(Cycle now) {
  std::size_t kept = 0;
  for (const Starting& s : starting_) {
    if (s.at <= now)
      start_cta(s, now);
    else
      starting_[kept++] = s;
  }
  starting_.resize(kept);
}

void Sm::start_cta(const Starting& s, Cycle now) {
  const workload::StaticCode code = s.grid->code();
  if (code.registers > registers_) {
    // Another kernel with more registers: nobody may run with a smaller table, so move what is live.
    std::vector<Cycle> larger(std::size_t{spec_.warps} * code.registers);
    for (unsigned w = 0; w < spec_.warps; ++w) {
      std::copy_n(scoreboard_.begin() + static_cast<std::ptrdiff_t>(w) * registers_, registers_,
                  larger.begin() + static_cast<std::ptrdiff_t>(w) * code.registers);
    }
    scoreboard_ = std::move(larger);
    registers_ = code.registers;
    for (unsigned w = 0; w < spec_.warps; ++w)
      warps_[w].ready = scoreboard_.data() + std::size_t{w} * registers_;
  }
  std::uint32_t slot = 0;
  while (ctas_[slot].stream != nullptr) ++slot;
  CtaSlot& c = ctas_[slot];
  c = {};
  c.grid = s.grid;
  c.kernel = s.kernel;
  c.code = s.code;
  now_ = now;  // the stream may read the clock
  c.stream = s.grid->start(s.cta, id_);
  const std::uint32_t n = c.stream->warps();
  c.live_warps = n;
  if (observer_ != nullptr) observer_->cta_started(id_, slot, s.cta, now);
  WarpMask free = ~resident_;
  for (std::uint32_t i = 0; i < n; ++i) {
    const unsigned w = context_for(i, free);
    free &= ~bit(w);
    WarpState& state = warps_[w];
    state.cta = static_cast<std::uint8_t>(slot);
    state.in_cta = static_cast<std::uint8_t>(i);
    lsu_.place_cta(w, slot);
    state.stream = c.stream;
    state.running_state = c.stream->running_state(i);
    state.unacknowledged = state.atomics = 0;
    with_atomics_ &= ~bit(w);
    copies_[w] = {};
    state.code = code.instr.data();
    state.pc = c.stream->pc(i);
    state.earliest = now + 1 + Cycle{i} * spec_.warp_launch;
    state.fetched = CodeFetch::kNothing;
    std::fill_n(state.ready, registers_, Cycle{0});
    ages_.launched[w] = launches_++;
    c.warps |= bit(w);
    resident_ |= bit(w);
    running_ |= bit(w);
    if (states_ != nullptr) [[unlikely]]
      states_->started(w, code, now);
    schedule(w, now);
  }
  if (spec_.local_layout == LocalLayout::Interleaved) [[unlikely]]
    interleave_local(slot);
  if (spec_.warps_in_turn) turn_ = (turn_ + n + (n % spec_.schedulers == 0 ? 1 : 0)) % spec_.schedulers;
  stats_.warps += n;
}

// A free context for warp `i` of a CTA: the first one of the scheduler whose turn it is.
unsigned Sm::context_for(std::uint32_t i, WarpMask free) const {
  if (!spec_.warps_in_turn) return first(free);
  const WarpMask its = free & ports_[(turn_ + i) % spec_.schedulers].warps;
  return first(its != 0 ? its : free);
}

// The first place that no other CTA of the kernel has.
void Sm::interleave_local(std::uint32_t slot) {
  CtaSlot& c = ctas_[slot];
  WarpMask taken = 0;
  for (const CtaSlot& other : ctas_)
    if (&other != &c && other.stream != nullptr && other.grid == c.grid) taken |= bit(other.place);
  c.place = first(~taken);
  InterleavedWarp w{id_,     count_, c.place, occupancy(spec_, c.grid->needs()).ctas, 0, c.stream->warps(),
                    c.kernel};
  for (WarpMask m = c.warps; m != 0; m &= m - 1) {
    w.warp = warps_[first(m)].in_cta;
    lsu_.place_local(first(m), local_interleaved(w));
  }
}

void Sm::retire_if_done(std::uint32_t slot, Cycle now) {
  CtaSlot& c = ctas_[slot];
  if (c.live_warps != 0 || c.copies != 0 || (c.unacknowledged != 0 && spec_.store_ack)) return;
  if (states_ != nullptr) [[unlikely]]
    states_ended(c.warps, now);
  retired_.push_back({now, c.stream->id(), c.kernel});
  if (observer_ != nullptr) observer_->cta_ended(id_, slot, c.stream->id(), now);
  forget(slot);
  ++stats_.ctas;
}

// The CTA has ended: its contexts are free.
void Sm::forget(std::uint32_t slot) {
  CtaSlot& c = ctas_[slot];
  resident_ &= ~c.warps;
  // Answers that nobody waited for must not reach the next CTA.
  for (WarpMask m = c.warps; m != 0; m &= m - 1) {
    std::uint32_t& launch = warps_[first(m)].launch;
    launch = (launch + 1) % Waiter::kLaunches;
  }
  c.grid->finish(c.stream, id_);
  c.stream = nullptr;
}

std::uint32_t Sm::resident_warps() const {
  return static_cast<std::uint32_t>(std::popcount(resident_));
}

// ---- a cycle --------------------------------------------------------------------------------------------

void Sm::step(Cycle now) {
  now_ = now;
  if (!starting_.empty()) start_due(now);
  lsu_.step(now);
  collect(now);
  if (watched_) [[unlikely]]
    look_before(now);
  const bool issued = any_ready_ != 0 && now < halt_ && now >= stalls_until() && issue_all(now);
  account(now, issued);
  if (watched_) [[unlikely]]
    look_after(now);
}

void Sm::look_before(Cycle now) {
  if (available_ != nullptr && now < halt_) available_->before(now, available_now());
  if (states_ != nullptr) states_before(now);
}

void Sm::look_after(Cycle now) {
  if (available_ != nullptr)
    available_->after(now, now + 1 < halt_ ? available_now() : AvailableWarps::State{});
  if (states_ != nullptr) states_after(now);
  if (pressure_ != nullptr) pressure_->waits().at(now, memory_instructions_waiting());
}

Cycle Sm::issues_at(const IssuePort& port) const {
  Cycle at = kNever;
  const WarpMask held = this->held(port);
  port.ready.for_each_kind([&](std::size_t kind, WarpMask warps) {
    if ((warps & ~held) != 0) at = std::min(at, takes_at(port, kind));
  });
  return std::max(at, port.free_at);
}

Cycle Sm::next(Cycle now) const {
  Cycle at = lsu_.next(now);
  for (const Starting& s : starting_) at = std::min(at, std::max(now + 1, s.at));
  if (now < halt_) at = std::min(at, halt_);
  if (wheel_used_ != 0) {
    const std::uint64_t from_next = std::rotr(wheel_used_, static_cast<int>((now + 1) & 63));
    at = std::min(at, now + 1 + static_cast<Cycle>(std::countr_zero(from_next)));
  }
  at = std::min(at, far_next_);
  if (any_ready_ == 0 || at == now + 1 || now >= halt_) return at;
  if (const Cycle until = stalls_until(); until > now + 1) [[unlikely]]
    return std::min(at, until);
  // Ready warps: when their scheduler and unit are free. A full load/store queue, and a front that holds
  // warps back, change when they step; whom a scheduler holds back, when a warp issues or an answer comes.
  for (const IssuePort& port : ports_) {
    if (port.ready.kinds() == 0) continue;
    at = std::min(at, std::max(now + 1, issues_at(port)));
    if (at == now + 1) break;
  }
  return at;
}

AvailableWarps::State Sm::available_now() const {
  const WarpMask ready = any_ready_ & ~held_by_front() & ~held_by_schedulers();
  return {static_cast<std::uint32_t>(std::popcount(ready)), resident_ != 0, stalls_until()};
}

Sm::Stall Sm::stall_reason(Cycle at) const {
  if (running_ == 0) return Stall::Drain;
  // Whom a scheduler holds back is not the reason: those that it admits wait for something.
  const WarpMask ready = limits_ ? any_ready_ & ~held_by_schedulers() : any_ready_;
  if (ready != 0) {
    if (at < stalls_until()) return Stall::Lsu;
    if (may_hold_ && (ready & ~held_by_front()) == 0) return Stall::Lsu;
    if (lsu_.can_accept()) return Stall::Unit;
    const auto for_memory_only = [&](const IssuePort& p) {
      const std::uint32_t kinds = limits_ ? p.ready.kinds(ready) : p.ready.kinds();
      return (kinds & ~(1u << static_cast<unsigned>(UnitKind::Memory))) == 0;
    };
    return std::all_of(ports_.begin(), ports_.end(), for_memory_only) ? Stall::Lsu : Stall::Unit;
  }
  if ((waiting_memory_ | refused_) != 0) return Stall::Memory;
  if (wheel_used_ != 0 || far_ != 0) return Stall::Dependency;
  return Stall::Barrier;
}

void Sm::account(Cycle now, bool issued) {
  last_step_ = now + 1;
  if (now >= halt_) [[unlikely]]
    return;
  if (issued) {
    ++stats_.active_cycles;
    ++stats_.issuing_cycles;
    stats_.warp_cycles += resident_warps();
  } else {
    count_idle(now, 1, stats_);
  }
}

// Cycles that were skipped since the last step all had the state of now: what the L1 answers after a step
// belongs to the cycles behind it.
void Sm::settle(Cycle now) {
  now = std::min(now, halt_);
  if (now <= last_step_) return;
  count_idle(last_step_, now - last_step_, stats_);
  last_step_ = now;
}

SmStats Sm::settled(Cycle now) const {
  SmStats s = stats_;
  now = std::min(now, halt_);
  if (now > last_step_) count_idle(last_step_, now - last_step_, s);
  return s;
}

void Sm::count_idle(Cycle from, Cycle cycles, SmStats& s) const {
  if (resident_ == 0) return;
  s.active_cycles += cycles;
  s.warp_cycles += cycles * resident_warps();
  std::uint64_t* const of[] = {&s.stall_memory, &s.stall_dependency, &s.stall_unit,
                               &s.stall_lsu,    &s.stall_barrier,    &s.stall_drain};
  *of[static_cast<std::size_t>(stall_reason(from))] += cycles;
}

void Sm::clear_statistics() {
  stats_ = {};
  lsu_.clear_statistics();
}

}  // namespace heddle::sm
