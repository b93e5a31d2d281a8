// The funnel: what becomes of the loads from global memory on their way from lanes to DRAM rows, level by
// level, and beside each level what could have been merged there. Every number is counted, none is estimated.
// Stages (mem/stage.h) append their levels and places in the order in which a request meets them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mem/potential_meter.h"

namespace heddle::mem {

struct FunnelLevel {
  std::string name;  // "L1 misses"; no two levels of a funnel have the same
  std::string unit;  // "requests"
  std::string by;    // what stands between the level before and this one: "L1 hits"
  std::uint64_t count = 0;
  // Of `count`, for what was asked for at this place within the window or was under way there. None: nobody
  // looks here, or measure.funnel is off.
  std::optional<std::uint64_t> could_merge = {};
};

// What took requests away at a place ("L1 hits", "merge table"), or put its own among them (a prefetcher).
struct FunnelPart {
  std::string by;
  std::uint64_t count = 0;
  bool added = false;
  bool bundled = false;  // they travel with others and part again: nothing was redundant
};

// One place where requests meet: what came (level `in`), what went on (level `out`), who made the difference:
// in - parts that took away + parts that were added = out.
struct FunnelPlace {
  std::string name;  // "the L1s and their MSHRs"
  std::size_t in = 0, out = 0;
  std::vector<FunnelPart> parts;
};

struct Funnel {
  bool measured = false;  // measure.funnel was on
  std::vector<FunnelLevel> levels;
  std::vector<FunnelPlace> places;

  // Appends a level; the return value is its number.
  std::size_t add(FunnelLevel level);
  // The same with what a meter saw there.
  std::size_t add(FunnelLevel level, const PotentialStats& could);
  std::size_t last() const { return levels.size() - 1; }

  // Throws Error when there is no such level.
  const FunnelLevel& at(std::string_view name) const;
  std::size_t number_of(std::string_view name) const;
  bool has(std::string_view level) const;
  // What a place took away, and what it added.
  static std::uint64_t removed(const FunnelPlace& place);
  static std::uint64_t added(const FunnelPlace& place);
  // What it could have merged and did not; none without measure.funnel.
  std::optional<std::uint64_t> left(const FunnelPlace& place) const;
};

// The names of the levels of both, in an order that keeps each one's.
std::vector<std::string> levels_of(const Funnel& a, const Funnel& b);

}  // namespace heddle::mem
