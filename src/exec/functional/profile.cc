#include "exec/functional/profile.h"

#include <algorithm>

#include "ptx/ir/kind.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Space;

std::uint64_t& counter(MixStats& m, ptx::Kind kind) {
  switch (kind) {
    case ptx::Kind::Integer:
      return m.integer;
    case ptx::Kind::Logic:
      return m.logic;
    case ptx::Kind::Float16:
      return m.float16;
    case ptx::Kind::Float32:
      return m.float32;
    case ptx::Kind::Float64:
      return m.float64;
    case ptx::Kind::Tensor:
      return m.tensor;
    case ptx::Kind::Special:
      return m.special;
    case ptx::Kind::Convert:
      return m.convert;
    case ptx::Kind::Move:
      return m.move;
    case ptx::Kind::Compare:
      return m.compare;
    case ptx::Kind::Control:
      return m.control;
    case ptx::Kind::Memory:
      return m.memory;
    case ptx::Kind::Atomic:
      return m.atomic;
    case ptx::Kind::Texture:
      return m.texture;
    case ptx::Kind::Barrier:
      return m.barrier;
    case ptx::Kind::Collective:
      return m.collective;
    case ptx::Kind::Other:
      break;
  }
  return m.other;
}

TrafficStats& traffic_kind(FunctionalStats& s, const Instr& in) {
  if (in.op == Op::Atom || in.op == Op::Red || in.op == Op::Sured) return s.atomic;
  if (in.op == Op::Tex || in.op == Op::Tld4 || in.op == Op::Suld) return s.texture_load;
  const bool store = ptx::is_store(in.op) || in.op == Op::Sust;
  switch (in.space) {
    case Space::Const:
      return s.constant_load;
    case Space::Local:
    case Space::Param:
      return store ? s.local_store : s.local_load;
    default:
      return store ? s.global_store : s.global_load;
  }
}

void add_access(FunctionalStats& s, const Instr& in, const AccessCount& a) {
  if (a.accesses != 0) {
    TrafficStats& t = traffic_kind(s, in);
    t.accesses += a.accesses;
    t.bytes += a.bytes;
    t.lines += a.lines;
    t.sectors += a.sectors;
  }
  if (a.shared_accesses != 0) {
    SharedStats& t = ptx::is_store(in.op) ? s.shared_store : s.shared_load;
    t.accesses += a.shared_accesses;
    t.bytes += a.shared_bytes;
    t.passes += a.passes;
  }
}

// Traffic with Nsight Compute's names for it.
struct NamedTraffic {
  TrafficStats& traffic;
  std::string_view accesses, sectors;
  void statistics(stats::Visitor& v) { traffic.statistics(v, accesses, sectors); }
};

}  // namespace

void MixStats::statistics(stats::Visitor& v) {
  const auto kind = [&](std::string_view name, std::uint64_t& n, std::string_view what) {
    v.counter(name, n, {"warp instructions", what});
  };
  kind("integer", integer, "Integer arithmetic");
  kind("logic", logic, "Bitwise logic, shifts and bit fields");
  kind("float16", float16, "Arithmetic on f16 and bf16, single or paired");
  kind("float32", float32, "Arithmetic on f32");
  kind("float64", float64, "Arithmetic on f64");
  kind("tensor", tensor, "Matrix products of tensor cores (wmma.mma, mma.sync)");
  kind("special", special, "Reciprocal, square root, sine, cosine, logarithm, exponential");
  kind("convert", convert, "Conversions between types");
  kind("move", move, "Moves, packing, address-space conversions");
  kind("compare", compare, "Comparisons and selections");
  kind("control", control, "Branches, calls, returns");
  kind("memory", memory, "Loads, stores, asynchronous copies, prefetches, parameters included");
  kind("atomic", atomic, "Atomics and reductions");
  kind("texture", texture, "Texture and surface instructions");
  kind("barrier", barrier, "CTA and warp barriers, fences");
  kind("collective", collective, "Shuffles, votes, matches, warp reductions");
  kind("other", other, "Everything else");
}

void TrafficStats::statistics(stats::Visitor& v) {
  statistics(v, {}, {});
}

void TrafficStats::statistics(stats::Visitor& v, std::string_view nsight_accesses,
                              std::string_view nsight_sectors) {
  v.counter("accesses", accesses,
            {"warp instructions", "Executions with at least one active lane", nsight_accesses});
  v.counter("bytes", bytes, {"bytes", "Bytes that active lanes asked for"});
  v.counter("lines", lines,
            {"lines", "Distinct 128-byte lines per access, summed: requests after intra-warp coalescing"});
  v.counter("sectors", sectors, {"sectors", "Distinct 32-byte sectors per access, summed", nsight_sectors});
  v.ratio("lines_per_access", lines, accesses,
          {"lines", "How well the lanes of a warp coalesce; 1 is best for 4-byte values"});
  v.ratio("bytes_per_access", bytes, accesses, {"bytes", "Bytes that an access asks for, on average"});
}

void SharedStats::statistics(stats::Visitor& v) {
  v.counter("accesses", accesses, {"warp instructions", "Executions with at least one active lane"});
  v.counter("bytes", bytes, {"bytes", "Bytes that active lanes asked for"});
  v.counter("passes", passes, {"passes", "Passes over the 32 banks: accesses plus bank conflicts"});
  v.ratio("passes_per_access", passes, accesses, {"passes", "1 means no bank conflict for 4-byte values"});
}

void FunctionalStats::statistics(stats::Visitor& v) {
  v.counter("launches", launches, {"launches", "Kernel launches"});
  v.counter("ctas", ctas, {"CTAs", "Thread blocks"});
  v.counter("warps", warps, {"warps", "Warps"});
  v.counter("warp_instructions", warp_instructions,
            {"warp instructions", "PTX instructions issued, each once per warp"});
  v.counter("thread_instructions", thread_instructions,
            {"thread instructions", "PTX instructions executed by active lanes, predicates applied"});
  v.ratio("lanes_per_instruction", thread_instructions, warp_instructions,
          {"lanes", "Active lanes per issued instruction, of 32"});
  v.counter("branches", branches, {"warp instructions", "Branches executed"});
  v.counter("divergent_branches", divergent_branches,
            {"warp instructions", "Branches that separated lanes of a warp"});
  v.ratio("divergence", divergent_branches, branches, {"", "Share of branches that separated lanes"});
  v.group("mix", mix);
  // The program decides these, not how it was compiled: the same on the card.
  NamedTraffic load{global_load, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"};
  NamedTraffic store{global_store, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
  v.group("global_load", load);
  v.group("global_store", store);
  v.group("local_load", local_load);
  v.group("local_store", local_store);
  v.group("constant_load", constant_load);
  v.group("texture_load", texture_load);
  v.group("atomic", atomic);
  v.group("shared_load", shared_load);
  v.group("shared_store", shared_store);
}

void add_launch(FunctionalStats& s, const LaunchProfile& launch) {
  s.launches += 1;
  s.ctas += launch.grid.count();
  s.warps += launch.grid.count() * ((launch.block.count() + kLanes - 1) / kLanes);
  for (std::size_t pc = 0; pc < launch.counts.size(); ++pc) {
    const PcCount& n = launch.counts[pc];
    if (n.issued == 0) continue;
    const Instr& in = *launch.image->code[pc].instr;
    s.warp_instructions += n.issued;
    s.thread_instructions += n.lanes;
    counter(s.mix, ptx::kind(in)) += n.issued;
    if (in.op == Op::Bra || in.op == Op::BrxIdx) {
      s.branches += n.issued;
      s.divergent_branches += n.divergent;
    }
    add_access(s, in, launch.accesses[pc]);
  }
}

FunctionalStats total(std::span<const LaunchProfile> launches) {
  FunctionalStats s;
  for (const LaunchProfile& l : launches) add_launch(s, l);
  return s;
}

std::vector<KernelStats> by_kernel(std::span<const LaunchProfile> launches) {
  std::vector<KernelStats> all;
  for (const LaunchProfile& l : launches) {
    auto it =
        std::find_if(all.begin(), all.end(), [&](const KernelStats& k) { return k.kernel == l.image->name; });
    if (it == all.end()) {
      all.push_back({l.image->name, l.image->registers_per_thread, l.shared_bytes, {}});
      it = all.end() - 1;
    }
    add_launch(it->stats, l);
  }
  return all;
}

}  // namespace heddle::exec
