// What an SM says when the machine does not proceed.
#include <bit>

#include <fmt/format.h>

#include "sm/sm.h"

namespace heddle::sm {
bool Sm::only_spins(bool again) {
  if (again) spins_.restart();
  spins_.next_sample();
  bool all = starting_.empty();
  const WarpMask held_back = any_ready_ & held_by_schedulers();
  for (std::size_t slot = 0; slot < ctas_.size(); ++slot) {
    const CtaSlot& c = ctas_[slot];
    if (c.stream == nullptr) continue;
    // Copies will change their mbarriers; a CTA whose warps have all exited will make room for others.
    all &= c.copies == 0 && c.live_warps != 0;
    const std::uint64_t shared = c.stream->shared_state();
    for (WarpMask m = c.warps & running_ & ~at_barrier_; m != 0; m &= m - 1) {
      const unsigned w = first(m);
      // Shared memory is part of the state: a warp may wait for another of its CTA.
      std::uint64_t state = c.stream->state(warps_[w].in_cta);
      if (state != 0) state = (state ^ std::rotl(shared, 17)) | 1;
      const bool stays = (held_back & bit(w)) != 0 && spins_.stays(w, state, turns_[w]);
      const bool goes_round = spins_.goes_round(w, state, turns_[w]);
      all &= stays || goes_round;
    }
  }
  return all;
}

std::string Sm::waits() const {
  if (resident_ == 0 && lsu_.idle()) return {};
  const WarpMask held_back = any_ready_ & held_by_schedulers();
  std::string out = fmt::format(
      "{} warps resident: {} wait for memory, {} at barriers, {} for acknowledgements, {} "
      "could issue, {} wait for an atomic of their SM",
      resident_warps(), std::popcount(waiting_memory_), std::popcount(at_barrier_),
      std::popcount(waiting_ack_), std::popcount(any_ready_ & ~held_back), std::popcount(refused_));
  if (held_back != 0)
    out +=
        fmt::format(", {} are held back by their scheduler ({})", std::popcount(held_back), spec_.scheduler);
  if (const std::string lsu = lsu_.waits(); !lsu.empty()) out += "\n    " + lsu;
  int shown = 0;
  for (WarpMask m = running_; m != 0 && shown < 4; m &= m - 1, ++shown) {
    const unsigned w = first(m);
    out += fmt::format("\n    warp {} of CTA {} at {}", warps_[w].in_cta, ctas_[warps_[w].cta].stream->id(),
                       ctas_[warps_[w].cta].stream->place(warps_[w].in_cta));
  }
  return out;
}

// Those that could be issued, and those in the load/store unit with lines to send.
std::uint32_t Sm::memory_instructions_waiting() const {
  using workload::InstrClass;
  std::uint32_t n = lsu_.waiting();
  for (const IssuePort& port : ports_)
    port.ready.for_each_kind([&](std::size_t kind, WarpMask warps) {
      if (kind != static_cast<std::size_t>(UnitKind::Memory)) return;
      for (warps &= ~held_by_scheduler(port); warps != 0; warps &= warps - 1) {
        const WarpState& w = warps_[first(warps)];
        const InstrClass c = w.code[w.pc].cls;
        n += c == InstrClass::Load || c == InstrClass::Store || c == InstrClass::Atomic ||
             c == InstrClass::Texture;
      }
    });
  return n;
}

}  // namespace heddle::sm
