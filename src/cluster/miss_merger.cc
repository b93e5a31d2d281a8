#include "cluster/miss_merger.h"

namespace heddle::cluster {

void MergerStats::statistics(stats::Visitor& v) {
  v.counter("offered", offered, {"requests", "Requests of L1s that reached the cluster's port"});
  v.counter("bypassed", bypassed, {"requests", "Writes, atomics and reads of other spaces: never merged"});
  v.counter("forwarded", forwarded, {"requests", "Requests sent on to the network"});
  v.counter("merged", merged, {"requests", "Requests answered by the reply to another one"});
  v.counter("held", held, {"requests", "Requests answered from what the merger itself stores"});
  v.counter("unrecorded", unrecorded,
            {"requests", "Requests forwarded without a record: the table was full"});
  v.counter("replies", replies, {"replies", "Replies of the network"});
  v.counter("answers", answers, {"replies", "Replies handed to SMs"});
  v.counter("offered_sectors", offered_sectors, {"sectors", "Sectors that global reads asked for"});
  v.counter("forwarded_sectors", forwarded_sectors, {"sectors", "Of these, asked of the network"});
  v.counter("merged_sectors", merged_sectors, {"sectors", "Of these, already asked for by another request"});
  v.counter("held_sectors", held_sectors, {"sectors", "Of these, stored in the merger"});
  v.ratio("merged_share", merged_sectors, offered_sectors, {"", "Share of read sectors merged with others"});
}

}  // namespace heddle::cluster
