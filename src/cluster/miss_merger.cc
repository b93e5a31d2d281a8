#include "cluster/miss_merger.h"

namespace heddle::cluster {

void MergerStats::statistics(stats::Visitor& v) {
  v.counter("offered", offered, {"requests", "Requests of L1s that reached the cluster's port"});
  v.counter("bypassed", bypassed,
            {"requests",
             "Writes, atomics, reads of other spaces, and with some mergers loads that pass the L1 by: never "
             "merged"});
  v.counter("forwarded", forwarded, {"requests", "Requests sent on to the network"});
  v.counter("merged", merged, {"requests", "Requests answered by the reply to another one"});
  v.counter("held", held, {"requests", "Requests answered from what the merger itself stores"});
  v.counter("unrecorded", unrecorded,
            {"requests",
             "Requests forwarded without a record: the table was full, or other sectors of the line are "
             "under way"});
  v.counter("repeated", repeated,
            {"requests", "Requests forwarded without a record: their SM waits for that line already"});
  v.counter("stale_merges", stale_merges,
            {"requests", "Merged with a read that was sent before the cluster wrote to that line"});
  v.counter("replies", replies, {"replies", "Replies of the network, and stores that get none"});
  v.counter("answers", answers, {"replies", "Replies handed to SMs, and stores that get none"});
  v.counter("offered_sectors", offered_sectors, {"sectors", "Sectors that global reads asked for"});
  v.counter("forwarded_sectors", forwarded_sectors, {"sectors", "Of these, asked of the network"});
  v.counter("merged_sectors", merged_sectors, {"sectors", "Of these, already asked for by another request"});
  v.counter("held_sectors", held_sectors, {"sectors", "Of these, stored in the merger"});
  v.peak("entries_peak", entries_peak, {"entries", "Most entries of the table in use at once"});
  v.histogram("requesters", requesters, {"requests", "Requests answered by one reply to a recorded request"});
  v.counter("store_lookups", store_lookups, {"requests", "Requests looked up among the lines stored"});
  v.counter("store_insertions", store_insertions, {"lines", "Lines put into the merger's storage"});
  v.counter("store_evictions", store_evictions, {"lines", "Lines that made room for another one"});
  v.counter("store_invalidations", store_invalidations,
            {"lines", "Stored lines dropped because the cluster wrote to them"});
  v.ratio("merged_share", merged_sectors, offered_sectors, {"", "Share of read sectors merged with others"});
  v.ratio("held_share", held_sectors, offered_sectors, {"", "Share of read sectors found in the merger"});
  v.ratio("store_hit_rate", held, store_lookups, {"", "Share of lookups that found their line stored"});
}

}  // namespace heddle::cluster
