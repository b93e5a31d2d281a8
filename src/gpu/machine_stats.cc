#include "gpu/machine_stats.h"

#include "stats/snapshot.h"

namespace heddle::gpu {

void RunStats::statistics(stats::Visitor& v) {
  v.counter("cycles", cycles, {"cycles", "Core cycles of all launches, launch overhead included"});
  v.counter("launches", launches, {"launches", "Kernels launched"});
  v.counter("picoseconds", picoseconds, {"ps", "The same time at the core clock"});
}

namespace {

// Visitor::group needs a struct with statistics(Visitor&).
struct Level {
  mem::PotentialStats& stats;
  const char *unit, *where;
  void statistics(stats::Visitor& v) { stats.statistics(v, unit, where); }
};

}  // namespace

void PotentialLevels::statistics(stats::Visitor& v) {
  const auto level = [&](const char* name, mem::PotentialStats& s, const char* unit, const char* where) {
    Level l{s, unit, where};
    v.group(name, l);
  };
  level("line_requests", line_requests, "requests", "that SMs sent to their L1");
  level("l1_misses", l1_misses, "requests", "that were no hits in their SM's L1");
  level("cluster", cluster, "requests", "that clusters took from their SMs");
  level("network", network, "packets", "that came to their L2 slice");
  level("l2_misses", l2_misses, "requests", "that were no hits in their L2 slice");
  level("rows", rows, "bursts", "that memory partitions asked of DRAM, by row");
}

void MachineStats::statistics(stats::Visitor& v) {
  v.group("gpu", gpu);
  v.group("sm", sm);
  v.group("l1", l1);
  v.group("cluster", cluster);
  v.group("merger", merger);
  v.group("request_network", request_network);
  v.group("reply_network", reply_network);
  v.group("partition", partition);
  v.group("l2", l2);
  v.group("dram", dram);
  v.group("locality", locality);
  v.group("potential", potential);
}

void MachineStats::add(const MachineStats& other) {
  stats::accumulate(*this, other);
}

}  // namespace heddle::gpu
