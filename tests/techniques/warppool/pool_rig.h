// WarpPool in a rig, with some of its parameters changed.
#pragma once

#include <functional>
#include <memory>

#include "techniques/warppool/warp_pool.h"
#include "tests/sm/front_rig.h"

namespace heddle::warppool {

using sim::Cycle;
using sm::FrontRig;
using Answer = mem::L1Port::Answer;
using Outcome = mem::L1Port::Outcome;

inline constexpr std::uint64_t kLine = 0x10'0000;

inline sm::LoadFrontFactory with(const std::function<void(WarpPoolSpec&)>& change = [](WarpPoolSpec&) {}) {
  WarpPoolSpec spec;
  change(spec);
  return [spec](const sm::FrontPlace& place) { return std::make_unique<WarpPool>(spec, place); };
}

inline WarpPoolStats own(FrontRig& rig) {
  stats::Groups groups;
  groups.make<WarpPoolStats>("warppool");
  rig.front().collect(groups);
  return groups.get<WarpPoolStats>("warppool");
}

inline Answer blocked(Cycle, const mem::Request&) {
  return {};
}

}  // namespace heddle::warppool
