// What an SM counts.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "stats/visitor.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// Memory instructions of one kind after coalescing.
struct AccessStats {
  std::uint64_t instructions = 0, lanes = 0, lines = 0, sectors = 0;
  void statistics(stats::Visitor& v, const char* what, const char* nsight_requests,
                  const char* nsight_sectors);
};

// Work by class of instruction, as what it costs in energy needs it.
struct IssueStats {
  std::array<std::uint64_t, workload::kInstrClasses> lanes{};  // active ones, times passes through the unit
  std::uint64_t operands = 0, results = 0;  // registers of 32 bits that active lanes read and wrote
  void count(const workload::StaticInstr& i, std::uint32_t active) {
    lanes[static_cast<std::size_t>(i.cls)] += std::uint64_t{active} * i.repeat;
    operands += std::uint64_t{active} * (i.n_src + static_cast<unsigned>(std::popcount(i.wide_src & 0x7fu)));
    results += std::uint64_t{active} * (i.n_dst + static_cast<unsigned>(std::popcount(i.wide_dst & 0x1fu)));
  }
  void statistics(stats::Visitor& v);
};

struct SmStats {
  std::uint64_t instructions = 0;  // warp instructions issued, as PTX counts them
  std::uint64_t thread_instructions = 0;
  std::uint64_t slots = 0;  // issue slots: as the hardware counts instructions
  IssueStats issue;
  std::uint64_t branches = 0, divergent_branches = 0, barriers = 0;
  std::uint64_t ctas = 0, warps = 0;

  std::uint64_t active_cycles = 0;  // with at least one warp
  std::uint64_t warp_cycles = 0;    // resident warps, summed over cycles
  std::uint64_t issuing_cycles = 0;
  std::uint64_t stall_memory = 0, stall_dependency = 0, stall_unit = 0, stall_lsu = 0, stall_barrier = 0,
                stall_drain = 0;
  std::uint64_t bank_conflict_cycles = 0;  // operands that waited for a register bank
  std::uint64_t retries = 0;               // accesses held back by an atomic under way

  AccessStats global_load, global_store, local_load, local_store, atomic, texture;
  std::uint64_t shared_instructions = 0, shared_passes = 0;
  std::uint64_t constant_accesses = 0, constant_misses = 0, instruction_misses = 0;
  std::uint64_t lsu_blocked_cycles = 0;
  std::uint64_t load_latency_sum = 0, loads_completed = 0;

  // Both ends of the port to the L1: every accepted request is answered once.
  std::uint64_t requests_sent = 0, replies_received = 0, hits_at_once = 0;

  void statistics(stats::Visitor& v);
};

}  // namespace heddle::sm
