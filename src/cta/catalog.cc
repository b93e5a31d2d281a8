#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cta/schedulers.h"

namespace heddle::cta {
namespace {

using Made = std::unique_ptr<CtaScheduler>;
using Fastest = RoundRobin::Fastest;

// A kind without parameters.
template <Made (*make)()>
SchedulerFactory plain(config::Reader&) {
  return make;
}

SchedulerFactory read_random(config::Reader& r) {
  std::uint64_t seed = 1;
  r.field("seed", seed, config::range(std::uint64_t{0}, ~std::uint64_t{0} >> 1),
          "Of the lots that are drawn; kernels draw the same");
  return [seed] { return Made(new Random(seed)); };
}

SchedulerFactory read_balanced(config::Reader& r) {
  std::uint32_t first = 0, ahead = 0;
  r.field("first", first, config::range(0u, 1024u),
          "SMs of the first cluster that get a CTA before all others do");
  r.field("ahead", ahead, config::range(0u, 1024u),
          "Clusters that get their CTAs until these SMs get their next ones, while the grid has CTAs for "
          "whole turns; 0: once in a turn, as all");
  return [first, ahead] { return Made(new Balanced(first, ahead)); };
}

// Pairs of CTAs.
BlockRule read_pairs(config::Reader& r) {
  OddContext odd = OddContext::Used;
  r.choice("odd_context", odd,
           {{"used", OddContext::Used, "a pair is launched whenever two contexts are free"},
            {"empty", OddContext::Empty, "an SM never holds more CTAs than whole pairs have"}},
           "The last context of an SM that has an odd number of them");
  return BlockRule(2, odd);
}
SchedulerFactory read_block(config::Reader& r) {
  return [pairs = read_pairs(r)] { return Made(new RoundRobin(Fastest::Cluster, pairs)); };
}
SchedulerFactory read_distributed_block(config::Reader& r) {
  return [pairs = read_pairs(r)] { return Made(new Distributed(pairs)); };
}

// In the order of icc.md B1. Blocks go round as the default scheduler does, which they were built on.
constexpr std::array<SchedulerKind, 8> kSchedulers{{
    {"two_level_rr", "round-robin over clusters, then over the SMs of a cluster (GPGPU-Sim's default)",
     plain<[] { return Made(new RoundRobin(Fastest::Cluster, BlockRule(1))); }>},
    {"global_rr", "round-robin over all SMs, those of a cluster one after the other",
     plain<[] { return Made(new RoundRobin(Fastest::Sm, BlockRule(1))); }>},
    {"greedy", "fills the first cluster that has room before the next one",
     plain<[] { return Made(new Greedy); }>},
    {"block", "pairs of consecutive CTAs, to an SM with two free contexts", read_block},
    {"distributed", "the grid is cut into one contiguous pool per cluster (MCM-GPU)",
     plain<[] { return Made(new Distributed(BlockRule(1))); }>},
    {"distributed_block", "one pool per cluster, handed out in pairs of consecutive CTAs",
     read_distributed_block},
    {"balanced", "every turn is shared out evenly over clusters, neighbouring CTAs in one (as on an H200)",
     read_balanced},
    {"random", "to any SM with room, by lot (as observed on real cards)", read_random},
}};

}  // namespace

std::span<const SchedulerKind> schedulers() {
  return kSchedulers;
}

std::unique_ptr<CtaScheduler> make_scheduler(std::string_view name) {
  std::vector<std::string> names;
  for (const SchedulerKind& entry : kSchedulers) {
    if (entry.name == name) {
      config::Reader defaults(nullptr, nullptr);
      return entry.read(defaults)();
    }
    names.emplace_back(entry.name);
  }
  std::string advice = did_you_mean(name, names);
  if (advice.empty()) advice = "known schedulers: " + join(names, ", ");
  throw Error(fmt::format("there is no CTA scheduler '{}'", printable(name)), advice);
}

}  // namespace heddle::cta
