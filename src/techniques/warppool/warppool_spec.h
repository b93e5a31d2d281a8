// Parameters of WarpPool and what it counts. warppool.md, section (a).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/reader.h"
#include "sm/load_front.h"
#include "stats/visitor.h"

namespace heddle::warppool {

enum class Selection : std::uint8_t {
  Oldest,  // the tag that was allocated first
  WarpId,  // the tag with a load of the lowest warp
  Switch   // begins with the oldest; toggles after a quantum with too many misses
};
enum class Miss : std::uint8_t {
  NoHit,  // every load that does not find its line, also while it is under way
  Fetch   // only one that has its line fetched
};

struct WarpPoolSpec {
  std::uint32_t queues = 16, queue_entries = 8;  // instruction queues
  std::uint32_t coalescers = 2;                  // intra-warp
  std::uint32_t window_queues = 32, tags = 2;    // inter-warp queues, and tags in each
  std::uint32_t loads_per_tag = 4;
  std::uint32_t map_entries = 8;          // thread map table
  std::uint32_t metadata_entries = 1024;  // MSHR metadata table, in loads
  std::uint32_t writeback_entries = 2, writebacks_per_cycle = 1;
  std::uint32_t stages = 6;  // from the instruction queue to the L1
  Selection selection = Selection::Switch;
  std::uint32_t quantum = 100'000;
  double threshold = 0.99;  // share of misses above which the selection toggles
  Miss miss = Miss::Fetch;
  bool stores_pass_blocked_loads = true;
  void fields(config::Reader& r);
  std::uint32_t window() const { return window_queues * tags; }  // lines
  // Table 1's arithmetic, per SM.
  std::vector<mem::Storage> storage() const;
  sm::LoadFront::Hardware hardware() const;
};

// How the threads of a load map to the words of a line (rule 9).
enum class Mapping : std::uint8_t { Consecutive, Broadcast, Single, Range, Random };
inline constexpr std::size_t kMappings = 5;

struct WarpPoolStats {
  std::array<std::uint64_t, kMappings> mapping{};  // line requests of loads
  // Line requests that had to wait for it (each counted once per reason).
  std::uint64_t waited_tags = 0, waited_queue = 0, waited_map = 0, waited_store_port = 0;
  std::uint64_t waited_metadata = 0;  // tags
  std::uint64_t writeback_full = 0;   // how often the writeback buffer became full, and with it the L1
  std::uint64_t store_requests = 0, written_back = 0;
  std::uint64_t quanta = 0, switches = 0, warp_id_quanta = 0;
  std::uint64_t tags_peak = 0, maps_peak = 0;
  stats::Histogram<17> loads;  // of one request
  void statistics(stats::Visitor& v);
};

}  // namespace heddle::warppool
