// CTA clustering in software (Li et al., ASPLOS 2017) as passes over PTX: each for one kernel of a module.
// The result computes what the original does, or the pass refuses (README.md has the list of reasons).
//
// Device functions that read %ctaid or %nctaid get a copy for the kernel, in which they read the task's.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "ptx/rewrite/pass.h"
#include "techniques/cta_clustering/rewrite/partition.h"

namespace heddle::cta_clustering {

// Redirection (RD, rule 10): the grid stays, each CTA computes at its entry which one it is instead. Grids of
// 2^31 CTAs and more stay in their own order. Not by a table.
struct Redirection {
  std::uint32_t clusters = 1;
  Partition partition;
};
ptx::tree::Pass redirect(std::string kernel, const Redirection& options);

// Agents (CLU, rules 11 to 14): the kernel becomes a loop over tasks, to be launched as agent_launch.h says.
// Thread 0 claims a task of its SM's cluster, or of the next that has some left, so that every task runs
// wherever agents run; an agent beyond the active ones of its cluster retires.
struct Agents {
  Partition partition;
  bool prefetch = false;  // PFH, rule 16: what the next task of the SM reads first (successor.h)
};
ptx::tree::Pass become_agents(std::string kernel, const Agents& options);

// Bypassing (BPS, rule 15): global loads get .cg. `loads`: their numbers among the ld.global of the kernel,
// from 0 in the order of the text; a chosen one that cannot have it is a reason to refuse. None given: all
// that can.
struct Bypass {
  std::optional<std::set<std::uint32_t>> loads;
};
ptx::tree::Pass bypass_l1(std::string kernel, const Bypass& options);

}  // namespace heddle::cta_clustering
