// Slot: what stands between the SMs of a cluster and its network port, and may merge their requests.
//
// The port calls offer() for each request it takes from an SM, and reply() for every reply that the network
// hands over. Implementations own their tables; they never look into an SM. Every request gets exactly one
// answer: the request as it was offered, with `reply` set. Where stores get no answer (Request::posted) the
// port itself gives reply() one as soon as the store is forwarded, and drops what comes of it.
//
// A merger may answer a read with a reply that comes after the read was offered (merged): also with one whose
// request was sent earlier, even before a write of the cluster to the same line (counted as stale_merges
// where the merger can tell). It may also keep what replies brought and answer later reads from it (held).
// Timing caches hold no data, so nothing goes wrong visibly if what it holds is out of date; hits that real
// hardware could not have would just be counted. So what holds lines must obey, by its default parameters:
// - A write or an atomic of the cluster to global memory drops what is held of its sectors, in the cycle of
//   its offer. Other clusters' writes are not seen, as in an L1.
// - Data whose read was sent before such a write are not kept when they come: they may be older than it.
// - A load that passes the L1 by (Request::no_l1: .cg, .cv, volatile, which is what follows a fence) is never
//   answered from what is held: it wants what L2 holds when it is made, or later.
// - At a kernel's end (kernel_end()) everything that is held is dropped, and what is under way is not kept.
// A merger's parameters may give these up on purpose; not its sizes. tests/contract/check_merger.h finds out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mem/request.h"
#include "mem/stage.h"
#include "stats/visitor.h"

namespace heddle::cluster {

// What mergers may merge: icc.md rule 8. Writes would need their bytes merged, atomics execute at L2, and
// other spaces have caches of their own.
constexpr bool mergeable(const mem::Request& r) {
  return mem::is_global_read(r);
}

// offered = forwarded + merged + held, also in sectors; forwarded includes bypassed, unrecorded and repeated
// ones. Sectors are those of requests that were not bypassed. A merger leaves at 0 what it does not have.
struct MergerStats {
  std::uint64_t offered = 0;    // requests from L1s, each once
  std::uint64_t bypassed = 0;   // writes, atomics, other spaces: not for the merger
  std::uint64_t forwarded = 0;  // sent to the network
  std::uint64_t merged = 0;     // answered together with another
  std::uint64_t held = 0;       // answered from storage of the merger itself
  std::uint64_t unrecorded =
      0;  // forwarded without a record: the table was full, or other sectors are under way
  std::uint64_t repeated = 0;  // forwarded without a record: the entry cannot name this SM twice
  std::uint64_t stale_merges = 0;
  std::uint64_t replies = 0, answers = 0;
  std::uint64_t offered_sectors = 0, forwarded_sectors = 0, merged_sectors = 0, held_sectors = 0;
  std::uint64_t entries_peak = 0;
  stats::Histogram<17> requesters;  // answered by one reply to a recorded request
  // Of lines that the merger stores; those that are found there count as held.
  std::uint64_t store_lookups = 0, store_insertions = 0, store_evictions = 0, store_invalidations = 0;
  void statistics(stats::Visitor& v);
};

// Core cycles that a lookup takes beyond the one that the port spends on it (cluster_port.h). All requests
// take the same way through the tables, so none overtakes another.
struct LookupDelay {
  std::uint32_t request = 0;  // before a request goes to the network
  std::uint32_t answer = 0;   // before the merger's own answer (Answered) goes to its SM
  std::uint32_t reply = 0;    // before a reply of the network goes to its SMs
};

class MissMerger {
 public:
  virtual ~MissMerger() = default;

  enum class Verdict : std::uint8_t {
    Forward,   // `request` (possibly changed) goes to the network
    Merged,    // nothing is sent; its answer comes with another reply
    Answered,  // nothing is sent; the answers appended are due
    Wait,      // offer it again in a later cycle; not counted as offered
  };
  // `answers` receives replies for SMs of the cluster that need no network (Answered).
  virtual Verdict offer(sim::Cycle now, mem::Request& request, std::vector<mem::Request>& answers) = 0;
  // A reply from the network: appends one reply per requester that is served by it, perhaps none.
  virtual void reply(sim::Cycle now, const mem::Request& reply, std::vector<mem::Request>& answers) = 0;
  virtual void kernel_end() {}
  virtual LookupDelay delay() const { return {}; }  // asked once, by the port that owns the merger
  virtual std::vector<mem::Storage> storage() const { return {}; }  // of a cluster; empty: none, or not known
  // That storage in hardware, of a cluster, with what counts its accesses.
  virtual std::vector<mem::TablePart> tables() const { return {}; }
  virtual std::uint32_t waiting() const = 0;  // requests offered that have no answer yet
  virtual const MergerStats& statistics() const = 0;
  virtual void clear_statistics() = 0;
  // What it counts beside: adds its own groups, which every merger of the kind has (all.add("my_merger",
  // my_stats)), and what must be equal among them when a kernel has ended.
  virtual void collect(stats::Groups&) const {}
  virtual std::vector<mem::Identity> identities(const stats::Groups&) const { return {}; }
};

}  // namespace heddle::cluster
