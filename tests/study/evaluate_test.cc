#include "study/evaluation/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "fake_study.h"
#include "study/evaluation/report.h"

namespace heddle::study {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

Measured of(double mean, double low, double high) {
  Measured m;
  m.mean = mean;
  m.low = low;
  m.high = high;
  m.runs = 3;
  return m;
}

State change(double paper, double mean, double spread = 0) {
  return judge_change(paper, of(mean, mean - spread / 2, mean + spread / 2), Bands());
}

TEST(Verdict, OfEffects) {
  EXPECT_EQ(change(10, 10), State::Reproduced);
  EXPECT_EQ(change(10, 5), State::Reproduced);
  EXPECT_EQ(change(10, 15), State::Reproduced);
  EXPECT_EQ(change(10, 4.9), State::SameSign);
  EXPECT_EQ(change(10, 15.1), State::SameSign);
  EXPECT_EQ(change(-10, -12), State::Reproduced);
  EXPECT_EQ(change(-10, 12), State::Opposite);
  EXPECT_EQ(change(10, 0), State::NoEffect);
  EXPECT_EQ(change(10, 8, 8), State::NoEffect) << "not larger than the spread";
  EXPECT_EQ(change(10, 8, 7.9), State::Reproduced);
  EXPECT_EQ(change(10, -8, 9), State::NoEffect) << "a difference within the range has no sign";
}

TEST(Verdict, OfSmallEffectsIsTheSign) {
  EXPECT_EQ(change(-1.2, -0.3), State::Reproduced);
  EXPECT_EQ(change(-1.2, -2.9), State::Reproduced);
  EXPECT_EQ(change(-1.2, -9), State::SameSign);
  EXPECT_EQ(change(-1.2, 0.5), State::Opposite);
  EXPECT_EQ(change(-1.2, 0.5, 1), State::NoEffect);
  EXPECT_EQ(change(0, 0), State::Reproduced);
  EXPECT_EQ(change(0, 2.9), State::Reproduced);
  EXPECT_EQ(change(0, 7, 8), State::Reproduced);
  EXPECT_EQ(change(0, 7), State::Opposite) << "an effect where the paper has none";
}

TEST(Verdict, OfLevels) {
  EXPECT_EQ(judge_level(48, of(24, 24, 24), Bands()), State::Reproduced);
  EXPECT_EQ(judge_level(48, of(23, 23, 23), Bands()), State::Missed);
  EXPECT_EQ(judge_level(48, of(73, 73, 73), Bands()), State::Missed);
  EXPECT_EQ(judge_level(48, Measured(), Bands()), State::NotRun);
}

// Cycles and reads by design, workload and perturbation.
class Evaluation : public testing::Test {
 protected:
  void add(const std::string& design, const std::string& workload, double cycles, double seed_cycles,
           double reads = 100) {
    for (const bool seed : {false, true}) {
      Result r({{"gpu.cycles", seed ? seed_cycles : cycles},
                {"l2.reads", reads},
                {"l1.reads_hits", 60},
                {"l1.reads_in", 100}});
      evidence_.add({design, workload, seed ? "seed" : ""}, std::move(r));
    }
  }
  void SetUp() override {
    evidence_.add_machine("base", "[l1]\nways = 8\nsize = \"48KiB\"\n");
    add("base", "one", 1000, 1000);
    add("base", "two", 1000, 1000);
    add("better", "one", 1000 / 1.2, 1000 / 1.1, 50);
    add("better", "two", 1000 / 1.4, 1000 / 1.6, 80);
    add("same", "one", 1000, 1000);
    add("same", "two", 1010, 990);
  }
  Measured measure(const std::string& metric, Over over, std::vector<std::string> workloads = {"one", "two"},
                   double towards = 1) const {
    return Evaluator(selected_, evidence_)
        .measure({metric, {{"better", "base"}}, Combine::Mean, over, std::move(workloads)}, true, towards);
  }

  Study study_ = parse(kStudy);
  Selected selected_ = select(study_, {});
  Evidence evidence_;
};

TEST_F(Evaluation, MeanAndRangeOfPerturbations) {
  const Measured m = measure("IPC change", Over::One, {"one"});
  EXPECT_EQ(m.runs, 2u);
  EXPECT_NEAR(m.mean, 15, 1e-9);
  EXPECT_NEAR(m.low, 10, 1e-9);
  EXPECT_NEAR(m.high, 20, 1e-9);
}

TEST_F(Evaluation, MeansOverWorkloads) {
  const Measured geometric = measure("IPC change", Over::Mean);
  EXPECT_NEAR(geometric.low, (std::sqrt(1.2 * 1.4) - 1) * 100, 1e-9);
  EXPECT_NEAR(geometric.high, (std::sqrt(1.1 * 1.6) - 1) * 100, 1e-9);
  const Measured arithmetic = measure("traffic change", Over::Mean);
  EXPECT_NEAR(arithmetic.mean, -35, 1e-9);
}

TEST_F(Evaluation, MaximumFollowsThePapersSign) {
  EXPECT_EQ(measure("IPC change", Over::Max).workload, "two");
  EXPECT_EQ(measure("traffic change", Over::Max, {"one", "two"}, -1).workload, "one");
  EXPECT_EQ(measure("IPC change", Over::Min).workload, "one");
}

TEST_F(Evaluation, CountsPerRun) {
  const Measured m = measure("gains above 10%", Over::Count);
  EXPECT_EQ(m.high, 2) << "as it is, both gain more than 10%";
  EXPECT_EQ(m.low, 1) << "with the other seed, one gains 10% and no more";
}

TEST_F(Evaluation, SeveralComparisons) {
  Measure m{"IPC change", {{"better", "base"}, {"same", "base"}}, Combine::Best, Over::One, {"one"}};
  const Evaluator e(selected_, evidence_);
  EXPECT_NEAR(e.measure(m, true).mean, 15, 1e-9);
  m.combine = Combine::Worst;
  EXPECT_NEAR(e.measure(m, true).mean, 0, 1e-9);
  m.combine = Combine::Mean;
  EXPECT_NEAR(e.measure(m, true).mean, 7.5, 1e-9);
  m.metric = "traffic change";
  m.combine = Combine::Best;
  EXPECT_NEAR(e.measure(m, true).mean, -50, 1e-9) << "less traffic is better";
}

// A choice takes for each workload the design that is best there, whatever is measured of it.
TEST_F(Evaluation, AChoiceIsTheBestDesignOfEachWorkload) {
  const std::string choice = "[choice.best]\nof = [\"base\", \"better\", \"same\"]\nby = \"IPC change\"\n";
  std::string text = kStudy;
  text.insert(text.find("[[figure]]"), choice);
  const Study study = parse(text);
  const Selected selected = select(study, {});
  add("better", "one", 1250, 1000, 50);  // slower there
  const Evaluator e(selected, evidence_);
  const Measure m{"IPC change", {{"best", "base"}}, Combine::Mean, Over::Mean, {"one", "two"}};
  EXPECT_NEAR(e.measure(m, false).mean, (std::sqrt(1.0 * 1.4) - 1) * 100, 1e-9);
  const Measure reads{"traffic change", {{"best", "base"}}, Combine::Mean, Over::Mean, {"one", "two"}};
  EXPECT_NEAR(e.measure(reads, false).mean, -10, 1e-9) << "that of the design that is fastest";
}

TEST_F(Evaluation, ABaselineOnAnotherWorkload) {
  add("base", "two", 500, 400);
  const Measure m{"IPC change", {{"base", "base", "one"}}, Combine::Mean, Over::One, {"two"}};
  const Measured change = Evaluator(selected_, evidence_).measure(m, true);
  EXPECT_NEAR(change.low, 100, 1e-9);
  EXPECT_NEAR(change.high, 150, 1e-9);
  EXPECT_EQ(comparison_text(m.compare.front()), "base vs base on one");
}

TEST_F(Evaluation, ParametersOfTheMachine) {
  EXPECT_EQ(evidence_.parameter("base", "l1.size"), 49152);
  EXPECT_THROW(evidence_.parameter("base", "l1.sets"), Error);
  const std::vector<Scored> all = score(selected_, evidence_);
  EXPECT_EQ(all[5].state, State::Reproduced);
  EXPECT_EQ(all[5].ours.mean, 8);
}

TEST_F(Evaluation, EveryRowIsScoredOnce) {
  const std::vector<Scored> all = score(selected_, evidence_);
  ASSERT_EQ(all.size(), study_.rows.size());
  const Tally t = tally(all);
  std::size_t counted = t.apart();
  for (const auto& [state, n] : t.states) counted += n;
  EXPECT_EQ(counted, study_.rows.size());
  EXPECT_EQ(StudyReport(selected_, evidence_).score().rows.size(), study_.rows.size());
  std::set<std::uint32_t> lines;
  for (const Scored& s : all) EXPECT_TRUE(lines.insert(s.row->target.line).second);
}

// The rows of kTargets, one that repeats the first, one that nobody attempted.
TEST_F(Evaluation, OnlyIndependentNumbersAreCounted) {
  const Study s =
      parse(std::string(kStudy) + "[[reading]]\nrows = { metric = \"energy\" }\nnot_attempted = \"-\"\n",
            kTargets +
                "p,1,mean,better,IPC change,base,20,%,,repeats Fig1\n"
                "p,Fig1,mean,better,energy,base,-5,%,,\n");
  const Selected selected = select(s, {});
  const std::vector<Scored> all = score(selected, evidence_);
  const Tally t = tally(all);
  EXPECT_EQ(t.attempted(), 5u);
  EXPECT_EQ(t.apart(), 2u);
  EXPECT_EQ(t.not_counted.at(Origin::Constant), 1u);
  EXPECT_EQ(t.not_counted.at(Origin::Repeats), 1u);
  EXPECT_EQ(t.ranges, 4u) << "figure 2 runs once";
  const Table table = StudyReport(selected, evidence_).score();
  EXPECT_THAT(
      table.below,
      testing::ElementsAre(
          testing::MatchesRegex("[0-9] of 5 independent numbers reproduced .*, 4 of the 5 with a range\\."),
          "1 more not attempted; 2 more not counted: 1 constant, 1 repeats."));
  EXPECT_THAT(as_csv(table), AllOf(HasSubstr(",counts,reason"), HasSubstr(",repeats,repeats Fig1\n"),
                                   HasSubstr(",constant,\n"), HasSubstr(",yes,\n")));
  const auto json = StudyReport(selected, evidence_).json();
  EXPECT_EQ(json["not_counted"]["constant"], 1);
  EXPECT_EQ(json["ranges"], 4);
  EXPECT_EQ(json["score"][6]["not_counted"], "repeats Fig1");
  std::size_t counted = 0;
  for (const auto& [state, n] : json["counts"].items()) counted += n.get<std::size_t>();
  EXPECT_EQ(counted, 6u);
}

TEST_F(Evaluation, TheHeadlineLeavesOutWhatIsNotThere) {
  Tally t;
  t.states = {{State::Reproduced, 1}};
  EXPECT_THAT(headline(t), testing::ElementsAre("1 of 1 independent number reproduced."));
  t.not_counted = {{Origin::Follows, 1}};
  t.states[State::Opposite] = 2;
  EXPECT_THAT(headline(t), testing::ElementsAre("1 of 3 independent numbers reproduced (2 opposite).",
                                                "1 more not counted: 1 follows."));
}

TEST_F(Evaluation, WrongAndMissingResultsAreNotUsed) {
  Result wrong({{"gpu.cycles", 1}});
  wrong.verified = false;
  wrong.problem = "17 is not 18";
  evidence_.add({"better", "two", "seed"}, wrong);
  const Measured m = measure("IPC change", Over::Mean);
  EXPECT_FALSE(m.ok());
  EXPECT_THAT(m.missing, AllOf(HasSubstr("two better"), HasSubstr("17 is not 18")));
  EXPECT_EQ(score(selected_, evidence_)[0].state, State::NotRun);
  EXPECT_EQ(score(selected_, evidence_)[1].state, State::Reproduced) << "ONE does not need it";
}

TEST_F(Evaluation, AStatisticThatIsNotThere) {
  evidence_.add({"better", "one", ""}, Result({{"gpu.cycle", 1}}));
  EXPECT_THAT(measure("IPC change", Over::One, {"one"}).missing, HasSubstr("gpu.cycles"));
}

TEST_F(Evaluation, WithoutPerturbationsThereIsNoRange) {
  Selection selection;
  selection.perturbations = false;
  const Selected once = select(study_, selection);
  const Measured m =
      Evaluator(once, evidence_).one(study_.metric("IPC change"), {"better", "base"}, "one", true);
  EXPECT_EQ(m.runs, 1u);
  EXPECT_NEAR(m.mean, 20, 1e-9);
}

TEST_F(Evaluation, RatiosOfThePaperBecomePoints) {
  const Study s = parse(std::string(kStudy), kTargets + "p,Fig1,mean,same,speedup,base,1.38,x,,\n");
  EXPECT_NEAR(paper_value(s, s.rows.back()), 38, 1e-9);
}

TEST_F(Evaluation, OneWorkloadHasNoMean) {
  const Study one = parse(std::string(kStudy) + R"([[figure]]
id = "3"
title = "Of one workload"
metric = "IPC change"
designs = ["better"]
baselines = ["base"]
workloads = ["two"]
)");
  const Selected only = select(one, {{"3"}, {}, {}, true, {}});
  const StudyReport report(only, evidence_);
  ASSERT_EQ(report.figures().size(), 1u);
  ASSERT_EQ(report.figures()[0].rows.size(), 1u);
  EXPECT_EQ(report.figures()[0].rows[0][1], "TWO");
  EXPECT_EQ(report.numbers()[0].groups[0].cells.size(), 1u);
}

TEST_F(Evaluation, TablesShowEqualAsEqual) {
  const std::string text = as_text(StudyReport(selected_, evidence_).figures().front());
  EXPECT_THAT(text, HasSubstr("better vs base"));
  EXPECT_THAT(text, testing::ContainsRegex("ONE +\\+12.0% +\\+15.0% +\\+10.0%..\\+20.0% +reproduced"));
  EXPECT_THAT(text, testing::ContainsRegex("TWO +\\+0.0% +-1.0%..\\+1.0% +="));
}

TEST_F(Evaluation, SensitivitiesThatWereNotRunAreCounted) {
  study_ = parse(std::string(kStudy) + R"([headline]
metric = "IPC change"
design = "better"
baseline = "base"
[[sensitivity]]
name = "ways"
half = { l1.ways = 4 }
double = { l1.ways = 16 }
)");
  for (const char* workload : {"one", "two"})
    for (const auto& [design, cycles] : {std::pair{"base", 1000.0}, {"better", 500.0}})
      evidence_.add({design, workload, halved(study_.sensitivities[0])}, Result({{"gpu.cycles", cycles}}));
  Selection only;
  only.figures = {kSensitivityFigure};
  const Selected selected = select(study_, only);
  const Table t = StudyReport(selected, evidence_).figures().back();
  ASSERT_EQ(t.rows.size(), 1u);
  EXPECT_EQ(t.rows[0][1], "+100.0%");
  EXPECT_EQ(t.rows[0][3], "-");
  EXPECT_THAT(t.below, testing::ElementsAre(HasSubstr("Without a value: 1, the first: "),
                                            HasSubstr("Range of the headline: ")));
}

TEST_F(Evaluation, FormsOfATable) {
  Table t{"x", "Title", {}, {}, {{"a"}, {"b", true}}, {{"same, same", "1"}, {"same, same", "20"}}};
  EXPECT_EQ(as_csv(t), "a,b\n\"same, same\",1\n\"same, same\",20\n");
  EXPECT_EQ(as_text(t), "Title\na            b\nsame, same   1\n            20\n");
  EXPECT_EQ(as_markdown(t), "### Title\n\n| a | b |\n|---|--:|\n| same, same | 1 |\n| same, same | 20 |\n\n");
}

}  // namespace
}  // namespace heddle::study
