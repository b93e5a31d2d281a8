// Groups of statistics that are known only when a machine is put together.
#include "stats/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::stats {
namespace {

struct Queue {
  std::uint64_t in = 0, longest = 0;
  void statistics(Visitor& v) {
    v.counter("in", in, {"requests", "That came"});
    v.peak("longest", longest, {"requests", "Longest it was"});
  }
};
struct Cache {
  std::uint64_t hits = 0;
  void statistics(Visitor& v) { v.counter("hits", hits, {"requests", "Found"}); }
};

std::vector<std::string> names(Groups groups) {
  Snapshot all;
  all.add("", groups);
  std::vector<std::string> out;
  for (const Statistic& s : all.all()) out.push_back(s.info.name);
  return out;
}

TEST(Groups, KeepTheOrderInWhichTheyWereMade) {
  Groups g;
  g.make<Queue>("zebra");
  g.make<Cache>("a.cache");
  EXPECT_EQ(names(g), (std::vector<std::string>{"zebra.in", "zebra.longest", "a.cache.hits"}));
}

TEST(Groups, PartsAddUp) {
  Groups g;
  g.add("queue", Queue{3, 7});
  g.add("queue", Queue{4, 2});
  EXPECT_EQ(g.get<Queue>("queue").in, 7u);
  EXPECT_EQ(g.get<Queue>("queue").longest, 7u);
}

TEST(Groups, AddTakesOverWhatItDoesNotHave) {
  Groups one, other;
  one.add("queue", Queue{1, 1});
  other.add("queue", Queue{2, 5});
  other.add("cache", Cache{9});
  one.add(other);
  EXPECT_EQ(one.get<Queue>("queue").in, 3u);
  EXPECT_EQ(one.get<Queue>("queue").longest, 5u);
  EXPECT_EQ(one.get<Cache>("cache").hits, 9u);
  one.add(other);
  EXPECT_EQ(one.get<Cache>("cache").hits, 18u);
  EXPECT_EQ(other.get<Cache>("cache").hits, 9u);  // a copy, not the same
}

TEST(Groups, WhatIsNotThereIsZero) {
  const Groups g;
  EXPECT_FALSE(g.has("queue"));
  EXPECT_EQ(g.get<Queue>("queue").in, 0u);
}

TEST(Groups, CopiesStandAlone) {
  Groups g;
  g.add("queue", Queue{1, 1});
  Groups copy = g;
  copy.make<Queue>("queue").in = 5;
  EXPECT_EQ(g.get<Queue>("queue").in, 1u);
  g = copy;
  EXPECT_EQ(g.get<Queue>("queue").in, 5u);
}

TEST(Groups, OneNameIsOneStruct) {
  Groups g;
  g.make<Queue>("queue");
  EXPECT_THROW(g.make<Cache>("queue"), Error);
  EXPECT_THROW(g.get<Cache>("queue"), Error);
}

}  // namespace
}  // namespace heddle::stats
