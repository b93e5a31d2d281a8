// The parameters of a streaming multiprocessor.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "config/reader.h"
#include "sm/coalescer.h"
#include "sm/instruction_timing.h"
#include "sm/load_fronts.h"
#include "sm/local_layout.h"
#include "sm/texture_cache.h"
#include "sm/warp_scheduler.h"

namespace heddle::sm {

// What a call costs that a division, root or reciprocal of special values makes (workload::LongWay).
struct CallTiming {
  std::uint32_t latency = 0, slots = 0;  // beyond those of the instruction
};
struct CallTimings {
  CallTiming division, root, reciprocal, double_division, double_root;
  void fields(config::Reader& r);
  const CallTiming& of(workload::LongWay way, bool is_double) const;
};

struct SmSpec {
  // Limits on resident CTAs.
  std::uint32_t threads = 2048, warps = 64, ctas = 32, registers = 65536;
  std::uint32_t register_allocation_unit = 256;  // registers per warp are rounded up to this
  std::uint32_t warp_allocation_unit = 1;        // equal parts of the registers; a warp's lie in one of them
  Bytes shared_memory = 96_KiB;
  Bytes shared_allocation_unit = 256_B;
  Bytes shared_reserved_per_cta = 0_B;
  Bytes unified_l1 = 0_B;  // L1 and shared memory together; 0: separate

  bool warps_in_turn = false;     // over the schedulers, from CTA to CTA
  std::uint32_t warp_launch = 0;  // cycles between the first instructions of a CTA's warps

  // Issue.
  std::uint32_t schedulers = 4;
  std::string scheduler = "lrr";
  WarpSchedulerFactory make_scheduler;  // with the parameters that were read; none: `scheduler` of sm/ itself
  std::uint32_t active_warps = 8;       // two_level: warps in a scheduler's inner group
  std::uint32_t issue_width = 1;
  bool warp_overlap = true;  // of one warp's instructions, where registers allow it
  bool sub_core = true;
  Counting count = Counting::AsSass;
  std::uint32_t pipeline = 0;            // stages between issue and unit, and from unit to register file
  std::uint32_t load_pipeline = 0;       // the same where the load/store unit has the result
  std::uint32_t branch_latency = 2;      // cycles from a branch to the warp's next instruction
  std::uint32_t untaken_latency = 2;     // the same where no lane jumps
  std::uint32_t divergence_latency = 0;  // more where lanes part
  std::uint32_t guard_delay = 0;
  bool static_waits = false;  // static_waits.h
  std::uint32_t barrier_latency = 4;
  std::uint32_t barrier_interval = 0, barrier_result = 0;
  std::uint32_t fence_latency = 1, fence_interval = 0;
  std::uint32_t cta_fence_latency = 1, cta_fence_interval = 0;
  bool fences_empty_l1 = false;            // those beyond the CTA, and acquiring accesses
  bool fences_wait_for_all = false;        // those beyond the CTA, for what the SM has under way
  std::uint32_t fence_latency_behind = 0;  // with it, behind accesses of the SM
  std::uint32_t operand_collectors = 8, register_banks = 16, bank_ports = 1;
  UnitCounts units;
  CallTimings calls;
  TimingTable timing;

  // Memory.
  std::uint32_t lsu_queue = 8;          // warp instructions waiting
  std::string load_front = "in_order";  // slot: sm/load_front.h
  LoadFrontFactory make_front;          // with the parameters that were read; empty: in order
  FrontPlace front_place(std::uint16_t sm, L1Sender* l1) const {
    return {sm, warps, lsu_queue, lines_per_cycle, l1};
  }
  bool lsu_stalls_issue = false;  // nothing issues while the load/store unit is busy with an instruction
  std::uint32_t lines_per_cycle = 1;
  bool banked_data = false;  // loads and stores take passes over the banks of the L1's data
  Coalescing coalescing;
  LocalLayout local_layout = LocalLayout::PerWarp;
  std::uint32_t shared_latency = 20;
  std::uint32_t shared_pass_latency = 1;                // by which each further pass delays the data
  std::uint32_t shared_swap_passes = 1;                 // of compare and swap, for one of other atomics
  std::uint32_t shared_swap_latency = 0;                // more than another atomic's
  std::uint32_t shared_loop_latency = 0;                // of a round of an atomic made of it; 0: there is one
  std::uint32_t texture_latency = 0;                    // more than a load's
  std::uint32_t plane_latency = 0, filter_latency = 0;  // further ones
  std::uint32_t plane_passes = 1;                       // of a texture with more than one dimension
  SharedBanks shared;
  std::uint32_t in_flight = 1024;  // memory instructions under way
  bool store_ack = true;           // a CTA ends when its stores are acknowledged

  TextureCacheSpec textures;

  // Constant and instruction caches; 0 bytes: perfect.
  Bytes constant_cache = 0_B, icache = 0_B;
  std::uint32_t constant_latency = 4, constant_miss_latency = 100;
  std::uint32_t constant_interval = 1, constant_word_latency = 0;  // for every different word of an access
  std::uint32_t constant_uniform_latency = 0;  // of one word for all lanes; 0: as any other access
  std::uint32_t constant_miss_interval = 0;    // between lines that come from the level behind
  std::uint32_t constant_cold_latency = 0;     // of what a kernel reads for the first time on the SM
  std::uint32_t parameter_cold_latency = 0;
  Bytes uniform_cache = 0_B;  // for words that all lanes ask for; 0 bytes: perfect
  std::uint32_t uniform_miss_latency = 100, uniform_miss_interval = 0;
  std::uint32_t icache_miss_latency = 100, icache_cold_latency = 0;
  std::uint32_t icache_miss_interval = 0;  // 0: every warp waits for its lines by itself
  bool icache_prefetch = false;            // the line behind the last one is on its way
  bool icache_kept = false;                // when a kernel ends
  std::uint32_t instruction_bytes = 8;

  // The warp schedulers and load fronts that there are.
  void fields(config::Reader& r, std::span<const WarpSchedulerKind> kinds = warp_schedulers(),
              std::span<const LoadFrontKind> fronts = load_fronts());
};

}  // namespace heddle::sm
