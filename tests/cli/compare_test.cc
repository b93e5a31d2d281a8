// `heddle compare` as a user calls it.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

class CompareCommand : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    unsetenv("HEDDLE_HOME");  // decides how the program calls itself
  }
  Outcome compare(const std::string& arguments) {
    return heddle("compare " + arguments + " --store " + file("store.sqlite"));
  }
  Json json(const std::string& name) const { return Json::parse(contents(name)); }
  // "value" or "change_percent" of a metric.
  static double of(const Json& j, const std::string& design, const char* metric, const char* what = "value",
                   const std::string& workload = "hotspot") {
    for (const Json& r : j.at("results"))
      if (r.at("workload") == workload && r.at("design") == design)
        return r.at("metrics").at(metric).at(what).at("mean").get<double>();
    ADD_FAILURE() << "no result of " << design;
    return 0;
  }
  // The fields of a table's line that begins with `first`; lines of the head are indented.
  static std::vector<std::string> line(const std::string& text, const std::string& first) {
    for (const std::string_view l : split(text, '\n')) {
      if (!l.starts_with(first + " ")) continue;
      std::vector<std::string> fields;
      for (const std::string_view f : split(l, ' '))
        if (!f.empty()) fields.emplace_back(f);
      return fields;
    }
    return {};
  }
  // What stands under "Next:".
  static std::vector<std::string> next(const std::string& text) {
    std::vector<std::string> commands;
    const std::string marker = "\n  heddle ";
    for (std::size_t at = text.find(marker, text.find("Next:")); at != std::string::npos;
         at = text.find(marker, at + 1)) {
      const std::size_t from = at + marker.size();
      commands.push_back(text.substr(from, text.find('\n', from) - from));
    }
    return commands;
  }
};

TEST_F(CompareCommand, NumbersAreThoseOfADirectRun) {
  const Outcome o = compare("hotspot --scale tiny --designs 'baseline,ICC' --json " + file("c.json"));
  EXPECT_EQ(o.status, 0) << o.out;
  ASSERT_EQ(heddle("run hotspot --scale tiny -q --json " + file("a.json")).status, 0);
  ASSERT_EQ(heddle("run hotspot --scale tiny -q --set cluster.merger=icc --json " + file("b.json")).status,
            0);
  const Json c = json("c.json");
  const Json a = json("a.json").at("statistics"), b = json("b.json").at("statistics");
  const auto value = [](const Json& s, const char* name) { return s.at(name).at("value").get<double>(); };
  EXPECT_EQ(of(c, "baseline", "speed"), value(a, "gpu.cycles"));
  EXPECT_EQ(of(c, "ICC", "speed"), value(b, "gpu.cycles"));
  EXPECT_EQ(of(c, "ICC", "network_reads"), value(b, "cluster.injected_reads"));
  EXPECT_EQ(of(c, "ICC", "dram_bytes"), value(b, "dram.read_bytes") + value(b, "dram.write_bytes"));
  EXPECT_EQ(of(c, "ICC", "l1_miss_latency"), b.at("l1.miss_latency").at("value").at("mean").get<double>());
  EXPECT_NEAR(of(c, "ICC", "merged"),
              100 * value(b, "merger.merged") / (value(b, "merger.offered") - value(b, "merger.bypassed")),
              1e-9);
  EXPECT_NEAR(of(c, "ICC", "speed", "change_percent"),
              100 * (value(a, "gpu.picoseconds") / value(b, "gpu.picoseconds") - 1), 1e-9);
  // The table says the same.
  const auto fields = line(o.out, "ICC");
  ASSERT_GE(fields.size(), 3u) << o.out;
  std::string cycles = fields[1];
  std::erase(cycles, ',');
  EXPECT_EQ(std::stod(cycles), value(b, "gpu.cycles"));
  EXPECT_NEAR(std::stod(fields[2]), of(c, "ICC", "speed", "change_percent"), 0.051);
}

TEST_F(CompareCommand, SaysWhatWasSimulatedAndWhatItMeans) {
  const Outcome o = compare("hotspot --scale tiny");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("60 SMs in 12 clusters of 5"));
  EXPECT_THAT(o.out, HasSubstr("grid 60 x 75 cells"));
  EXPECT_THAT(o.out, HasSubstr("DB+ICC+CC"));
  EXPECT_THAT(o.out, HasSubstr("Where global loads go: baseline and "));
  EXPECT_THAT(o.out, HasSubstr("Most redundancy is removed by"));
  EXPECT_THAT(o.out, HasSubstr("A single run has no range"));
  EXPECT_THAT(o.out, HasSubstr("All 4 results verified against the CPU reference."));
  EXPECT_THAT(o.out, HasSubstr("4 points simulated in"));
  for (const std::string_view l : split(o.out, '\n')) {
    if (l.starts_with("  heddle ")) continue;
    EXPECT_LE(l.size(), 100u) << l;
  }
  const auto seen = o.out.find("\nhotspot: designs"), said = o.out.find("on clustered60:");
  EXPECT_LT(said, seen);

  const Outcome again = compare("hotspot --scale tiny");
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("Nothing was simulated: 4 points from the store"));
  EXPECT_EQ(line(again.out, "DB+ICC"), line(o.out, "DB+ICC"));
  EXPECT_FALSE(line(again.out, "DB+ICC").empty());
}

TEST_F(CompareCommand, TheCommandsItProposesWork) {
  const Outcome o = compare("hotspot --scale tiny --designs baseline,DB+ICC,bad:l1.ways=0");
  EXPECT_EQ(o.status, 1) << o.out;
  const std::vector<std::string> commands = next(o.out);
  ASSERT_EQ(commands.size(), 3u) << o.out;
  for (const std::string& c : commands) {
    const Outcome result = heddle(c);
    EXPECT_EQ(result.status, 0) << c << "\n" << result.out;
  }
  EXPECT_THAT(commands[1], HasSubstr("--set cluster.merger=icc"));
  const Outcome several = heddle(commands[2]);
  ASSERT_EQ(next(several.out).size(), 3u);
  for (const std::string& c : next(several.out)) EXPECT_EQ(heddle(c).status, 0) << c;
}

TEST_F(CompareCommand, SeveralWorkloadsGiveATablePerMetricAndTheGeometricMean) {
  const Outcome o = compare("hotspot 2dconv --scale tiny --designs baseline,LRC --csv " + file("c.csv") +
                            " --json " + file("c.json"));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("speed-up: change against baseline"));
  EXPECT_THAT(o.out, HasSubstr("DRAM traffic: change against baseline"));
  const Json c = json("c.json");
  const double hs = 1 + of(c, "LRC", "speed", "change_percent") / 100;
  const double conv = 1 + of(c, "LRC", "speed", "change_percent", "2dconv") / 100;
  const double mean = c.at("geometric_means")[1].at("change_percent").at("speed").at("mean");
  EXPECT_NEAR(mean, 100 * (std::sqrt(hs * conv) - 1), 1e-9);
  EXPECT_NE(hs, conv);
  const auto fields = line(o.out, "geometric");
  ASSERT_EQ(fields.size(), 3u) << o.out;
  EXPECT_NEAR(std::stod(fields[2]), mean, 0.051);
  EXPECT_THAT(contents("c.csv"), HasSubstr("\n2dconv,LRC,network_reads,packets,"));
}

TEST_F(CompareCommand, PerturbationsGiveRangesAndEqualSigns) {
  const Outcome o =
      compare("vecadd --scale tiny --designs baseline,ICC --perturbations 2 --json " + file("c.json"));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("means of 3 runs"));
  EXPECT_THAT(o.out, HasSubstr("vecadd: ranges of the changes over 3 runs"));
  const Json reads = json("c.json").at("results")[1].at("metrics").at("network_reads").at("change_percent");
  EXPECT_EQ(reads.at("runs"), 3);
  EXPECT_EQ(reads.at("mean"), 0);  // pure streaming: nothing to merge
  ASSERT_GE(line(o.out, "ICC").size(), 5u);
  EXPECT_EQ(line(o.out, "ICC")[4], "=") << o.out;
}

TEST_F(CompareCommand, AUsersKernelIsComparedLikeAWorkload) {
  const std::string stencil = HEDDLE_SOURCE "/examples/stencil/";
  const std::string call = stencil + "stencil.ptx --launch " + stencil + "launch.toml";
  const Outcome o = compare(call + " --designs baseline,small:l1.ways=1");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("your kernel, launched by"));
  EXPECT_THAT(o.out, HasSubstr("All 2 results verified against what the launch file expects."));
  ASSERT_EQ(next(o.out).size(), 3u);
  for (const std::string& c : next(o.out)) EXPECT_EQ(heddle(c).status, 0) << c;

  // The same with another expectation.
  std::stringstream text;
  text << std::ifstream(stencil + "launch.toml").rdbuf();
  std::string wrong = text.str();
  wrong.replace(wrong.find("\"expected.bin\""), 14, "12345");
  const Outcome w =
      compare(stencil + "stencil.ptx --launch " + file("wrong.toml", wrong) + " --designs baseline,DB");
  EXPECT_EQ(w.status, 1) << w.out;
  EXPECT_THAT(w.out, HasSubstr("2 results WRONG"));
  EXPECT_THAT(w.out, HasSubstr("stencil.ptx DB: wrong result: t:"));
}

TEST_F(CompareCommand, ABadDesignIsLeftOutAndSaid) {
  const Outcome o = compare("vecadd --scale tiny --designs 'baseline,D,ICC,odd:cluster.icc.entires=9'");
  EXPECT_EQ(o.status, 1) << o.out;
  EXPECT_THAT(o.out, HasSubstr("left out odd: --designs:1:20: the machine of 'odd': unknown parameter"));
  EXPECT_THAT(o.out, HasSubstr("did you mean 'cluster.icc.entries'?"));
  EXPECT_THAT(o.out, HasSubstr("the same machine as baseline"));
  EXPECT_FALSE(line(o.out, "ICC").empty());
  EXPECT_TRUE(line(o.out, "odd").empty());
  EXPECT_THAT(o.out, HasSubstr("2 points simulated"));
}

// Three papers in one machine, and what cannot be one is left out with the reason.
TEST_F(CompareCommand, DesignsOfSeveralPapersGoTogether) {
  const Outcome o =
      compare("2dconv --gpu cu80 --scale tiny --designs baseline,Sh40,Sh40+D,Sh40+WarpPool,Sh40+ICC --json " +
              file("together.json"));
  EXPECT_EQ(o.status, 1) << o.out;  // one is left out
  EXPECT_THAT(o.out, HasSubstr("no port of the memory networks sees requests of several L1s"));
  const Json j = json("together.json");
  const auto reads = [&](const char* design) { return of(j, design, "network_reads", "value", "2dconv"); };
  EXPECT_LT(reads("Sh40"), reads("baseline"));
  EXPECT_EQ(reads("Sh40+WarpPool"), reads("Sh40"));  // one copy of a line: it is fetched once, whoever asks
  for (const char* design : {"Sh40+D", "Sh40+WarpPool"})
    EXPECT_NE(of(j, design, "speed", "value", "2dconv"), of(j, "Sh40", "speed", "value", "2dconv")) << design;
}

TEST_F(CompareCommand, WhatIsMisspeltIsRefusedBeforeAnythingRuns) {
  const Outcome o = compare("vecadd --designs baseline,DB+IC");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("did you mean 'DB+ICC'?"));
  EXPECT_THAT(o.out, Not(HasSubstr("simulated")));
  EXPECT_EQ(compare("hotspott").status, 2);
  EXPECT_THAT(compare("hotspott").out, HasSubstr("did you mean 'hotspot'?"));
  EXPECT_EQ(compare("vecadd vecadd --scale tiny").status, 2);
  EXPECT_EQ(compare("vecadd --set l1.wayss=3").status, 2);
  EXPECT_EQ(compare("mine.cu").status, 2);
  EXPECT_EQ(compare("").status, 2);
}

TEST_F(CompareCommand, JsonOnStandardOutputIsNothingElse) {
  const Outcome o = heddle("compare vecadd --scale tiny --gpu gtx480 --json - --store " +
                           file("store.sqlite") + " 2>/dev/null; echo");
  const Json j = Json::parse(o.out);
  EXPECT_EQ(j.at("schema"), "heddle.compare/1");
  EXPECT_EQ(j.at("results").size(), 3u);  // machines of single SMs have designs of their own
  EXPECT_EQ(j.at("points").at("simulated"), 3);
  const Outcome list = heddle("results list --study compare --design DB --store " + file("store.sqlite"));
  EXPECT_THAT(list.out, HasSubstr("vecadd"));
}

TEST_F(CompareCommand, CtrlCKeepsWhatIsFinished) {
  // The user's kernel ends at once, the workload takes far longer than we wait.
  const std::string own = HEDDLE_SOURCE "/examples/stencil/stencil.ptx";
  const std::string rest =
      " --launch " HEDDLE_SOURCE "/examples/stencil/launch.toml --scale paper --designs baseline";
#if defined(__SANITIZE_ADDRESS__)
  const std::string seconds = "30";
#else
  const std::string seconds = "2";
#endif
  const std::string command = "timeout --foreground --preserve-status --signal=INT " + seconds +
                              " " HEDDLE_PROGRAM " compare " + own + " hotspot --jobs 2 --store " +
                              file("store.sqlite") + rest + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
  EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 130) << out;
  EXPECT_THAT(out,
              HasSubstr("interrupted; 1 point simulated and kept. The same command goes on from there."));
  EXPECT_THAT(compare(own + rest).out, HasSubstr("Nothing was simulated: 1 point from the store"));
}

TEST_F(CompareCommand, AStoreThatIsRemovedMeanwhileIsTold) {
  const std::string store = file("store.sqlite");
  // It is there as soon as the table of designs is.
  const std::string command =
      std::string(HEDDLE_PROGRAM) +
      " compare hotspot vecadd --scale tiny --gpu gtx480 --designs baseline,DB --store " + store + " 2>&1";
  FILE* run = popen(command.c_str(), "r");
  std::string said;
  std::array<char, 4096> buffer;
  while (fgets(buffer.data(), buffer.size(), run) != nullptr) {
    said += buffer.data();
    if (std::filesystem::exists(store)) std::filesystem::remove(store);
  }
  EXPECT_EQ(WEXITSTATUS(pclose(run)), 1) << said;
  EXPECT_THAT(said, HasSubstr(store + ": the store was removed or replaced while it was in use"));
  EXPECT_THAT(said, HasSubstr("NOT kept"));
  EXPECT_THAT(said, Not(HasSubstr("; kept in")));
  EXPECT_THAT(said, HasSubstr("geometric mean"));
}

TEST_F(CompareCommand, AStoreIsAFile) {
  std::filesystem::create_symlink("/dev/null", file("null"));
  for (const std::string& place : {file("null"), folder_.string()}) {
    const Outcome o = heddle("compare vecadd --scale tiny --gpu gtx480 --store " + place);
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, HasSubstr("a store is a regular file"));
  }
}

}  // namespace
}  // namespace heddle
