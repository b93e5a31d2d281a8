// What a kind of load front tells about itself, and the kinds that come with an SM. Techniques bring theirs
// in the same form; the catalog (gpu/catalog.h) has them all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "config/reader.h"
#include "sm/load_front.h"

namespace heddle::sm {

struct FrontPlace {
  std::uint16_t sm = 0;
  std::uint32_t warps = 64;
  std::uint32_t queue = 8;            // instructions that wait (sm.lsu_queue)
  std::uint32_t lines_per_cycle = 1;  // that a coalescer makes, and the L1 takes
  L1Sender* l1 = nullptr;             // outlives the front; nullptr: it is only asked about itself
};
// Makes one front per SM. Empty: the load/store unit itself, in order.
using LoadFrontFactory = std::function<std::unique_ptr<LoadFront>(const FrontPlace&)>;

struct LoadFrontKind {
  std::string_view name, description;
  // Reads (or only describes) the parameters of its own section.
  LoadFrontFactory (*read)(config::Reader& section);
  // What it is that merges requests of several loads: "inter-warp queues". Empty: nothing does.
  std::string_view merged_by = {};
};

std::span<const LoadFrontKind> load_fronts();

// The groups that SMs with such a front count in, at zero.
void declare(const LoadFrontFactory& make, stats::Groups& all);

}  // namespace heddle::sm
