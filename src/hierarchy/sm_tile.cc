#include "hierarchy/sm_tile.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::hierarchy {

using sim::Cycle;

SmTile::SmTile(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, std::uint32_t cluster,
               Frequency clock, const mem::AddressMap& map, Requests& to_cluster, Requests& from_cluster)
    : id_(sm),
      cluster_(cluster),
      map_(map),
      out_(to_cluster),
      in_(from_cluster),
      sm_(spec, sm, sms, clock, 128) {}

void SmTile::configure_l1(const cache::L1Spec& spec) {
  l1_ = std::make_unique<cache::L1Cache>(spec, static_cast<std::uint16_t>(id_),
                                         static_cast<std::uint16_t>(cluster_), map_, sm_.client(), out_);
  sm_.connect(*l1_, static_cast<std::uint32_t>(spec.tags.line.count()));
  if (meters_ != nullptr) l1_->measure(&meters_->l1_misses);
}

void SmTile::measure(Cycle window) {
  meters_ = std::make_unique<Meters>(Meters{mem::PotentialMeter(window), mem::PotentialMeter(window)});
  sm_.measure(&meters_->line_requests);
  l1_->measure(&meters_->l1_misses);
}

Cycle SmTile::run(Cycle from, Cycle until) {
  Cycle now = from;
  while (now < until) {
    sm_.begin(now);
    if (in_.ready(now)) {
      do {
        l1_->reply(now, in_.front());
        in_.pop();
      } while (in_.ready(now));
      sm_.unblock();
    }
    sm_.step(now);
    if (l1_->wants_cycle()) l1_->send(now);
    Cycle next = std::min(sm_.next(now), in_.next_arrival());
    if (l1_->wants_cycle()) next = now + 1;
    now = std::max(now + 1, next);
  }
  return now;
}

std::string SmTile::name() const {
  return fmt::format("SM {}", id_);
}

std::string SmTile::waits() const {
  std::string out = sm_.waits();
  if (!l1_->idle())
    out += fmt::format("{}L1: {} MSHRs in use, {} requests queued, {} stores and atomics under way",
                       out.empty() ? "" : "\n    ", l1_->mshrs_used(), l1_->queued(), l1_->under_way());
  return out;
}

}  // namespace heddle::hierarchy
