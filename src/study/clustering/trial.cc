#include "study/clustering/trial.h"

#include <limits>

#include <fmt/format.h>

namespace heddle::study {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(a) / static_cast<double>(b);
}

constexpr const char* kPartitions[] = {"row", "column", "tile"};

}  // namespace

std::string ClusteringTrial::name() const {
  const auto by = [&](std::string_view what) {
    return partition == "graph" ? fmt::format("{} by reuse graph", what)
                                : fmt::format("{} by {}s", what, partition);
  };
  const auto with_active = [&](std::string text) {
    return active == 0 ? text : fmt::format("{}, {} active", text, active);
  };
  switch (way) {
    case Way::AsItIs:
      return "as it is";
    case Way::WithoutL1:
      return "without L1";
    case Way::Redirection:
      return by("redirection");
    case Way::Agents:
      return with_active(by("agents"));
    case Way::Prefetching:
      return with_active(by("prefetching agents"));
    case Way::Bypassing:
      return with_active(by("agents past the L1"));
    case Way::Throttling:
      return fmt::format("{} CTAs per SM", active);
  }
  return {};
}

std::vector<std::string> ClusteringTrial::settings() const {
  switch (way) {
    case Way::AsItIs:
      return {};
    case Way::WithoutL1:
      return {"l1.bypass_global=true"};
    case Way::Throttling:
      return {"software.rewriter=throttling", fmt::format("software.throttling.ctas={}", active)};
    case Way::Redirection:
      return {"software.rewriter=redirection", "software.redirection.partition=" + partition};
    default:
      break;
  }
  std::vector<std::string> sets = {"software.rewriter=agents", "software.agents.partition=" + partition};
  if (active != 0) sets.push_back(fmt::format("software.agents.active={}", active));
  if (way == Way::Prefetching) sets.emplace_back("software.agents.prefetch=true");
  if (way == Way::Bypassing) sets.emplace_back("software.agents.bypass=true");
  return sets;
}

std::vector<ClusteringTrial> first_trials() {
  using Way = ClusteringTrial::Way;
  std::vector<ClusteringTrial> all = {{Way::AsItIs, "", 0}, {Way::WithoutL1, "", 0}};
  for (const Way way : {Way::Redirection, Way::Agents})
    for (const char* partition : kPartitions) all.push_back({way, partition, 0});
  all.push_back({Way::Agents, "graph", 0});
  all.push_back({Way::Prefetching, "row", 0});
  all.push_back({Way::Bypassing, "row", 0});
  return all;
}

std::vector<ClusteringTrial> throttled_trials(const ClusteringTrial& of, std::uint32_t most) {
  std::vector<ClusteringTrial> all;
  // 1, 2, 3, 4, 6, 8, 12, 16, ...: near the ends every one matters, between them few do.
  for (std::uint32_t n = 1, step = 1; n < most; n += step) {
    all.push_back({of.way, of.partition, n});
    if (n >= 4 && (n & (n - 1)) == 0) step = n / 2;
  }
  return all;
}

double KernelEffect::hit_rate() const {
  return ratio(l1_hits, l1_reads);
}
double KernelEffect::lines_per_load() const {
  return ratio(load_lines, loads);
}
double KernelEffect::sectors_per_line() const {
  return ratio(load_sectors, load_lines);
}

KernelEffects effects(const TimingRecord& record) {
  KernelEffects all;
  for (const KernelTiming& k : record.kernels) {
    const auto [at, first] = all.of.try_emplace(k.kernel);
    if (first) all.kernels.push_back(k.kernel);
    KernelEffect& e = at->second;
    e.cycles += k.stats.gpu.cycles;
    e.l2_reads += k.stats.l2().reads.sectors;
    e.l1_reads += k.stats.l1().global_reads.in;
    e.l1_hits += k.stats.l1().global_reads.hits;
    e.loads += k.stats.sm().global_load.instructions;
    e.load_lines += k.stats.sm().global_load.lines;
    e.load_sectors += k.stats.sm().global_load.sectors;
    e.ctas_per_sm = k.occupancy.ctas;
    e.launches += k.stats.gpu.launches;
    e.rewritten += k.stats.groups.get<gpu::SoftwareStats>(gpu::SoftwareStats::kGroup).rewritten;
  }
  return all;
}

}  // namespace heddle::study
