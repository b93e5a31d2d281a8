// The program as a user calls it: output, exit status, files written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "exec/functional/profile.h"
#include "tests/cli/program.h"
#include "tests/stats/check_declared.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Commands, RunVerifiesAndReports) {
  const Outcome o = heddle("run vecadd --functional --scale tiny");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("result      verified: 60,000 values"));
  EXPECT_THAT(o.out, HasSubstr("instruction mix"));
  EXPECT_THAT(o.out, HasSubstr("global load"));
}

TEST_F(Commands, RunsAreRepeatable) {
  // Everything but the host's times is the same, run for run.
  auto record = [] {
    const Outcome o = heddle("run bfs --functional --scale tiny --json -");
    auto json = nlohmann::json::parse(o.out);
    json.erase("host");
    return json;
  };
  const auto first = record();
  EXPECT_EQ(first, record());
  EXPECT_EQ(first["schema"], "heddle.run/3");
  EXPECT_EQ(first["verification"]["ok"], true);
  EXPECT_GT(first["statistics"]["warp_instructions"]["value"], 100000);
  EXPECT_EQ(first["workload"]["input_hash"].get<std::string>().size(), 16u);
}

TEST_F(Commands, FunctionalRecordsAreTheSameOnSeveralThreads) {
  auto record = [](int threads) {
    const Outcome o =
        heddle("run matrixmul --functional --scale tiny --json - --threads " + std::to_string(threads));
    auto json = nlohmann::json::parse(o.out);
    EXPECT_EQ(json["host"]["threads"], threads);
    json.erase("host");
    return json;
  };
  EXPECT_EQ(record(1), record(3));
}

TEST_F(Commands, SeedChangesTheInput) {
  auto hash = [](const std::string& seed) {
    return nlohmann::json::parse(
        heddle("run vecadd --functional --scale tiny --json - --seed " + seed).out)["workload"]["input_hash"];
  };
  EXPECT_EQ(hash("7"), hash("7"));
  EXPECT_NE(hash("7"), hash("8"));
}

TEST_F(Commands, WritesJsonAndCsvFiles) {
  const Outcome o =
      heddle("run vecadd --functional --scale tiny -q --json " + file("r.json") + " --csv " + file("r.csv"));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, Not(HasSubstr("instruction mix")));
  std::ifstream json(file("r.json"));
  EXPECT_EQ(nlohmann::json::parse(json)["workload"]["name"], "vecadd");
  std::stringstream csv;
  csv << std::ifstream(file("r.csv")).rdbuf();
  EXPECT_THAT(csv.str(), HasSubstr("global_load.lines"));
}

TEST_F(Commands, MisspeltNamesAreExplained) {
  Outcome o = heddle("run hotpot --functional");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("did you mean 'hotspot'?"));
  o = heddle("run vecadd --functional --scale huge");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("tiny, small, paper"));
  o = heddle("run vecadd --functional --set functional.spin_limmit=5");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("functional.spin_limit"));
  o = heddle("run vecadd --no-such-option");
  EXPECT_EQ(o.status, 2);
  o = heddle("explain global_load.linse");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("global_load.lines"));
}

TEST_F(Commands, UnknownOptionsAreNamed) {
  EXPECT_THAT(heddle("run hotspot --scal tiny").out,
              HasSubstr("run has no option --scal\n  did you mean '--scale'?"));
  const Outcome o = heddle("exec --json x -- ./a 1 2");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("exec has no option --json"));
}

TEST_F(Commands, BadConfigurationFilesNameTheirPlace) {
  Outcome o = heddle("config --config " + file("bad.toml", "[functional]\nspin_limit = \"soon\"\n"));
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("bad.toml:2"));
  o = heddle("config --config " + file("broken.toml", "a = [ }\n"));
  EXPECT_EQ(o.status, 2) << o.out;
  o = heddle("config --set functional.recursive_stack=64KiB");
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, HasSubstr("64KiB"));
}

TEST_F(Commands, ListShowsEveryScale) {
  EXPECT_THAT(heddle("list").out, HasSubstr("hotspot"));
  const Outcome o = heddle("list bfs");
  EXPECT_EQ(o.status, 0);
  for (const char* scale : {"tiny", "small", "paper"}) EXPECT_THAT(o.out, HasSubstr(scale));
}

TEST_F(Commands, PtxListsWhatIsUnsupported) {
  const std::string path =
      file("wgmma.ptx",
           ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
           "wgmma.fence.sync.aligned;\nret;\n}\n");
  const Outcome o = heddle("ptx " + path);
  EXPECT_EQ(o.status, 3) << o.out;
  EXPECT_THAT(o.out, HasSubstr("wgmma"));
  EXPECT_THAT(o.out, HasSubstr("7"));
  EXPECT_EQ(heddle("run " + path + " --launch " +
                   file("l.toml", "[[launch]]\nkernel = \"k\"\ngrid = 1\nblock = 32\n"))
                .status,
            2);
}

TEST_F(Commands, ExplainAndReferenceAgree) {
  EXPECT_EQ(heddle("explain global_load.sectors").status, 0);
  EXPECT_THAT(heddle("explain global_load.sectors").out,
              HasSubstr("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
  EXPECT_THAT(heddle("explain --all").out, HasSubstr("functional.spin_limit"));
  std::stringstream kept;
  kept << std::ifstream(std::string(HEDDLE_SOURCE) + "/docs/reference.md").rdbuf();
  EXPECT_THAT(kept.str(), HasSubstr(heddle("explain --all --markdown").out))
      << "docs/reference.md is out of date: heddle explain --all --markdown";
}

TEST_F(Commands, VersionAndHelp) {
  EXPECT_THAT(heddle("--version").out, HasSubstr("heddle "));
  EXPECT_EQ(heddle("--help").status, 0);
  EXPECT_EQ(heddle("").status, 2);
}

TEST(FunctionalStats, EveryCounterIsDeclared) {
  stats::check_declared<exec::FunctionalStats>();
}

// Names from outside reach a terminal as text, never as commands to it.
TEST_F(Commands, NamesAreShownNotObeyed) {
  const std::string esc = "'\x1b[31mred\x07'";
  const std::string store = " --store " + file("s.sqlite") + " ";
  for (const std::string& command :
       {"run " + esc,
        "run vecadd --gpu " + esc,
        "run vecadd --scale " + esc,
        "compare " + esc + store,
        "compare vecadd --scale tiny --gpu gtx480 --designs baseline," + esc + ":l1.latency=40" + store,
        "compare vecadd --designs " + esc + store,
        "study " + esc,
        "list " + esc,
        "explain " + esc,
        "describe " + esc,
        "ptx " + esc,
        "run " + esc + ".ptx --launch " + esc,
        "report " + esc + " -o x.html",
        "results show " + esc + store,
        "results list" + store,
        "results list --design " + esc + store,
        esc,
        "run --" + esc + " vecadd",
        "run vecadd --set " + esc + "=1",
        "validate " + esc,
        "exec -- " + esc,
        "run vecadd --seed " + esc}) {
    const Outcome o = heddle(command);
    EXPECT_EQ(o.out.find('\x1b'), std::string::npos) << command << "\n" << o.out;
    EXPECT_EQ(o.out.find('\x07'), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace heddle
