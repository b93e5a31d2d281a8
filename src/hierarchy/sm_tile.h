// An SM with its own L1: the private arrangement. One unit, one channel to its cluster and one back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cache/l1_cache.h"
#include "hierarchy/core.h"
#include "mem/address_map.h"
#include "mem/potential_meter.h"
#include "sim/channel.h"

namespace heddle::hierarchy {

class SmTile final : public Core {
 public:
  using Requests = sim::Channel<mem::Request>;
  SmTile(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock,
         const mem::AddressMap& map, Requests& to_cluster, Requests& from_cluster);

  // A new, empty L1 in the place of the old one, for a kernel that divides a unified memory differently. Only
  // while idle.
  void configure_l1(const cache::L1Spec& spec);

  void measure(sim::Cycle window) override;  // among the L1's misses, too
  // Requests tell how many warps are ready when they leave. Once, at first.
  void tell_ready_warps();
  // Writes down which lines come and go. Once, at first.
  void watch(mem::ReplicaLog& log);

  std::string waits() const override;

  cache::L1Cache& l1() { return *l1_; }
  const cache::L1Cache& l1() const { return *l1_; }
  bool idle() const { return sm_.idle() && l1_->idle(); }

 private:
  const mem::AddressMap& map_;
  Requests& out_;
  Requests& in_;
  std::optional<cache::L1Cache> l1_;
  std::unique_ptr<mem::PotentialMeter> l1_misses_;
  mem::ReplicaLog* replicas_ = nullptr;
  bool tell_ready_warps_ = false;
};

}  // namespace heddle::hierarchy
