// `heddle results` as a user calls it, and that a run and a point make the same record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/inputs/chosen_workload.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "study/batch/batch.h"
#include "study/store/database.h"
#include "tests/cli/program.h"

namespace heddle::cli {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPtx =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".reg .b64 %rd<3>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
constexpr const char* kLaunch =
    "[buffer.b]\ntype = \"u32\"\ncount = 4\nfile = \"in.bin\"\n[[launch]]\nkernel = \"k\"\ngrid = 1\nblock = "
    "4\n"
    "args = [\"b\"]\n[output.b]\ncompare = \"want.bin\"\n";

class Points : public Commands {
 protected:
  void SetUp() override {
    Commands::SetUp();
    file("k.ptx", kPtx);
    file("l.toml", kLaunch);
    write_file(file("in.bin"), std::string(16, '\1'));
    write_file(file("want.bin"), std::string("\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", 16));
  }
  WorkloadOptions own_kernel() const {
    WorkloadOptions o;
    o.what = folder_ / "k.ptx";
    o.launch = folder_ / "l.toml";
    return o;
  }
  static WorkloadOptions bundled(const std::string& name, std::uint64_t seed = 1) {
    WorkloadOptions o;
    o.what = name;
    o.scale = "tiny";
    o.seed = seed;
    return o;
  }
  static GpuConfig gpu(const std::string& name, const std::vector<std::string>& sets = {}) {
    ConfigOptions o;
    o.gpu = name;
    o.sets = sets;
    return load_gpu(o);
  }
};

ordered_json without_host(const std::string& record) {
  auto json = ordered_json::parse(record);
  json.erase("host");
  return json;
}

TEST_F(Points, HaveTheRecordOfARun) {
  const ChosenWorkload chosen(bundled("bfs", 5));
  const std::string point = study::simulate(chosen.point(gpu("gtx480")), chosen.workload());
  const std::string run = heddle("run bfs --scale tiny --seed 5 --gpu gtx480 --json -").out;
  EXPECT_EQ(without_host(point), without_host(run));
}

TEST_F(Points, OfAUsersKernelToo) {
  const ChosenWorkload chosen(own_kernel());
  const std::string point = study::simulate(chosen.point(gpu("v100")), chosen.workload());
  const std::string run =
      heddle("run " + file("k.ptx") + " --launch " + file("l.toml") + " --gpu v100 --json -").out;
  EXPECT_EQ(without_host(point), without_host(run));
  const auto json = ordered_json::parse(point);
  EXPECT_EQ(json["verification"]["ok"], true);
  EXPECT_EQ(json["verification"]["compared"], 4);
  EXPECT_EQ(json["workload"]["scale"], "");
  EXPECT_EQ(json["workload"]["contents"], chosen.contents());
}

TEST_F(Points, AUsersFilesDecideTheKey) {
  const auto key = [&] { return ChosenWorkload(own_kernel()).point(gpu("v100")).key(); };
  std::set<std::string> keys = {key()};
  EXPECT_FALSE(keys.insert(key()).second);
  file("k.ptx", std::string(kPtx) + "// more\n");
  EXPECT_TRUE(keys.insert(key()).second) << "kernel";
  file("l.toml", std::string("# more\n") + kLaunch);
  EXPECT_TRUE(keys.insert(key()).second) << "launch file";
  write_file(file("in.bin"), std::string(16, '\2'));
  EXPECT_TRUE(keys.insert(key()).second) << "data";
  write_file(file("want.bin"), std::string(16, '\2'));
  EXPECT_TRUE(keys.insert(key()).second) << "what it is compared with";
}

TEST_F(Points, AreMadeOfWhatRunAccepts) {
  const study::Point p = ChosenWorkload(bundled("vecadd", 3)).point(gpu("v100", {"l1.latency=35"}));
  EXPECT_EQ(p.workload, "vecadd");
  EXPECT_EQ(p.contents, "");
  EXPECT_EQ(p.scale, workload::Scale::Tiny);
  EXPECT_EQ(p.seed, 3u);
  EXPECT_EQ(p.gpu, "v100");
  EXPECT_THAT(p.machine, HasSubstr("latency = 35\n"));
  WorkloadOptions o = own_kernel();
  o.launch.clear();
  EXPECT_THROW(ChosenWorkload{o}, Error);
  o = bundled("vecad");
  EXPECT_THROW(ChosenWorkload{o}, Error);
  o = bundled("vecadd");
  o.scale = "huge";
  EXPECT_THROW(ChosenWorkload{o}, Error);
}

// vecadd on two machines and bfs, for two studies; one of another source.
class Results : public Points {
 protected:
  void SetUp() override {
    Points::SetUp();
    study::Store store(store_file());
    add(store, bundled("vecadd"), "gtx480", {{"icc", "B", ""}, {"compare", "a", ""}});
    add(store, bundled("vecadd"), "v100", {{"icc", "DB+ICC", "jitter"}});
    add(store, bundled("bfs"), "gtx480", {}, "abc");
  }
  void add(study::Store& store, const WorkloadOptions& o, const std::string& machine,
           const std::vector<study::Label>& labels, const std::string& source = {}) {
    const ChosenWorkload chosen(o);
    const study::Point p = chosen.point(gpu(machine));
    static std::map<std::string, std::string> simulated;  // by key: once for all tests
    std::string& record = simulated[p.key()];
    if (record.empty()) record = study::simulate(p, chosen.workload());
    auto json = ordered_json::parse(record);
    if (!source.empty()) json["build"]["source_hash"] = source;
    store.keep(p, json.dump(2) + "\n");
    for (const study::Label& l : labels) store.label(p.key(), l);
    keys_.push_back(p.key());
  }
  std::string store_file() const { return folder_ / "s.sqlite"; }
  Outcome results(const std::string& arguments) {
    return heddle("results " + arguments + " --store " + store_file() + " < /dev/null");
  }
  std::vector<std::string> keys_;
};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Results, ListIsNewestLast) {
  const Outcome o = results("list");
  EXPECT_EQ(o.status, 0) << o.out;
  std::size_t before = 0;
  for (const std::string& key : keys_) {
    const std::size_t at = o.out.find(key.substr(0, 12));
    ASSERT_NE(at, std::string::npos) << o.out;
    EXPECT_GT(at, before);
    before = at;
  }
  EXPECT_THAT(o.out, HasSubstr("compare/a, icc/B"));
  EXPECT_THAT(o.out, HasSubstr("icc/DB+ICC/jitter"));
  EXPECT_THAT(o.out, HasSubstr(keys_[2].substr(0, 12) + "*"));
  EXPECT_THAT(o.out, HasSubstr("* of another source"));
  EXPECT_THAT(o.out, HasSubstr("3 results in " + store_file()));
}

TEST_F(Results, FiltersHoldTogether) {
  const auto count = [&](const std::string& filter) { return lines(results("list " + filter).out) - 2; };
  EXPECT_EQ(count("--study icc"), 2u);
  EXPECT_EQ(count("--study icc --gpu v100"), 1u);
  EXPECT_EQ(count("--workload vecadd"), 2u);
  EXPECT_EQ(count("--design a"), 1u);
  EXPECT_EQ(count(keys_[0].substr(0, 20)), 1u);
  EXPECT_EQ(count(keys_[0].substr(0, 20) + " " + keys_[1].substr(0, 20)), 2u);
  const Outcome o = results("list --other-source");
  EXPECT_THAT(o.out, HasSubstr("bfs"));
  EXPECT_THAT(o.out, Not(HasSubstr("vecadd")));
  EXPECT_THAT(o.out, HasSubstr("1 of 3 results"));
}

TEST_F(Results, NothingMatchesIsToldWithWhatCouldBeMeant) {
  Outcome o = results("list --workload vecad");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("has --workload vecad"));
  EXPECT_THAT(o.out, HasSubstr("did you mean 'vecadd'?"));
  o = results("list --gpu zzzzzz");
  EXPECT_THAT(o.out, HasSubstr("there are: gtx480, v100"));
  // Each is there, but not of one label.
  o = results("list --study compare --design B");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("matches all of this"));
}

TEST_F(Results, ShowIsWhatRunPrints) {
  const Outcome o = results("show " + keys_[1].substr(0, 16));
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr(keys_[1]));
  EXPECT_THAT(o.out, HasSubstr("icc/DB+ICC/jitter"));
  const std::string run = heddle("run vecadd --scale tiny --gpu v100").out;
  std::size_t same = 0;
  for (const std::string_view line : split(run, '\n')) {
    if (line.find("host time") != std::string_view::npos) continue;
    EXPECT_THAT(o.out, HasSubstr(std::string(line)));
    ++same;
  }
  EXPECT_GT(same, 20u);
  EXPECT_THAT(results("show " + keys_[1] + " --stats").out, HasSubstr("dram.read_bytes"));
}

TEST_F(Results, ShowGivesTheRecord) {
  const std::string kept = *study::Store(store_file()).record(keys_[0]);
  EXPECT_EQ(results("show " + keys_[0] + " --json -").out, kept);
  EXPECT_EQ(results("show " + keys_[0] + " --json " + file("r.json")).status, 0);
  EXPECT_EQ(contents("r.json"), kept);
}

TEST_F(Results, AKeyMustNameOne) {
  Outcome o = results("show ''");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("3 results have a key that begins with"));
  EXPECT_THAT(o.out, HasSubstr("vecadd on v100 icc/DB+ICC/jitter"));
  EXPECT_THAT(o.out, HasSubstr("give more digits"));
  o = results("show xyz");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("begins with 'xyz'"));
}

TEST_F(Results, ExportAsCsv) {
  const Outcome o = results("export --csv - --study icc --statistic gpu.cycles,l1.read_hit_rate");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_EQ(lines(o.out), 3u);
  EXPECT_THAT(o.out, HasSubstr("memory_bytes,gpu.cycles,l1.read_hit_rate\n"));
  const auto cycles =
      ordered_json::parse(*study::Store(store_file()).record(keys_[1]))["statistics"]["gpu.cycles"]["value"]
          .get<std::uint64_t>();
  EXPECT_THAT(o.out, HasSubstr(keys_[1] + ",icc,DB+ICC,jitter,vecadd,tiny,1,v100,"));
  EXPECT_THAT(o.out, HasSubstr(fmt::format(",{},", cycles)));
  // One row per label; every statistic.
  EXPECT_EQ(results("export --csv " + file("all.csv")).status, 0);
  EXPECT_EQ(lines(contents("all.csv")), 5u);
  EXPECT_THAT(contents("all.csv"), HasSubstr(",dram.read_bytes,"));
}

TEST_F(Results, ExportAsJson) {
  Outcome o = results("export --json - --workload vecadd");
  EXPECT_EQ(o.status, 0) << o.out;
  auto json = ordered_json::parse(o.out);
  EXPECT_EQ(json["schema"], "heddle.results/1");
  ASSERT_EQ(json["points"].size(), 2u);
  EXPECT_EQ(json["points"][0]["record"], ordered_json::parse(*study::Store(store_file()).record(keys_[0])));
  EXPECT_EQ(json["points"][0]["labels"].size(), 2u);
  json = ordered_json::parse(results("export --json - --statistic gpu.cycles " + keys_[1].substr(0, 20)).out);
  ASSERT_EQ(json["points"].size(), 1u);
  EXPECT_GT(json["points"][0]["statistics"]["gpu.cycles"], 100);
  EXPECT_EQ(json["points"][0]["gpu"], "v100");
}

TEST_F(Results, ExportErrors) {
  Outcome o = results("export --csv - --statistic gpu.cycle");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("did you mean 'gpu.cycles'?"));
  EXPECT_EQ(results("export").status, 2);
  EXPECT_EQ(results("export --csv a --json b").status, 2);
}

TEST_F(Results, ForgetAsksFirst) {
  Outcome o = results("forget --study compare");
  EXPECT_EQ(o.status, 2) << "standard input is no terminal";
  EXPECT_THAT(o.out, HasSubstr("forget 1 of 3 results"));
  EXPECT_THAT(o.out, HasSubstr("1 of them were run for something else, too"));
  EXPECT_EQ(study::Store(store_file()).list().size(), 3u);
  o = results("forget --other-source --yes");
  EXPECT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, HasSubstr("forgot 1 result; 2 left"));
  EXPECT_EQ(study::Store(store_file()).list().size(), 2u);
  EXPECT_EQ(results("forget --yes").status, 0);
  EXPECT_THAT(results("list").out, HasSubstr("no results yet in"));
}

TEST_F(Results, AStoreThatIsNotThereIsNotMade) {
  const Outcome o = heddle("results list --store " + file("none.sqlite"));
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("does not exist"));
  EXPECT_FALSE(std::filesystem::exists(file("none.sqlite")));
}

// A record of a version that counted something else is still there as it is.
TEST_F(Results, WhatCannotBeSummarisedCanBeRead) {
  auto json = ordered_json::parse(*study::Store(store_file()).record(keys_[0]));
  json["statistics"].erase("dram.read_bytes");
  {
    study::Store store(store_file());
    const study::Point p = ChosenWorkload(bundled("vecadd", 9)).point(gpu("gtx480"));
    store.keep(p, json.dump(2));
    keys_.push_back(p.key());
  }
  const Outcome o = results("show " + keys_.back());
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, HasSubstr("cannot summarise the record"));
  EXPECT_THAT(o.out, HasSubstr("--json -"));
  EXPECT_EQ(results("show " + keys_.back() + " --json -").status, 0);
}

TEST_F(Results, WhatIsDamagedIsToldAndCanBeRemoved) {
  EXPECT_THAT(results("repair").out, HasSubstr("nothing is damaged"));
  study::Database(store_file()).execute("UPDATE points SET record = x'0011' WHERE workload = 'bfs'");
  const std::string page =
      " --page " + file("page.html", R"(<script type="application/json" id="heddle-data"></script>)");
  for (const std::string& command : {"results show " + keys_[2], std::string("results export --csv -"),
                                     "report -o " + file("r.html") + page}) {
    const Outcome o = heddle(command + " --store " + store_file());
    EXPECT_EQ(o.status, 2) << command;
    EXPECT_THAT(o.out, HasSubstr("the record of " + keys_[2].substr(0, 12) + " is damaged")) << command;
    EXPECT_THAT(o.out, HasSubstr("heddle results repair")) << command;
  }
  const Outcome o = results("repair");
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, HasSubstr("removed 1 result, 0 details and 0 labels"));
  EXPECT_THAT(o.out, HasSubstr("2 results left"));
  EXPECT_EQ(results("export --csv -").status, 0);
}

}  // namespace
}  // namespace heddle::cli
