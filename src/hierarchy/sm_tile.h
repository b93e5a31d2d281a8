// An SM with its own L1: the private arrangement. One unit, one channel to its cluster and one back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cache/l1_cache.h"
#include "mem/address_map.h"
#include "mem/potential_meter.h"
#include "sim/channel.h"
#include "sim/unit.h"
#include "sm/sm.h"

namespace heddle::hierarchy {

class SmTile final : public sim::Unit {
 public:
  using Requests = sim::Channel<mem::Request>;
  SmTile(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock,
         const mem::AddressMap& map, Requests& to_cluster, Requests& from_cluster);

  // A new, empty L1 in the place of the old one, for a kernel that divides a unified memory differently. Only
  // while idle.
  void configure_l1(const cache::L1Spec& spec);

  // What could have been merged before the L1 and among its misses, within `window` cycles. Once, at first.
  void measure(sim::Cycle window);
  // What presses on the way to the L1. Once, at first.
  void measure_pressure();

  // From now on the SM stops `turnaround` cycles after a CTA's end, while `more_ctas` says that others wait
  // for its place.
  void stop_for_ctas(const bool& more_ctas, sim::Cycle turnaround) {
    more_ctas_ = &more_ctas;
    turnaround_ = turnaround;
  }

  sim::Cycle run(sim::Cycle from, sim::Cycle until) override;
  std::uint32_t weight() const override { return 4; }
  std::string name() const override;
  std::string waits() const override;

  sm::Sm& sm() { return sm_; }
  const sm::Sm& sm() const { return sm_; }
  cache::L1Cache& l1() { return *l1_; }
  const cache::L1Cache& l1() const { return *l1_; }
  bool idle() const { return sm_.idle() && l1_->idle(); }

 private:
  struct Meters {
    mem::PotentialMeter line_requests, l1_misses;
  };
  sim::Cycle decided_until() const;

  std::uint32_t id_;
  const mem::AddressMap& map_;
  Requests& out_;
  Requests& in_;
  sm::Sm sm_;
  std::optional<cache::L1Cache> l1_;
  std::unique_ptr<Meters> meters_;
  std::unique_ptr<sm::AccessPressure> pressure_;
  const bool* more_ctas_ = nullptr;
  sim::Cycle turnaround_ = 1;
};

}  // namespace heddle::hierarchy
