// From a program's text and what trials measured to what is worth doing with each of its kernels
// (clustering.md, rules 1, 9, 14 and 18).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/clustering/program.h"
#include "study/clustering/trial.h"
#include "techniques/cta_clustering/framework/static_report.h"

namespace heddle::study {

// A trial and what it brought all kernels.
struct TriedOut {
  ClusteringTrial trial;
  KernelEffects effects;
};

// Rule 18 has no thresholds; these are ours.
inline constexpr double kMarked = 0.10;  // of L2 reads: an order of CTAs that changes less changes nothing
inline constexpr double kLinesBring =
    0.25;  // of L2 reads, less without an L1: its lines bring what nobody asked for
// Loads are scattered that ask for so many lines, and for less than so many sectors of each: lanes with 16
// bytes each ask for four whole lines.
inline constexpr double kScatteredLines = 4, kScatteredSectors = 2;
inline constexpr double kWorthwhile = 0.02;  // less time than that is no gain

// What a kernel's text tells, with the launch that it had first.
cta_clustering::StaticReport text_of(const ProgramCode& code, const LaunchedKernel& kernel,
                                     std::uint32_t line_bytes);

// What a measurement says of a kernel, by rule 18.
struct MeasuredClass {
  cta_clustering::Category category = cta_clustering::Category::Unknown;
  std::vector<std::string> reasons;
};
MeasuredClass measured_class(const std::vector<TriedOut>& tried, const std::string& kernel,
                             const cta_clustering::StaticClass& text);

struct KernelAdvice {
  std::string kernel;
  LaunchedKernel launched;
  cta_clustering::StaticReport text;
  MeasuredClass measured;
  cta_clustering::Category category = cta_clustering::Category::Unknown;  // of both
  std::vector<std::pair<ClusteringTrial, KernelEffect>> tried;            // as it is first
  std::optional<ClusteringTrial> take;                                    // none: leave it as it is
  double speed_up = 1;                                                    // predicted
  std::string refused;                                                    // why it cannot be rewritten

  const KernelEffect& as_it_is() const { return tried.front().second; }
};

// The first of `tried` is the program as it is.
std::vector<KernelAdvice> advise(const ProgramCode& code, const std::vector<TriedOut>& tried,
                                 std::uint32_t line_bytes);
// The trial with agents, all of them active, that is best for a kernel; none: no kernel was rewritten.
const ClusteringTrial* best_agents(const std::vector<TriedOut>& tried, const std::string& kernel);

// The module of a kernel rewritten as its advice says, for a machine with so many SMs.
std::string rewritten_module(const ProgramCode& code, const KernelAdvice& advice, std::uint32_t sms);
// What stands in place of its launch with cuda/heddle/cta_clustering.cuh. By the reuse graph it includes
// KERNEL.order.h (graph_order.h).
std::string launch_code(const KernelAdvice& advice);

}  // namespace heddle::study
