#include "cache/l1_spec.h"

#include <fmt/format.h>

#include <string>

namespace heddle::cache {

using config::range;

void L1Spec::fields(config::Reader& r) {
  r.field("enabled", enabled, "Whether there is an L1; without, every request passes");
  tags.fields(r);
  r.field("parts", tags.parts, range(1, 8),
          "Parts of the L1 that share nothing but its ports: a CTA uses that of its context's number, modulo "
          "their number (Maxwell and Pascal: 2)");
  r.field("latency", latency, range(1, 1000), "Cycles from access to data of a hit");
  r.field("fill_latency", fill_latency, range(0, 1000), "Cycles from a reply to the data's use");
  r.choice("write", write,
           {{"evict", WritePolicy::Evict, "write-through; a hit invalidates the line"},
            {"through", WritePolicy::Through, "write-through; a hit updates the line"},
            {"through_allocate", WritePolicy::ThroughAllocate,
             "write-through; wholly written sectors become valid without a fetch"}},
           "What a store does");
  r.field("local_write_back", local_write_back, "Local memory is written back when its line makes room");
  r.choice("allocate", allocate,
           {{"on_miss", Allocate::OnMiss, "a miss reserves its way"},
            {"on_fill", Allocate::OnFill, "the way is chosen when the data come"}},
           "When a line gets its way");
  r.field("bypass_global", bypass_global, "Loads from global memory are not cached (Kepler, Maxwell)");
  r.field("mshr_entries", mshr_entries, range(1, 4096), "Lines under way at the same time");
  r.field("mshr_merges", mshr_merges, range(1, 1024), "Requests that wait for one line, the first included");
  r.field("miss_queue", miss_queue, range(1, 4096), "Requests that wait to leave; one per cycle does");
  r.field("sector_sends", sector_sends,
          "What carries data leaves sector by sector: a store to a line holds the way out for a cycle per "
          "sector, and for one more where bytes of a sector stay as they are; an atomic for one cycle, with "
          "several lanes for one more per sector");
  r.field("store_lines", store_lines, range(0, 1024),
          "Lines in which stores wait for others: later stores to sectors of the last so many lines add no "
          "cycles to the way out (sector_sends)");
  r.field("store_idle", store_idle, range(1, 1'000'000),
          "Cycles without a store after which no line waits any more (store_lines)");
  r.field("read_places", read_places, range(0, 4096),
          "Free places of the miss queue that a read which is no hit must find, also one that only joins a "
          "line under way; 0: as many as it sends requests");
  r.field("misses_per_cycle", misses_per_cycle, range(0, 64),
          "Reads that are no hits and are accepted in one cycle; 0: no limit of its own");
  r.field("replies_per_cycle", replies_per_cycle, range(0, 64),
          "Reads waiting for lines that are answered per cycle, the MSHR being held until its last one is; "
          "0: all of a line when its data come");
  r.field("stores_need_way", stores_need_way,
          "A store waits while every way of its set waits for data, although it takes none");
  r.choice("overtaken_fill", overtaken_fill,
           {{"dropped", OvertakenFill::Dropped, "is not kept: it is older than the store"},
            {"kept", OvertakenFill::Kept,
             "is kept, and later loads hit on what hardware would have to fetch again: not right, for "
             "comparisons with GPGPU-Sim 3"}},
           "What becomes of data on their way when a store to them is accepted");
  r.field("perfect", perfect,
          "Every read that looks for its line is a hit, at the usual latency: a limit to compare with");
  r.field("passing", passing, range(1, 65536), "Stores, atomics and uncached loads without an answer yet");
  r.field("port_bytes", port_bytes, range(0_B, 1_KiB), "Bytes per cycle of the data array; 0: unlimited");

  if (!enabled)
    r.unused({"sets", "parts", "ways", "index", "replacement", "latency", "write", "local_write_back",
              "allocate", "bypass_global", "mshr_entries", "mshr_merges", "port_bytes", "read_places",
              "misses_per_cycle", "replies_per_cycle", "stores_need_way", "overtaken_fill", "perfect"},
             "there is no L1 (enabled = false)");
  check_parts(r);
  if (enabled && local_write_back && miss_queue < 2) {
    r.fail("miss_queue", "a miss that writes a line back needs two places in the queue",
           "give at least 2, or local_write_back = false");
  }
  if (read_places > miss_queue) {
    r.fail(
        "read_places",
        fmt::format("a read would wait for {} free places of a queue that has {}", read_places, miss_queue),
        "give at most l1.miss_queue");
  }
  if (!sector_sends)
    r.unused({"store_lines", "store_idle"}, "the way out takes a cycle per request (sector_sends = false)");
  if (enabled && allocate == Allocate::OnFill)
    r.unused({"stores_need_way"}, "no way waits for data (allocate = on_fill)");
}

void L1Spec::check_parts(const config::Reader& r) const {
  const TagSpec& t = tags;
  if (t.sets % t.parts != 0)
    r.fail("parts", fmt::format("{} sets cannot be divided into {} equal parts", t.sets, t.parts),
           "give a divisor of sets");
  if (t.parts > 1 && t.index == IndexHash::Fermi)
    r.fail("parts", "the fermi hash is one of whole caches", "choose another index");
  if (t.index == IndexHash::Polynomial && !std::has_single_bit(t.sets / t.parts))
    r.fail(
        "parts",
        fmt::format("the polynomial hash needs a power of two of sets, not {} in a part", t.sets / t.parts),
        "choose linear or xor");
}

namespace {

// Parameters of one prefetcher, under its own name.
struct PrefetcherSection {
  const PrefetcherKind& kind;
  PrefetcherFactory factory;
  void fields(config::Reader& r) { factory = kind.read(r); }
};

}  // namespace

void L1Section::fields(config::Reader& r) {
  spec.fields(r);
  std::vector<config::NamedChoice> names;
  for (const auto& k : kinds) names.push_back({std::string(k.name), std::string(k.description)});
  r.choice("prefetcher", spec.prefetcher, names, "What asks for lines before a warp does");
  for (const auto& k : kinds) {
    PrefetcherSection section{k, {}};
    r.section(k.name, section, k.description);
    if (!spec.enabled)
      r.unused({std::string(k.name) + "."}, "there is no L1 (enabled = false)");
    else if (k.name == spec.prefetcher)
      spec.make_prefetcher = std::move(section.factory);
    else
      r.unused({std::string(k.name) + "."}, fmt::format("l1.prefetcher is '{}'", spec.prefetcher));
  }
  if (!spec.enabled) r.unused({"prefetcher"}, "there is no L1 (enabled = false)");
}

namespace {

// Names and descriptions of a flow's counters, made once: statistics of every L1 are added up after each
// launch.
struct FlowText {
  struct One {
    std::string name, description;
  };
  explicit FlowText(const std::string& what)
      : in{what + "_in", "Line requests accepted (" + what + ")"},
        hits{what + "_hits", "Complete in the L1 (" + what + ")"},
        merged{what + "_merged", "Waited for lines already under way (" + what + ")"},
        forwarded{what + "_forwarded", "Made a request to the level below (" + what + ")"},
        bypassed{what + "_bypassed", "Passed the L1 by (" + what + ")"} {}
  One in, hits, merged, forwarded, bypassed;
};

void flow(stats::Visitor& v, const FlowText& text, L1Stats::Flow& f) {
  const auto counter = [&](const FlowText::One& t, std::uint64_t& value) {
    v.counter(t.name, value, {"requests", t.description});
  };
  counter(text.in, f.in);
  counter(text.hits, f.hits);
  counter(text.merged, f.merged);
  counter(text.forwarded, f.forwarded);
  counter(text.bypassed, f.bypassed);
}

void sectors(stats::Visitor& v, const std::string& space, const std::string& nsight, L1Stats::Sectors& s) {
  // Nsight's names, for the spaces in which they mean the same.
  const std::string load = nsight.empty() ? "" : "l1tex__t_sectors_pipe_lsu_mem_" + nsight + "_op_ld.sum";
  const std::string store = nsight.empty() ? "" : "l1tex__t_sectors_pipe_lsu_mem_" + nsight + "_op_st.sum";
  v.counter(space + "_read_sectors", s.read, {"sectors", "Sectors that loads asked for", load});
  v.counter(space + "_read_sectors_hit", s.read_hit, {"sectors", "Of these, sectors that were there"});
  v.counter(space + "_read_sectors_asked", s.read_asked,
            {"sectors", "Sectors asked from the level below (whole lines without sectors)"});
  v.counter(space + "_written_sectors", s.written, {"sectors", "Sectors that stores wrote to", store});
  v.counter(space + "_written_sectors_hit", s.written_hit, {"sectors", "Of these, sectors that were there"});
}

}  // namespace

void L1Stats::statistics(stats::Visitor& v) {
  static const FlowText kReads("reads"), kWrites("writes"), kAtomics("atomics"), kGlobal("global_reads");
  flow(v, kReads, reads);
  flow(v, kWrites, writes);
  flow(v, kAtomics, atomics);
  flow(v, kGlobal, global_reads);
  v.ratio("read_hit_rate", reads.hits, reads.in, {"", "Share of read requests complete in the L1"});
  sectors(v, "global", "global", global);
  sectors(v, "local", "local", local);
  sectors(v, "other", "", other);
  v.counter("write_hits", write_hits, {"requests", "Write requests that found their line"});
  v.counter("evictions", evictions, {"lines", "Lines that made room for others"});
  v.counter("write_backs", write_backs, {"requests", "Dirty lines written back when they made room"});
  v.counter("fills", fills, {"replies", "Replies that brought data for a line"});
  v.counter("fills_not_kept", fills_not_kept,
            {"replies", "Of these, not stored: no way to be had, or overwritten meanwhile"});
  v.counter("stale_merges", stale_merges,
            {"requests", "Reads that joined a fetch older than a store of the same SM"});
  v.counter("stalls_mshr_full", mshr_full, {"attempts", "Refused: every MSHR in use"});
  v.counter("stalls_merge_limit", merge_limit,
            {"attempts", "Refused: the line's MSHR takes no more waiters"});
  v.counter("stalls_reservation", reservation, {"attempts", "Refused: every way of the set pending"});
  v.counter("stalls_queue_full", queue_full, {"attempts", "Refused: no place in the miss queue"});
  v.counter("stalls_port_busy", port_busy, {"attempts", "Refused: the data array was busy"});
  v.counter("stalls_passing_full", passing_full,
            {"attempts", "Refused: too many passing requests under way"});
  v.counter("stalls_miss_limit", miss_limit,
            {"attempts", "Refused: the cycle has had its reads that are no hits"});
  v.counter("send_cycles", send_cycles,
            {"cycles", "Cycles in which the way out of the L1 was taken by a request"});
  v.peak("mshr_peak", mshr_peak, {"entries", "Most MSHRs ever in use"});
  v.histogram("miss_latency", miss_latency,
              {"cycles", "From a load's issue to the data of a line that was no hit"});
}

}  // namespace heddle::cache
