#include "hierarchy/sm_tile.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::hierarchy {

using sim::Cycle;

SmTile::SmTile(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock,
               const mem::AddressMap& map, Requests& to_cluster, Requests& from_cluster)
    : Core(spec, sm, sms, clock), map_(map), out_(to_cluster), in_(from_cluster) {}

void SmTile::configure_l1(const cache::L1Spec& spec) {
  l1_.emplace(spec, static_cast<std::uint16_t>(id_), map_, sm_.client(), out_);
  beside(*l1_, in_);
  sm_.connect(*l1_, {static_cast<std::uint32_t>(spec.tags.line.count()), spec.tags.sets,
                     [this](std::uint64_t line) { return l1_->tags().set_of(line); }, spec.tags.parts});
  if (l1_misses_ != nullptr) l1_->measure(l1_misses_.get());
  if (tell_ready_warps_) l1_->tell_ready_warps(&sm_.ready_warps());
  if (replicas_ == nullptr) return;
  replicas_->add(mem::ReplicaLog::What::AllGone);
  l1_->watch(replicas_);
}

void SmTile::tell_ready_warps() {
  tell_ready_warps_ = true;
  l1_->tell_ready_warps(&sm_.ready_warps());
}

void SmTile::watch(mem::ReplicaLog& log) {
  replicas_ = &log;
  l1_->watch(&log);
}

void SmTile::measure(Cycle window) {
  Core::measure(window);
  l1_misses_ = std::make_unique<mem::PotentialMeter>(window);
  l1_->measure(l1_misses_.get());
}

std::string SmTile::waits() const {
  std::string out = Core::waits();
  if (!l1_->idle())
    out += fmt::format("{}L1: {} MSHRs in use, {} requests queued, {} stores and atomics under way",
                       out.empty() ? "" : "\n    ", l1_->mshrs_used(), l1_->queued(), l1_->under_way());
  return out;
}

}  // namespace heddle::hierarchy
