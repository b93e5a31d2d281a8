// Designs that a short search for the best CTA clustering simulates, and what each brought a kernel
// (clustering.md, rules 9 to 18).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "study/run/record.h"

namespace heddle::study {

struct ClusteringTrial {
  enum class Way : std::uint8_t {
    AsItIs,
    WithoutL1,    // global loads pass it by: what its lines bring beside what is asked for
    Redirection,  // RD
    Agents,       // CLU; with `active`, CLU+TOT
    Prefetching,  // PFH
    Bypassing,    // BPS
    Throttling,   // of CTAs, without clustering
  };
  Way way = Way::AsItIs;
  std::string partition;     // "row", "column", "tile", "graph"; empty where there is none
  std::uint32_t active = 0;  // agents or CTAs of an SM; 0: all that fit

  bool clusters() const { return way != Way::AsItIs && way != Way::WithoutL1 && way != Way::Throttling; }
  std::string name() const;                   // "agents by rows, 2 active"
  std::vector<std::string> settings() const;  // of the machine: "software.rewriter=agents"
  friend bool operator==(const ClusteringTrial&, const ClusteringTrial&) = default;
};

// What is tried first: everything once, with all agents.
std::vector<ClusteringTrial> first_trials();
// Then, of those with agents that were worth it, fewer of the `most` that fit.
std::vector<ClusteringTrial> throttled_trials(const ClusteringTrial& of, std::uint32_t most);

// All launches of a kernel in one trial.
struct KernelEffect {
  std::uint64_t cycles = 0;
  std::uint64_t l2_reads = 0;  // sectors
  std::uint64_t l1_reads = 0, l1_hits = 0;
  std::uint64_t loads = 0, load_lines = 0, load_sectors = 0;  // global load instructions, what they ask for
  std::uint32_t ctas_per_sm = 0;                              // agents, where there are any
  std::uint64_t launches = 0, rewritten = 0;

  double hit_rate() const;
  double lines_per_load() const;    // not a number without loads
  double sectors_per_line() const;  // that loads ask for
};
// By function, in the order of first launch.
struct KernelEffects {
  std::vector<std::string> kernels;
  std::map<std::string, KernelEffect, std::less<>> of;
};
KernelEffects effects(const TimingRecord& record);

}  // namespace heddle::study
