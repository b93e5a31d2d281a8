// `heddle run` on simulated machines: summary, record, timeline, series, early ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <thread>
#include <tuple>

#include <nlohmann/json.hpp>

#include "gpu/catalog.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Timing : public Commands {};

json record(const std::string& arguments) {
  return json::parse(heddle("run " + arguments + " --json - 2>/dev/null; true").out);
}

TEST_F(Timing, SummaryHasWhatAUserNeeds) {
  const Outcome o = heddle("run hotspot --scale tiny --gpu clustered60");
  EXPECT_EQ(o.status, 0) << o.out;
  for (const char* part : {"result      verified: 4,500 values",
                           "cycles",
                           "IPC",
                           "L1 read hits",
                           "L2 read hits",
                           "mean load latency",
                           "% of 717 GB/s",
                           "row hits",
                           "where the cycles of SMs went",
                           "calculate_temp",
                           "/ 64, threads",
                           "machine     clustered60",
                           "gto",
                           "distributed",
                           "plain",
                           "crossbar",
                           "fr_fcfs",
                           "l1.write",
                           "l2.write_miss",
                           "host time"})
    EXPECT_THAT(o.out, HasSubstr(part));
}

TEST_F(Timing, ClusteredIsTheDefault) {
  EXPECT_EQ(record("vecadd --scale tiny")["gpu"]["chosen"], "clustered60");
}

TEST_F(Timing, RecordHasEverything) {
  const json r = record("bfs --scale tiny --gpu gtx480");
  EXPECT_EQ(r["schema"], "heddle.run/3");
  EXPECT_EQ(r["mode"], "timing");
  EXPECT_EQ(r["complete"], true);
  EXPECT_EQ(r["verification"]["ok"], true);
  EXPECT_EQ(r["workload"]["input_hash"].get<std::string>().size(), 16u);
  EXPECT_FALSE(r["build"]["source_hash"].get<std::string>().empty());
  EXPECT_EQ(r["gpu"]["sms"], 15);
  EXPECT_EQ(r["gpu"]["implementations"].size(), gpu::catalog().size());
  EXPECT_THAT(r["configuration"].get<std::string>(), HasSubstr("[noc.request]"));
  // The total is the sum of the kernels, and the same as that of the launches.
  std::uint64_t of_kernels = 0, of_launches = 0;
  for (const json& k : r["kernels"]) of_kernels += k["statistics"]["gpu.cycles"].get<std::uint64_t>();
  for (const json& l : r["launches"]) of_launches += l["cycles"].get<std::uint64_t>();
  const std::uint64_t total = r["statistics"]["gpu.cycles"]["value"];
  EXPECT_GT(total, 1000u);
  EXPECT_EQ(of_kernels, total);
  EXPECT_EQ(of_launches, total);
  EXPECT_EQ(r["kernels"].size(), 2u);
  EXPECT_GT(r["statistics"]["dram.read_bytes"]["value"], 0);
  EXPECT_GT(r["kernels"][0]["occupancy"]["ctas_per_sm"], 0);
}

TEST_F(Timing, EffectiveConfigurationReproducesTheRun) {
  json first = record("vecadd --scale tiny --gpu v100 --set l1.latency=35");
  const std::string config = file("again.toml", first["configuration"].get<std::string>());
  json second = record("vecadd --scale tiny --gpu " + config);
  EXPECT_EQ(first["statistics"], second["statistics"]);
  EXPECT_EQ(first["configuration"], second["configuration"]);
}

TEST_F(Timing, ThreadsDoNotChangeResults) {
  json one = record("bfs --scale tiny --threads 1"), two = record("bfs --scale tiny --threads 2");
  EXPECT_EQ(two["host"]["threads"], 2);
  one.erase("host");
  two.erase("host");
  EXPECT_EQ(one, two);
}

TEST_F(Timing, SetAndConfigReplaceValues) {
  const auto cycles = [](const json& r) {
    return r["statistics"]["gpu.cycles"]["value"].get<std::uint64_t>();
  };
  const std::uint64_t as_is = cycles(record("vecadd --scale tiny"));
  const std::uint64_t slower = cycles(record("vecadd --scale tiny --set latency.network_to_partition=900"));
  EXPECT_GT(slower, as_is + 800);
  const std::string config = file("slow.toml",
                                  "[latency]\nnetwork_to_partition = 900\n[functional]\n"
                                  "recursive_stack = \"64KiB\"\n");
  EXPECT_EQ(cycles(record("vecadd --scale tiny --config " + config)), slower);
}

TEST_F(Timing, CycleLimitGivesPartialStatistics) {
  const Outcome o = heddle("run hotspot --scale tiny --max-cycles 1000 --json " + file("r.json"));
  EXPECT_EQ(o.status, 4) << o.out;
  EXPECT_THAT(o.out, HasSubstr("not checked: the cycle limit was reached"));
  EXPECT_THAT(o.out, Not(HasSubstr("verified")));
  const json r = json::parse(contents("r.json"));
  EXPECT_EQ(r["complete"], false);
  EXPECT_EQ(r["end"], "cycle_limit");
  EXPECT_TRUE(r["verification"].is_null());
  const std::uint64_t cycles = r["statistics"]["gpu.cycles"]["value"];
  EXPECT_GE(cycles, 1000u);
  EXPECT_LT(cycles, 1100u);
  EXPECT_GT(r["statistics"]["sm.instructions"]["value"], 0);
  EXPECT_EQ(heddle("run hotspot --scale tiny --max-cycles 0").status, 2);
}

// The limit counts the overhead of launches and holds across them.
TEST_F(Timing, CycleLimitIsOfAllLaunches) {
  const json r = record("bfs --scale tiny --gpu v100 --max-cycles 10000");
  const std::uint64_t cycles = r["statistics"]["gpu.cycles"]["value"];
  EXPECT_GE(cycles, 9900u);  // the machine needs a few cycles between launches that count for none
  EXPECT_LT(cycles, 10100u);
  EXPECT_GT(r["launches"].size(), 1u);
}

TEST_F(Timing, InterruptEndsCleanly) {
  const std::string out = file("out.txt"), err = file("err.txt"), json_file = file("r.json");
  const pid_t child = fork();
  if (child == 0) {
    if (freopen(out.c_str(), "w", stdout) == nullptr || freopen(err.c_str(), "w", stderr) == nullptr)
      _exit(98);
    execl(HEDDLE_PROGRAM, HEDDLE_PROGRAM, "run", "hotspot", "--scale", "paper", "--progress", "--json",
          json_file.c_str(), static_cast<char*>(nullptr));
    _exit(99);
  }
  // Before the kernel runs, the signal might find no handler: wait for the first word of progress.
  for (int i = 0; i < 6000 && contents("err.txt").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_THAT(contents("err.txt"), HasSubstr("CTAs"));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(contents("out.txt"), HasSubstr("not checked: interrupted"));
  EXPECT_EQ(json::parse(contents("r.json"))["end"], "interrupted");
}

TEST_F(Timing, ProgressTellsHowFar) {
  const Outcome o = heddle("run hotspot --scale small --max-cycles 20000 --progress -q");
  EXPECT_EQ(o.status, 4);
  for (const char* part :
       {"calculate_temp (launch 1): ", "cycles,", "warp instructions,", "cycles/s,", " of ", "CTAs"})
    EXPECT_THAT(o.out, HasSubstr(part));
  EXPECT_THAT(heddle("run bfs --scale tiny -q").out, Not(HasSubstr("cycles/s")));  // not a terminal
}

struct Span {
  std::uint64_t from, until;
};

TEST_F(Timing, TimelineSpansNest) {
  const Outcome o = heddle("run hotspot --scale tiny --gpu v100 -q --sample 500 --timeline " +
                           file("t.json") + " --json " + file("r.json"));
  ASSERT_EQ(o.status, 0) << o.out;
  const json trace = json::parse(contents("t.json")), r = json::parse(contents("r.json"));
  std::vector<Span> kernels;
  std::map<std::pair<int, int>, std::uint64_t> last_end;  // by SM and slot
  std::uint64_t ctas = 0, counters = 0;
  for (const json& e : trace["traceEvents"]) {
    if (e["ph"] == "C") ++counters;
    if (e["ph"] != "X") continue;
    const std::uint64_t from = e["ts"], until = from + e["dur"].get<std::uint64_t>();
    if (e["cat"] == "kernel") {
      EXPECT_TRUE(kernels.empty() || kernels.back().until <= from);
      kernels.push_back({from, until});
    } else {
      ++ctas;
      const Span& k = kernels.at(e["args"]["launch"]);
      EXPECT_GE(from, k.from);
      EXPECT_LE(until, k.until);
      std::uint64_t& end = last_end[{e["pid"], e["tid"]}];
      EXPECT_GE(from, end);  // one CTA at a time in a slot
      end = until;
    }
  }
  EXPECT_EQ(kernels.size(), r["launches"].size());
  EXPECT_EQ(ctas, r["statistics"]["sm.ctas"]["value"]);
  EXPECT_GT(counters, 7u * 3);
}

TEST_F(Timing, TimelineDoesNotDependOnThreads) {
  for (const char* n : {"1", "2"})
    ASSERT_EQ(heddle(std::string("run hotspot --scale tiny -q --threads ") + n + " --timeline " +
                     file(std::string("t") + n))
                  .status,
              0);
  EXPECT_GT(contents("t1").size(), 1000u);
  EXPECT_EQ(contents("t1"), contents("t2"));
}

// The samples of a run have no gaps and add up to its statistics; taking them changes nothing.
TEST_F(Timing, SeriesAddsUp) {
  const json plain = record("bfs --scale tiny");
  const json r =
      record("bfs --scale tiny --sample 300 --watch l2.read_hits,sm.stall_memory --series " + file("s.csv"));
  EXPECT_EQ(plain["statistics"], r["statistics"]);
  std::stringstream csv(contents("s.csv"));
  std::string line;
  std::getline(csv, line);
  std::vector<std::string> names;
  std::stringstream header(line);
  for (std::string name; std::getline(header, name, ',');) names.push_back(name);
  std::map<std::string, std::uint64_t> sum;
  std::uint64_t last_launch = ~0ull, last_until = 0;
  while (std::getline(csv, line)) {
    std::map<std::string, std::string> row;
    std::stringstream fields(line);
    std::string field;
    for (const std::string& name : names) {
      std::getline(fields, field, ',');
      row[name] = field;
    }
    const std::uint64_t launch = std::stoull(row["launch"]);
    if (launch == last_launch) {
      EXPECT_EQ(std::stoull(row["from_cycle"]), last_until);
    }
    last_launch = launch;
    last_until = std::stoull(row["until_cycle"]);
    for (const char* c : {"warp_instructions", "l1_reads", "l2_reads", "dram_read_bytes", "request_flits",
                          "l2.read_hits", "sm.stall_memory"})
      sum[c] += std::stoull(row[c]);
  }
  const auto value = [&](const char* name) { return r["statistics"][name]["value"].get<std::uint64_t>(); };
  EXPECT_EQ(sum["warp_instructions"], value("sm.instructions"));
  EXPECT_EQ(sum["l1_reads"], value("l1.reads_in"));
  EXPECT_EQ(sum["l2_reads"], value("l2.reads"));
  EXPECT_EQ(sum["l2.read_hits"], value("l2.read_hits"));
  EXPECT_EQ(sum["sm.stall_memory"], value("sm.stall_memory"));
  EXPECT_EQ(sum["dram_read_bytes"], value("dram.read_bytes"));
  EXPECT_EQ(sum["request_flits"], value("request_network.flits"));
}

TEST_F(Timing, OnlyCountersCanBeWatched) {
  Outcome o = heddle("run vecadd --scale tiny --series " + file("s.csv") + " --watch l2.read_hit");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("l2.read_hits"));
  o = heddle("run vecadd --scale tiny --series " + file("s.csv") + " --watch l1.mshr_peak");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("does not count events"));
  EXPECT_EQ(heddle("run vecadd --scale tiny --watch l2.read_hits").status, 2);
}

TEST_F(Timing, FunnelIsThatOfTheRun) {
  const Outcome o = heddle("funnel hotspot --scale tiny --gpu h200 --json " + file("f.json"));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("hotspot (tiny) on h200: "));
  EXPECT_THAT(o.out, HasSubstr("result verified"));
  EXPECT_THAT(o.out, HasSubstr("Most redundancy is removed by "));
  EXPECT_THAT(o.out, HasSubstr("within 2,000 cycles"));
  std::istringstream text(o.out);
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
  const json f = json::parse(contents("f.json")), r = record("hotspot --scale tiny --gpu h200");
  EXPECT_EQ(f["schema"], "heddle.funnel/1");
  EXPECT_EQ(f["complete"], true);
  const auto value = [&](const char* name) { return r["statistics"][name]["value"].get<std::uint64_t>(); };
  EXPECT_EQ(f["levels"][0]["count"], value("sm.global_load.lanes"));
  EXPECT_EQ(f["levels"][1]["count"], value("sm.global_load.lines"));
  EXPECT_EQ(f["levels"][6]["count"], value("cluster.global_reads_injected"));
  EXPECT_EQ(f["levels"][10]["count"], value("dram.global_activations"));
  EXPECT_EQ(r["statistics"]["potential.cluster.seen"]["value"], 0);  // only where it is asked for
}

TEST_F(Timing, FunnelTakesAWindowAndAnOwnKernel) {
  const std::string ptx =
      file("k.ptx",
           ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %rd<3>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\n"
           "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+128], %r1;\nret;\n}\n");
  const std::string launch = file("l.toml",
                                  "[buffer.b]\ntype = \"u32\"\ncount = 256\n[[launch]]\nkernel = \"k\"\n"
                                  "grid = 1\nblock = 32\nargs = [\"b\"]\n");
  const Outcome o = heddle("funnel " + ptx + " --launch " + launch + " --set measure.window=77 --json -");
  EXPECT_EQ(o.status, 0) << o.out;
  const json f = json::parse(o.out);
  EXPECT_EQ(f["window_cycles"], 77);
  EXPECT_EQ(f["levels"][0]["count"], 32);
  EXPECT_EQ(f["levels"][1]["count"], 1);
  EXPECT_EQ(heddle("funnel hotspot --scale tiny --max-cycles 1000").status, 4);
  EXPECT_EQ(heddle("funnel hotspot --set measure.windows=77").status, 2);
}

TEST_F(Timing, OwnKernelWithGivenRegisters) {
  const std::string ptx =
      file("k.ptx",
           ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %rd<3>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
           "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r1;\n"
           "ret;\n}\n");
  const auto launch = [&](const std::string& more) {
    return file("l.toml",
                "[buffer.b]\ntype = \"u32\"\ncount = 256\n[buffer.want]\ntype = \"u32\"\ncount = 256\n"
                "pattern = \"iota\"\n[[launch]]\nkernel = \"k\"\ngrid = 1\nblock = 256\nargs = [\"b\"]\n" +
                    more + "[output.b]\ncompare = { buffer = \"want\" }\n");
  };
  Outcome o = heddle("run " + ptx + " --launch " + launch("") + " --gpu v100");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("b: matches buffer 'want'"));
  EXPECT_THAT(o.out, HasSubstr("cycles"));
  const json r = record(ptx + " --launch " + launch("registers = 255\n") + " --gpu v100");
  EXPECT_EQ(r["kernels"][0]["occupancy"]["limited_by"], "registers");
  EXPECT_EQ(r["kernels"][0]["occupancy"]["ctas_per_sm"], 1);
}

}  // namespace
}  // namespace heddle
