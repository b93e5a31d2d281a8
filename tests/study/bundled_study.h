// A study of the source tree, with its own workloads, and results for it that nobody simulated.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

inline void expect_every_number_is_scored_once(const std::string& name) {
  const Study s = bundled_study(name);
  const Selected all = select(s, {});
  const StudyReport report(all, nothing_changes(s));
  const std::size_t lines = target_lines(name);
  EXPECT_EQ(s.rows.size(), lines);
  EXPECT_EQ(report.score().rows.size(), lines);
  const Tally t = tally(score(all, nothing_changes(s)));
  std::size_t counted = t.apart();
  for (const auto& [state, n] : t.states) counted += n;
  EXPECT_EQ(counted, lines);
  for (const Row& r : s.rows)
    EXPECT_TRUE(r.figure.empty() || s.figure(r.figure) != nullptr) << "line " << r.target.line;
}

// A number that no run could miss would say nothing: with equal designs no effect above `least` percent is
// there, and no count. How many effects were looked at.
inline std::size_t expect_no_effect_of_equal_designs(const std::string& name, double least = 0) {
  const Study s = bundled_study(name);
  const Selected all = select(s, {});
  std::size_t effects = 0;
  for (const Scored& scored : score(all, nothing_changes(s))) {
    if (!scored.row->not_attempted.empty() || scored.row->measure.over == Over::Machine) continue;
    const Metric& metric = s.metric(scored.row->measure.metric);
    if (metric.kind == Kind::Count) {
      EXPECT_EQ(scored.state, State::Missed) << "line " << scored.row->target.line;
    }
    if (metric.kind != Kind::Change || std::abs(scored.paper) <= least) continue;
    ++effects;
    EXPECT_EQ(scored.state, State::NoEffect) << "line " << scored.row->target.line;
  }
  return effects;
}

}  // namespace heddle::study
