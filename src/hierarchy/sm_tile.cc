#include "hierarchy/sm_tile.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::hierarchy {

using sim::Cycle;

namespace {

// In fewer cycles only a few of an SM's warps issue: fetching all ahead costs more than it brings.
constexpr Cycle kWorthFetching = 32;

}  // namespace

SmTile::SmTile(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock,
               const mem::AddressMap& map, Requests& to_cluster, Requests& from_cluster)
    : id_(sm), map_(map), out_(to_cluster), in_(from_cluster), sm_(spec, sm, sms, clock) {}

void SmTile::configure_l1(const cache::L1Spec& spec) {
  l1_.emplace(spec, static_cast<std::uint16_t>(id_), map_, sm_.client(), out_);
  sm_.connect(*l1_, {static_cast<std::uint32_t>(spec.tags.line.count()), spec.tags.sets,
                     [this](std::uint64_t line) { return l1_->tags().set_of(line); }});
  if (meters_ != nullptr) l1_->measure(&meters_->l1_misses);
}

void SmTile::measure(Cycle window) {
  meters_ = std::make_unique<Meters>(Meters{mem::PotentialMeter(window), mem::PotentialMeter(window)});
  sm_.measure(&meters_->line_requests);
  l1_->measure(&meters_->l1_misses);
}

void SmTile::measure_pressure() {
  pressure_ = std::make_unique<sm::AccessPressure>();
  sm_.watch(pressure_.get());
}

// What an SM does after a CTA's end depends on what it is given in its place: it does not run past the moment
// at which that could begin.
Cycle SmTile::decided_until() const {
  return more_ctas_ != nullptr && *more_ctas_ && !sm_.retired().empty()
             ? sm_.retired().front().at + turnaround_
             : sim::kNever;
}

Cycle SmTile::run(Cycle from, Cycle until) {
  Cycle now = from;
  if (until - from >= kWorthFetching) sm_.prefetch();  // other units have run since the last time
  while (now < until) {
    if (const Cycle decided = decided_until(); now >= decided) return decided;
    sm_.begin(now);
    if (in_.ready(now) && sm_.takes_replies()) {
      do {
        l1_->reply(now, in_.front());
        in_.pop(now);
      } while (in_.ready(now) && sm_.takes_replies());
      sm_.unblock();
    }
    sm_.step(now);
    l1_->send(now);
    now = std::max(now + 1, std::min({sm_.next(now), in_.next_arrival(), l1_->next_send(now)}));
  }
  return std::min(now, decided_until());
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
