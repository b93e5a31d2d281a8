// What a memory partition counts.
#include "hierarchy/partition.h"

namespace heddle::hierarchy {

void PartitionStats::statistics(stats::Visitor& v) {
  v.counter("packets_in", packets_in, {"packets", "Packets taken from the request network"});
  v.counter("packets_out", packets_out, {"packets", "Packets given to the reply network"});
  v.counter("reads", reads, {"packets", "Reads that were answered"});
  v.counter(
      "read_cycles", read_cycles,
      {"cycles",
       "L2 cycles from when a read leaves the request network until its reply enters the other, summed"});
  v.ratio("read_latency", read_cycles, reads,
          {"cycles", "Mean of these: a read's time in L2 and DRAM, that in networks and wires left out"});
  v.counter("posted", posted,
            {"packets", "Of packets taken: stores that are not answered (gpu.store_replies)"});
  v.counter("global_transfers", global_transfers,
            {"transfers", "Transfers that loads from global memory asked of DRAM"});
  v.counter("output_blocked", output_blocked,
            {"cycles", "L2 cycles in which a reply waited for the reply network"});
}

}  // namespace heddle::hierarchy
