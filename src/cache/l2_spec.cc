#include "cache/l2_spec.h"

namespace heddle::cache {

using config::range;

void L2Spec::fields(config::Reader& r) {
  r.field("enabled", enabled, "There is an L2; without it every access goes to DRAM");
  r.field("merging", merging,
          "Without an L2, requests for a line under way share one access to DRAM; else every request is an "
          "access of its own, without MSHR and data port (GPGPU-Sim 2)");
  tags.fields(r);
  r.field("latency", latency, range(1u, 10'000u), "L2 cycles from a lookup to the reply at the exit");
  r.field("port_bytes", port, range(1_B, 1_KiB), "Bytes of the data array per L2 cycle");
  r.field("input_bytes", input, range(0_B, 1_KiB),
          "Bytes of a store's data that a slice takes per L2 cycle, after one for its header: until then no "
          "other "
          "request is looked up; 0: all of them at once");
  r.field("own_fill_port", own_fill_port, "Fills use a port of their own (GPGPU-Sim 3)");
  r.field("lookups_need_port", lookups_need_port,
          "No request is looked up while the data port is in use, also none that misses (GPGPU-Sim 3)");
  r.field("mshr_entries", mshrs, range(1u, 4096u), "Lines under way from memory");
  r.field("mshr_merges", merges, range(1u, 1024u), "Requests that can wait for one line, the first included");
  r.field(
      "merges_as_misses", merges_as_misses,
      "A request for a line under way needs the room in the miss queue that a miss needs, and a write to it "
      "one of the line's mshr_merges (GPGPU-Sim 3)");
  r.field(
      "replies_per_cycle", replies_per_cycle, range(0u, 1024u),
      "Requests that waited for a line and are answered per L2 cycle; their line keeps its MSHR until the "
      "last. 0: all when the line comes");
  r.field("queue", queue, range(1u, 4096u),
          "Requests of a slice, counted from when the network sends them to when they are looked up");
  r.field("delay_places", delay_places, range(0u, 4096u),
          "Places of the delay between the network and the slice, beside those of the queue");
  // A write miss can need three at once: itself, the fetch, a victim's dirty sectors.
  r.field("miss_queue", miss_queue, range(3u, 4096u), "Accesses on the way to DRAM");
  r.field("dram_queue", dram_queue, range(0u, 4096u),
          "Accesses of a slice between its miss queue and DRAM's arbiter; one enters per L2 cycle");
  r.field("reply_queue", reply_queue, range(1u, 4096u), "Replies that the network has not yet taken");
  r.field("atomic_interval", atomic_interval, range(1u, 1000u),
          "L2 cycles that an atomic occupies the slice");
  r.field(
      "atomic_passes", atomic_passes,
      "atomic_interval is the time of a pass over a sector, not of a request: lanes that change different "
      "words of a sector go together, lanes that change the same one take a pass each");
  r.field("atomic_part_quarters", atomic_part_quarters, range(0u, 100u),
          "Quarters of an L2 cycle that a pass takes longer which does not change all of its sector");
  r.field("atomic_float_interval", atomic_float_interval, range(0u, 100u),
          "L2 cycles between two additions of floating-point numbers to one word, at least");
  if (!atomic_passes)
    r.unused({"atomic_part_quarters", "atomic_float_interval"},
             "atomics are not counted by passes (atomic_passes = false)");
  r.field(
      "sides", sides, range(1u, 2u),
      "2: half of the partitions and half of the clusters are on one side; what a line's own slice has not "
      "yet sent to the other side, and every write and atomic from there, takes side_latency more. Copies "
      "of the other side take no room");
  r.field("side_latency", side_latency, range(0u, 10'000u), "L2 cycles from one side to the other and back");
  r.field("side_bytes", side_link, range(0_B, 1_KiB),
          "Bytes per L2 cycle between a slice and the other side, both ways together: the sectors of reads, "
          "writes and atomics, and one more for a write's header; 0: no limit");
  if (sides == 1) r.unused({"side_latency", "side_bytes"}, "there is one side (sides = 1)");
  r.field("fetch_bytes", fetch, range(32_B, 256_B).power_of_two(),
          "What a miss of a sectored L2 brings from DRAM: aligned groups of so many bytes");
  r.choice("write_miss", write_miss,
           {{"fetch", WriteMiss::Fetch, "the write goes to memory and the line is fetched as well"},
            {"validate", WriteMiss::Validate, "written into the cache, fetched only when read"},
            {"no_allocate", WriteMiss::NoAllocate, "the write goes to memory"}},
           "What a write does whose sectors are not there");
  r.choice("write_miss_ack", write_miss_ack,
           {{"accepted", WriteMissAck::Accepted, "when it is on its way to memory"},
            {"memory", WriteMissAck::Memory, "when memory has written it (GPGPU-Sim 3)"}},
           "When a write is acknowledged that goes to memory");
  r.field("write_waits", write_waits,
          "A write to a line of which sectors are under way from memory waits until they are there, and with "
          "it all requests behind it in the slice");
  if (!enabled) r.unused({"write_miss", "write_waits"}, "there is no L2 (enabled = false)");
  if (enabled) r.unused({"merging"}, "there is an L2 (enabled = true)");
  if (direct())
    r.unused({"mshr_entries", "mshr_merges", "merges_as_misses", "replies_per_cycle", "port_bytes",
              "own_fill_port", "lookups_need_port", "fetch_bytes"},
             "requests pass to DRAM as they are (enabled = merging = false)");
  if (enabled && write_miss == WriteMiss::Validate)
    r.unused({"write_miss_ack"}, "writes stay in the cache (write_miss = validate)");
  if (!tags.sectored) r.unused({"fetch_bytes"}, "a miss brings the whole line (sectored = false)");
  if (fetch.count() > tags.line.count())
    r.fail("fetch_bytes", "a miss cannot bring more than a line", "give at most l2.line");
}

namespace {

struct OpNames {
  const char *requests, *hits, *merged, *misses, *sectors, *hit_sectors;
};

void visit(stats::Visitor& v, L2OpStats& s, const OpNames& n, const char* nsight) {
  v.counter(n.requests, s.requests, {"requests", "Requests of this kind that were accepted"});
  v.counter(n.hits, s.hits, {"requests", "Those that found all their sectors"});
  v.counter(n.merged, s.merged, {"requests", "Those whose missing sectors were all under way already"});
  v.counter(n.misses, s.misses, {"requests", "Those with sectors neither there nor under way"});
  v.counter(n.sectors, s.sectors, {"sectors", "Sectors that requests of this kind named", nsight});
  v.counter(n.hit_sectors, s.hit_sectors, {"sectors", "Of those, sectors that were there"});
}

}  // namespace

void L2Stats::statistics(stats::Visitor& v) {
  visit(v, reads, {"reads", "read_hits", "read_merged", "read_misses", "read_sectors", "read_hit_sectors"},
        "lts__t_sectors_op_read.sum");
  visit(v, writes,
        {"writes", "write_hits", "write_merged", "write_misses", "write_sectors", "write_hit_sectors"},
        "lts__t_sectors_op_write.sum");
  visit(v, atomics,
        {"atomics", "atomic_hits", "atomic_merged", "atomic_misses", "atomic_sectors", "atomic_hit_sectors"},
        "lts__t_sectors_op_atom.sum");
  visit(v, global_reads,
        {"global_reads", "global_read_hits", "global_read_merged", "global_read_misses",
         "global_read_sectors", "global_read_hit_sectors"},
        "");
  v.counter("global_fetches", global_fetches,
            {"accesses", "Accesses to memory that reads of global memory caused"});
  v.counter("writebacks", writebacks, {"lines", "Victims with dirty sectors"});
  v.counter("writeback_sectors", writeback_sectors, {"sectors", "Dirty sectors written to memory"});
  v.counter("fills", fills, {"transfers", "Answers of memory, written into the cache where there is one"});
  v.counter("fill_sectors", fill_sectors, {"sectors", "Sectors that came from memory"});
  v.counter("fetched_sectors", fetched_sectors, {"sectors", "Sectors asked for from memory"});
  v.counter("written_through_sectors", written_through_sectors,
            {"sectors", "Sectors of write misses that went to memory"});
  v.counter("port_cycles", port_cycles, {"cycles", "L2 cycles in which the data array was used"});
  v.counter("requests_in", requests_in, {"requests", "Requests that entered the slice"});
  v.counter("replies_out", replies_out, {"replies", "Replies that left the slice"});
  const auto stall = [&](const char* name, L2Stall cause, const char* what) {
    v.counter(name, stalls[static_cast<std::size_t>(cause)], {"cycles", what});
  };
  stall("stall_port", L2Stall::Port, "L2 cycles in which the next request waited for the data port");
  stall("stall_replies", L2Stall::Replies, "L2 cycles in which it waited for room for its reply");
  stall("stall_ways", L2Stall::Ways, "L2 cycles in which all ways of its set waited for a fill");
  stall("stall_mshrs", L2Stall::Mshrs, "L2 cycles in which it waited for an MSHR");
  stall("stall_merges", L2Stall::Merges, "L2 cycles in which its MSHR had no room for another request");
  stall("stall_miss_queue", L2Stall::MissQueue, "L2 cycles in which it waited for the queue to DRAM");
  stall("stall_fill", L2Stall::Fill, "L2 cycles in which it waited for the line that it writes");
}

}  // namespace heddle::cache
