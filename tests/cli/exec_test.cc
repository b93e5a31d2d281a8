// `heddle exec` as a user calls it, with a program that needs no nvcc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/reports/exec_summary.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Exec : public Commands {
 protected:
  std::vector<json> lines(const std::string& name) const {
    std::vector<json> all;
    std::istringstream in(contents(name));
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
  }
};

TEST_F(Exec, TheProgramsOutputAndStatusAreItsOwn) {
  const Outcome o = heddle(fmt::format("exec --functional -- {} 3 7", HEDDLE_SAMPLE));
  EXPECT_EQ(o.status, 7) << o.out;
  EXPECT_THAT(o.out, HasSubstr("word 3\n"));
  EXPECT_THAT(o.out, HasSubstr("3 launches, executed for their results"));
  EXPECT_THAT(heddle(fmt::format("exec --functional -q -- {} 2", HEDDLE_SAMPLE)).out, "word 2\n");
  const Outcome crash = heddle(fmt::format("exec --functional -- {} 1 crash", HEDDLE_SAMPLE));
  EXPECT_EQ(crash.status, 128 + 15);
  EXPECT_THAT(crash.out, HasSubstr("1 launch")) << "what was measured is told all the same";
}

TEST_F(Exec, WordsBehindTheProgramAreItsOwn) {
  // Every option of exec itself, from its help, as an argument of the program.
  const std::string help = heddle("exec --help").out;
  std::vector<std::string> looks = {"-s 1", "--", "-", "--json x", "--set=a=b", "a=b", "''", "-- --"};
  const std::regex option("(?:^|[ ,])(--?[a-z-]+)");
  for (auto at = std::sregex_iterator(help.begin(), help.end(), option); at != std::sregex_iterator(); ++at)
    looks.push_back((*at)[1].str() + " 7");
  EXPECT_GE(looks.size(), 22u) << help;
  for (const std::string& look : looks) {
    std::string want;
    std::istringstream words(look);
    for (std::string word; words >> word;) want += "[" + (word == "''" ? "" : word) + "]";
    for (const char* before :
         {"-q --", "-q", "-q --set gpu.launch_overhead=9 --", "--set gpu.launch_overhead=9 -q",
          "-q --gpu=v100 --threads 2", "--functional -q --designs baseline --"}) {
      const Outcome o = heddle(fmt::format("exec {} /usr/bin/printf '[%s]' {} ''", before, look));
      EXPECT_THAT(o.out, testing::StartsWith(want + "[]")) << before << " ... " << look;
    }
  }
}

TEST_F(Exec, WithoutAProgramThereIsNothingToRun) {
  for (const char* words : {"", "-q", "--", "--gpu v100", "--gpu v100 --"}) {
    const Outcome o = heddle(fmt::format("exec {}", words));
    EXPECT_EQ(o.status, 2) << words;
    EXPECT_THAT(o.out, HasSubstr("program is missing")) << words;
  }
  for (const char* name : {"''", "/", "./nothing"})
    EXPECT_THAT(heddle(fmt::format("exec -- {}", name)).out, HasSubstr("no executable file")) << name;
  EXPECT_THAT(heddle("exec --functionl -- ./a").out, HasSubstr("exec has no option --functionl"));
}

TEST_F(Exec, WhatWasRefusedIsCountedAtTheEnd) {
  const std::string program = fmt::format("-- {} 1 refused", HEDDLE_SAMPLE);
  const Outcome o = heddle(fmt::format("exec --functional --results {} {}", file("r.jsonl"), program));
  EXPECT_EQ(o.status, 0) << "the program's own";
  for (const char* line :
       {"refused (its results may be wrong): 10\n", " 3 x launch of add: CTAs of 2048 x 1 x 1 threads",
        " 1 x launch of add: a grid of 0 x 1 x 1 CTAs", " 2 x copy: it runs past the end",
        " 1 x copy: its direction is not", " 1 x copy: there is no such direction",
        " 1 x copy: the host has no memory there", " 1 x fill: it runs past the end"})
    EXPECT_THAT(o.out, HasSubstr(line));
  // At once, and once: which allocation, where in it, how much too much.
  const std::string past = "runs 4 bytes past the end of 'cudaMalloc' (4000 bytes from 0x";
  EXPECT_THAT(o.out, HasSubstr(past));
  EXPECT_EQ(o.out.find(past), o.out.rfind(past));
  EXPECT_THAT(o.out, HasSubstr(", of which it begins at offset 3996)"));
  EXPECT_THAT(o.out, testing::ContainsRegex("a fill of 4001 bytes at 0x[0-9a-f]* runs 1 bytes past the end"));
  EXPECT_THAT(o.out, HasSubstr("for memory of the device, which is the host's"));
  std::size_t refused = 0;
  for (const json& line : lines("r.jsonl")) refused += line.contains("refused") ? 1 : 0;
  EXPECT_EQ(refused, 10u);

  EXPECT_EQ(heddle("exec --functional --strict " + program).status, 1);
  EXPECT_EQ(heddle(fmt::format("exec --functional --strict -- {} 1", HEDDLE_SAMPLE)).status, 0);
  EXPECT_EQ(heddle(fmt::format("exec --functional --strict -- {} 1 7", HEDDLE_SAMPLE)).status, 7);
  EXPECT_THAT(heddle("exec --functional -q " + program).out, HasSubstr("refused"));
}

TEST_F(Exec, KernelsThatFailAreCountedAtTheEnd) {
  const std::string program = fmt::format("-- {} 1 fault", HEDDLE_SAMPLE);
  const Outcome o = heddle("exec --functional " + program);
  EXPECT_EQ(o.status, 0) << "the program's own";
  EXPECT_THAT(o.out, HasSubstr("launches that failed: 1\n         1 x launch of fault: out-of-bounds store"));
  EXPECT_THAT(o.out, HasSubstr(" 2 x launch: a kernel had failed before"));
  EXPECT_EQ(heddle("exec --functional --strict " + program).status, 1);
}

TEST_F(Exec, AFullDiskIsNoSuccess) {
  const std::string program = fmt::format("-- {} 3", HEDDLE_SAMPLE);
  Outcome o = heddle("exec --functional --results /dev/full " + program);
  EXPECT_EQ(o.status, 2) << o.out;
  EXPECT_THAT(o.out, HasSubstr("'/dev/full' is not complete: No space left on device"));
  EXPECT_THAT(o.out, HasSubstr("word 3\n")) << "the program itself has run";
  EXPECT_THAT(o.out, HasSubstr("3 launches, executed for their results"));

  fs::create_symlink("/dev/full", file("full.hdl"));
  o = heddle(fmt::format("exec --functional --record {} {}", file("full.hdl"), program));
  EXPECT_EQ(o.status, 2) << o.out;
  EXPECT_THAT(o.out,
              HasSubstr(fmt::format("'{}' is not complete: No space left on device", file("full.hdl"))));
  EXPECT_THAT(o.out, HasSubstr("word 3\n"));

  o = heddle("exec --functional --results /nonexistent/r.jsonl " + program);
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("cannot write '/nonexistent/r.jsonl': No such file"));
  EXPECT_THAT(o.out, Not(HasSubstr("word"))) << "told before the program starts";
}

TEST_F(Exec, NothingStaysInTheFolderForTemporaryFiles) {
  const std::string folder = file("tmp");
  fs::create_directory(folder);
  ::setenv("TMPDIR", folder.c_str(), 1);
  for (const char* options : {"--functional", "--gpu clustered60 --designs baseline"}) {
    EXPECT_EQ(heddle(fmt::format("exec {} -- /bin/sh -c 'ls -A {}; {} 1 >/dev/null; ls -A {}'", options,
                                 folder, HEDDLE_SAMPLE, folder))
                  .status,
              0);
    EXPECT_TRUE(fs::is_empty(folder)) << options;
  }
  // Killed in the middle, it has no time to clean up.
  heddle(
      fmt::format("exec --functional --designs baseline -- /bin/sh -c '{} 1; kill -9 $PPID'", HEDDLE_SAMPLE));
  EXPECT_TRUE(fs::is_empty(folder));
  ::unsetenv("TMPDIR");
}

TEST_F(Exec, OneLinePerLaunch) {
  const Outcome o =
      heddle(fmt::format("exec --gpu clustered60 --results {} -- {} 2", file("r.jsonl"), HEDDLE_SAMPLE));
  ASSERT_EQ(o.status, 0) << o.out;
  const std::vector<json> all = lines("r.jsonl");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["schema"], "heddle.exec/1");
  EXPECT_EQ(all[0]["gpu"], "clustered60");
  EXPECT_EQ(all[1]["kernel"], "add");
  EXPECT_EQ(all[1]["grid"], (json{4, 1, 1}));
  EXPECT_EQ(all[2]["mode"], "timing");
  EXPECT_EQ(all[2]["start"], all[1]["cycles"]);
  EXPECT_EQ(all[2]["statistics"]["gpu.cycles"], all[2]["cycles"]);
}

TEST_F(Exec, ResultsOnSeveralThreads) {
  for (const int threads : {1, 2}) {
    const Outcome o = heddle(fmt::format("exec --functional --threads {} --results {} -- {}", threads,
                                         file("r.jsonl"), HEDDLE_LARGE_SAMPLE));
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, HasSubstr("1048576 words are 3\n"));
    const std::vector<json> all = lines("r.jsonl");
    ASSERT_EQ(all.size(), 4u);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i]["host_threads"], threads);
  }
}

TEST_F(Exec, EveryProcessOfAScriptIsCounted) {
  std::ofstream(file("both.sh")) << fmt::format("#!/bin/sh\n{0} 2\n{0} 3\n", HEDDLE_SAMPLE);
  fs::permissions(file("both.sh"), fs::perms::owner_all);
  for (int run = 0; run < 2; ++run) {  // the second begins anew
    const Outcome o =
        heddle(fmt::format("exec --functional --results {} -- {}", file("r.jsonl"), file("both.sh")));
    ASSERT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, HasSubstr("5 launches, executed for their results"));
    EXPECT_EQ(lines("r.jsonl").size(), 6u);
  }
}

TEST_F(Exec, AResetOfTheDeviceForgetsNoLaunch) {
  Outcome o =
      heddle(fmt::format("exec --functional --record {} -- {} 3 reset", file("a.hdl"), HEDDLE_SAMPLE));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("3 launches, executed for their results"));
  o = heddle(fmt::format("run {} --functional", file("a.hdl")));
  EXPECT_EQ(o.status, 0) << o.out;
  o = heddle(
      fmt::format("exec --gpu clustered60 --results {} -- {} 2 again", file("r.jsonl"), HEDDLE_SAMPLE));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("word 2\nword 2\n"));
  const std::vector<json> all = lines("r.jsonl");
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[4]["launch"], 4);
  EXPECT_GE(all[3]["start"], all[2]["start"].get<int>() + all[2]["cycles"].get<int>());
  o = heddle(fmt::format("exec --functional --record {} -- {} 1 again", file("b.hdl"), HEDDLE_SAMPLE));
  EXPECT_NE(o.status, 0);
  EXPECT_THAT(
      o.out, HasSubstr("a recording cannot repeat what a program gives to the device after cudaDeviceReset"));
}

TEST_F(Exec, OnlySomeLaunchesAreTimed) {
  auto modes = [&](const std::string& options) {
    const Outcome o = heddle(fmt::format("exec --gpu clustered60 {} --results {} -- {} 5", options,
                                         file("r.jsonl"), HEDDLE_SAMPLE));
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, HasSubstr("word 5\n"));
    std::string text;
    for (const json& line : lines("r.jsonl"))
      if (line.contains("launch"))
        text += line["mode"] == "timing" ? "T" : line.contains("estimated_cycles") ? "e" : ".";
    return text;
  };
  EXPECT_EQ(modes("--kernels 2..3"), ".TTee");
  EXPECT_EQ(modes("--sample 2"), "TTeee");
  EXPECT_EQ(heddle(fmt::format("exec --kernels 3..2 -- {}", HEDDLE_SAMPLE)).status, 2);
  EXPECT_EQ(heddle(fmt::format("exec --kernels x -- {}", HEDDLE_SAMPLE)).status, 2);
}

TEST_F(Exec, ARecordingIsAWorkload) {
  const std::string recording = file("r.hdl");
  ASSERT_EQ(heddle(fmt::format("exec --functional --record {} -- {} 2", recording, HEDDLE_SAMPLE)).status, 0);
  const Outcome run = heddle(fmt::format("run {} --gpu clustered60 --json {}", recording, file("run.json")));
  EXPECT_EQ(run.status, 0) << run.out;
  const json record = json::parse(contents("run.json"));
  ASSERT_EQ(record["launches"].size(), 2u);
  EXPECT_EQ(record["launches"][0]["kernel"], "add");
  // The same launches, timed while the program runs, take the same time.
  heddle(fmt::format("exec --gpu clustered60 --results {} -- {} 2", file("r.jsonl"), HEDDLE_SAMPLE));
  EXPECT_EQ(lines("r.jsonl")[1]["cycles"], record["launches"][0]["cycles"]);
  EXPECT_EQ(heddle(fmt::format("exec --record {} -- {}", file("r.bin"), HEDDLE_SAMPLE)).status, 2);
}

TEST_F(Exec, ARecordingMayHoldSomeLaunches) {
  const auto launches = [&](const std::string& options) {
    const Outcome o =
        heddle(fmt::format("exec {} --record {} -- {} 9", options, file("some.hdl"), HEDDLE_SAMPLE));
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_EQ(
        heddle(fmt::format("run {} --gpu clustered60 --json {}", file("some.hdl"), file("some.json"))).status,
        0);
    return json::parse(contents("some.json"))["launches"];
  };
  const json all = launches("--functional");
  ASSERT_EQ(all.size(), 9u);
  // The first three are timed with a cold machine behind them, whatever is left out later.
  const json sampled = launches("--functional --sample 5");
  ASSERT_EQ(sampled.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(sampled[i]["cycles"], all[i]["cycles"]) << i;
  EXPECT_EQ(launches("--gpu clustered60 --sample 5"), sampled) << "recorded while they are timed";
  EXPECT_EQ(launches("--functional --kernels 4..6").size(), 3u);
  const Outcome o =
      heddle(fmt::format("exec --gpu clustered60 --sample 2 --designs baseline,ICC --record {} -- {} 9",
                         file("d.hdl"), HEDDLE_SAMPLE));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("2 of its 9"));
  EXPECT_THAT(o.out, HasSubstr("The whole program"));
}

TEST_F(Exec, DesignsAreComparedOnTheProgramsLaunches) {
  const Outcome o =
      heddle(fmt::format("exec --gpu clustered60 --designs baseline,ICC -- {} 1", HEDDLE_SAMPLE));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("word 1\n"));
  EXPECT_THAT(o.out, HasSubstr("baseline"));
  EXPECT_THAT(o.out, HasSubstr("ICC"));
  EXPECT_THAT(o.out, HasSubstr("--record NAME.hdl")) << "the recording of this run is gone";
}

TEST_F(Exec, WhatCannotBeRunIsToldBefore) {
  EXPECT_EQ(heddle("exec -- ./nothing").status, 2);
  EXPECT_THAT(heddle("exec -- ./nothing").out, HasSubstr("not there"));
  EXPECT_EQ(heddle(fmt::format("exec --gpu nothing -- {}", HEDDLE_SAMPLE)).status, 2);
}

TEST(ExecSummary, TellsWhatIsEstimatedAndHowSurely) {
  cli::ExecSummary s;
  s.timing = true;
  s.gpu = "v100";
  s.clock_hz = 1e9;
  cli::ExecKernel& k = s.kernels.emplace_back();
  k.kernel = "_Z3addPf";
  k.launches = 10;
  k.timed = 2;
  k.cycles = 200'000;
  k.estimated_cycles = 800'000;
  k.rates = {1.0, 3.0};
  // The mean is 2, the deviation sqrt(2); of two: 1. Half of what is estimated.
  EXPECT_NEAR(k.error_cycles(), 400'000, 1e-6);
  const std::string text = to_text(s);
  EXPECT_THAT(
      text,
      HasSubstr("10 launches on v100: 1.000 ms; 2 timed, 80% of the time estimated, standard error 40.0%"));
  k.rates = {2.0};
  EXPECT_THAT(to_text(s), HasSubstr("too few launches to tell the error"));
  EXPECT_EQ(to_text(cli::ExecSummary{}), "heddle: no kernel has run to its end\n");
  EXPECT_THAT(text, HasSubstr("add "));
  EXPECT_THAT(text, Not(HasSubstr("_Z3")));
}

}  // namespace
}  // namespace heddle
