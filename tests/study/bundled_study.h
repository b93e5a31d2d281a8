// A study of the source tree, with its own workloads, and results for it that nobody simulated.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "study/definition/studies.h"
#include "study/evaluation/report.h"
#include "workloads/registry.h"

namespace heddle::study {

inline Study bundled_study(const std::string& name) {
  const StudySource source = find_study(name);
  return parse_study(
      source.name, source.file, source.targets, [](const std::string& word) -> const auto& {
        const workload::Workload* w = workloads::find_workload(word);
        if (w == nullptr) throw Error("no workload is called '" + word + "'");
        return *w;
      });
}

// Rows of its targets.csv as text.
inline std::size_t target_lines(const std::string& name) {
  const std::string text = find_study(name).targets.text();
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
}

// Parameters or statistics that its metrics use.
inline std::set<std::string> names_of(const Study& s, bool parameters) {
  std::set<std::string> all;
  for (const Metric& m : s.metrics)
    for (const std::string& name : parameters ? m.value.parameters() : m.value.statistics()) all.insert(name);
  return all;
}

// Every statistic is 1, whatever the design.
inline Evidence nothing_changes(const Study& s) {
  std::map<std::string, double, std::less<>> statistics;
  for (const std::string& name : names_of(s, false)) statistics.emplace(name, 1);
  Evidence e;
  for (const Design& d : s.designs)
    for (const StudyWorkload& w : s.workloads)
      for (const Perturbation& p : s.perturbations) e.add({d.name, w.name, p.name}, Result(statistics));
  return e;
}

}  // namespace heddle::study
