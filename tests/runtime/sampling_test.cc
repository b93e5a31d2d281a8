#include "runtime/device/sampling.h"

#include <vector>

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

// The launches of kernel "k" that are timed, of so many.
std::vector<int> timed(Sampling& s, int launches) {
  std::vector<int> numbers;
  for (int i = 0; i < launches; ++i) {
    if (s.wants("k")) {
      numbers.push_back(i);
      s.timed("k", 10, 5);
    } else {
      s.untimed("k");
    }
  }
  return numbers;
}

TEST(Sampling, TimesTheFirstAndThenEverFewer) {
  Sampling s(8);
  EXPECT_EQ(timed(s, 1000), (std::vector<int>{0, 1, 2, 3, 5, 8, 12, 18}));
  EXPECT_TRUE(s.wants("other")) << "each kernel for itself";
}

TEST(Sampling, ChoosesTheSameWhereNothingHasATime) {
  Sampling s(5);
  std::vector<int> numbers;
  for (int i = 0; i < 100; ++i) {
    if (!s.wants("k")) {
      s.untimed("k");
      continue;
    }
    numbers.push_back(i);
    s.chosen("k");
  }
  EXPECT_EQ(numbers, (std::vector<int>{0, 1, 2, 3, 5}));
  EXPECT_EQ(s.estimate("k", 100), 0u);
}

TEST(Sampling, ZeroTimesEveryLaunch) {
  Sampling s(0);
  EXPECT_EQ(timed(s, 30).size(), 30u);
}

TEST(Sampling, EstimatesFromCyclesPerInstruction) {
  Sampling s(2);
  EXPECT_EQ(s.estimate("k", 100), 0u) << "nothing is known yet";
  s.timed("k", 1000, 100);
  s.timed("k", 500, 50);
  EXPECT_EQ(s.estimate("k", 7), 70u);
  s.timed("empty", 44, 0);
  EXPECT_EQ(s.estimate("empty", 0), 44u);
}

}  // namespace
}  // namespace heddle::runtime
