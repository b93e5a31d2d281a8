// Parameters and statistics of a memory partition.
#include "hierarchy/partition.h"

namespace heddle::hierarchy {

void PartitionSpec::fields(config::Reader& r) {
  r.field("l2_clock", l2_clock, "Clock of the L2; 0 for the core's");
  r.section("l2", l2, "One slice of the L2");
  r.section("dram", dram, "One DRAM channel");
  r.field("channels", channels, config::range(1u, 16u), "DRAM channels of a partition");
  r.choice("kernel_end", kernel_end,
           {{"keep", KernelEnd::Keep, "the next kernel finds the lines"},
            {"flush", KernelEnd::Flush, "dirty sectors are written back, all lines forgotten"}},
           "What becomes of the lines in L2 at a kernel's end");
}

void PartitionStats::statistics(stats::Visitor& v) {
  v.counter("packets_in", packets_in, {"packets", "Packets taken from the request network"});
  v.counter("packets_out", packets_out, {"packets", "Packets given to the reply network"});
  v.counter("global_transfers", global_transfers,
            {"transfers", "Transfers that loads from global memory asked of DRAM"});
  v.counter("output_blocked", output_blocked,
            {"cycles", "L2 cycles in which a reply waited for the reply network"});
}

}  // namespace heddle::hierarchy
