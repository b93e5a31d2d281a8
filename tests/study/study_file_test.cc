#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "fake_study.h"
#include "study/definition/studies.h"
#include "study/evaluation/evaluate.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& toml, const std::string& targets = kTargets) {
  try {
    parse(toml, targets);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(StudyFile, DesignsBuildOnOthers) {
  const Study s = parse(kStudy);
  EXPECT_EQ(s.scale, workload::Scale::Tiny);
  ASSERT_EQ(s.designs.size(), 3u);
  ASSERT_EQ(s.design("same").sets.size(), 2u);
  EXPECT_EQ(s.design("same").sets[0].text, "l1.ways=8");
  EXPECT_EQ(s.design("same").sets[1].text, "cta.scheduler=\"greedy\"");
  EXPECT_EQ(s.design("base").sets.size(), 1u);
  EXPECT_EQ(s.perturbations.size(), 2u) << "the run as it is, and one more";
}

TEST(StudyFile, RowsAreResolved) {
  const Study s = parse(kStudy);
  ASSERT_EQ(s.rows.size(), 6u);
  EXPECT_EQ(s.rows[0].measure.over, Over::Mean);
  EXPECT_EQ(s.rows[0].measure.workloads.size(), 2u);
  EXPECT_EQ(s.rows[1].measure.over, Over::One);
  EXPECT_EQ(s.rows[1].measure.workloads.front(), "one");
  EXPECT_EQ(s.rows[2].measure.over, Over::Max);
  EXPECT_EQ(s.rows[3].measure.over, Over::Count);
  EXPECT_EQ(s.rows[4].measure.compare.front().baseline, "");
  EXPECT_EQ(s.rows[5].measure.over, Over::Machine);
  EXPECT_EQ(s.rows[5].figure, "2");
}

TEST(StudyFile, KeepsItsPapersNameForAWorkload) {
  const std::string toml = replaced(kStudy, "\"two\"]", "\"PAIR\"]");
  const Study s = parse(toml, kTargets + "p,Fig1,PAIR,better,IPC change,base,50,%,,\n");
  EXPECT_EQ(s.abbreviation("two"), "PAIR");
  EXPECT_EQ(s.rows.back().measure.workloads, std::vector<std::string>{"two"});
  EXPECT_EQ(parse(kStudy).abbreviation("two"), "TWO");
}

TEST(StudyFile, AMetricUsesWhatThereIs) {
  EXPECT_THAT(error_of(replaced(kStudy, "value = \"1 / gpu.cycles\"", "value = \"1 / gpu.cycle\"")),
              AllOf(HasSubstr("study.toml:16"), HasSubstr("there is no statistic 'gpu.cycle'"),
                    HasSubstr("did you mean 'gpu.cycles'?")));
  EXPECT_THAT(error_of(replaced(kStudy, "value = \"1 / gpu.cycles\"", "value = \"1 / $l1.wais\"")),
              AllOf(HasSubstr("study.toml:16"), HasSubstr("there is no parameter 'l1.wais'"),
                    HasSubstr("did you mean 'l1.ways'?")));
  EXPECT_EQ(error_of(replaced(kStudy, "value = \"1 / gpu.cycles\"", "value = \"l1.miss_latency.mean\"")),
            "no error");
}

TEST(StudyFile, ErrorsTellPlaceAndAdvice) {
  EXPECT_THAT(error_of(replaced(kStudy, "scale = \"tiny\"", "scal = \"tiny\"")),
              AllOf(HasSubstr("study.toml:3"), HasSubstr("unknown key 'scal'"), HasSubstr("scale")));
  EXPECT_THAT(error_of(replaced(kStudy, "base = \"better\"", "base = \"beter\"")),
              AllOf(HasSubstr("study.toml:12"), HasSubstr("'beter'"), HasSubstr("better")));
  EXPECT_THAT(error_of(replaced(kStudy, "\"two\"]", "\"four\"]")),
              AllOf(HasSubstr("study.toml:4"), HasSubstr("'four'")));
  EXPECT_THAT(error_of(replaced(kStudy, "1 / gpu.cycles", "1 / ")),
              AllOf(HasSubstr("study.toml:16"), HasSubstr("column 5")));
  EXPECT_THAT(error_of(replaced(kStudy, "mean = \"geometric\"", "mean = \"middle\"")),
              AllOf(HasSubstr("study.toml:17"), HasSubstr("geometric, arithmetic")));
  EXPECT_THAT(
      error_of(replaced(kStudy, "baselines = [\"base\"]", "baselines = [\"base\", \"base\", \"base\"]")),
      HasSubstr("one baseline, or one for each design"));
  EXPECT_THAT(
      error_of(replaced(kStudy, "designs = [\"base\"]", "designs = [\"base\"]\nbaselines = [\"base\"]")),
      HasSubstr("a level has no baselines"));
  EXPECT_THAT(error_of(replaced(kStudy, "of = \"IPC change\"", "of = \"miss rate\"")),
              HasSubstr("no metric of kind change"));
  EXPECT_THAT(error_of(replaced(kStudy, "seed = 2", "seed = 1")), HasSubstr("seed other than 1"));
  EXPECT_THAT(error_of(replaced(kStudy, "id = \"2\"", "id = \"1\"")), HasSubstr("figure '1' twice"));
  EXPECT_THAT(error_of(std::string(kStudy) + "[[sensitivity]]\nname = \"x\"\nhalf = { l1.ways = 2 }\n"
                                             "double = { l1.ways = 4 }\n"),
              HasSubstr("need a [headline]"));
  EXPECT_THAT(error_of(std::string(kStudy) + "[bands]\nleast = 2\n"), HasSubstr("0 < least <= 1"));
  EXPECT_THAT(error_of("title = 3"), HasSubstr("study.toml:1"));
}

TEST(StudyFile, EveryRowMustMeanSomething) {
  const auto with = [](const std::string& row) { return error_of(kStudy, kTargets + row + "\n"); };
  EXPECT_THAT(with("p,Fig1,mean,beter,IPC change,base,1,%,,"),
              AllOf(HasSubstr("targets.csv:8"), HasSubstr("'beter'"), HasSubstr("better")));
  EXPECT_THAT(with("p,Fig1,mean,better,energy,base,1,%,,"), HasSubstr("no metric is called 'energy'"));
  EXPECT_THAT(with("p,Fig9,mean,better,IPC change,base,1,%,,"), HasSubstr("rows of 'Fig9'"));
  EXPECT_THAT(with("p,Fig1,SEVEN,better,IPC change,base,1,%,,"), HasSubstr("'SEVEN'"));
  EXPECT_THAT(with("p,Fig2,ONE,base,miss rate,,1,x,,"), HasSubstr("counts in 'x'"));
  EXPECT_THAT(with("p,Fig1,mean,better,IPC change,base,many,%,,"), HasSubstr("'many' is no number"));
  EXPECT_THAT(with("p,Fig1,mean"), HasSubstr("expected 10 fields, got 3"));
  EXPECT_THAT(with("p,Fig1,mean,better,IPC change,base,20,%,,"), HasSubstr("the same as line 2"));
  EXPECT_THAT(with("p,Fig1,\"mean,better,IPC change,base,20,%,,"), HasSubstr("quote is not closed"));
}

TEST(StudyFile, NumbersThatTellNothingOfTheirOwnAreNotCounted) {
  const auto with = [](const std::string& row) { return error_of(kStudy, kTargets + row + "\n"); };
  EXPECT_THAT(with("p,Fig2,-,better,ways,,8,ways,,"),
              AllOf(HasSubstr("targets.csv:8"), HasSubstr("no run can change"), HasSubstr("constant")));
  EXPECT_THAT(with("p,1,ONE,better,speedup,base,1.12,x,,"),
              AllOf(HasSubstr("targets.csv:8"), HasSubstr("measured as line 3"), HasSubstr("repeats")));
  EXPECT_EQ(with("p,1,ONE,better,speedup,base,1.12,x,,follows Fig1 / ONE / better / IPC change"), "no error");
  EXPECT_EQ(with("p,1,ONE,same,speedup,base,1.12,x,,"), "no error");
}

TEST(StudyFile, ReadingsSayWhatRowsMean) {
  const std::string targets = kTargets +
                              "p,Fig1,best,others,\"IPC, change\",\"a \"\"b\"\"\",5,%,,\n"
                              "p,Fig7,mean,better,energy change,base,-5,%,,\n";
  const std::string readings = R"([summary.best]
of = "max"
workloads = ["ONE"]
[[reading]]
rows = { config = "others" }
metric = "IPC change"
designs = ["better", "same"]
baselines = ["base"]
combine = "best"
[[reading]]
rows = { metric = "energy change" }
not_attempted = "no model"
)";
  const Study s = parse(kStudy + readings, targets);
  ASSERT_EQ(s.rows.size(), 8u);
  EXPECT_EQ(s.rows[6].target.baseline, "a \"b\"");
  EXPECT_EQ(s.rows[6].measure.compare.size(), 2u);
  EXPECT_EQ(s.rows[6].measure.combine, Combine::Best);
  EXPECT_EQ(s.rows[6].measure.workloads, std::vector<std::string>{"one"});
  EXPECT_EQ(s.rows[7].not_attempted, "no model");
  EXPECT_THAT(error_of(kStudy + readings), HasSubstr("no row of targets.csv is meant by this reading"));
}

TEST(StudyFile, ABaselineMayRunAnotherWorkload) {
  const std::string figure = R"([[figure]]
id = "3"
title = "One kernel against another"
metric = "IPC change"
designs = ["base"]
baselines = ["base"]
baseline_workload = "one"
workloads = ["two"]
[[reading]]
rows = { figure = "Fig3" }
baseline_workload = "ONE"
)";
  const Study s = parse(kStudy + figure, kTargets + "p,Fig3,TWO,base,IPC change,base,50,%,,\n");
  EXPECT_EQ(s.figures.back().compare.front().baseline_workload, "one");
  EXPECT_EQ(s.rows.back().measure.compare, s.figures.back().compare);
  EXPECT_THAT(
      error_of(replaced(kStudy + figure, "baseline_workload = \"one\"", "baseline_workload = \"ome\"")),
      AllOf(HasSubstr("'ome' is no workload"), HasSubstr("did you mean 'one'?")));
}

TEST(StudyFile, ASummaryStandsForItsWorkloads) {
  const std::string figure = R"([summary."without one"]
of = "mean"
without = ["one"]
[[figure]]
id = "3"
title = "Of a part"
metric = "IPC change"
designs = ["better"]
baselines = ["base"]
workloads = ["without one"]
)";
  const Study s = parse(kStudy + figure);
  EXPECT_EQ(s.figures.back().workloads, std::vector<std::string>{"two"});
  EXPECT_THAT(error_of(replaced(kStudy + figure, "[\"without one\"]", "[\"without two\"]")),
              HasSubstr("'without two' is no workload or summary"));
}

TEST(StudyFile, ALevelMayBeGivenAsARatio) {
  const std::string metric = R"([metric."hits per read"]
kind = "level"
value = "l1.reads_hits / l1.reads_in - 1"
paper_gives_ratio = true
)";
  const Study s = parse(kStudy + metric, kTargets + "p,Fig2,ONE,base,hits per read,,1.18,ratio,,\n");
  EXPECT_NEAR(paper_value(s, s.rows.back()), 18, 1e-9);
  EXPECT_THAT(error_of(kStudy + metric + "unit = \"x\"\n"), HasSubstr("counts in %"));
}

TEST(Studies, AreFoundByNameAndByFolder) {
  EXPECT_THAT(study_names(), testing::Contains("icc"));
  EXPECT_EQ(find_study(HEDDLE_SOURCE_DIR "/studies/icc").name, "icc");
  EXPECT_EQ(find_study(HEDDLE_SOURCE_DIR "/studies/icc/study.toml").name, "icc");
  EXPECT_TRUE(find_study("icc").file.text() == read_file(HEDDLE_SOURCE_DIR "/studies/icc/study.toml"))
      << "embedded as it is";
  try {
    find_study("ic");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("'ic'"), HasSubstr("icc")));
  }
}

}  // namespace
}  // namespace heddle::study
