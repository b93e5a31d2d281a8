#include "study/plan/compare_plan.h"

#include <fmt/format.h>

namespace heddle::study {
namespace {

CompareMetric metric(const char* id, const char* title, const char* value, const char* unit, bool by_change,
                     bool less_is_better, const char* change = nullptr) {
  CompareMetric m;
  m.id = id;
  m.title = title;
  m.by_change = by_change;
  m.change.name = id;
  m.level.name = m.change.name + "_level";
  m.level.kind = Kind::Level;
  m.level.unit = unit;
  m.level.value = Expression::parse(value);
  m.change.kind = Kind::Change;
  m.change.value = Expression::parse(change == nullptr ? value : change);
  m.change.mean = Mean::Geometric;
  m.change.less_is_better = less_is_better;
  return m;
}

class ComparePlanner {
 public:
  explicit ComparePlanner(const CompareRequest& request) : request_(request) {}

  ComparePlan run() {
    Study& study = out_.selected.study;
    study.name = kCompareLabel;
    study.designs = request_.designs;
    for (const CompareMetric& m : compare_metrics()) {
      study.metrics.push_back(m.level);
      study.metrics.push_back(m.change);
    }
    bool inputs = true;
    for (const Point& p : request_.workloads) {
      study.workloads.push_back({p.workload, p.workload});
      out_.selected.workloads.push_back(p.workload);
      inputs = inputs && p.contents.empty();  // a seed means nothing to a user's kernel
    }
    const std::uint64_t seed = request_.workloads.front().seed;
    Perturbation as_it_is;
    as_it_is.seed = seed;
    study.perturbations.push_back(std::move(as_it_is));
    for (Perturbation& p : compare_perturbations(request_.perturbations, seed, inputs))
      study.perturbations.push_back(std::move(p));
    for (std::size_t i = 0; i < study.perturbations.size(); ++i) out_.selected.perturbations.push_back(i);
    out_.selected.scale = request_.workloads.front().scale;
    for (const Design& d : study.designs) design(d);
    return std::move(out_);
  }

 private:
  void design(const Design& d) {
    const bool baseline = &d == &out_.selected.study.designs.front();
    std::vector<std::string> machines;
    try {
      const config::Config base = request_.load(d.machine);
      for (const Perturbation& p : out_.selected.study.perturbations)
        machines.push_back(machine_of(d, base, p.sets));
    } catch (const Error& e) {
      if (baseline) throw;
      out_.plan.refused.emplace(d.name, e.what());
      return;
    }
    for (const std::string& other : out_.designs)
      if (out_.plan.machines.at(other) == machines.front()) {
        out_.same_as.emplace(d.name, other);
        return;
      }
    out_.designs.push_back(d.name);
    out_.plan.machines.emplace(d.name, machines.front());
    for (const Point& point : request_.workloads)
      for (std::size_t i = 0; i < machines.size(); ++i) job(d, point, i, machines[i]);
  }

  void job(const Design& d, const Point& point, std::size_t run, const std::string& machine) {
    const Perturbation& p = out_.selected.study.perturbations[run];
    Job j;
    j.point = point;
    if (point.contents.empty()) j.point.seed = p.seed;
    j.point.gpu = d.machine.empty() ? request_.gpu : d.machine;
    j.point.machine = machine;
    j.label = {kCompareLabel, d.name, p.name};
    out_.plan.job_of.emplace(Cell{d.name, point.workload, p.name}, out_.plan.jobs.size());
    out_.plan.jobs.push_back(std::move(j));
  }

  const CompareRequest& request_;
  ComparePlan out_;
};

CompareMetric brief(CompareMetric m) {
  m.brief = true;
  return m;
}

}  // namespace

const std::vector<CompareMetric>& compare_metrics() {
  // Time, not cycles, decides on speed: designs may have other clocks.
  static const std::vector<CompareMetric> all = {
      metric("speed", "speed-up", "gpu.cycles", "cycles", true, false, "1 / gpu.picoseconds"),
      metric("network_reads", "read requests in the network", "cluster.injected_reads", "packets", true,
             true),
      metric("l1_hit_rate", "L1 read hits", "l1.reads_hits / l1.reads_in", "%", false, false),
      brief(metric("l1_miss_latency", "mean L1 miss latency", "l1.miss_latency.mean", "cycles", true, true)),
      metric("merged", "reads merged or held at the clusters' ports",
             "(merger.merged + merger.held) / (merger.offered - merger.bypassed)", "%", false, false),
      brief(metric("dram_bytes", "DRAM traffic", "dram.read_bytes + dram.write_bytes", "B", true, true)),
      brief(metric("energy", "energy", "energy.total / 1000000000000", "J", true, true)),
      brief(metric("edp", "energy-delay product",
                   "(energy.total / 1000000000000) * (gpu.picoseconds / 1000000000000)", "Js", true, true)),
  };
  return all;
}

std::vector<Perturbation> compare_perturbations(std::size_t n, std::uint64_t seed, bool inputs) {
  std::vector<Perturbation> all;
  const std::size_t kinds = inputs ? 3 : 2;
  const SourcePlace place{"--perturbations", 0, 0, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t round = i / kinds + 1;
    Perturbation p;
    p.seed = seed;
    if (i % kinds == 0) {
      p.name = fmt::format("offset {}", round);
      p.sets = {{fmt::format("perturb.allocation_offset=\"{}B\"", 12800 * round), place}};
    } else if (i % kinds == 1) {
      p.name = fmt::format("jitter {}", round);
      p.sets = {{"perturb.start_jitter=50", place}, {fmt::format("perturb.seed={}", round), place}};
    } else {
      p.name = fmt::format("input {}", round);
      p.seed = seed + round;
    }
    all.push_back(std::move(p));
  }
  return all;
}

ComparePlan make_compare_plan(const CompareRequest& request) {
  return ComparePlanner(request).run();
}

}  // namespace heddle::study
