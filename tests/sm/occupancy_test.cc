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

TEST(Occupancy, ACtaThatNeverFitsIsRefused) {
  SmSpec s;
  EXPECT_THROW(occupancy(s, {1024, 128, 0}), Error);
  EXPECT_THROW(occupancy(s, {32, 16, 200 << 10}), Error);
}

}  // namespace
}  // namespace heddle::sm
