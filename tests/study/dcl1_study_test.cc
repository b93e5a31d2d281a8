// The bundled study of decoupled L1s: whole, able to fail, and frozen by the baseline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bundled_study.h"

namespace heddle::study {
namespace {

Study dcl1() {
  return bundled_study("dcl1");
}

TEST(Dcl1Study, EveryNumberOfThePaperIsScoredOnce) {
  expect_every_number_is_scored_once("dcl1");
}

// Where the paper itself says that nothing changes, that is what equal designs reproduce.
TEST(Dcl1Study, WithAllDesignsEqualNoEffectIsReproduced) {
  EXPECT_GT(expect_no_effect_of_equal_designs("dcl1", 1), 40u);
}

TEST(Dcl1Study, EveryDesignCanBeBuilt) {
  EXPECT_THAT(make_plan(select(dcl1(), {})).refused, testing::IsEmpty());
}

// With a limit on cycles, designs do different amounts of work.
TEST(Dcl1Study, ChangesAreOfWorkPerCycleOrOfRatios) {
  for (const Metric& m : dcl1().metrics) {
    if (m.kind != Kind::Change || m.value.statistics().empty()) continue;
    EXPECT_GE(m.value.statistics().size(), 2u) << m.name << " grows with the time that is simulated";
  }
}

// What the classes stand on is measured without a proposal.
TEST(Dcl1Study, LoadFiguresNeedTheBaselineAndLargerL1sOnly) {
  for (const Figure& f : dcl1().figures) {
    if (f.group != "load") continue;
    for (const Comparison& c : f.compare) EXPECT_TRUE(c.design == "baseline" || c.design == "16x L1") << f.id;
  }
}

// Each program is in one of the two classes.
TEST(Dcl1Study, ClassesDivideThePrograms) {
  const Study s = dcl1();
  ASSERT_EQ(s.workloads.size(), 28u);
  std::set<std::string> sensitive, others;
  for (const Row& r : s.rows) {
    if (r.target.config != "Pr40" || r.target.metric != "IPC change") continue;
    if (r.target.figure == "Fig14") sensitive.insert(r.measure.workloads.begin(), r.measure.workloads.end());
    if (r.target.figure == "SVIII") others.insert(r.measure.workloads.begin(), r.measure.workloads.end());
  }
  EXPECT_EQ(sensitive.size() + others.size(), 28u);
  for (const StudyWorkload& w : s.workloads)
    EXPECT_NE(sensitive.contains(w.name), others.contains(w.name)) << w.name;
}

}  // namespace
}  // namespace heddle::study
