// An SM and what of the first level stands with it, as one unit: its L1 (hierarchy/sm_tile.h), or the end of
// a way to one (hierarchy/l1_organization.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cache/l1_cache.h"
#include "mem/potential_meter.h"
#include "sim/channel.h"
#include "sim/unit.h"
#include "sm/sm.h"

namespace heddle::hierarchy {

class Core : public sim::Unit {
 public:
  Core(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock);

  // What could have been merged before the L1, within `window` cycles. Once, at first.
  virtual void measure(sim::Cycle window);
  // What presses on the way to the L1. Once, at first.
  void measure_pressure();
  // How many warps could issue. Once, at first.
  void measure_available();
  // In which state each warp is. Once, at first.
  void measure_warp_states();

  // From now on the SM stops `turnaround` cycles after a CTA's end, while `more_ctas` says that others wait
  // for its place.
  void stop_for_ctas(const bool& more_ctas, sim::Cycle turnaround) {
    more_ctas_ = &more_ctas;
    turnaround_ = turnaround;
  }

  // The one place where SMs are stepped, so that the compiler makes one piece of all that happens in a cycle.
  sim::Cycle run(sim::Cycle from, sim::Cycle until) final;
  std::uint32_t weight() const override { return 4; }
  std::string name() const override;
  std::string waits() const override { return sm_.waits(); }

  sm::Sm& sm() { return sm_; }
  const sm::Sm& sm() const { return sm_; }

 protected:
  // What an SM does after a CTA's end depends on what it is given in its place: it does not run past the
  // moment at which that could begin.
  sim::Cycle decided_until() const {
    return more_ctas_ != nullptr && *more_ctas_ && !sm_.retired().empty()
               ? sm_.retired().front().at + turnaround_
               : sim::kNever;
  }
  // An L1 stands beside the SM, with a channel from the level below.
  void beside(cache::L1Cache& l1, sim::Channel<mem::Request>& replies) {
    l1_ = &l1;
    replies_ = &replies;
  }
  // Without one. Before the SM's step: answers that have come are handed over. After it: the next cycle in
  // which something comes; the SM knows for itself what else there is to do.
  virtual void receive(sim::Cycle) {}
  virtual sim::Cycle next_answer(sim::Cycle) const { return sim::kNever; }

  const std::uint32_t id_;
  sm::Sm sm_;

 private:
  cache::L1Cache* l1_ = nullptr;
  sim::Channel<mem::Request>* replies_ = nullptr;
  std::unique_ptr<mem::PotentialMeter> line_requests_;
  std::unique_ptr<sm::AccessPressure> pressure_;
  std::unique_ptr<sm::AvailableWarps> available_;
  std::unique_ptr<sm::WarpStates> states_;
  const bool* more_ctas_ = nullptr;
  sim::Cycle turnaround_ = 1;
};

}  // namespace heddle::hierarchy
