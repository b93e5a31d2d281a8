// The bundled study of intra-cluster coalescing: whole, and able to fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundled_study.h"
#include "config/reader.h"
#include "gpu/simulation_spec.h"
#include "gpu/stages.h"
#include "stats/registry.h"

namespace heddle::study {
namespace {

Study icc() {
  return bundled_study("icc");
}

TEST(IccStudy, EveryNumberOfThePaperIsScoredOnce) {
  expect_every_number_is_scored_once("icc");
}

TEST(IccStudy, WithAllDesignsEqualTheBandsFail) {
  EXPECT_GT(expect_no_effect_of_equal_designs("icc"), 50u);
}

// The paper names hotspot twice, and which program it means the second time is not known.
TEST(IccStudy, EverythingElseIsAttempted) {
  for (const Row& r : icc().rows)
    EXPECT_EQ(!r.not_attempted.empty(), r.target.workload == "HS(second mention)") << r.target.metric;
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
