#include "study/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fake_study.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

TEST(Plan, OneJobPerCellAndOnePointForEqualDesigns) {
  const Plan plan = make_plan(select(parse(kStudy), {}));
  // Three designs, two workloads, with and without the perturbation.
  EXPECT_EQ(plan.jobs.size(), 12u);
  EXPECT_EQ(plan.job_of.size(), 12u);
  EXPECT_TRUE(plan.refused.empty());
  std::set<std::string> keys;
  for (const Job& j : plan.jobs) keys.insert(j.point.key());
  EXPECT_EQ(keys.size(), 8u) << "'better' and 'same' are the same machine";
  const Job& job = plan.jobs[plan.job_of.at({"better", "two", "seed"})];
  EXPECT_EQ(job.point.workload, "two");
  EXPECT_EQ(job.point.seed, 2u);
  EXPECT_EQ(job.point.scale, workload::Scale::Tiny);
  EXPECT_THAT(job.point.machine, AllOf(HasSubstr("scheduler = \"greedy\""), HasSubstr("ways = 8")));
  EXPECT_EQ(job.label.study, "fake");
  EXPECT_EQ(job.label.design, "better");
  EXPECT_EQ(job.label.perturbation, "seed");
}

TEST(Plan, OnlyWhatIsSelected) {
  const Study s = parse(kStudy);
  Selection figure;
  figure.figures = {"2"};
  EXPECT_EQ(make_plan(select(s, figure)).jobs.size(), 2u) << "the baseline only, not perturbed";
  Selection design;
  design.figures = {"1"};
  design.designs = {"better"};
  design.workloads = {"TWO"};
  design.perturbations = false;
  const Plan plan = make_plan(select(s, design));
  EXPECT_EQ(plan.jobs.size(), 2u);
  EXPECT_TRUE(plan.job_of.contains({"base", "two", ""})) << "a baseline comes with its design";
  for (const auto& wrong : {Selection{{"7"}, {}, {}, true, {}}, Selection{{}, {"four"}, {}, true, {}},
                            Selection{{}, {}, {"worse"}, true, {}}})
    EXPECT_THROW(select(s, wrong), Error);
}

TEST(Plan, AWorkloadsOwnScaleStandsForTheStudys) {
  const Study s = parse(std::string(kStudy) + "[workload.two]\nscale = \"small\"\n");
  const auto scale = [&](const char* workload, std::optional<workload::Scale> asked) {
    Selection selection;
    selection.scale = asked;
    const Plan plan = make_plan(select(s, selection));
    return plan.jobs[plan.job_of.at({"base", workload, ""})].point.scale;
  };
  EXPECT_EQ(scale("one", {}), workload::Scale::Tiny);
  EXPECT_EQ(scale("two", {}), workload::Scale::Small);
  EXPECT_EQ(scale("two", workload::Scale::Paper), workload::Scale::Paper);
}

TEST(Plan, ABaselineOnAnotherWorkloadIsRunWithItsDesign) {
  const Study s = parse(std::string(kStudy) + R"([[figure]]
id = "3"
title = "One kernel against another"
metric = "IPC change"
designs = ["better"]
baselines = ["base"]
baseline_workload = "one"
workloads = ["two"]
perturbed = false
)");
  for (const std::vector<std::string>& workloads : {std::vector<std::string>{}, {"two"}}) {
    Selection only;
    only.figures = {"3"};
    only.workloads = workloads;
    const Plan plan = make_plan(select(s, only));
    EXPECT_EQ(plan.jobs.size(), 2u);
    EXPECT_TRUE(plan.job_of.contains({"better", "two", ""}));
    EXPECT_TRUE(plan.job_of.contains({"base", "one", ""}));
  }
}

TEST(Plan, SensitivitiesHalveAndDouble) {
  const Study s = parse(std::string(kStudy) + R"([headline]
metric = "IPC change"
design = "better"
baseline = "base"
[[sensitivity]]
name = "ways"
half = { l1.ways = 4 }
double = { l1.ways = 16 }
)");
  Selection only;
  only.figures = {"sensitivity"};
  const Plan plan = make_plan(select(s, only));
  EXPECT_EQ(plan.jobs.size(), 12u) << "two designs, two workloads, as it is, half and double";
  EXPECT_THAT(plan.jobs[plan.job_of.at({"base", "one", "ways x 2"})].point.machine, HasSubstr("ways = 16"));
}

TEST(Plan, AMachineThatCannotBeBuiltIsLeftOut) {
  std::string toml = kStudy;
  toml.replace(toml.find("\"greedy\""), 8, "\"greedi\"");
  const Plan plan = make_plan(select(parse(toml), {}));
  EXPECT_EQ(plan.jobs.size(), 4u) << "the baseline";
  ASSERT_TRUE(plan.refused.contains("better"));
  EXPECT_THAT(plan.refused.at("better"), AllOf(HasSubstr("study.toml"), HasSubstr("greedy")));
}

}  // namespace
}  // namespace heddle::study
