#include "study/plan/compare_plan.h"

#include <gmock/gmock.h>

#include <set>

#include "gpu/presets.h"
#include "study/design/design_catalog.h"
#include "study/evaluation/evaluate.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CompareRequest request(const std::string& designs) {
  CompareRequest r;
  Point p;
  p.workload = "hotspot";
  r.workloads = {p};
  const std::vector<std::string> texts{designs};
  r.designs = choose_designs(texts, design_catalog());
  r.gpu = "clustered60";
  r.load = [](const std::string& machine) {
    return gpu::load_config(machine.empty() ? "clustered60" : machine);
  };
  return r;
}

TEST(ComparePlan, ADesignThatChangesNothingIsNotSimulated) {
  const ComparePlan p = make_compare_plan(request("baseline,D,DB,again:DB"));  // clustered60 schedules like D
  EXPECT_THAT(p.designs, ElementsAre("baseline", "DB"));
  EXPECT_EQ(p.same_as.at("D"), "baseline");
  EXPECT_EQ(p.same_as.at("again"), "DB");
  EXPECT_EQ(p.plan.jobs.size(), 2u);
  EXPECT_NE(p.plan.jobs[0].point.key(), p.plan.jobs[1].point.key());
  EXPECT_EQ(p.plan.jobs[0].label.study, "compare");
}

TEST(ComparePlan, ABadDesignDoesNotLoseTheOthers) {
  const ComparePlan p = make_compare_plan(request("baseline,odd:l1.wayss=8,worse:l1.ways=0,DB"));
  EXPECT_THAT(p.designs, ElementsAre("baseline", "DB"));
  EXPECT_THAT(p.plan.refused.at("odd"), HasSubstr("--designs:1:14: the machine of 'odd': unknown parameter"));
  EXPECT_THAT(p.plan.refused.at("odd"), HasSubstr("did you mean 'l1.ways'?"));
  EXPECT_THAT(p.plan.refused.at("worse"), HasSubstr("expected 1 to 4096"));
}

TEST(ComparePlan, ABaselineThatCannotBeBuiltIsAnError) {
  EXPECT_THROW(make_compare_plan(request("bad:l1.ways=0,DB")), Error);
}

TEST(ComparePlan, PerturbationsAreTheSameForAllDesignsAndDifferFromEachOther) {
  CompareRequest r = request("baseline,DB");
  r.perturbations = 4;
  const ComparePlan p = make_compare_plan(r);
  ASSERT_EQ(p.plan.jobs.size(), 10u);
  std::set<std::string> keys;
  for (const Job& j : p.plan.jobs) keys.insert(j.point.key());
  EXPECT_EQ(keys.size(), 10u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(p.plan.jobs[i].label.perturbation, p.plan.jobs[i + 5].label.perturbation);
    EXPECT_EQ(p.plan.jobs[i].point.seed, p.plan.jobs[i + 5].point.seed);
  }
  EXPECT_EQ(p.plan.jobs[3].point.seed, 2u);  // another input
}

TEST(ComparePlan, AUsersKernelHasNoOtherInputs) {
  CompareRequest r = request("baseline");
  r.workloads[0].contents = "hash";
  r.perturbations = 6;
  for (const Job& j : make_compare_plan(r).plan.jobs) {
    EXPECT_EQ(j.point.seed, 1u);
    EXPECT_EQ(j.label.perturbation.find("input"), std::string::npos);
  }
}

TEST(ComparePlan, SpeedUpIsTheRatioOfTheTimesWhateverTheClock) {
  const ComparePlan p = make_compare_plan(request("baseline,DB"));
  Evidence e;
  e.add({"baseline", "hotspot", ""}, Result({{"gpu.cycles", 1200}, {"gpu.picoseconds", 600}}));
  e.add({"DB", "hotspot", ""}, Result({{"gpu.cycles", 1000}, {"gpu.picoseconds", 1000}}));
  const Evaluator evaluator(p.selected, e);
  const CompareMetric& speed = compare_metrics().front();
  EXPECT_NEAR(evaluator.one(speed.change, {"DB", "baseline"}, "hotspot", true).mean, -40, 1e-9);
  EXPECT_NEAR(evaluator.one(speed.level, {"DB", ""}, "hotspot", true).mean, 1000, 1e-9);
}

}  // namespace
}  // namespace heddle::study
