// What happens when instructions issue, and when memory answers.
#include <algorithm>
#include <bit>
#include <span>

#include "sm/sm.h"

namespace heddle::sm {

using sim::Cycle;
using workload::InstrClass;
using workload::Issued;
using workload::StaticInstr;
using workload::WarpAccess;

namespace {

// Copies that are told to an mbarrier belong to no group.
StaticInstr::Copies group_of(Copy copy) {
  return copy == Copy::Lanes ? StaticInstr::Copies::Lanes : StaticInstr::Copies::Bulk;
}

// What is answered by its completion alone.
bool is_load(const InFlight& record) {
  return record.kind == WarpAccess::Kind::Load && record.copy == Copy::None;
}

}  // namespace

// ---- issue ----------------------------------------------------------------------------------------------

WarpMask Sm::candidates(const IssuePort& port, Cycle now) const {
  WarpMask all = 0;
  port.ready.for_each_kind([&](std::size_t kind, WarpMask warps) {
    if (takes_at(port, kind) <= now) all |= warps;
  });
  return all & ~held(port);
}

bool Sm::issue_all(Cycle now) {
  bool any = false;
  for (IssuePort& port : ports_) {
    if (port.ready.kinds() == 0 || port.free_at > now) continue;
    unsigned w = 0;
    UnitKind used = UnitKind::None;
    bool issued = false;
    for (WarpMask left = candidates(port, now); left != 0 && !issued; left &= ~bit(w)) {
      w = port.policy->pick(left, waiting_memory_ | at_barrier_ | refused_);
      used = warps_[w].unit;
      issued = issue(port, w, now);  // what is refused takes no slot
    }
    if (!issued) continue;
    any = true;
    // A second instruction of the same warp, to another kind of unit.
    if (spec_.issue_width < 2 || (any_ready_ & bit(w)) == 0 || port.free_at > now) continue;
    const UnitKind second = warps_[w].unit;
    if (second != used && takes_at(port, static_cast<std::size_t>(second)) <= now &&
        (held(port) & bit(w)) == 0)
      issue(port, w, now);
  }
  return any;
}

void Sm::count(const StaticInstr& i, const Issued& r, std::uint32_t slots) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(r.lanes));
  ++stats_.instructions;
  stats_.thread_instructions += lanes;
  stats_.slots += slots;
  stats_.issue.count(i, lanes);
  if (i.cls == InstrClass::Branch) {
    ++stats_.branches;
    stats_.divergent_branches += r.diverged ? 1 : 0;
  }
}

// Register banks deliver `bank_ports` operands per cycle each; a warp's registers are spread over them.
// Fragments of matrices are read in pairs of registers, about as often as those registers that stand in the
// instruction's own record. Returns how many cycles later than without conflicts the last operand is there.
Cycle Sm::read_operands(IssuePort& port, unsigned warp, const StaticInstr& i, Cycle now) {
  const std::uint64_t from = now * spec_.bank_ports;
  std::uint64_t last = from;
  for (std::uint32_t k = 0; k < i.n_src; ++k) {
    const std::uint32_t reads = 1 + (i.wide_src >> k & 1);
    for (std::uint32_t n = 0; n < reads; ++n) {
      const std::uint32_t r = i.src[k] + n + warp;
      std::uint64_t& free = port.banks[bank_mask_ != 0 ? r & bank_mask_ : r % banks_];
      free = std::max(free, from);
      last = std::max(last, free);
      ++free;
    }
  }
  if (last < from + spec_.bank_ports) return 0;
  const Cycle late = (last - from) / spec_.bank_ports;
  stats_.bank_conflict_cycles += late;
  // All collectors hold instructions that wait for banks: the next one must wait as well.
  if (late >= collectors_) port.free_at = std::max(port.free_at, now + late - collectors_ + 1);
  return late;
}

// Operands, unit and issue slots of an instruction; returns how long its result takes.
Cycle Sm::use_unit(IssuePort& port, unsigned warp, const StaticInstr& i, const ClassTiming& t, Cycle now) {
  const Cycle late = i.n_src != 0 ? read_operands(port, warp, i, now) : 0;
  std::uint32_t passes = i.repeat;
  if (i.cls == InstrClass::Shuffle && passes > 1) [[unlikely]]
    passes *= warps_[warp].stream->matched_values();
  if ((i.wide_dst & StaticInstr::kPlane) != 0) [[unlikely]]
    passes *= spec_.plane_passes;
  port.units->occupy(t.unit, now + std::uint64_t{t.interval} * passes);
  std::uint32_t slots = slots_of(i, t);
  Cycle more = i.extra_latency() + (passes - 1u) * t.interval;
  if (i.cls == InstrClass::FloatDiv || i.cls == InstrClass::DoubleDiv) [[unlikely]] {
    const CallTiming& call = spec_.calls.of(warps_[warp].stream->long_way(), i.cls == InstrClass::DoubleDiv);
    slots += call.slots;
    stats_.slots += call.slots;
    more += call.latency;
  } else if (i.cls == InstrClass::LoadParam) {
    more += lsu_.parameters_there(now, warp) - now;
  }
  if (slots > 1) port.free_at = std::max(port.free_at, now + slots);
  return late + spec_.pipeline + t.latency + more;
}

void Sm::after_issue(unsigned warp, const StaticInstr& i, const Issued& r, Cycle now) {
  switch (r.event) {
    case Issued::Event::Memory:
      to_memory(warp, i, r, now);
      schedule(warp, now);
      break;
    case Issued::Event::Blocked:
      block(warp, i, now);
      break;
    case Issued::Event::Exited:
      exit(warp, now);
      break;
    default:
      schedule(warp, now);
      if (r.check_barriers) release(ctas_[warps_[warp].cta], now, now);
  }
}

bool Sm::issue(IssuePort& port, unsigned warp, Cycle now) {
  WarpState& w = warps_[warp];
  const StaticInstr& i = w.code[w.pc];
  const ClassTiming& t = timing_[static_cast<std::size_t>(i.cls)];
  port.ready.remove(warp, w.unit);
  any_ready_ &= ~bit(warp);
  if (const std::uint32_t line = instruction_line(w); line != w.fetched && !fetch(warp, line, now))
    return true;

  const Issued r = w.stream->issue(w.in_cta);
  if (r.event == Issued::Event::Retry) {
    ++stats_.retries;
    refused_ |= bit(warp);
    return false;
  }
  if ((attended_ & bit(warp)) != 0) [[unlikely]]
    attend(warp, r, now);
  count(i, r, slots_of(i, t));
  const Cycle takes = use_unit(port, warp, i, t, now);
  if ((i.flags & (StaticInstr::kCopies | StaticInstr::kFence)) == StaticInstr::kCopies) [[unlikely]]
    copies_[warp][static_cast<std::size_t>(i.copies())].commit();
  const std::uint8_t* const waits = ctas_[w.cta].code.waits;
  const std::uint32_t wait = waits != nullptr ? waits[w.pc] : 1;
  const bool goes_on = r.next_pc == w.pc + 1 && !r.diverged;
  w.pc = r.next_pc;
  turns_[warp] += r.taken_backward ? 1 : 0;
  const bool jumps = (i.flags & (StaticInstr::kBranch | StaticInstr::kCall)) != 0;
  if (jumps) {
    w.earliest = now + (goes_on ? spec_.untaken_latency : spec_.branch_latency) +
                 (r.diverged ? spec_.divergence_latency : 0);
  } else {
    w.earliest = now + (spec_.issue_width > 1 ? wait - 1 : wait);
    if (i.cls == InstrClass::Fence && (i.flags & StaticInstr::kCopies) == 0) [[unlikely]]
      fence(warp, i, now);
  }
  if (r.event != Issued::Event::Memory) {
    for (std::uint32_t k = 0; k < i.n_dst; ++k) w.ready[i.dst[k]] = now + takes;
    if (i.more != 0) [[unlikely]]
      set_rest(w, i, now + takes);
    if (!spec_.warp_overlap) [[unlikely]]
      w.earliest = std::max(w.earliest, now + takes);
  }
  after_issue(warp, i, r, now);
  return true;
}

void Sm::attend(unsigned warp, Issued r, Cycle now) {
  if ((retrying_ & bit(warp)) != 0) {  // others may have waited for this warp's turn
    retrying_ &= ~bit(warp);
    if (states_ == nullptr) attended_ &= ~bit(warp);
    retry(now);
  }
  if (states_ != nullptr) state_issued(warp, r, now);
}

// The line of instructions that the warp reads from. False: it waits.
bool Sm::fetch(unsigned warp, std::uint32_t line, Cycle now) {
  WarpState& w = warps_[warp];
  const CodeFetch::Answer a = code_fetch_.read(now, ctas_[w.cta].code.number, line, w.fetched);
  w.fetched = line;
  stats_.instruction_misses += a.missed ? 1 : 0;
  if (a.there <= now) return true;
  if (states_ != nullptr) [[unlikely]]
    state_not_fetched(warp, now);
  w.earliest = a.there;
  schedule(warp, now);
  return false;
}

// ---- memory ---------------------------------------------------------------------------------------------

void Sm::expect_rest(WarpState& w, const StaticInstr& i, std::uint32_t record) {
  for (const StaticInstr& rest : std::span(w.code + i.rest(), i.more))
    for (std::uint32_t k = 0; k < rest.n_dst; ++k)
      if (lsu_.add_target(record, rest.dst[k])) w.ready[rest.dst[k]] = kPending + record;
}

void Sm::to_memory(unsigned warp, const StaticInstr& i, const Issued& r, Cycle now) {
  WarpState& w = warps_[warp];
  std::uint32_t acknowledgements = 0;
  const std::uint32_t record = lsu_.issue(now, warp, w.launch, i, {r.access, r.accesses}, acknowledgements);
  const bool loads = record != LoadStoreUnit::kNone && is_load(lsu_.record(record));
  if (record != LoadStoreUnit::kNone) {
    if (const Copy copy = lsu_.record(record).copy; copy != Copy::None) [[unlikely]] {
      if (copy != Copy::Bulk) ++copies_[warp][static_cast<std::size_t>(group_of(copy))].issued;
      ++ctas_[w.cta].copies;
    }
    for (std::uint32_t k = 0; k < i.n_dst; ++k) w.ready[i.dst[k]] = kPending + record;
    if (i.more != 0) [[unlikely]]
      expect_rest(w, i, record);
    const bool acquires = spec_.fences_empty_l1 && i.acquires();
    if ((!spec_.warp_overlap || acquires) && lsu_.record(record).copy == Copy::None) [[unlikely]] {
      w.earliest = kPending + record;
      if (acquires) acquiring_ |= bit(warp);
    }
    if (lsu_.record(record).atomic()) {
      acknowledgements = 1;  // the record's completion
      ++w.atomics;
      with_atomics_ |= bit(warp);
    }
  }
  w.unacknowledged += acknowledgements;
  ctas_[w.cta].unacknowledged += acknowledgements;
  if (fence_waits_ != nullptr) [[unlikely]]
    fence_waits_->sent(warp, acknowledgements + (loads ? 1 : 0),
                       acknowledgements != 0 || (loads && lsu_.record(record).memory));
}

void Sm::copied(const InFlight& record, Cycle now) {
  const unsigned warp = record.warp;
  WarpState& w = warps_[warp];
  CtaSlot& c = ctas_[w.cta];
  --c.copies;
  if (record.copy == Copy::Bulk)
    c.stream->copied(record.payload);
  else
    ++copies_[warp][static_cast<std::size_t>(group_of(record.copy))].completed;
  if ((waiting_ack_ & bit(warp)) != 0) {
    waiting_ack_ &= ~bit(warp);
    if (states_ != nullptr) [[unlikely]]
      (*states_)[warp].let_go = now;
    schedule(warp, now);
  }
  if (c.live_warps == 0) retire_if_done(w.cta, now);
}

void Sm::completed(const InFlight& record, std::uint32_t index, Cycle at) {
  const unsigned warp = record.warp;
  WarpState& w = warps_[warp];
  const Cycle now = now_;
  const Cycle there = at + spec_.load_pipeline + record.texture;
  for (std::uint32_t k = 0; k < record.n_dst; ++k)
    if (w.ready[record.dst[k]] == kPending + index) w.ready[record.dst[k]] = there;
  if (w.earliest == kPending + index) {
    w.earliest = there;
    if ((acquiring_ & bit(warp)) != 0) [[unlikely]] {
      acquiring_ &= ~bit(warp);
      lsu_.forget_clean(now);
    }
  }
  if (record.copy != Copy::None) [[unlikely]]
    return copied(record, now);
  if (record.atomic()) {
    workload::CtaStream& stream = *w.stream;
    if (record.kind == WarpAccess::Kind::Atomic) stream.deliver(w.in_cta, record.payload);
    stream.retire_atomic(record.payload);
    if (refused_ != 0) [[unlikely]]
      retry(now);
    drop_acknowledgement(warp, true, now);
  }
  if (is_load(record)) answered(warp, now);
  if ((waiting_memory_ & bit(warp)) == 0) return;
  waiting_memory_ &= ~bit(warp);
  prefetch(w);
  schedule(warp, now);
}

void Sm::acknowledged(unsigned warp, std::uint32_t launch, Cycle now) {
  if (launch == warps_[warp].launch)
    drop_acknowledgement(warp, false, now);
  else
    answered(warp, now);  // of a warp that has not waited for it
}

void Sm::drop_acknowledgement(unsigned warp, bool atomic, Cycle now) {
  WarpState& w = warps_[warp];
  --w.unacknowledged;
  answered(warp, now);
  if (atomic && --w.atomics == 0) with_atomics_ &= ~bit(warp);
  CtaSlot& c = ctas_[w.cta];
  --c.unacknowledged;
  if (states_ != nullptr) [[unlikely]]
    state_acknowledged(warp, now);
  if ((waiting_ack_ & bit(warp)) != 0) {
    waiting_ack_ &= ~bit(warp);
    schedule(warp, now);
  }
  if (c.live_warps == 0) retire_if_done(w.cta, now);
}

// ---- barriers and exits ---------------------------------------------------------------------------------

// An SM's barriers take one warp after another.
void Sm::block(unsigned warp, const StaticInstr& i, Cycle now) {
  ++stats_.barriers;
  at_barrier_ |= bit(warp);
  const bool reduces = i.n_dst != 0;
  reducing_ = reduces ? reducing_ | bit(warp) : reducing_ & ~bit(warp);
  barriers_free_ = std::max(barriers_free_, now) + spec_.barrier_interval * (reduces ? 2 : 1);
  release(ctas_[warps_[warp].cta], now, barriers_free_);
}

void Sm::fence(unsigned warp, const StaticInstr& i, Cycle now) {
  WarpState& w = warps_[warp];
  const Cycle from = std::max(fences_free_, now);
  fences_free_ = from + (i.cta_scope() ? spec_.cta_fence_interval : spec_.fence_interval);
  w.earliest = from + (i.cta_scope() ? spec_.cta_fence_latency : spec_.fence_latency);
  if (waits_for_all(i)) {
    const FenceWaits::Begun begun = fence_waits_->begin(warp);
    if (begun != FenceWaits::Begun::Alone)
      w.earliest = std::max(w.earliest, from + spec_.fence_latency_behind);
    if (begun == FenceWaits::Begun::Waits) {
      fence_ends_[warp] = w.earliest;
      w.earliest = kFencing;
      return;
    }
  }
  if (spec_.fences_empty_l1 && i.acquires()) lsu_.forget_clean(now);
}

// What has been sent from this context, by its warp or one before, is answered: fences may end with it.
void Sm::answered(unsigned context, Cycle now) {
  if (fence_waits_ == nullptr) [[likely]]
    return;
  for (WarpMask ended = fence_waits_->answered(context); ended != 0; ended &= ended - 1) {
    const unsigned warp = first(ended);
    warps_[warp].earliest = std::max(fence_ends_[warp], now);
    if (spec_.fences_empty_l1) lsu_.forget_clean(now);
    waiting_memory_ &= ~bit(warp);
    schedule(warp, now);
  }
}

bool Sm::awaits_value(const WarpState& w) const {
  return std::any_of(w.ready, w.ready + registers_, [](Cycle at) { return at >= kPending; });
}

void Sm::release(CtaSlot& cta, Cycle now, Cycle from) {
  std::uint64_t released = cta.stream->release();
  if (released == 0) return;
  for (WarpMask m = cta.warps & at_barrier_; m != 0; m &= m - 1) {
    const unsigned w = first(m);
    if ((released >> warps_[w].in_cta & 1) == 0) continue;
    at_barrier_ &= ~bit(w);
    warps_[w].pc = cta.stream->pc(warps_[w].in_cta);
    const Cycle written = spec_.warp_overlap ? 0 : warps_[w].earliest;
    warps_[w].earliest = std::max(
        written, from + spec_.barrier_latency + ((reducing_ & bit(w)) != 0 ? spec_.barrier_result : 0));
    schedule(w, now);
  }
}

void Sm::exit(unsigned warp, Cycle now) {
  running_ &= ~bit(warp);
  ports_[warps_[warp].scheduler].policy->ended(warp);
  CtaSlot& c = ctas_[warps_[warp].cta];
  --c.live_warps;
  if (c.live_warps != 0) release(c, now, now);
  retire_if_done(warps_[warp].cta, now);
}

}  // namespace heddle::sm
