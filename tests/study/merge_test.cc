// Stores of several machines into one.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "study/run/record.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

class Merge : public InFolder {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_ / (name + ".sqlite"); }
  std::string record(std::uint64_t seed) { return simulate(fake_point("adds", seed), fakes_.find()("adds")); }
  FakeWorkloads fakes_;
};

std::string changed(const std::string& record, const std::function<void(nlohmann::ordered_json&)>& how) {
  auto json = nlohmann::ordered_json::parse(record);
  how(json);
  return json.dump(2) + "\n";
}

TEST_F(Merge, UnitesPointsLabelsAndDetails) {
  Store a(file("a")), b(file("b"));
  const Point one = fake_point("adds", 1), two = fake_point("adds", 2);
  const std::string here = record(1);
  // The same on another machine: slower, another compiler, another name of the same GPU.
  const std::string there = changed(here, [](auto& j) {
    j["host"]["cpu_seconds"] = 99;
    j["build"]["target"] = "other";
    j["gpu"]["chosen"] = "mine.toml";
  });
  a.keep(one, here);
  a.label(one.key(), {"s", "A", ""});
  b.keep(one, there, "{\"schema\": \"heddle.detail/1\"}");
  b.label(one.key(), {"s", "B", ""});
  b.label(one.key(), {"s", "A", ""});
  b.keep(two, record(2));
  const Store::Merged m = a.merge(b);
  EXPECT_EQ(m.points, 1u);
  EXPECT_EQ(m.same, 1u);
  EXPECT_EQ(m.labels, 1u);
  EXPECT_EQ(m.details, 1u);
  const auto list = a.list();  // and every seal holds
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].labels.size(), 2u);
  EXPECT_EQ(*a.record(one.key()), here);
  EXPECT_THAT(*a.detail(one.key()), HasSubstr("heddle.detail"));
  EXPECT_EQ(*a.record(two.key()), *b.record(two.key()));
  EXPECT_EQ(a.repair().points, 0u);
  const Store::Merged again = a.merge(b);
  EXPECT_EQ(again.points + again.labels + again.details, 0u);
  EXPECT_EQ(again.same, 2u);
}

TEST_F(Merge, OtherBitsAreAnErrorThatNamesBoth) {
  Store a(file("a")), b(file("b"));
  a.keep(fake_point("adds", 2), record(2));
  b.keep(fake_point("adds", 1), record(1));
  b.keep(fake_point("adds", 2),
         changed(record(2), [](auto& j) { j["statistics"]["gpu.cycles"]["value"] = 1; }));
  try {
    a.merge(b);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("a.sqlite"));
    EXPECT_THAT(e.what(), HasSubstr("b.sqlite"));
    EXPECT_THAT(e.what(), HasSubstr(fake_point("adds", 2).key().substr(0, 12)));
  }
  EXPECT_EQ(a.list().size(), 1u) << "nothing is merged, or all";
}

TEST_F(Merge, PointsOfOtherSourcesKeepTheirKeys) {
  Store a(file("a")), b(file("b"));
  b.keep(fake_point("adds", 1), changed(record(1), [](auto& j) { j["build"]["source_hash"] = "older"; }));
  a.merge(b);
  ASSERT_EQ(a.list().size(), 1u);
  EXPECT_EQ(a.list().front().source_hash, "older");
  EXPECT_EQ(a.list().front().finished, b.list().front().finished);
}

TEST_F(Merge, TogetherIsAllOrNothing) {
  Store a(file("a"));
  {
    Store::Together lost(a);
    a.keep(fake_point("adds", 1), record(1));
    a.label(fake_point("adds", 1).key(), {"s", "A", ""});
  }
  EXPECT_TRUE(a.list().empty());
  Store::Together kept(a);
  a.keep(fake_point("adds", 1), record(1));
  a.keep(fake_point("adds", 1), record(1));
  a.label(fake_point("adds", 1).key(), {"s", "A", ""});
  kept.commit();
  EXPECT_EQ(a.list().size(), 1u);
  EXPECT_EQ(Store(file("a")).list().front().labels.size(), 1u);
}

TEST_F(Merge, WhatDecidesIsNotWhatItCost) {
  const std::string r = record(1);
  EXPECT_EQ(decisive(r), decisive(changed(r, [](auto& j) { j["host"]["threads"] = 8; })));
  EXPECT_NE(decisive(r), decisive(changed(r, [](auto& j) { j["verification"]["ok"] = false; })));
  EXPECT_NE(decisive(r), decisive(changed(r, [](auto& j) { j["build"]["source_hash"] = "x"; })));
  EXPECT_THROW(decisive("{}"), Error);
}

}  // namespace
}  // namespace heddle::study
