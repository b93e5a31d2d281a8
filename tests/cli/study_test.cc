// `heddle study` as a user calls it.
#include <gmock/gmock.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two workloads, three designs, with another input: tiny, but long enough to be killed in the middle.
constexpr const char* kStudy = R"(title = "Tiny"
machine = "clustered60"
scale = "tiny"
workloads = ["hotspot", "2dconv"]
[design.plain]
[design.coalescer]
set = { cluster.merger = "lrc" }
[design."G-RR"]
set = { cta.scheduler = "global_rr" }
[metric."IPC change"]
kind = "change"
value = "1 / gpu.cycles"
mean = "geometric"
[metric."read requests change"]
kind = "change"
value = "l2.reads"
better = "less"
[[figure]]
id = "1"
title = "Time"
metric = "IPC change"
designs = ["coalescer", "G-RR"]
baselines = ["plain"]
[[figure]]
id = "2"
title = "Traffic"
metric = "read requests change"
designs = ["coalescer"]
baselines = ["plain"]
[[perturbation]]
name = "input 2"
seed = 2
)";

constexpr const char* kTargets =
    "paper,figure,workload,config,metric,baseline,value,unit,note,not_counted\n"
    "t,Fig1,mean,coalescer,IPC change,plain,17,%,,\n"
    "t,Fig2,mean,coalescer,read requests change,plain,-45,%,,\n"
    "t,Fig2,HS,coalescer,read requests change,plain,-44,%,,\n";

class StudyCommand : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    make("tiny", kStudy);
  }
  void make(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_ / name);
    file(name + "/study.toml", text);
    file(name + "/targets.csv", kTargets);
  }
  Outcome study(const std::string& name, const std::string& store, const std::string& further = "") const {
    return heddle("study " + (folder_ / name).string() + " --store " + (folder_ / store).string() + " " +
                  further);
  }
  // Runs the study alone, one point at a time, and kills it when its progress contains `text`.
  void kill_when_it_says(const std::string& text, const std::string& store) const {
    const std::string where = (folder_ / "tiny").string(), file = (folder_ / store).string();
    int lines[2];
    ASSERT_EQ(pipe(lines), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(lines[1], STDERR_FILENO);
      close(lines[0]);
      execl(HEDDLE_PROGRAM, "heddle", "study", where.c_str(), "--store", file.c_str(), "--jobs", "1",
            nullptr);
      _exit(127);
    }
    close(lines[1]);
    std::string said;
    char c = 0;
    while (said.find(text) == std::string::npos && read(lines[0], &c, 1) == 1) said += c;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(lines[0]);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  }
};

TEST_F(StudyCommand, RunsAndTakesFromTheStore) {
  const Outcome first = study("tiny", "a.sqlite");
  ASSERT_EQ(first.status, 0) << first.out;
  EXPECT_THAT(first.out, HasSubstr("12 points, 0 of them in the store"));
  EXPECT_THAT(first.out, testing::ContainsRegex("coalescer vs plain +HS +\\+[0-9.]+%"));
  EXPECT_THAT(first.out, testing::ContainsRegex("mean +-45.0% +-[0-9.]+% .*reproduced"));
  const Outcome again = study("tiny", "a.sqlite");
  EXPECT_THAT(again.out, Not(HasSubstr("points,"))) << "nothing to simulate, nothing to tell";
  EXPECT_TRUE(first.out.ends_with(again.out)) << "the same tables";
}

TEST_F(StudyCommand, KilledInTheMiddleItGoesOn) {
  const Outcome whole = study("tiny", "whole.sqlite", "--jobs 1");
  ASSERT_EQ(whole.status, 0) << whole.out;
  const std::string tables = whole.out.substr(whole.out.find("1: Time"));
  for (const char* until : {"2 of 12", "5 of 12", "6 of 12"}) kill_when_it_says(until, "killed.sqlite");
  const Outcome resumed = study("tiny", "killed.sqlite", "--jobs 2");
  ASSERT_EQ(resumed.status, 0) << resumed.out;
  EXPECT_THAT(resumed.out, testing::ContainsRegex("12 points, (6|7|8) of them in the store"));
  EXPECT_EQ(resumed.out.substr(resumed.out.find("1: Time")), tables);
}

TEST_F(StudyCommand, WithTheTechniqueSwitchedOffNothingIsReproduced) {
  const Outcome on = study("tiny", "a.sqlite", "--score");
  EXPECT_THAT(on.out, HasSubstr("3 of 3 independent numbers reproduced, 3 of the 3 with a range."));
  std::string off = kStudy;
  off.replace(off.find("\"lrc\""), 5, "\"plain\"");
  make("off", off);
  const Outcome nothing = study("off", "a.sqlite", "--score");
  EXPECT_THAT(nothing.out, HasSubstr("0 of 3 independent numbers reproduced (3 no effect)"));
}

TEST_F(StudyCommand, SaysWhatItWouldTake) {
  const Outcome before = study("tiny", "a.sqlite", "--dry-run");
  ASSERT_EQ(before.status, 0) << before.out;
  EXPECT_THAT(before.out, HasSubstr("12 points for 12 cells, 0 in the store"));
  EXPECT_THAT(before.out, HasSubstr("never ran at this scale"));
  study("tiny", "a.sqlite", "--figure 2 --perturbations none");
  EXPECT_THAT(study("tiny", "a.sqlite", "--dry-run").out, HasSubstr("4 in the store"));
}

TEST_F(StudyCommand, ArchiveGivesTheSameTablesAndIsChecked) {
  const Outcome run = study("tiny", "a.sqlite", "--archive");
  ASSERT_EQ(run.status, 0) << run.out;
  ASSERT_TRUE(std::filesystem::exists(folder_ / "tiny/archive/tiny.json.zst"));
  const Outcome archived = study("tiny", "none.sqlite", "--from-archive");
  const std::size_t begin = run.out.find("1: Time"), end = run.out.find("heddle: 12 points archived");
  EXPECT_EQ(archived.out.substr(archived.out.find("1: Time")), run.out.substr(begin, end - begin));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.sqlite")) << "nothing was simulated";
  const Outcome checked = study("tiny", "none.sqlite", "--check 4");
  EXPECT_EQ(checked.status, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("4 of 4 the same, bit for bit"));
  for (const char* design : {"plain", "coalescer", "G-RR"}) EXPECT_THAT(checked.out, HasSubstr(design));
  EXPECT_THAT(study("tiny", "empty.sqlite", "--dry-run").out, Not(HasSubstr("never ran at this scale")))
      << "the archive tells what points cost";
  const Outcome beside = study("tiny", "none.sqlite", "--from-archive --beside tiny");
  EXPECT_NE(beside.status, 0);
  EXPECT_THAT(beside.out, HasSubstr("the tables are of this scale"));
  EXPECT_THAT(study("tiny", "none.sqlite", "--from-archive --beside small").out,
              HasSubstr("there is no archive"));
}

TEST_F(StudyCommand, ADesignThatCannotBeBuiltIsReportedAndTheOthersRun) {
  std::string text = kStudy;
  text.replace(text.find("\"lrc\""), 5, "\"lrx\"");
  make("typo", text);
  const Outcome o = study("typo", "a.sqlite", "--perturbations none --workloads HS");
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.out,
              AllOf(HasSubstr("left out coalescer: "), HasSubstr("typo/study.toml:7"), HasSubstr("lrc")));
  EXPECT_THAT(o.out, testing::ContainsRegex("G-RR vs plain +HS"));
}

TEST_F(StudyCommand, WritesCsvAndJson) {
  const Outcome o =
      study("tiny", "a.sqlite",
            "--csv " + (folder_ / "csv").string() + " --json " + (folder_ / "all.json").string());
  ASSERT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(contents("csv/figure_1.csv"), HasSubstr("coalescer vs plain,HS,"));
  EXPECT_THAT(contents("csv/score.csv"), HasSubstr("reproduced,Fig2,HS,coalescer vs plain"));
  const auto json = nlohmann::json::parse(contents("all.json"));
  EXPECT_EQ(json["schema"], "heddle.study/2");
  EXPECT_EQ(json["score"].size(), 3u);
  EXPECT_EQ(json["counts"]["reproduced"], 3);
}

TEST_F(StudyCommand, PartsOfAStudy) {
  const Outcome o =
      study("tiny", "a.sqlite", "--workloads HS --figure 1 --designs coalescer --perturbations none");
  ASSERT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, AllOf(HasSubstr("mean of 1"), Not(HasSubstr("G-RR")), Not(HasSubstr("2DCONV  "))));
  EXPECT_EQ(study("tiny", "a.sqlite", "--figure 9").status, 2);
  EXPECT_THAT(study("tiny", "a.sqlite", "--figure 9").out, HasSubstr("its figures: 1, 2"));
  EXPECT_THAT(study("tiny", "a.sqlite", "--check").out, HasSubstr("--archive"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tiny/archive"));
}

// What is finished goes on elsewhere: with an empty store, nothing of the part is simulated again.
TEST_F(StudyCommand, APartIsKeptAndGoneOnFrom) {
  const Outcome part = study("tiny", "a.sqlite", "--figure 1 --archive");
  EXPECT_THAT(part.out, HasSubstr("a part of the study"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tiny/archive/tiny.part.json.zst"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tiny/archive/tiny.json.zst"));
  const Outcome again = study("tiny", "b.sqlite", "--figure 1");
  EXPECT_THAT(again.out, HasSubstr("from the archive's part by this source"));
  EXPECT_THAT(again.out, Not(HasSubstr("1 of ")));
  const Outcome whole = study("tiny", "b.sqlite", "--archive");
  EXPECT_EQ(whole.status, 0) << whole.out;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tiny/archive/tiny.json.zst"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tiny/archive/tiny.part.json.zst"));
  const Outcome archived = study("tiny", "c.sqlite", "--from-archive");
  const std::size_t begin = whole.out.find("1: Time"), end = whole.out.find("heddle: 12 points archived");
  EXPECT_EQ(archived.out.substr(archived.out.find("1: Time")), whole.out.substr(begin, end - begin));
}

TEST_F(StudyCommand, OnAnotherMachineThatItNames) {
  make("two", std::string(kStudy) +
                  "[other_machine.slow]\npreset = \"clustered60\"\n"
                  "set = { l1.latency = 200 }\n");
  ASSERT_EQ(study("two", "a.sqlite", "--archive").status, 0);
  const Outcome slow = study("two", "a.sqlite",
                             "--machine slow --archive --json " + (folder_ / "slow.json").string() +
                                 " --html " + (folder_ / "slow.html").string());
  ASSERT_EQ(slow.status, 0) << slow.out;
  EXPECT_THAT(slow.out, AllOf(HasSubstr("12 points, 0 of them in the store"),
                              HasSubstr("Machine slow: not the study's own.")));
  EXPECT_THAT(contents("slow.html"), AllOf(HasSubstr("Tiny (machine slow)"), HasSubstr("two@slow")));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "two/archive/tiny.json.zst"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "two/archive/slow-tiny.json.zst"));
  const auto tables = [](const Outcome& o) {
    return o.out.substr(std::min(o.out.size(), o.out.find("Score of")));
  };
  const std::string archived = tables(study("two", "none.sqlite", "--machine slow --from-archive --score"));
  EXPECT_THAT(archived, HasSubstr("Score of 'two' on 'slow', scale tiny"));
  EXPECT_NE(archived.substr(30), tables(study("two", "none.sqlite", "--from-archive --score")).substr(20));
  const auto json = nlohmann::json::parse(contents("slow.json"));
  EXPECT_EQ(json["machine"], "slow");
  const std::string source = json["source_hash"].get<std::string>().substr(0, 12);
  EXPECT_EQ(tables(study("two", "a.sqlite", "--machine slow --score --from-store " + source)), archived);
  EXPECT_THAT(study("two", "none.sqlite", "--machine slow --check 2").out, HasSubstr("2 of 2 the same"));
  EXPECT_THAT(study("two", "a.sqlite", "--machine slow --dry-run").out, HasSubstr("12 in the store"));
  EXPECT_THAT(study("two", "a.sqlite", "--machine slow --from-archive --beside small").out,
              HasSubstr("archive/slow-small.json.zst"));
}

TEST_F(StudyCommand, APartOnAnotherMachine) {
  make("two", std::string(kStudy) +
                  "[other_machine.slow]\npreset = \"clustered60\"\n"
                  "set = { l1.latency = 200 }\n");
  const Outcome part = study("two", "a.sqlite", "--machine slow --figure 2 --perturbations none --archive");
  EXPECT_THAT(part.out, HasSubstr("two/archive/slow-tiny.part.json.zst"));
  EXPECT_THAT(study("two", "b.sqlite", "--machine slow --figure 2 --perturbations none").out,
              HasSubstr("4 cells from the archive's part"));
  EXPECT_THAT(study("two", "b.sqlite", "--figure 2 --perturbations none").out,
              Not(HasSubstr("archive's part")));
}

TEST_F(StudyCommand, MachinesAreFoundByName) {
  make("two", std::string(kStudy) + "[other_machine.slow]\npreset = \"clustered60\"\n");
  const Outcome typo = study("two", "a.sqlite", "--machine slwo");
  EXPECT_EQ(typo.status, 2);
  EXPECT_THAT(typo.out, AllOf(HasSubstr("has no machine 'slwo'"), HasSubstr("did you mean 'slow'?")));
  EXPECT_THAT(study("tiny", "a.sqlite", "--machine slow").out, HasSubstr("[other_machine.NAME]"));
  EXPECT_THAT(heddle("study --machine slow").out, HasSubstr("--machine belongs to a study"));
  EXPECT_THAT(heddle("study --help").out, HasSubstr("--machine NAME"));
  make("studies/two",
       std::string(kStudy) + "[other_machine.slow]\npreset = \"clustered60\"\ndescription = \"as it is\"\n");
  setenv("HEDDLE_HOME", folder_.c_str(), 1);
  EXPECT_THAT(heddle("study").out, HasSubstr("--machine slow: clustered60, as it is"));
  unsetenv("HEDDLE_HOME");
}

TEST_F(StudyCommand, TheListAndTheBundledStudies) {
  const Outcome o = heddle("study");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, AllOf(HasSubstr("icc"), HasSubstr("101 numbers of the paper (75 independent)")));
  EXPECT_THAT(heddle("study ic").out, HasSubstr("icc"));
}

// As of an installed program, without the sources' folder of studies.
TEST_F(StudyCommand, AStudyInsideTheProgramNeedsNoFolder) {
  unsetenv("HEDDLE_HOME");
  const std::string one =
      "study icc --scale tiny --figure 3 --workloads hotspot --store " + (folder_ / "a.sqlite").string();
  EXPECT_THAT(heddle(one + " --dry-run").out, HasSubstr("0 in the store"));
  const Outcome run = heddle(one);
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("3: Intra-cluster locality"));
  EXPECT_THAT(heddle(one + " --archive").out, HasSubstr("set HEDDLE_HOME"));
}

}  // namespace
}  // namespace heddle
