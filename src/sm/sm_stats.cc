#include "sm/sm_stats.h"

#include <fmt/format.h>

namespace heddle::sm {

void AccessStats::statistics(stats::Visitor& v, const char* what, const char* nsight_requests,
                             const char* nsight_sectors) {
  v.counter("instructions", instructions,
            {"instructions", fmt::format("Warp instructions that {}", what), nsight_requests});
  v.counter("lanes", lanes, {"accesses", "Accesses of single lanes in them"});
  v.counter("lines", lines, {"requests", "Line requests they became after intra-warp coalescing"});
  v.counter("sectors", sectors, {"sectors", "32-byte sectors they touched", nsight_sectors});
}

void IssueStats::statistics(stats::Visitor& v) {
  for (int c = 0; c < workload::kInstrClasses; ++c) {
    const std::string_view cls = name(static_cast<workload::InstrClass>(c));
    v.counter(
        cls, lanes[static_cast<std::size_t>(c)],
        {"lanes", fmt::format("Active lanes of instructions of the class {}, times passes through their "
                              "unit",
                              cls)});
  }
  v.counter("operands", operands, {"registers", "Registers of 32 bits that active lanes read"});
  v.counter("results", results, {"registers", "Registers of 32 bits that active lanes wrote"});
}

namespace {

// Visitor::group needs a struct with statistics(Visitor&).
struct Named {
  AccessStats& stats;
  const char *what, *requests, *sectors;
  void statistics(stats::Visitor& v) { stats.statistics(v, what, requests, sectors); }
};

void group(stats::Visitor& v, const char* name, AccessStats& s, const char* what, const char* requests = "",
           const char* sectors = "") {
  Named named{s, what, requests, sectors};
  v.group(name, named);
}

}  // namespace

void SmStats::statistics(stats::Visitor& v) {
  v.counter("instructions", instructions, {"instructions", "Warp instructions issued, counted as PTX"});
  v.counter("thread_instructions", thread_instructions, {"instructions", "The same, times active lanes"});
  v.counter("slots", slots,
            {"instructions", "Issue slots used: hardware instructions by the issue-cost table",
             "smsp__inst_executed.sum"});
  v.group("issue", issue);
  v.counter("branches", branches, {"instructions", "Branches, calls and returns"});
  v.counter("divergent_branches", divergent_branches, {"instructions", "Branches that separated lanes"});
  v.counter("barriers", barriers, {"instructions", "Arrivals of warps at CTA barriers"});
  v.counter("ctas", ctas, {"CTAs", "CTAs that ended"});
  v.counter("warps", warps, {"warps", "Warps launched", "smsp__warps_launched.sum"});
  v.counter("active_cycles", active_cycles,
            {"cycles", "With at least one resident warp", "sm__cycles_active.sum"});
  v.counter("warp_cycles", warp_cycles,
            {"warp cycles", "Resident warps summed over cycles", "sm__warps_active.sum"});
  v.counter("issuing_cycles", issuing_cycles, {"cycles", "In which at least one instruction was issued"});
  v.counter("stall_memory", stall_memory,
            {"cycles", "Nothing issued: every warp waits, at least one for memory"});
  v.counter("stall_dependency", stall_dependency,
            {"cycles", "Nothing issued: warps wait for results of units"});
  v.counter("stall_unit", stall_unit, {"cycles", "Nothing issued: a ready warp found its unit busy"});
  v.counter("stall_lsu", stall_lsu,
            {"cycles", "Nothing issued: a ready warp found the load/store queue full"});
  v.counter("stall_barrier", stall_barrier, {"cycles", "Nothing issued: warps wait at barriers or fences"});
  v.counter("stall_drain", stall_drain,
            {"cycles", "Nothing issued: all warps have ended, stores are under way"});
  v.counter("bank_conflict_cycles", bank_conflict_cycles,
            {"cycles", "Operands waited for a register bank, summed"});
  v.counter("retries", retries, {"instructions", "Attempts held back by an atomic of the same SM under way"});
  group(v, "global_load", global_load, "load from global memory",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  group(v, "global_store", global_store, "store to global memory",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  group(v, "local_load", local_load, "load from local memory");
  group(v, "local_store", local_store, "store to local memory");
  group(v, "atomic", atomic, "operate atomically on global memory");
  group(v, "texture", texture, "read textures or surfaces");
  v.counter("shared_instructions", shared_instructions, {"instructions", "Warp accesses to shared memory"});
  v.counter("shared_passes", shared_passes,
            {"cycles", "Cycles of shared memory they took, conflicts included"});
  v.counter("constant_accesses", constant_accesses,
            {"accesses", "Warp accesses to constants and parameters"});
  v.counter("constant_misses", constant_misses, {"accesses", "Lines that the constant cache did not hold"});
  v.counter("instruction_misses", instruction_misses,
            {"accesses", "Fetches that missed the instruction cache"});
  v.counter("lsu_blocked_cycles", lsu_blocked_cycles,
            {"cycles", "The load/store unit's head found the L1 blocked"});
  v.counter("load_latency_sum", load_latency_sum,
            {"cycles", "From issue to data, summed over loads from memory"});
  v.counter("loads_completed", loads_completed,
            {"instructions", "Loads from global, local and texture memory"});
  v.ratio("load_latency", load_latency_sum, loads_completed,
          {"cycles", "Mean latency of a load instruction"});
  v.counter("requests_sent", requests_sent, {"requests", "Line requests that the L1 accepted"});
  v.counter("hits_at_once", hits_at_once,
            {"requests", "Answered by the L1 at once, and stores that get no answer"});
  v.counter("replies_received", replies_received, {"requests", "Answered later"});
  v.ratio("ipc", instructions, active_cycles, {"", "Warp instructions per active cycle of an SM"});
}

}  // namespace heddle::sm
