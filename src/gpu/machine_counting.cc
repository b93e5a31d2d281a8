// What a machine counts: clearing, adding up, and the check that nothing got lost.
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/machine.h"
#include "stats/snapshot.h"

namespace heddle::gpu {

void Machine::clear_statistics() {
  for (mem::Stage* stage : stages_.all()) stage->clear_statistics();
}

std::uint64_t Machine::instructions() const {
  std::uint64_t n = 0;
  for (const auto& core : l1s_->cores()) n += std::as_const(*core).sm().statistics().instructions;
  return n;
}

std::span<const Sample> Machine::samples() const {
  if (sampler_ == nullptr) return {};
  return sampler_->samples();
}

SampledCounters Machine::sampled() const {
  const std::vector<mem::Series> names = series();
  const SeriesCounts counts = read_series(engine_.now());
  const auto of = [&](std::string_view statistic) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].statistic == statistic) return counts[i];
    return std::uint64_t{0};
  };
  SampledCounters c;
  c.instructions = of("sm.instructions");
  c.l1_reads = of("l1.reads_in");
  c.l1_read_hits = of("l1.reads_hits");
  c.request_flits = of("request_network.flits");
  c.reply_flits = of("reply_network.flits");
  c.l2_reads = of("l2.reads");
  c.l2_read_hits = of("l2.read_hits");
  c.dram_read_bytes = of("dram.read_bytes");
  c.dram_write_bytes = of("dram.write_bytes");
  for (const auto& core : l1s_->cores()) c.resident_warps += std::as_const(*core).sm().resident_warps();
  return c;
}

// A difference means something for what counts events, not for peaks and ratios.
void Machine::check_watched() const {
  stats::Snapshot all;
  all.add("", stages_.zero());
  for (const std::string& name : options_.watch) {
    all.count(name);  // throws for an unknown one
    if (all.find(name)->info.kind != stats::Kind::Counter)
      throw Error(fmt::format("'{}' does not count events, so it cannot be watched over time", name),
                  "Watch a counter: heddle explain --all lists them.");
  }
}

std::vector<std::uint64_t> Machine::watched() const {
  stats::Snapshot all;
  all.add("", collect());
  std::vector<std::uint64_t> values;
  for (const std::string& name : options_.watch) values.push_back(all.count(name));
  return values;
}

MachineStats Machine::collect() const {
  MachineStats s = stages_.zero();
  for (const mem::Stage* stage : stages_.all()) {
    stage->collect(s.groups);
    stage->collect_meters(s.groups);
  }
  return s;
}

// Counted at both ends of every link: nothing is lost, nothing answered twice.
void Machine::check_conservation(const MachineStats& s, const std::string& kernel) const {
  for (const mem::Identity& i : mem::identities(stages_.all(), s.groups))
    if (i.one != i.other)
      throw Error(
          fmt::format("conservation violated in kernel '{}': {}: {} and {}", kernel, i.what, i.one, i.other),
          "This is a defect of the simulator; please report it with the command that shows it.");
}

}  // namespace heddle::gpu
