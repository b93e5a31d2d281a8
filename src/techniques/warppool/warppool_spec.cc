#include "techniques/warppool/warppool_spec.h"

#include <bit>

#include <fmt/format.h>

namespace heddle::warppool {

using config::range;

void WarpPoolSpec::fields(config::Reader& r) {
  r.field("queues", queues, range(1u, 64u), "Instruction queues; warps are divided among them by number");
  r.field("queue_entries", queue_entries, range(1u, 64u), "Instructions in each instruction queue");
  r.field("coalescers", coalescers, range(1u, 16u), "Intra-warp coalescers");
  r.field("window_queues", window_queues, range(1u, 1024u), "Inter-warp coalescing queues");
  r.field("tags", tags, range(1u, 64u), "Tags, each of a line, in an inter-warp queue");
  r.field("loads_per_tag", loads_per_tag, range(1u, 16u),
          "Loads that one request to the L1 may stand for; not more than metadata_entries");
  r.field("map_entries", map_entries, range(1u, 1024u),
          "Thread map table: loads whose threads map to words in no common pattern");
  r.field("metadata_entries", metadata_entries, range(1u, 65536u),
          "MSHR metadata table: loads whose requests are in the L1");
  r.field("writeback_entries", writeback_entries, range(1u, 64u),
          "Lines in the writeback buffer; the L1 stalls while it is full");
  r.field("writebacks_per_cycle", writebacks_per_cycle, range(1u, 16u),
          "Loads that are written back per cycle");
  r.field("stages", stages, range(3u, 64u), "Cycles from the issue of a load to its first request");
  r.choice("selection", selection,
           {{"oldest", Selection::Oldest, "the line that was asked for first"},
            {"warp_id", Selection::WarpId, "the line that the lowest warp asked for"},
            {"switch", Selection::Switch,
             "first the oldest; the other rule after each quantum with a miss rate above the threshold"}},
           "Which request goes to the L1 next");
  r.field("quantum", quantum, range(1u, 1'000'000'000u), "Cycles of a quantum");
  r.field("threshold", threshold, range(0.0, 1.0), "Miss rate of a quantum above which the rule changes");
  r.choice("miss", miss,
           {{"fetch", Miss::Fetch, "loads that have their line fetched"},
            {"no_hit", Miss::NoHit, "all loads but hits, also those that join a fetch under way"}},
           "What the threshold counts as a miss");
  r.field("stores_pass_blocked_loads", stores_pass_blocked_loads,
          "A store may use a cycle in which the L1 does not take the load that was selected");
  if (selection != Selection::Switch)
    r.unused({"quantum", "threshold", "miss"}, "only selection = switch changes its rule");
}

// Widths by Table 1: a load's metadata are 23 bits (warp 6, mapping kind 2, mapping 10, sequence 5), a tag
// has 32 bits beside them, an instruction before address generation 37; a raw mapping 32 x (5 + 5) bits.
struct Bits {
  static constexpr std::uint32_t kLoad = 23, kTag = 32, kInstruction = 37, kCoalescer = 256 * 8, kMap = 321;
};

// An instruction waits in its queue and goes through a coalescer. Each of its lines is sought among the tags
// of one queue and entered there; tags are read when their request goes, metadata when the data are there.
sm::LoadFront::Hardware WarpPoolSpec::hardware() const {
  sm::LoadFront::Hardware h;
  const auto bytes = [](std::uint32_t bits) { return Bytes{(bits + 7) / 8}; };
  h.queues.push_back({queues, queue_entries, bytes(Bits::kInstruction), {{"sm.global_load.instructions"}}});
  h.queues.push_back({coalescers, 1, bytes(Bits::kCoalescer), {{"sm.global_load.instructions"}}});
  mem::TablePart lines;
  lines.what = "inter-warp queues";
  lines.count = window_queues;
  lines.entries = tags;
  lines.key_bits = Bits::kTag;
  lines.other_bits = loads_per_tag * Bits::kLoad;
  lines.searches = {{"front.offered"}};
  lines.writes = {{"front.offered"}};
  lines.reads = {{"front.sent"}};
  h.tables.push_back(lines);
  h.queues.push_back({1, map_entries, bytes(Bits::kMap), {{"warppool.mapping_random"}}});
  mem::ArrayPart metadata;
  metadata.what = "MSHR metadata";
  metadata.rows = metadata_entries;
  metadata.row_bits = metadata.port_bits = Bits::kLoad;
  metadata.writes = {{"front.offered"}};
  metadata.reads = {{"front.offered"}};
  h.arrays.push_back(metadata);
  return h;
}

std::vector<mem::Storage> WarpPoolSpec::storage() const {
  const auto part = [](const char* name, std::uint64_t entries, std::uint64_t bits) {
    return mem::Storage{name, fmt::format("{} x {} bits", entries, bits), entries * bits};
  };
  return {part("instruction queues", std::uint64_t{queues} * queue_entries, Bits::kInstruction),
          part("intra-warp coalescers", coalescers, Bits::kCoalescer),
          part("inter-warp queues", window(), loads_per_tag * Bits::kLoad + Bits::kTag),
          part("thread map table", map_entries, Bits::kMap),
          part("MSHR metadata", metadata_entries, Bits::kLoad)};
}

void WarpPoolStats::statistics(stats::Visitor& v) {
  static constexpr const char* kNames[] = {"consecutive", "broadcast", "single", "range", "random"};
  static constexpr const char* kHelp[] = {
      "Line requests of loads: thread i wants word i of the line", "All threads want one word",
      "One thread wants one word", "Neighbouring threads want neighbouring words",
      "Another mapping of threads to words, which takes a thread map entry"};
  for (std::size_t i = 0; i < kMappings; ++i)
    v.counter(fmt::format("mapping_{}", kNames[i]), mapping[i], {"requests", kHelp[i]});
  v.counter("waited_tags", waited_tags, {"requests", "Line requests that waited for a tag"});
  v.counter("waited_queue", waited_queue, {"requests", "That waited for another coalescer's insertion"});
  v.counter("waited_map", waited_map, {"requests", "That waited for a thread map entry"});
  v.counter("waited_metadata", waited_metadata, {"requests", "Lines that waited for MSHR metadata"});
  v.counter("waited_store_port", waited_store_port, {"requests", "Stores that waited while a load went"});
  v.counter("writeback_full", writeback_full, {"times", "The writeback buffer became full: the L1 stalls"});
  v.counter("store_requests", store_requests, {"requests", "Stores and atomics sent to L1s"});
  v.counter("written_back", written_back, {"requests", "Line requests of loads written back to registers"});
  v.counter("quanta", quanta, {"quanta", "Quanta with requests of loads, over all SMs"});
  v.counter("switches", switches, {"quanta", "After how many quanta the selection changed"});
  v.counter("warp_id_quanta", warp_id_quanta, {"quanta", "Of these, spent selecting by warp"});
  v.peak("tags_peak", tags_peak, {"tags", "Most tags in use at once in one SM"});
  v.peak("maps_peak", maps_peak, {"entries", "Most thread map entries in use at once in one SM"});
  v.histogram("loads", loads, {"requests", "Requests to the L1 by how many loads they stand for"});
}

}  // namespace heddle::warppool
