// Parameters and statistics of the L1 data cache.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "cache/prefetchers.h"
#include "cache/tag_store.h"
#include "config/reader.h"
#include "stats/visitor.h"

namespace heddle::cache {

enum class WritePolicy : std::uint8_t {
  Evict,    // write-through; a hit invalidates the line, a miss allocates nothing (Fermi, global memory)
  Through,  // write-through; a hit updates the line, a miss allocates nothing
  ThroughAllocate  // write-through; wholly written sectors become valid without a fetch (Volta)
};
enum class Allocate : std::uint8_t {
  OnMiss,  // the miss reserves a way; all ways of the set pending: the access waits
  OnFill   // the way is chosen when the data come
};
enum class OvertakenFill : std::uint8_t {
  Dropped,  // data older than a store that was accepted meanwhile are not kept
  Kept      // they are: later loads may hit on what is out of date (mem/l1_port.h)
};

struct L1Spec {
  bool enabled = true;
  TagSpec tags;
  std::uint32_t latency = 20;  // cycles of a hit
  std::uint32_t fill_latency = 0;
  WritePolicy write = WritePolicy::Evict;
  bool local_write_back = true;
  Allocate allocate = Allocate::OnMiss;
  bool bypass_global = false;
  std::uint32_t mshr_entries = 32;
  std::uint32_t mshr_merges = 8;
  std::uint32_t miss_queue = 8;
  std::uint32_t passing = 1024;
  std::uint32_t read_places = 0;        // of the miss queue, that a read which is no hit must find free
  std::uint32_t misses_per_cycle = 0;   // reads that are no hits; 0: unlimited
  std::uint32_t replies_per_cycle = 0;  // to reads that wait for lines; 0: all when the data come
  bool sector_sends = false;            // what carries data leaves sector by sector
  std::uint32_t store_lines = 0;        // whose stores leave together (sector_sends)
  std::uint32_t store_idle = 64;        // cycles without a store after which none of them wait
  bool stores_need_way = false;         // a store waits where every way of its set is pending
  OvertakenFill overtaken_fill = OvertakenFill::Dropped;
  bool perfect = false;               // every read is a hit
  bool store_replies = true;          // the machine's: stores come back acknowledged
  Bytes port_bytes{};                 // of the data array per cycle and port; 0: unlimited
  std::uint32_t ports = 1;            // more: every SM has its own, by its number
  std::string prefetcher = "none";    // slot: cache/prefetcher.h
  PrefetcherFactory make_prefetcher;  // with the parameters that were read
  PrefetcherPlace prefetcher_place(std::uint32_t sm) const {
    return {sm, tags.line, tags.sectored, mshr_entries};
  }
  void fields(config::Reader& r);  // all but the prefetcher's

 private:
  void check_parts(const config::Reader& r) const;
};

// Reads an L1's parameters: its own and those of all `kinds` of prefetchers.
struct L1Section {
  L1Spec& spec;
  std::span<const PrefetcherKind> kinds;
  void fields(config::Reader& r);
};

struct L1Stats {
  // Requests: in = hits + merged + forwarded + bypassed. A request is counted when it is accepted.
  struct Flow {
    std::uint64_t in = 0, hits = 0, merged = 0, forwarded = 0, bypassed = 0;
    std::uint64_t outcomes() const { return hits + merged + forwarded + bypassed; }
  };
  struct Sectors {
    std::uint64_t read = 0, read_hit = 0, read_asked = 0, written = 0, written_hit = 0;
  };
  Flow reads, writes, atomics;
  Flow global_reads;             // of `reads`, those of global memory
  Sectors global, local, other;  // by space; other: texture, constant, instruction
  std::uint64_t write_hits = 0;
  std::uint64_t evictions = 0, write_backs = 0, fills = 0, fills_not_kept = 0, stale_merges = 0;
  // Attempts that were refused, by the first cause found.
  std::uint64_t mshr_full = 0, merge_limit = 0, reservation = 0, queue_full = 0, port_busy = 0,
                passing_full = 0, miss_limit = 0;
  std::uint64_t mshr_peak = 0;
  std::uint64_t send_cycles = 0;  // of the way out
  stats::Log2Histogram<20> miss_latency;  // of reads that were not hits, from their birth to their data
  void statistics(stats::Visitor& v);
};

}  // namespace heddle::cache
