#include "sim/time.h"

#include <gtest/gtest.h>

namespace heddle::sim {
namespace {

TEST(Clock, SameFrequencyIsTheIdentity) {
  const Clock c(700_MHz, 700_MHz);
  for (std::uint64_t t : {0u, 1u, 17u, 1'000'000u}) {
    EXPECT_EQ(c.cycle_of(t), t);
    EXPECT_EQ(c.tick_from(t), t);
  }
}

// A tick never begins before its moment, nor a whole core cycle after it; the inverse is exact.
TEST(Clock, RatiosAreExact) {
  const std::pair<Frequency, Frequency> pairs[] = {
      {924_MHz, 700_MHz}, {850_MHz, 1132_MHz}, {3_GHz, 2_GHz}, {1_MHz, 999_MHz}};
  for (const auto& [own, core] : pairs) {
    const Clock c(own, core);
    std::uint64_t t = 0;
    for (Cycle cycle = 0; cycle < 3000; ++cycle) {
      EXPECT_EQ(c.tick_from(cycle), t) << to_string(own) << " at core cycle " << cycle;
      while (c.cycle_of(t) == cycle) {
        const auto moment = static_cast<unsigned __int128>(t) * core.count();
        EXPECT_GE(static_cast<unsigned __int128>(cycle) * own.count(), moment);
        EXPECT_LT(static_cast<unsigned __int128>(cycle) * own.count(), moment + own.count());
        ++t;
      }
    }
    EXPECT_NEAR(static_cast<double>(t),
                3000.0 * static_cast<double>(own.count()) / static_cast<double>(core.count()), 1.0);
  }
}

TEST(Clock, StaysExactAfterYears) {
  const Clock c(924_MHz, 700_MHz);
  const std::uint64_t t = 924ull * 1'000'000'000'000ull;
  EXPECT_EQ(c.cycle_of(t), 700ull * 1'000'000'000'000ull);
  const Cycle cycle = 700ull * 1'000'000'000'000ull;
  EXPECT_GE(c.cycle_of(c.tick_from(cycle)), cycle);
  EXPECT_LT(c.cycle_of(c.tick_from(cycle) - 1), cycle);
}

}  // namespace
}  // namespace heddle::sim
