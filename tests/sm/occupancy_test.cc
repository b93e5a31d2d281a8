#include "sm/occupancy.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle::sm {
namespace {

TEST(Occupancy, EachResourceCanLimit) {
  SmSpec s;  // 2048 threads, 64 warps, 32 CTAs, 65536 registers, 96 KiB
  EXPECT_EQ(occupancy(s, {256, 16, 0}).ctas, 8u);
  EXPECT_EQ(occupancy(s, {256, 16, 0}).limited_by, "threads");
  EXPECT_EQ(occupancy(s, {32, 16, 0}).ctas, 32u);
  EXPECT_EQ(occupancy(s, {32, 16, 0}).limited_by, "ctas");
  EXPECT_EQ(occupancy(s, {256, 64, 0}).ctas, 4u);
  EXPECT_EQ(occupancy(s, {256, 64, 0}).limited_by, "registers");
  EXPECT_EQ(occupancy(s, {64, 16, 48 << 10}).ctas, 2u);
  EXPECT_EQ(occupancy(s, {64, 16, 48 << 10}).limited_by, "bytes of shared memory");
}

TEST(Occupancy, RegistersAreAllocatedInUnitsPerWarp) {
  SmSpec s;
  // 33 registers x 32 lanes = 1056, rounded to 1280; 8 warps: 10240; 6 fit.
  EXPECT_EQ(occupancy(s, {256, 33, 0}).registers_per_cta, 10240u);
  EXPECT_EQ(occupancy(s, {256, 33, 0}).ctas, 6u);
}

TEST(Occupancy, PartsOfTheRegisterFileHoldWholeWarps) {
  SmSpec s;
  s.warp_allocation_unit = 4;
  // 49 registers: 1792 per warp; 9 fit a quarter of 16384, 36 the SM: 18 CTAs of two warps, 7 of five.
  EXPECT_EQ(occupancy(s, {64, 49, 0}).ctas, 18u);
  EXPECT_EQ(occupancy(s, {160, 49, 0}).ctas, 7u);
  EXPECT_EQ(occupancy(s, {64, 49, 0}).registers_usable, 36u * 1792);
  s.warp_allocation_unit = 1;
  EXPECT_EQ(occupancy(s, {96, 96, 0}).ctas, 7u);  // 21 warps of 3072
  s.warp_allocation_unit = 4;
  EXPECT_EQ(occupancy(s, {96, 96, 0}).ctas, 6u);  // 20 warps
}

TEST(Occupancy, ACtaThatNeverFitsIsRefused) {
  SmSpec s;
  EXPECT_THROW(occupancy(s, {1024, 128, 0}), Error);
  EXPECT_THROW(occupancy(s, {32, 16, 200 << 10}), Error);
}

}  // namespace
}  // namespace heddle::sm
