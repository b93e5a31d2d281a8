// The numbers of a page are those of the store.
#include "report/page_data.h"

#include <cmath>

#include "base/error.h"
#include "gpu/presets.h"
#include "gpu/simulation_spec.h"
#include "study/run/record.h"
#include "tests/study/fake_workload.h"

namespace heddle::report {
namespace {

using study::InFolder;
using study::Job;
using study::Label;
using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

// A machine with clusters, memory partitions and something to merge, or without.
study::Point point(const std::string& merger, std::uint64_t seed) {
  config::Config c = config::Config::parse(study::small_machine(), "small");
  for (const std::string& set : {std::string("gpu.clusters=2"), std::string("gpu.sms_per_cluster=2"),
                                 std::string("memory.partitions=2"), "cluster.merger=" + merger})
    c.set(set);
  study::Point p = study::fake_point("adds", seed);
  p.machine = gpu::effective_configuration(std::move(c));
  return p;
}

class Pages : public InFolder {
 protected:
  void simulate(const std::vector<Job>& jobs) {
    study::NoProgress quiet;
    study::run_batch(jobs, fakes_.find(), store_.emplace(folder_ / "s.sqlite"), {1, nullptr}, quiet);
  }
  PageRun read(const study::Point& p, std::vector<Label> labels = {}) {
    return reader_.read({p.key(), std::move(labels), *store_->record(p.key()), *store_->detail(p.key()),
                         "2026-01-31 12:00:00"});
  }
  Json page(const std::vector<PageRun>& runs, const PageHead& head = {}) {
    std::vector<std::shared_ptr<const PageRun>> shared;
    for (const PageRun& r : runs) shared.push_back(std::make_shared<PageRun>(r));
    return page_data(head, shared);
  }
  study::FakeWorkloads fakes_;
  std::optional<study::Store> store_;
  RunReader reader_{[](const std::string& name) { return name == "adds" ? "AD" : ""; }};
};

TEST_F(Pages, HaveTheNumbersOfTheStore) {
  const study::Point a = point("plain", 3), b = point("icc_cc", 9);
  simulate({{a, {"compare", "base", ""}}, {b, {"compare", "icc", ""}}});
  const Json json = page({read(a), read(b)});
  EXPECT_EQ(json["schema"], "heddle.page/1");
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["configurations"].size(), 2u);
  std::size_t i = 0;
  for (const study::Point& p : {a, b}) {
    const study::Result kept = study::Result::parse(*store_->record(p.key()));
    const Json& run = json["runs"][i++];
    EXPECT_EQ(run["id"], p.key());
    EXPECT_EQ(run["short"], "AD");
    EXPECT_EQ(run["seed"], p.seed);
    EXPECT_EQ(run["verified"], true);
    EXPECT_EQ(run["complete"], true);
    EXPECT_EQ(run["finished"], "2026-01-31 12:00:00");
    EXPECT_EQ(json["configurations"][run["configuration"].get<std::size_t>()], p.machine);
    ASSERT_EQ(run["stats"].size(), json["statistics"].size());
    for (std::size_t k = 0; k < json["statistics"].size(); ++k) {
      const std::string name = json["statistics"][k]["name"];
      const double expected = kept.value(name);
      if (std::isnan(expected))
        EXPECT_TRUE(run["stats"][k].is_null()) << name;
      else
        EXPECT_EQ(run["stats"][k].get<double>(), expected) << name;
    }
    EXPECT_EQ(run["kernels"][0]["name"], "adds");
    EXPECT_EQ(run["kernels"][0]["cycles"], kept.value("gpu.cycles"));
    EXPECT_EQ(run["kernels"][0]["instructions"], kept.value("sm.instructions"));
  }
}

TEST_F(Pages, PartsOfWhatWasRemovedAddUp) {
  const study::Point a = point("plain", 3), b = point("icc_cc", 9), c = point("lrc", 9);
  simulate({{a, {}}, {b, {}}, {c, {}}});
  const Json json = page({read(a), read(b), read(c)});
  for (const Json& run : json["runs"]) {
    const Json& f = run["funnel"];
    ASSERT_EQ(f["count"].size(), json["funnel"]["levels"].size());
    ASSERT_EQ(f["removed"].size(), json["funnel"]["places"].size());
    for (std::size_t i = 0; i < f["removed"].size(); ++i) {
      const Json& place = json["funnel"]["places"][i];
      std::int64_t parts = 0;
      for (const Json& part : f["removed"][i]) parts += part["count"].get<std::int64_t>();
      const auto at = [&](const char* end) {
        return f["count"][place[end].get<std::size_t>()].get<std::int64_t>();
      };
      EXPECT_EQ(parts, at("in") - at("out")) << place["name"];
    }
    EXPECT_TRUE(f["could"][1].is_null());  // nobody measured
  }
  const auto at_clusters = [&](std::size_t run) {
    std::vector<std::string> names;
    for (const Json& part : json["runs"][run]["funnel"]["removed"][1]) names.push_back(part["by"]);
    return names;
  };
  EXPECT_THAT(at_clusters(0), ElementsAre());
  EXPECT_THAT(at_clusters(1), ElementsAre("merge table", "coalesced cache"));
  EXPECT_THAT(at_clusters(2), ElementsAre("request coalescer"));
}

TEST_F(Pages, SeriesAddUpToTheRecord) {
  const study::Point p = point("icc", 40);
  simulate({{p, {}}});
  const study::Result kept = study::Result::parse(*store_->record(p.key()));
  const Json detail = page({read(p)})["runs"][0]["detail"];
  const Json& series = detail["series"];
  double instructions = 0, bytes = 0;
  for (std::size_t i = 0; i < series["from"].size(); ++i) {
    const double cycles = series["until"][i].get<double>() - series["from"][i].get<double>();
    instructions += series["values"]["ipc"][i].get<double>() * cycles;
    bytes += series["values"]["dram.bytes"][i].get<double>() * cycles;
    double shares = 0;
    for (const auto& [name, values] : series["values"].items()) {
      if (detail["series_about"][name]["group"] == "issue stalls") shares += values[i].get<double>();
      if (detail["series_about"][name]["group"] == "use") {
        EXPECT_GE(values[i].get<double>(), 0) << name;
        EXPECT_LE(values[i].get<double>(), 1) << name;
      }
    }
    EXPECT_NEAR(shares, 1, 1e-3) << i;
  }
  EXPECT_NEAR(instructions, kept.value("sm.instructions"), 1e-3 * instructions);
  EXPECT_NEAR(bytes, kept.value("dram.read_bytes") + kept.value("dram.write_bytes"), 1e-3 * bytes);
  EXPECT_EQ(series["until"].back(), detail["cycles"]);
  EXPECT_EQ(detail["ctas"]["of"], 40);
  EXPECT_EQ(detail["ctas"]["cta"].size(), 40u);
  const auto sum = [](const Json& rows) {
    double n = 0;
    for (const Json& row : rows)
      for (const Json& v : row) n += v.get<double>();
    return n;
  };
  EXPECT_EQ(sum(detail["traffic"]["requests"]), kept.value("request_network.injected"));
  EXPECT_EQ(sum(detail["traffic"]["replies"]), kept.value("reply_network.ejected"));
  EXPECT_EQ(sum(detail["banks"]["hits"]), kept.value("dram.row_hits"));
}

TEST_F(Pages, CompareWhatWasRunForTheSame) {
  const study::Point a = point("plain", 3), b = point("icc", 3), c = point("lrc", 3);
  simulate({{a, {}}, {b, {}}, {c, {}}});
  const std::vector<PageRun> runs = {read(a, {{"compare", "plain", ""}, {"icc", "B", ""}}),
                                     read(b, {{"compare", "ICC", ""}}),
                                     read(c, {{"compare", "LRC", ""}, {"icc", "B", "jitter"}})};
  PageHead head;
  head.baselines["compare"] = "ICC";
  const Json json = page(runs, head);
  ASSERT_EQ(json["comparisons"].size(), 1u);  // one design alone is none
  const Json& one = json["comparisons"][0];
  EXPECT_EQ(one["workload"], "adds");
  EXPECT_EQ(one["scale"], "tiny");
  EXPECT_EQ(one["baseline"], b.key());
  EXPECT_EQ(one["runs"], Json({b.key(), a.key(), c.key()}));
  EXPECT_EQ(page(runs)["comparisons"][0]["baseline"], a.key());
  EXPECT_EQ(json["runs"][0]["design"], "plain");
  EXPECT_EQ(json["runs"][0]["labels"].size(), 2u);
}

TEST_F(Pages, SayHowToRepeatARun) {
  config::Config c = gpu::load_config("clustered60");
  c.set("cluster.merger=icc");
  c.set("l1.ways=8");
  study::Point p = study::fake_point("adds", 7);
  p.gpu = "clustered60";
  p.machine = gpu::effective_configuration(std::move(c));
  simulate({{p, {}}});
  const std::string command = page({read(p)})["runs"][0]["command"];
  EXPECT_TRUE(command.starts_with("heddle run adds --scale tiny --seed 7 --gpu clustered60")) << command;
  EXPECT_THAT(command, HasSubstr(" --set cluster.merger=icc"));
  EXPECT_THAT(command, HasSubstr(" --set l1.ways=8"));
  EXPECT_EQ(command.find("l1.sets"), std::string::npos) << command;
  // Of a machine that is gone nobody can say what differs.
  const study::Point lost = point("plain", 3);
  simulate({{lost, {}}});
  EXPECT_EQ(page({read(lost)})["runs"][0]["command"], "");
}

TEST_F(Pages, ShowRecordsOfOtherVersionsAsFarAsTheyCan) {
  const study::Point p = point("plain", 3);
  simulate({{p, {}}});
  Json record = Json::parse(*store_->record(p.key()));
  record["statistics"].erase("l1.reads_in");
  record["statistics"]["l1.news"] = {{"value", 5}, {"unit", "lines"}, {"description", "What comes"}};
  RunSource old;
  old.id = "old";
  old.record = record.dump();
  const Json json = page({read(p), reader_.read(old)});
  EXPECT_FALSE(json["runs"][1].contains("funnel"));
  EXPECT_FALSE(json["runs"][1].contains("detail"));
  std::size_t at = 0;
  while (json["statistics"][at]["name"] != "l1.reads_in") ++at;
  EXPECT_FALSE(json["runs"][0]["stats"][at].is_null());
  EXPECT_TRUE(json["runs"][1]["stats"][at].is_null());
  EXPECT_EQ(json["statistics"].back()["name"], "l1.news");
  EXPECT_EQ(json["runs"][1]["stats"].back(), 5);
}

TEST_F(Pages, RefuseWhatIsNoRecord) {
  const auto failure = [&](const std::string& text) {
    RunSource s;
    s.id = "x.json";
    s.record = text;
    try {
      reader_.read(s);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(failure("{"), HasSubstr("x.json"));
  EXPECT_THAT(failure("[]"), HasSubstr("no record"));
  EXPECT_THAT(failure(R"({"schema": "heddle.run/1"})"), HasSubstr("heddle.run/1"));
  EXPECT_THAT(failure(R"({"schema": "heddle.run/3", "mode": "functional"})"), HasSubstr("functional"));
  EXPECT_THAT(failure(R"({"schema": "heddle.run/3", "mode": "timing"})"), HasSubstr("no record"));
}

TEST_F(Pages, TellProgressOnlyWhenLive) {
  PageHead head;
  head.batches = {{"icc", 3, 10, 40, {"a"}}, {"compare", 1, 2, 100, {"b", "c"}}};
  EXPECT_FALSE(page({}, head).contains("progress"));
  head.live = true;
  const Json progress = page({}, head)["progress"];
  EXPECT_EQ(progress["done"], 4);
  EXPECT_EQ(progress["of"], 12);
  EXPECT_EQ(progress["seconds_left"], 100);
  EXPECT_EQ(progress["running"], Json({"a", "b", "c"}));
  head.batches[0].left_seconds = -1;
  EXPECT_TRUE(page({}, head)["progress"]["seconds_left"].is_null());
}

}  // namespace
}  // namespace heddle::report
