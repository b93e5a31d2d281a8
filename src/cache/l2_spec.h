// Parameters and statistics of an L2 slice.
#pragma once

#include <array>
#include <cstdint>

#include "cache/tag_store.h"
#include "config/reader.h"
#include "stats/visitor.h"

namespace heddle::cache {

// What a write does whose sectors the cache does not hold.
enum class WriteMiss : std::uint8_t {
  Fetch,      // it goes to memory, and the line is fetched as well (GPGPU-Sim 3)
  Validate,   // written into the cache; sectors not written completely are fetched when somebody reads them
  NoAllocate  // it goes to memory
};

// When a write is acknowledged that goes to memory.
enum class WriteMissAck : std::uint8_t {
  Accepted,  // as soon as it is on its way
  Memory     // when memory has written it (GPGPU-Sim 3)
};

// Times are cycles of the L2 clock.
struct L2Spec {
  bool enabled = true;  // without it, every access goes to DRAM
  bool merging = true;  // without it, requests for a line under way share one access
  TagSpec tags = l2_tags();
  std::uint32_t latency = 10;      // from a lookup (or a fill) to the reply at the slice's exit
  Bytes port = Bytes{32};          // bytes of the data array per cycle
  Bytes input = Bytes{0};          // of a store's data that come in per cycle, after its header; 0: all
  bool own_fill_port = false;      // fills do not share the port (GPGPU-Sim 3)
  bool lookups_need_port = false;  // no lookup while the port is in use, not of a miss either (GPGPU-Sim 3)
  std::uint32_t mshrs = 32;        // lines under way
  std::uint32_t merges = 8;        // requests that wait for one line
  bool merges_as_misses = false;   // a request that merges needs the room that a miss needs (GPGPU-Sim 3)
  std::uint32_t queue = 24;        // requests waiting for their lookup or on the wire
  std::uint32_t delay_places = 0;  // requests on the wire that need no place in the queue
  std::uint32_t miss_queue = 8;    // accesses on the way to DRAM
  std::uint32_t dram_queue = 0;    // accesses behind those, on the way as well
  std::uint32_t replies_per_cycle = 0;  // of those who waited for a line; 0: all when it comes
  std::uint32_t reply_queue = 8;      // replies that the network has not yet taken, beside those in `latency`
  std::uint32_t atomic_interval = 1;  // from the lookup of an atomic to the next lookup
  bool atomic_passes = false;         // so long for every pass over a sector (mem::AtomicWork)
  std::uint32_t atomic_part_quarters =
      0;  // of a cycle, more for a pass that does not change all of its sector
  std::uint32_t atomic_float_interval = 0;  // between two additions to one word, of floating-point numbers
  std::uint32_t sides = 1;                  // parts of the L2, each near to some of the clusters
  std::uint32_t side_latency = 0;           // to what only the other side holds, and back
  Bytes side_link{0};                       // bytes per cycle between a slice and the other side; 0: no limit
  Bytes fetch = Bytes{32};                  // sectors that a miss brings are aligned groups of so many bytes
  WriteMiss write_miss = WriteMiss::Fetch;
  WriteMissAck write_miss_ack = WriteMissAck::Accepted;
  bool write_waits = false;  // a write to a line under way holds up the slice until all of it is there
  void fields(config::Reader& r);
  // Every request is an access to DRAM of its own, and its answer a reply: no MSHRs, no ways, no data port.
  bool direct() const { return !enabled && !merging; }
  std::uint32_t places() const { return queue + delay_places; }  // for requests, from when they are sent

 private:
  static TagSpec l2_tags() {
    TagSpec t;
    t.sets = 64;
    t.ways = 16;
    return t;
  }
};

// Why the request at the head of the queue cannot be served.
enum class L2Stall : std::uint8_t { None, Port, Replies, Ways, Mshrs, Merges, MissQueue, Fill };
inline constexpr std::size_t kL2Stalls = 8;

// A request counts once, when it is accepted. Hit: all its sectors were there; merged: all the others were on
// their way; miss: else.
struct L2OpStats {
  std::uint64_t requests = 0, hits = 0, merged = 0, misses = 0, sectors = 0, hit_sectors = 0;
};
struct L2Stats {
  L2OpStats reads, writes, atomics;
  L2OpStats global_reads;            // of `reads`, those of global memory
  std::uint64_t global_fetches = 0;  // accesses to memory that they caused
  std::uint64_t writebacks = 0, writeback_sectors = 0;
  std::uint64_t fills = 0, fill_sectors = 0;  // answers of memory
  std::uint64_t fetched_sectors = 0;          // asked for
  std::uint64_t written_through_sectors = 0;  // of write misses that go to memory
  std::uint64_t port_cycles = 0;
  std::uint64_t requests_in = 0, replies_out = 0;
  std::array<std::uint64_t, kL2Stalls> stalls = {};  // cycles, by L2Stall
  void statistics(stats::Visitor& v);
};

}  // namespace heddle::cache
