// Points, their keys, and the record as text and as a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/version.h"
#include "gpu/simulation_spec.h"
#include "study/run/record.h"
#include "study/run/result.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

const std::string& record_of_three() {
  static const std::string record = [] {
    const Point p = fake_point("adds", 3);
    return simulate(p, FakeWorkloads().find()(p.workload));
  }();
  return record;
}

std::string failure(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(PointKey, EverythingThatDecidesTheResultIsInIt) {
  const Point p = fake_point("adds", 1);
  EXPECT_EQ(p.key(), fake_point("adds", 1).key());
  EXPECT_EQ(p.key().size(), 64u);
  std::vector<Point> others(6, p);
  others[0].workload = "add";
  others[1].contents = "s";  // of a user's file whose name ends where another's contents begin
  others[2].scale = workload::Scale::Small;
  others[3].seed = 2;
  others[4].machine += "\n";
  others[5].workload = "add", others[5].contents = "s";
  std::set<std::string> keys = {p.key()};
  for (const Point& o : others) EXPECT_TRUE(keys.insert(o.key()).second) << o.workload;
}

TEST(PointKey, NamesForPeopleAreNot) {
  Point p = fake_point("adds", 1);
  p.gpu = "my own file.toml";
  EXPECT_EQ(p.key(), fake_point("adds", 1).key());
}

TEST(Record, HasWhatAReaderNeeds) {
  const auto r = nlohmann::json::parse(record_of_three());
  EXPECT_EQ(r["schema"], "heddle.run/3");
  EXPECT_EQ(r["mode"], "timing");
  EXPECT_EQ(r["complete"], true);
  EXPECT_EQ(r["workload"]["name"], "adds");
  EXPECT_EQ(r["workload"]["scale"], "tiny");
  EXPECT_EQ(r["workload"]["seed"], 3);
  EXPECT_EQ(r["workload"]["parameters"]["CTAs"], "3");
  EXPECT_EQ(r["gpu"]["chosen"], "small");
  EXPECT_EQ(r["configuration"], small_machine());
  EXPECT_EQ(r["verification"]["compared"], 96);
  EXPECT_EQ(r["statistics"]["sm.ctas"]["value"], 3);
  EXPECT_GT(r["host"]["memory_bytes"], 1 << 20);
  EXPECT_GT(r["host"]["wall_seconds"], 0);
}

TEST(Record, ThreadsChangeNothingButTheHost) {
  const Point p = fake_point("adds", 3);
  EXPECT_EQ(without_host(simulate(p, FakeWorkloads().find()("adds"), 2)), without_host(record_of_three()));
}

TEST(Record, ReadsBackToTheSameText) {
  EXPECT_EQ(to_text(parse_timing(record_of_three())), record_of_three());
}

TEST(Record, ReadingRefusesWhatIsNone) {
  EXPECT_THAT(failure([] { parse_timing("{}"); }), HasSubstr("not a record"));
  EXPECT_THAT(failure([] { parse_timing("nonsense"); }), HasSubstr("not a record"));
  auto json = nlohmann::ordered_json::parse(record_of_three());
  json["statistics"].erase("l2.read_hits");
  EXPECT_THAT(failure([&] { parse_timing(json.dump()); }), HasSubstr("'l2.read_hits'"));
  json["mode"] = "functional";
  EXPECT_THAT(failure([&] { parse_timing(json.dump()); }), HasSubstr("expected a record of a simulated run"));
}

TEST(Simulate, RefusesAMachineWithUnknownParameters) {
  Point p = fake_point("adds", 1);
  p.machine += "\n[l3]\nsize = 5\n";
  EXPECT_THAT(failure([&] { simulate(p, FakeWorkloads().find()("adds")); }), HasSubstr("l3.size"));
}

TEST(Results, ValuesByName) {
  const Result r = Result::parse(record_of_three());
  EXPECT_EQ(r.value("sm.ctas"), 3);
  EXPECT_GT(r.value("gpu.cycles"), 100);
  EXPECT_TRUE(r.has("gpu.cycles"));
  EXPECT_FALSE(r.has("gpu.cycle"));
  EXPECT_THAT(failure([&] { r.value("gpu.cycle"); }), HasSubstr("did you mean 'gpu.cycles'?"));
  EXPECT_TRUE(r.verified);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.source_hash, build_info().source_hash);
  EXPECT_EQ(r.input_hash.size(), 16u);
  EXPECT_GT(r.memory_bytes, 1 << 20);
}

TEST(Results, HistogramsHaveAMeanAndRatiosMayHaveNoValue) {
  auto json = nlohmann::ordered_json::parse(record_of_three());
  json["statistics"] = {
      {"a.latency", {{"value", {{"samples", 2}, {"sum", 5}, {"mean", 2.5}, {"largest", 4}, {"bins", {}}}}}},
      {"a.rate", {{"value", nullptr}}}};
  const Result r = Result::parse(json.dump());
  EXPECT_EQ(r.value("a.latency.mean"), 2.5);
  EXPECT_EQ(r.value("a.latency.largest"), 4);
  EXPECT_TRUE(std::isnan(r.value("a.rate")));
}

TEST(Results, AWrongResultIsPartOfTheRecord) {
  const Point p = fake_point("wrong", 1);
  const Result r = Result::parse(simulate(p, FakeWorkloads().find()("wrong")));
  EXPECT_FALSE(r.verified);
  EXPECT_THAT(r.problem, HasSubstr("expected 8"));
}

TEST(Results, OtherSchemasAreRefused) {
  auto json = nlohmann::ordered_json::parse(record_of_three());
  json["schema"] = "heddle.run/2";
  EXPECT_THAT(failure([&] { Result::parse(json.dump()); }), HasSubstr("heddle.run/2"));
  EXPECT_THAT(failure([&] { Result::parse("[]"); }), HasSubstr("not a record"));
}

}  // namespace
}  // namespace heddle::study
