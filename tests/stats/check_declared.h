// A test for any struct with declared statistics: gives every declared counter a value of its own and checks
// that it is reported, that nothing was forgotten, and that adding and formulas work.
//
//   TEST(L1Stats, Declared) { stats::check_declared<L1Stats>(); }
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "stats/snapshot.h"

namespace heddle::stats {

template <class S>
void check_declared() {
  S stats{};
  const auto words = detail::words([&](Visitor& v) { stats.statistics(v); });
  EXPECT_EQ(words.size() * sizeof(std::uint64_t), sizeof(S)) << "a counter of the struct is not declared";
  std::set<std::uint64_t*> places;
  std::uint64_t next = 1;
  for (const auto& word : words) {
    EXPECT_TRUE(places.insert(word.at).second) << "a counter is declared twice";
    *word.at = next++;
  }

  Snapshot snapshot;
  snapshot.add("", stats);
  std::set<std::string> names;
  std::uint64_t expected = 1;
  for (const Statistic& s : snapshot.all()) {
    EXPECT_TRUE(names.insert(s.info.name).second) << s.info.name << " is declared twice";
    EXPECT_FALSE(s.info.description.empty()) << s.info.name;
    EXPECT_EQ(s.info.kind == Kind::Derived, !s.info.formula.empty()) << s.info.name;
    EXPECT_EQ(s.info.formula.find('?'), std::string::npos) << s.info.name << ": ratio of undeclared counters";
    if (const auto* n = std::get_if<std::uint64_t>(&s.reading)) {
      EXPECT_EQ(*n, expected++) << s.info.name;
      EXPECT_FALSE(s.info.unit.empty()) << s.info.name;
    } else if (const auto* h = std::get_if<HistogramValue>(&s.reading)) {
      for (const Bin& bin : h->bins) EXPECT_EQ(bin.count, expected++) << s.info.name;
      EXPECT_EQ(h->sum, expected++);
      EXPECT_EQ(h->largest, expected++);
    } else {
      EXPECT_TRUE(std::isfinite(std::get<double>(s.reading))) << s.info.name;
    }
  }

  S twice = stats;
  accumulate(twice, stats);
  const auto doubled = detail::words([&](Visitor& v) { twice.statistics(v); });
  for (std::size_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(*doubled[i].at, words[i].maximum ? *words[i].at : 2 * *words[i].at);
}

}  // namespace heddle::stats
