// Kernels of a program by their names, and what kind of programs they are.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Kernels : public Commands {
 protected:
  json record(const std::string& arguments) {
    const Outcome o = heddle("run " + arguments + " --json -");
    EXPECT_EQ(o.status, 0) << o.out;
    return json::parse(o.out);
  }
};

TEST_F(Kernels, AreRunByThemselves) {
  const json one = record("lud.2 --scale tiny --gpu gtx480"), all = record("lud --scale tiny --gpu gtx480");
  EXPECT_EQ(one["workload"]["name"], "lud.2");
  EXPECT_EQ(one["verification"]["ok"], true);
  ASSERT_EQ(one["kernels"].size(), 1u);
  EXPECT_EQ(one["kernels"][0]["kernel"], "lud_perimeter");
  EXPECT_EQ(all["kernels"].size(), 3u);
  EXPECT_EQ(one["kernels"][0]["statistics"]["sm.instructions"],
            all["kernels"][1]["statistics"]["sm.instructions"]);
  const json counted = record("LUD_2 --scale tiny --functional");
  EXPECT_EQ(counted["workload"]["name"], "lud.2");
  ASSERT_EQ(counted["kernels"].size(), 1u);
}

TEST_F(Kernels, AreComparedAndKeptUnderTheirNames) {
  const std::string store = " --store " + file("s.sqlite");
  Outcome o = heddle("compare LUD.3 --scale tiny --gpu gtx480 --designs baseline,DB" + store);
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("lud.3: kernel lud_internal of lud"));
  o = heddle("results list --workload lud_3" + store);
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("lud.3"));
  EXPECT_EQ(heddle("results list --workload lud" + store).status, 2);
  o = heddle("compare lud.3 lud_3 --scale tiny" + store);
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("'lud.3' is given twice"));
}

// The point of a kernel has its own name, whichever the study calls it by, and the limit is part of it.
TEST_F(Kernels, AreTakenByAStudy) {
  file("study.toml",
       "title = \"kernels\"\nmachine = \"gtx480\"\nscale = \"tiny\"\nworkloads = [\"lud.2\", \"BKP\"]\n"
       "set = { limit.kernel_cycles = 1000 }\n[design.plain]\n[design.greedy]\nset = { sm.scheduler = "
       "\"lrr\" }\n"
       "[metric.speed]\nkind = \"change\"\nvalue = \"sm.instructions / gpu.cycles\"\n"
       "[[figure]]\nid = \"1\"\ntitle = \"Speed\"\nmetric = \"speed\"\ndesigns = [\"greedy\"]\n"
       "baselines = [\"plain\"]\nrows = [\"Fig1\"]\n");
  file("targets.csv",
       "paper,figure,workload,config,metric,baseline,value,unit,note,not_counted\nX,Fig1,BKP,greedy,speed,"
       "plain,1,%,,\n");
  const std::string store = " --store " + file("s.sqlite");
  Outcome o = heddle("study " + file("study.toml") + store + " --workloads bkp");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("BKP"));
  o = heddle("results export --json -" + store);
  const json points = json::parse(o.out)["points"];
  EXPECT_EQ(points.size(), 2u);
  for (const json& point : points) {
    EXPECT_EQ(point["record"]["workload"]["name"], "backprop.1");
    EXPECT_THAT(point["record"]["configuration"].get<std::string>(), HasSubstr("kernel_cycles = 1000"));
  }
}

TEST_F(Kernels, AreListed) {
  Outcome o = heddle("list");
  EXPECT_THAT(o.out, HasSubstr("WORKLOAD.K"));
  EXPECT_THAT(o.out, testing::ContainsRegex("BKP[ \n]\\(backprop.1\\)"));
  o = heddle("list lud");
  EXPECT_THAT(o.out, HasSubstr("lud.2                  lud_perimeter"));
}

TEST_F(Kernels, WithAWrongNumberAreRefused) {
  for (const std::string command : {"run", "compare", "list", "characterise"}) {
    const Outcome o = heddle(command + " lud.4");
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_THAT(o.out, HasSubstr("lud has no kernel '4'"));
    EXPECT_THAT(o.out, HasSubstr("lud has 3 kernels: lud.1 (lud_diagonal)"));
  }
}

TEST_F(Kernels, CanBeLimited) {
  const json r = record("hotspot --scale tiny --gpu gtx480 --set limit.kernel_cycles=500");
  EXPECT_EQ(r["verification"]["ok"], true);
  EXPECT_EQ(r["complete"], true);
  EXPECT_TRUE(r["statistics"].contains("gpu.ctas_only_executed"));
  // All CTAs of the launches of this scale fit at once on that machine: a small one leaves some out.
  const std::string few =
      " --scale tiny --set gpu.clusters=1 --set gpu.sms_per_cluster=1 --set limit.kernel_cycles=500";
  Outcome o = heddle("run hotspot" + few);
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("executed, not simulated (limit.kernel_cycles)"));
  o = heddle("compare hotspot" + few + " --store " + file("s.sqlite"));
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("compare takes whole kernels"));
  o = heddle("exec --set limit.kernel_cycles=500 -- true");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("exec has --sample N"));
}

TEST_F(Kernels, AreCharacterised) {
  const Outcome o = heddle("characterise lud vecadd --scale tiny --gpu gtx480 --csv " + file("c.csv") +
                           " --json " + file("c.json"));
  EXPECT_EQ(o.status, 0) << o.out;
  std::istringstream text(o.out);
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 120u) << line;
  EXPECT_THAT(o.out, HasSubstr("lud.3"));
  const std::vector<CsvRow> rows = parse_csv(contents("c.csv"), "c.csv");
  const json j = json::parse(contents("c.json"));
  EXPECT_EQ(j["schema"], "heddle.character/1");
  ASSERT_EQ(rows.size(), 4u);
  ASSERT_EQ(j["kernels"].size(), 4u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json& k = j["kernels"][i];
    EXPECT_EQ(csv_text(rows[i], "kernel"), k["kernel"]);
    EXPECT_DOUBLE_EQ(csv_number(rows[i], "time_waiting"), k["time_waiting"].get<double>());
    EXPECT_EQ(k["left_by_window"].size(), 129u);
    EXPECT_DOUBLE_EQ(csv_number(rows[i], "left_window_64"), k["left_by_window"][64].get<double>());
  }
  // c[i] = a[i] + b[i]: two loads and a store of a line each, nothing touched twice.
  EXPECT_EQ(j["kernels"][3]["loads_per_store"], 2);
  EXPECT_EQ(j["kernels"][3]["lines_per_instruction"], 1);
  EXPECT_EQ(j["kernels"][3]["first_touch"], 1);
  EXPECT_EQ(j["kernels"][3]["locality"], "streaming");
  EXPECT_TRUE(j["kernels"][3]["inter_cta_share"].is_null());  // nothing is used again
  EXPECT_EQ(csv_text(rows[2], "locality"), j["kernels"][2]["locality"]);
  EXPECT_THAT(o.out, HasSubstr("Locality between CTAs"));
}

}  // namespace
}  // namespace heddle
