// The bundled study of intra-cluster coalescing: whole, and able to fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "config/reader.h"
#include "gpu/simulation_spec.h"
#include "gpu/stages.h"
#include "stats/registry.h"
#include "study/definition/studies.h"
#include "study/evaluation/report.h"
#include "workloads/registry.h"

namespace heddle::study {
namespace {

Study icc() {
  const StudySource source = find_study("icc");
  return parse_study(
      source.name, source.file, source.targets, [](const std::string& name) -> const auto& {
        const workload::Workload* w = workloads::find_workload(name);
        if (w == nullptr) throw Error("no workload is called '" + name + "'");
        return *w;
      });
}

std::set<std::string> names_of(const Study& s, bool parameters) {
  std::set<std::string> all;
  for (const Metric& m : s.metrics)
    for (const std::string& name : parameters ? m.value.parameters() : m.value.statistics()) all.insert(name);
  return all;
}

// Every statistic is 1, whatever the design.
Evidence nothing_changes(const Study& s) {
  std::map<std::string, double, std::less<>> statistics;
  for (const std::string& name : names_of(s, false)) statistics.emplace(name, 1);
  Evidence e;
  for (const Design& d : s.designs)
    for (const StudyWorkload& w : s.workloads)
      for (const Perturbation& p : s.perturbations) e.add({d.name, w.name, p.name}, Result(statistics));
  return e;
}

TEST(IccStudy, EveryNumberOfThePaperIsScoredOnce) {
  const Study s = icc();
  const Selected all = select(s, {});
  const StudyReport report(all, nothing_changes(s));
  const std::string text = find_study("icc").targets.text();
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  EXPECT_EQ(s.rows.size(), lines);
  std::size_t counted = 0;
  for (const auto& [state, n] : report.counts()) counted += n;
  EXPECT_EQ(counted, lines);
  EXPECT_EQ(report.score().rows.size(), lines);
  for (const Row& r : s.rows) EXPECT_TRUE(r.figure.empty() || s.figure(r.figure) != nullptr);
}

TEST(IccStudy, WithAllDesignsEqualTheBandsFail) {
  const Study s = icc();
  const Selected all = select(s, {});
  const Evidence evidence = nothing_changes(s);
  std::size_t effects = 0;
  for (const Scored& scored : score(all, evidence)) {
    if (!scored.row->not_attempted.empty()) continue;
    const Metric& metric = s.metric(scored.row->measure.metric);
    if (metric.kind == Kind::Count) {
      EXPECT_EQ(scored.state, State::Missed) << "line " << scored.row->target.line;
    }
    if (metric.kind != Kind::Change || scored.paper == 0) continue;
    ++effects;
    EXPECT_EQ(scored.state, State::NoEffect) << "line " << scored.row->target.line;
  }
  EXPECT_GT(effects, 50u);
}

TEST(IccStudy, OnlyEnergyIsNotAttempted) {
  const Study s = icc();
  for (const Row& r : s.rows) {
    const bool energy =
        r.target.metric.find("energy") != std::string::npos || r.target.metric == "EDP change";
    EXPECT_EQ(!r.not_attempted.empty(), energy) << r.target.metric;
  }
}

// The machine of a source tree in which the techniques are not all there cannot say anything about them.
TEST(IccStudy, EveryDesignCanBeBuiltAndEveryNameIsKnown) {
  const config::ParamTable params = config::describe<gpu::SimulationSpec>();
  for (const char* needed :
       {"measure.locality", "perturb.seed", "cluster.icc.entries", "cluster.icc_cc.lines"})
    if (params.find(needed) == nullptr) GTEST_SKIP() << "no parameter " << needed;
  const Study s = icc();
  EXPECT_THAT(make_plan(select(s, {})).refused, testing::IsEmpty());
  for (const std::string& name : names_of(s, true)) EXPECT_NE(params.find(name), nullptr) << name;
  stats::Registry registry;
  registry.declare("", gpu::every_statistic());
  for (const std::string& name : names_of(s, false)) {
    const bool histogram = name.ends_with(".mean");
    EXPECT_NE(registry.find(histogram ? name.substr(0, name.size() - 5) : name), nullptr) << name;
  }
}

TEST(IccStudy, LoadChecksNeedTheBaselineOnly) {
  const Study s = icc();
  for (const Figure& f : s.figures) {
    if (f.group != "load") continue;
    for (const Comparison& c : f.compare)
      for (const Assignment& a : s.design(c.design).sets)
        EXPECT_EQ(a.text.find("merger"), std::string::npos) << c.design;
  }
}

}  // namespace
}  // namespace heddle::study
