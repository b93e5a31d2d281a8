// A study on a further machine that it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_study.h"
#include "study/definition/studies.h"
#include "study/evaluation/report.h"
#include "study/plan/archive.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kMachines = std::string(kStudy) + R"([design.elsewhere]
base = "better"
machine = "cu80"
[design."further there"]
base = "elsewhere"
set = { l1.ways = 2 }
[workload.one]
scale = "small"
[other_machine.first]
preset = "v100"
description = "the card"
set = { l1.latency = 40 }
workload.two.scale = "small"
[other_machine.same]
preset = "clustered60"
)";

Study on(const std::string& machine, const std::string& toml = kMachines) {
  return parse_study("fake", {"study.toml", toml}, {"targets.csv", kTargets}, find_named, machine);
}

std::string failure(const std::string& machine, const std::string& toml = kMachines) {
  try {
    on(machine, toml);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::vector<std::string> sets(const Study& s, const char* design) {
  std::vector<std::string> all;
  for (const Assignment& a : s.design(design).sets) all.push_back(a.text);
  return all;
}

TEST(OtherMachine, IsNamedAndLeavesTheStudysOwnAlone) {
  const Study s = on("");
  ASSERT_EQ(s.machines.size(), 2u);
  EXPECT_EQ(s.machines[0].name, "first");
  EXPECT_EQ(s.machines[0].preset, "v100");
  EXPECT_EQ(s.machines[0].description, "the card");
  EXPECT_EQ(s.machine, "");
  EXPECT_EQ(s.label(), "fake");
  EXPECT_EQ(s.design("better").machine, "clustered60");
  EXPECT_THAT(sets(s, "base"), ElementsAre("l1.ways=8"));
  EXPECT_EQ(s.scale_of("one", s.scale), workload::Scale::Small);
  EXPECT_EQ(s.scale_of("two", s.scale), workload::Scale::Tiny);
}

TEST(OtherMachine, StandsForTheStudysOwn) {
  const Study s = on("first");
  EXPECT_EQ(s.machine, "first");
  EXPECT_EQ(s.label(), "fake@first");
  EXPECT_EQ(s.design("base").machine, "v100");
  EXPECT_THAT(sets(s, "better"), ElementsAre("l1.ways=8", "l1.latency=40", "cta.scheduler=\"greedy\""))
      << "the study's, the machine's, the design's";
  EXPECT_EQ(s.scale_of("two", s.scale), workload::Scale::Small);
  EXPECT_EQ(s.scale_of("one", s.scale), workload::Scale::Small) << "the study's, where the machine has none";
  EXPECT_EQ(on("same").scale_of("two", s.scale), workload::Scale::Tiny);
}

TEST(OtherMachine, ADesignKeepsAMachineOfItsOwn) {
  const Study s = on("first");
  EXPECT_EQ(s.design("elsewhere").machine, "cu80");
  EXPECT_EQ(s.design("further there").machine, "cu80");
  EXPECT_THAT(sets(s, "further there"), ElementsAre("l1.ways=8", "cta.scheduler=\"greedy\"", "l1.ways=2"));
}

TEST(OtherMachine, ErrorsTellTheNames) {
  EXPECT_THAT(failure("frist"), AllOf(HasSubstr("the study 'fake' has no machine 'frist'"),
                                      HasSubstr("did you mean 'first'?"), HasSubstr("first, same")));
  EXPECT_THAT(failure("first", kStudy), AllOf(HasSubstr("no machine 'first'"), HasSubstr("[other_machine.")));
  const auto with = [](const std::string& text) { return failure("", std::string(kStudy) + text); };
  EXPECT_THAT(with("[other_machine.first]\n"), AllOf(HasSubstr("study.toml:55"), HasSubstr("preset")));
  EXPECT_THAT(with("[other_machine.first]\npreset = \"v100\"\npreste = 1\n"), HasSubstr("'preste'"));
  EXPECT_THAT(with("[other_machine.\"a/b\"]\npreset = \"v100\"\n"), HasSubstr("letters, digits, - and _"));
  EXPECT_THAT(with("[other_machine.first]\npreset = \"v100\"\nworkload.five.scale = \"tiny\"\n"),
              HasSubstr("no workload of the study is called 'five'"));
}

TEST(OtherMachine, ItsPointsAreItsOwn) {
  const Selected own = select(on(""), {}), first = select(on("first"), {});
  const Plan a = make_plan(own), b = make_plan(first);
  EXPECT_THAT(b.refused, testing::IsEmpty());
  const Job &here = a.jobs[a.job_of.at({"base", "two", ""})],
            &there = b.jobs[b.job_of.at({"base", "two", ""})];
  EXPECT_EQ(there.point.gpu, "v100");
  EXPECT_EQ(there.point.scale, workload::Scale::Small);
  EXPECT_THAT(there.point.machine, HasSubstr("latency = 40"));
  EXPECT_EQ(there.label.study, "fake@first");
  EXPECT_NE(here.point.key(), there.point.key());
}

TEST(OtherMachine, HasAnArchiveOfItsOwn) {
  StudySource source{"fake", "studies/fake", {"study.toml", ""}, {"targets.csv", ""}, ""};
  EXPECT_EQ(archive_file(source, "paper"), "studies/fake/archive/paper.json.zst");
  source.machine = "first";
  EXPECT_EQ(archive_file(source, "paper"), "studies/fake/archive/first-paper.json.zst");
  EXPECT_EQ(archive_file(source, "paper.part"), "studies/fake/archive/first-paper.part.json.zst");
  const Selected first = select(on("first"), {});
  EXPECT_EQ(make_archive(first, {}, {}).study, "fake@first");
}

TEST(OtherMachine, TheScoreSaysWhereItWasRun) {
  const Selected own = select(on(""), {}), first = select(on("first"), {});
  EXPECT_THAT(StudyReport(own, {}).score().title, HasSubstr("Score of 'fake', scale tiny"));
  EXPECT_THAT(StudyReport(first, {}).score().title, HasSubstr("Score of 'fake' on 'first', scale tiny"));
}

}  // namespace
}  // namespace heddle::study
