// What is checked of any list of stages, with stages that say what the test wants.
#include "mem/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle::mem {
namespace {

using testing::ElementsAre;

class Fake final : public Stage {
 public:
  Fake(std::string_view name, const Edges& edges) : name_(name), edges_(edges) {}
  std::string_view name() const override { return name_; }
  void declare(stats::Groups&) const override {}
  Edges edges(const stats::Groups&) const override { return edges_; }
  std::vector<Identity> identities(const stats::Groups&) const override { return own; }
  void funnel(const stats::Groups&, Funnel& f) const override {
    for (const FunnelLevel& l : levels) f.add(l);
  }
  void collect(stats::Groups&) const override {}
  void clear_statistics() override {}
  bool idle() const override { return true; }

  std::vector<Identity> own;
  std::vector<FunnelLevel> levels;

 private:
  std::string_view name_;
  Edges edges_;
};

std::vector<std::string> violated(const std::vector<Identity>& all) {
  std::vector<std::string> out;
  for (const Identity& i : all)
    if (i.one != i.other) out.push_back(i.what);
  return out;
}

TEST(Stages, WhatOneSendsTheNextMustReceive) {
  Fake top("the top", {.requests_out = 5, .answers_in = 5, .loads_out = 3});
  Fake bottom("the bottom", {.requests_in = 5, .answers_out = 5, .loads_in = 3});
  EXPECT_EQ(identities({&top, &bottom}, {}).size(), 3u);
  EXPECT_THAT(violated(identities({&top, &bottom}, {})), ElementsAre());

  Fake loses("the bottom", {.requests_in = 4, .answers_out = 4, .loads_in = 3});
  EXPECT_THAT(
      violated(identities({&top, &loses}, {})),
      ElementsAre("requests from the top and at the bottom", "answers from the bottom and at the top"));
}

// A wire that does not count is no hole in the check.
TEST(Stages, WhoDoesNotCountIsPassed) {
  Fake top("the top", {.loads_out = 3});
  Fake wire("the wire", {});
  Fake bottom("the bottom", {.loads_in = 4});
  EXPECT_THAT(violated(identities({&top, &wire, &bottom}, {})),
              ElementsAre("global reads from the top and at the bottom"));
}

TEST(Stages, BringTheirOwnIdentities) {
  Fake top("the top", {});
  top.own = {{"hits and misses", 4, 4}, {"puts and gets", 1, 2}};
  EXPECT_THAT(violated(identities({&top}, {})), ElementsAre("puts and gets"));
}

TEST(Stages, TheFunnelIsTheirLevelsInOrder) {
  Fake top("the top", {}), bottom("the bottom", {});
  top.levels = {{"lanes", "accesses", "", 9}, {"lines", "requests", "coalescing", 4}};
  bottom.levels = {{"bursts", "bursts", "", 8}};
  const Funnel f = funnel({&top, &bottom}, {}, false);
  ASSERT_EQ(f.levels.size(), 3u);
  EXPECT_EQ(f.at("lines").count, 4u);
  EXPECT_EQ(f.number_of("bursts"), 2u);
  EXPECT_FALSE(f.has("nothing"));
  EXPECT_THROW(f.at("nothing"), Error);
}

TEST(Funnels, APlaceTakesAwayAndAdds) {
  Funnel f;
  f.measured = true;
  f.add({"in", "requests", "", 100}, PotentialStats{100, 60});
  f.add({"out", "requests", "", 90});
  const FunnelPlace place{"a place", 0, 1, {{"hits", 30, false}, {"prefetcher", 20, true}}};
  EXPECT_EQ(Funnel::removed(place), 30u);
  EXPECT_EQ(Funnel::added(place), 20u);
  EXPECT_EQ(f.left(place), 30u);
}

TEST(Funnels, TwoMachinesOnOneListOfLevels) {
  Funnel a, b;
  for (const char* name : {"lanes", "lines", "bursts"}) a.add({name, "", "", 1});
  for (const char* name : {"lanes", "lines", "at nodes", "bursts", "rows"}) b.add({name, "", "", 1});
  EXPECT_THAT(levels_of(a, b), ElementsAre("lanes", "lines", "at nodes", "bursts", "rows"));
  EXPECT_THAT(levels_of(b, a), ElementsAre("lanes", "lines", "at nodes", "bursts", "rows"));
}

}  // namespace
}  // namespace heddle::mem
