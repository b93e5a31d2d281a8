// What is left of resident CTAs when a simulation is cut off: executed, without time.
#include <bit>

#include "sm/sm.h"

namespace heddle::sm {

using workload::Issued;
using workload::WarpAccess;

namespace {

constexpr std::uint32_t kTurn = 1024;  // instructions of a warp, then others go on: it may wait for them

}  // namespace

std::uint32_t Sm::resident_ctas() const {
  std::uint32_t n = 0;
  for (const CtaSlot& c : ctas_) n += c.stream != nullptr ? 1 : 0;
  return n;
}

void Sm::tell_cut() const {
  for (std::uint32_t slot = 0; observer_ != nullptr && slot < ctas_.size(); ++slot)
    if (ctas_[slot].stream != nullptr) observer_->cta_ended(id_, slot, ctas_[slot].stream->id(), halt_);
}

std::uint64_t Sm::execute_rest(const std::function<void(const WarpAccess&)>& atomic) {
  std::uint64_t executed = 0;
  for (std::uint32_t slot = 0; slot < ctas_.size(); ++slot) {
    CtaSlot& c = ctas_[slot];
    if (c.stream == nullptr) continue;
    for (WarpMask m = c.warps; m != 0; m &= m - 1)
      if ((running_ & ~at_barrier_ & bit(first(m))) != 0) executed += execute_turn(c, first(m), atomic);
    if (c.live_warps == 0) forget(slot);
  }
  if (resident_ == 0) forget_issue();
  return executed;
}

std::uint64_t Sm::execute_turn(CtaSlot& cta, unsigned warp,
                               const std::function<void(const WarpAccess&)>& atomic) {
  const std::uint32_t in_cta = warps_[warp].in_cta;
  for (std::uint32_t n = 0; n < kTurn; ++n) {
    const Issued r = cta.stream->issue(in_cta);
    switch (r.event) {
      case Issued::Event::Retry:
        return n;
      case Issued::Event::Memory:
        for (const WarpAccess& a : std::span(r.access, r.accesses)) {
          const bool records = a.space == WarpAccess::Space::Global &&
                               (a.kind == WarpAccess::Kind::Atomic || a.kind == WarpAccess::Kind::Reduce);
          if (a.sizes != nullptr && a.kind == WarpAccess::Kind::Load) cta.stream->copied(a.payload);
          if (!records) continue;
          const std::uint16_t payload = a.payload;
          const bool answered = a.kind == WarpAccess::Kind::Atomic;
          atomic(a);
          if (answered) cta.stream->deliver(in_cta, payload);
          cta.stream->retire_atomic(payload);
        }
        break;
      case Issued::Event::Blocked:
        at_barrier_ |= bit(warp);
        release_now(cta);
        if ((at_barrier_ & bit(warp)) != 0) return n + 1;
        break;
      case Issued::Event::Exited:
        running_ &= ~bit(warp);
        ports_[warps_[warp].scheduler].policy->ended(warp);
        if (--cta.live_warps != 0) release_now(cta);
        return n + 1;
      default:
        if (r.check_barriers) release_now(cta);
    }
  }
  return kTurn;
}

void Sm::release_now(CtaSlot& cta) {
  const std::uint64_t released = cta.stream->release();
  for (WarpMask m = cta.warps & at_barrier_; m != 0; m &= m - 1)
    if ((released >> warps_[first(m)].in_cta & 1) != 0) at_barrier_ &= ~bit(first(m));
}

// No warp is resident: nobody waits for anything.
void Sm::forget_issue() {
  for (IssuePort& port : ports_) port.ready = {};
  any_ready_ = at_barrier_ = reducing_ = waiting_memory_ = waiting_ack_ = 0;
  attended_ &= ~retrying_ | (states_ != nullptr ? ~WarpMask{0} : 0);
  with_atomics_ = acquiring_ = refused_ = retrying_ = next_load_ = next_store_ = next_drain_ = 0;
  if (fence_waits_ != nullptr) fence_waits_->forget();
  wheel_.fill(0);
  wheel_used_ = 0;
  far_ = 0;
  far_next_ = sim::kNever;
}

}  // namespace heddle::sm
