#include "study/evaluation/scale_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_study.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;

class ScaleComparison : public testing::Test {
 protected:
  // Speed-up of "better" per workload; "same" is as fast as the base.
  static Evidence evidence(double one, double two) {
    Evidence e;
    e.add_machine("base", "[l1]\nways = 8\n");
    for (const auto& [workload, gain] : {std::pair{"one", one}, std::pair{"two", two}})
      for (const auto& [design, speed] : {std::pair{"base", 1.0}, {"better", gain}, {"same", 1.0}})
        e.add({design, workload, ""},
              Result({{"gpu.cycles", 1000 / speed}, {"l1.reads_hits", 60}, {"l1.reads_in", 100}}));
    return e;
  }
  Selected selected() const {
    Selection s;
    s.perturbations = false;
    return select(study_, s);
  }
  std::vector<Table> tables(const Evidence& small, const Evidence& large) const {
    const Selected all = selected();
    return compare_scales(study_, {"small", StudyReport(all, small).numbers()},
                          {"paper", StudyReport(all, large).numbers()});
  }
  static const Table& find(const std::vector<Table>& all, const std::string& id) {
    for (const Table& t : all)
      if (t.id == id) return t;
    throw Error("no table " + id);
  }

  Study study_ = parse(kStudy);
};

TEST_F(ScaleComparison, BothValuesAndTheirDifference) {
  const std::vector<Table> all = tables(evidence(1.1, 0.9), evidence(1.3, 1.2));
  const Table& t = find(all, "beside_1");
  EXPECT_EQ(t.columns[3].name, "at small");
  EXPECT_EQ(t.columns[4].name, "at paper");
  EXPECT_THAT(t.rows,
              testing::Contains(ElementsAre("better vs base", "ONE", "+12.0%", "+10.0%", "+30.0%", "-20.0")));
  EXPECT_THAT(t.rows,
              testing::Contains(ElementsAre("better vs base", "TWO", "", "-10.0%", "+20.0%", "-30.0")));
}

TEST_F(ScaleComparison, SumCountsSignsOfEffectsAndTheLargestDifference) {
  const std::vector<Table> all = tables(evidence(1.1, 0.9), evidence(1.3, 1.2));
  // Four values: two designs, two workloads. "same" has no effect, so only two have a sign; one agrees.
  EXPECT_THAT(find(all, "beside").rows[0],
              ElementsAre("1", "4", "12.5", "30.0", "better vs base, TWO", "1 of 2"));
  EXPECT_EQ(find(all, "beside").rows[1].back(), "") << "a level has no sign";
}

TEST_F(ScaleComparison, LeavesOutWhatOneSideLacks) {
  Evidence part;
  part.add({"base", "one", ""}, Result({{"gpu.cycles", 1000}}));
  part.add({"better", "one", ""}, Result({{"gpu.cycles", 500}}));
  const std::vector<Table> all = tables(evidence(1.1, 0.9), part);
  EXPECT_EQ(find(all, "beside_1").rows.size(), 1u);
}

}  // namespace
}  // namespace heddle::study
