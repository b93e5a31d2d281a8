#include "sm/sm_spec.h"

#include <fmt/format.h>

namespace heddle::sm {

using config::range;

namespace {

struct TimingSection {
  TimingTable& table;
  Counting count;
  void fields(config::Reader& r) { table.fields(r, count); }
};

// Parameters of one implementation, under its own name.
template <class Kind, class Factory>
struct KindSection {
  const Kind& kind;
  Factory factory;
  void fields(config::Reader& r) { factory = kind.read(r); }
};

// The choice of one of `kinds` and the parameters of all of them.
template <class Kind, class Factory>
void read_slot(config::Reader& r, std::string_view key, std::string& chosen, Factory& make,
               std::span<const Kind> kinds, std::string_view help) {
  std::vector<config::NamedChoice> names;
  for (const Kind& k : kinds) names.push_back({std::string(k.name), std::string(k.description)});
  r.choice(key, chosen, names, help);
  for (const Kind& k : kinds) {
    KindSection<Kind, Factory> section{k, {}};
    r.section(k.name, section, k.description);
    if (k.name == chosen)
      make = std::move(section.factory);
    else
      r.unused({std::string(k.name) + "."}, fmt::format("sm.{} is '{}'", key, chosen));
  }
}

}  // namespace

void CallTimings::fields(config::Reader& r) {
  struct Named {
    const char *latency, *slots, *what;
    CallTiming& t;
  };
  const Named all[] = {{"division_latency", "division_slots", "a division of f32", division},
                       {"root_latency", "root_slots", "a square root of f32", root},
                       {"reciprocal_latency", "reciprocal_slots", "a reciprocal of f32", reciprocal},
                       {"double_division_latency", "double_division_slots", "a division or reciprocal of f64",
                        double_division},
                       {"double_root_latency", "double_root_slots", "a square root of f64", double_root}};
  for (const Named& n : all) {
    r.field(n.latency, n.t.latency, range(0u, 10'000u),
            fmt::format("Cycles that {} takes more then", n.what));
    r.field(n.slots, n.t.slots, range(0u, 1'000u),
            fmt::format("Issue slots of {} then, besides its own", n.what));
  }
}

const CallTiming& CallTimings::of(workload::LongWay way, bool is_double) const {
  static constexpr CallTiming kNone;
  switch (way) {
    case workload::LongWay::None:
      return kNone;
    case workload::LongWay::Division:
      return is_double ? double_division : division;
    case workload::LongWay::Root:
      return is_double ? double_root : root;
    case workload::LongWay::Reciprocal:
      return is_double ? double_division : reciprocal;
  }
  return kNone;
}

void SmSpec::fields(config::Reader& r, std::span<const WarpSchedulerKind> kinds,
                    std::span<const LoadFrontKind> fronts) {
  r.field("threads", threads, range(32u, 2048u).multiple_of(32u), "Threads resident at once");
  r.field("warps", warps, range(1u, 64u), "Warps resident at once");
  r.field("ctas", ctas, range(1u, 64u), "CTAs resident at once");
  r.field("registers", registers, range(1024u, 1u << 20), "32-bit registers");
  r.field("register_allocation_unit", register_allocation_unit, range(1u, 4096u),
          "Registers of a warp are allocated in multiples of this");
  r.field("warp_allocation_unit", warp_allocation_unit, range(1u, 8u),
          "The registers lie in this many equal parts, those of a warp in one of them: warps of an SM are "
          "rounded down to a multiple");
  r.field("shared_memory", shared_memory, range(0_B, 1_MiB), "Shared memory for all resident CTAs");
  r.field("shared_allocation_unit", shared_allocation_unit, range(1_B, 64_KiB),
          "Shared memory of a CTA is allocated in multiples of this");
  r.field("shared_reserved_per_cta", shared_reserved_per_cta, range(0_B, 64_KiB),
          "Shared memory that the system takes from every CTA");
  r.field("unified_l1", unified_l1, range(0_B, 1_MiB),
          "L1 and shared memory together, divided per kernel; 0: two memories of fixed size");
  r.field("warps_in_turn", warps_in_turn,
          "Warps of a CTA take the schedulers in turn, from where the CTA before ended; one scheduler later "
          "where it had whole turns. "
          "false: the first free contexts, whose schedulers are fixed");
  r.field("warp_launch", warp_launch, range(0u, 1000u),
          "Cycles from the start of one warp of a CTA to that of the next; 0: all start together");
  r.field("schedulers", schedulers, range(1u, 8u), "Warp schedulers");
  read_slot(r, "scheduler", scheduler, make_scheduler, kinds, "Which ready warp a scheduler issues from");
  r.field("active_warps", active_warps, range(1u, 64u), "two_level: warps in a scheduler's inner group");
  r.field("issue_width", issue_width, range(1u, 2u),
          "Instructions of one warp that a scheduler issues per cycle");
  r.field("warp_overlap", warp_overlap,
          "A warp issues its next instruction as soon as its registers allow; false: when the one before has "
          "been written back, and a store has left the SM (GPGPU-Sim 2)");
  r.field("sub_core", sub_core, "Every scheduler has its own units, banks and collectors");
  r.choice("count", count,
           {{"as_ptx", Counting::AsPtx, "every PTX instruction takes one issue slot"},
            {"as_sass", Counting::AsSass,
             "the timing table's slots: what the vendor's assembler would make of it"}},
           "What counts as an instruction");
  r.field("pipeline", pipeline, range(0u, 64u),
          "Pipeline stages outside the units that a dependent instruction waits for");
  load_pipeline = pipeline;
  r.field("load_pipeline", load_pipeline, range(0u, 64u),
          "The same for results of the load/store unit: loads and atomics; when not given, sm.pipeline");
  r.field("branch_latency", branch_latency, range(1u, 64u),
          "Cycles from a branch to the warp's next instruction");
  untaken_latency = branch_latency;
  r.field("untaken_latency", untaken_latency, range(1u, 64u),
          "The same where no lane jumps; when not given, sm.branch_latency");
  r.field("divergence_latency", divergence_latency, range(0u, 1000u),
          "Cycles more where lanes part, for both ways to be run and to meet");
  r.field(
      "guard_delay", guard_delay, range(0u, 64u),
      "Cycles that a predicate takes to guard an instruction (a branch, too) more than to be its operand");
  r.field(
      "static_waits", static_waits,
      "Results of fixed latency are waited for where the assembler puts the wait, behind an instruction and "
      "counted from its issue, as if nothing else had held the warp up before; else until they are there");
  r.field("barrier_latency", barrier_latency, range(1u, 1000u),
          "Cycles from the last arrival to the next instruction");
  r.field(
      "barrier_interval", barrier_interval, range(0u, 64u),
      "Cycles that an SM's barriers take for each warp that comes to one; twice as many with a reduction");
  r.field("barrier_result", barrier_result, range(0u, 1000u),
          "Cycles more where a barrier reduces (bar.red): until the result is there");
  r.field("fence_latency", fence_latency, range(1u, 10000u),
          "Cycles from a fence of the GPU or the system to the warp's next instruction, when nothing of the "
          "warp is under way any more");
  r.field("fence_interval", fence_interval, range(0u, 1000u),
          "Cycles from one such fence of an SM to the next");
  r.field("cta_fence_latency", cta_fence_latency, range(1u, 10000u), "fence_latency of a CTA's fence");
  r.field("cta_fence_interval", cta_fence_interval, range(0u, 1000u), "fence_interval of a CTA's fence");
  r.field(
      "fences_wait_for_all", fences_wait_for_all,
      "Fences beyond the CTA wait for what all warps of the SM have under way, while their own time passes; "
      "else for what the warp itself has stored, before");
  r.field(
      "fence_latency_behind", fence_latency_behind, range(0u, 10000u),
      "What fence_latency is at least with fences_wait_for_all, when the SM has accessed memory since its "
      "last such fence, answered or not");
  r.field(
      "fences_empty_l1", fences_empty_l1,
      "Fences and acquiring accesses beyond the CTA empty the L1 of their SM: what is read afterwards comes "
      "from L2; they wait for their value");
  r.field("operand_collectors", operand_collectors, range(1u, 64u), "Operand collector units of the SM");
  r.field("register_banks", register_banks, range(1u, 64u), "Register file banks of the SM");
  r.field("bank_ports", bank_ports, range(1u, 8u), "Warp operands that a bank reads per cycle");
  r.section("units", units, "Execution units");
  r.section("calls", calls,
            "What divisions, roots and reciprocals take more when a lane's operands are zero, denormal or "
            "very large, so "
            "that the vendor's code calls a function");
  TimingSection timing_section{timing, count};
  r.section("timing", timing_section, "Cost of each class of instructions");
  r.field("lsu_queue", lsu_queue, range(1u, 64u), "Memory instructions that wait for the load/store unit");
  read_slot(r, "load_front", load_front, make_front, fronts,
            "What stands between the issue of a load or store and the L1");
  r.field("lsu_stalls_issue", lsu_stalls_issue,
          "Nothing is issued while an earlier memory instruction has requests to send or takes its cycles of "
          "shared or constant memory: one pipeline for all instructions (GPGPU-Sim 2)");
  r.field("lines_per_cycle", lines_per_cycle, range(1u, 4u),
          "Line requests that the load/store unit makes per cycle");
  r.field(
      "banked_data", banked_data,
      "Loads and stores take as many cycles of the L1's data as their words collide in its banks, which are "
      "those of shared memory, and one begins per cycle; else only lines_per_cycle limits them");
  r.choice(
      "segments", coalescing.segments,
      {{"line", Segments::Line, "all lanes in a line make one request"},
       {"by_size", Segments::BySize,
        "lanes in a segment of 32, 64 or 128 bytes for data of 1, 2 or more bytes, which then shrinks to "
        "its half or quarter if that holds all of them (compute capability 1.3, GPGPU-Sim 3)"}},
      "How the lanes of a memory instruction are grouped into requests");
  r.field("coalesced_lanes", coalescing.lanes, range(16u, 32u).power_of_two(),
          "Lanes that may share a request: 32, or the 16 of a half-warp");
  r.choice("local_layout", local_layout,
           {{"per_warp", LocalLayout::PerWarp, "every warp context of every SM has a region of its own"},
            {"interleaved", LocalLayout::Interleaved,
             "one variable of all threads that run lies together: CTAs of successive SMs first, then the "
             "next CTA of each (GPGPU-Sim)"}},
           "Where local memory lies in memory");
  r.field("shared_latency", shared_latency, range(1u, 1000u),
          "Cycles of a shared-memory access without conflicts");
  r.field("shared_pass_latency", shared_pass_latency, range(1u, 64u),
          "Cycles by which each further pass over the banks delays the data of an access to shared memory");
  r.field("shared_swap_passes", shared_swap_passes, range(1u, 64u),
          "Passes of a compare-and-swap in shared memory where other atomics take one");
  r.field("shared_swap_latency", shared_swap_latency, range(0u, 1000u),
          "Cycles that it takes more than other atomics of shared memory");
  r.field("shared_loop_latency", shared_loop_latency, range(0u, 10000u),
          "Cycles of a round of the loop that atomics of shared memory are for floats and 64 bits: it reads, "
          "computes, and tries to "
          "swap, until no lane's bank was another's; 0: shared memory has such atomics");
  r.field("texture_latency", texture_latency, range(0u, 10000u),
          "Cycles that texels take more than the data of a load: addresses, filter, format");
  r.field("plane_latency", plane_latency, range(0u, 10000u),
          "Further cycles for texels of a texture of more than one dimension");
  r.field("filter_latency", filter_latency, range(0u, 10000u), "Further cycles for texels that are filtered");
  r.field("plane_passes", plane_passes, range(1u, 16u),
          "Times sm.timing.texture.interval that a fetch from a texture of more than one dimension takes");
  r.field("shared_banks", shared.banks, range(1u, 64u).power_of_two(),
          "Banks of shared memory, 4 bytes each");
  r.field("shared_lanes", shared.lanes, range(16u, 32u).power_of_two(),
          "Lanes whose words are looked for in the banks together: 32, or the 16 of a half-warp; half or a "
          "quarter of 32 for data of 8 or 16 bytes");
  r.field("shared_pairs", shared.pairs,
          "Lanes that read 8 or 16 bytes are served by twice as many at once where no two of their words "
          "share a bank");
  r.field("shared_ports", shared.ports, range(1u, 8u), "Words that a bank delivers per cycle");
  r.field("in_flight", in_flight, range(1u, 65535u), "Memory instructions under way");
  r.field("store_ack", store_ack, "A CTA ends only when its stores have been acknowledged");
  r.section("texture_cache", textures, "Cache for textures, beside the L1");
  r.field("constant_cache_bytes", constant_cache, range(0_B, 1_MiB), "Constant cache; 0: perfect");
  r.field("constant_latency", constant_latency, range(1u, 1000u), "Cycles of a constant-cache hit");
  r.field("constant_interval", constant_interval, range(1u, 64u),
          "Cycles that the constant cache needs for each different word that lanes ask for");
  r.field("constant_word_latency", constant_word_latency, range(0u, 1000u),
          "Further cycles of a hit for each different word after the first");
  r.field("constant_uniform_latency", constant_uniform_latency, range(0u, 1000u),
          "Cycles of a hit where the assembler knows that all lanes ask for one word: it comes beside the "
          "load/store unit (gpu.code_order = as_machine_code); 0: as any other");
  r.field("uniform_cache_bytes", uniform_cache, range(0_B, 1_MiB),
          "Cache for words that come so; 0: perfect");
  r.field("uniform_miss_latency", uniform_miss_latency, range(0u, 10'000u), "Further cycles of a miss there");
  r.field("uniform_miss_interval", uniform_miss_interval, range(0u, 1000u),
          "Cycles between two lines that it did not hold; 0: any number at once");
  r.field("constant_miss_interval", constant_miss_interval, range(0u, 1000u),
          "Cycles between two lines that the constant cache did not hold; 0: any number at once");
  r.field("constant_miss_latency", constant_miss_latency, range(0u, 10'000u), "Further cycles of a miss");
  r.field(
      "constant_cold_latency", constant_cold_latency, range(0u, 10'000u),
      "Cycles until constants that a kernel reads for the first time on an SM are there, 256 bytes at once");
  r.field("parameter_cold_latency", parameter_cold_latency, range(0u, 10'000u),
          "Further cycles of the first parameter that a kernel reads on an SM; the others come with it");
  r.field("icache_bytes", icache, range(0_B, 1_MiB), "Instruction cache; 0: perfect");
  r.field("icache_miss_latency", icache_miss_latency, range(0u, 10'000u),
          "Cycles of an instruction-cache miss");
  r.field("icache_cold_latency", icache_cold_latency, range(0u, 10'000u),
          "The same for the first line of a kernel that the SM has not run since the cache was emptied");
  r.field(
      "icache_miss_interval", icache_miss_interval, range(0u, 1000u),
      "Cycles between two lines that it did not hold, 64 bytes each; 0: any number at once, for each warp");
  r.field("icache_prefetch", icache_prefetch,
          "Instructions are fetched ahead: the line behind the last one takes icache_miss_interval at most");
  r.field("icache_kept", icache_kept,
          "Instructions stay when a kernel ends, unless L2 is emptied then (l2.kernel_end = flush)");
  r.field("instruction_bytes", instruction_bytes, range(1u, 64u),
          "Bytes of an instruction in the instruction cache");
  if (!fences_wait_for_all)
    r.unused({"fence_latency_behind"}, "fences wait for their own warp alone (fences_wait_for_all = false)");
  if (scheduler != "two_level") r.unused({"active_warps"}, "only sm.scheduler = two_level has active warps");
  if (constant_cache.count() == 0)
    r.unused({"constant_miss_latency", "constant_miss_interval", "constant_cold_latency"},
             "the constant cache is perfect (constant_cache_bytes = 0)");
  if (uniform_cache.count() == 0)
    r.unused({"uniform_miss_latency", "uniform_miss_interval"},
             "the cache for words that all lanes ask for is perfect (uniform_cache_bytes = 0)");
  if (icache.count() == 0)
    r.unused({"icache_miss_latency", "icache_cold_latency", "icache_miss_interval", "icache_prefetch",
              "icache_kept", "instruction_bytes"},
             "the instruction cache is perfect (icache_bytes = 0)");
  if (load_front != "in_order") {
    const std::string advice = "give sm.load_front = in_order";
    if (banked_data)
      r.fail("banked_data", "only load front 'in_order' looks at the banks of the L1's data", advice);
    if (!warp_overlap)
      r.fail("warp_overlap", "only load front 'in_order' tells when a store has left the SM", advice);
    if (lsu_stalls_issue)
      r.fail("lsu_stalls_issue", "only load front 'in_order' is one pipeline with the rest of the SM",
             advice);
  }
  if (threads / 32 > 64) r.fail("threads", "more than 64 warps");
  if (register_banks % schedulers != 0 && sub_core)
    r.fail("register_banks",
           "with sub_core, banks are divided among the schedulers: must be a multiple of schedulers");
}

}  // namespace heddle::sm
