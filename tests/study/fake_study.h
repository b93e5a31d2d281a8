// A small study without a simulator: workloads that only have names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "study/definition/study.h"

namespace heddle::study {

class NamedWorkload final : public workload::Workload {
 public:
  NamedWorkload(std::string name, std::string abbreviation, std::vector<std::string> also = {}) {
    info_.also = std::move(also);
    info_.name = std::move(name);
    info_.abbreviation = std::move(abbreviation);
  }
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions&) const override { return {}; }
  workload::Verification run(workload::Device&, const workload::RunOptions&) const override { return {}; }

 private:
  workload::WorkloadInfo info_;
};

inline const workload::Workload& find_named(const std::string& name) {
  static const NamedWorkload kAll[] = {{"one", "ONE"}, {"two", "TWO", {"PAIR"}}, {"three", "THREE"}};
  for (const NamedWorkload& w : kAll)
    if (w.info().name == name || (!w.info().also.empty() && w.info().also.front() == name)) return w;
  throw Error("no workload is called '" + name + "'");
}

inline const char* const kStudy = R"(title = "Fake"
machine = "clustered60"
scale = "tiny"
workloads = ["one", "two"]
set = { l1.ways = 8 }

[design.base]
[design.better]
base = "base"
set = { cta.scheduler = "greedy" }
[design.same]
base = "better"

[metric."IPC change"]
kind = "change"
value = "1 / gpu.cycles"
mean = "geometric"
[metric."traffic change"]
kind = "change"
value = "l2.reads"
better = "less"
[metric.speedup]
kind = "change"
value = "1 / gpu.cycles"
mean = "geometric"
paper_gives_ratio = true
[metric."miss rate"]
kind = "level"
value = "1 - l1.reads_hits / l1.reads_in"
[metric."gains above 10%"]
kind = "count"
of = "IPC change"
above = 10
[metric.ways]
kind = "level"
value = "$l1.ways"
unit = "ways"

[[figure]]
id = "1"
title = "Time"
metric = "IPC change"
designs = ["better", "same"]
baselines = ["base"]
[[figure]]
id = "2"
title = "Misses"
metric = "miss rate"
designs = ["base"]
perturbed = false

[[perturbation]]
name = "seed"
seed = 2
)";

inline const std::string kHeader =
    "paper,figure,workload,config,metric,baseline,value,unit,note,not_counted\n";
inline const std::string kTargets = kHeader +
                                    "p,Fig1,mean,better,IPC change,base,20,%,,\n"
                                    "p,Fig1,ONE,better,IPC change,base,12,%,,\n"
                                    "p,Fig1,max,better,IPC change,base,30,%,,\n"
                                    "p,Fig1,count,better,gains above 10%,base,1,count,,\n"
                                    "p,Fig2,ONE,base,miss rate,,50,%,,\n"
                                    "p,Fig2,-,base,ways,,8,ways,,constant\n";

inline Study parse(const std::string& toml, const std::string& targets = kTargets) {
  return parse_study("fake", {"study.toml", toml}, {"targets.csv", targets}, find_named);
}

}  // namespace heddle::study
