#include "gpu/sampler.h"

#include <gtest/gtest.h>

namespace heddle::gpu {
namespace {

// A machine that issues one instruction per cycle.
struct Counting {
  sim::Cycle now = 0, cleared = 0;
  SampledCounters read() const {
    SampledCounters c;
    c.instructions = now - cleared;
    c.resident_warps = 7;
    return c;
  }
};

class SamplerTest : public testing::Test {
 protected:
  void window(sim::Cycle until) {
    machine_.now = until;
    EXPECT_EQ(sampler_.window_end(until), sim::kNever);  // it never keeps an idle machine going
  }
  Counting machine_;
  Sampler sampler_{100, [this] { return machine_.read(); }};
};

TEST_F(SamplerTest, OneSamplePerInterval) {
  sampler_.begin(0, 0);
  for (sim::Cycle t = 8; t <= 304; t += 8) window(t);
  ASSERT_EQ(sampler_.samples().size(), 3u);  // at the window ends 104, 200 and 304
  EXPECT_EQ(sampler_.samples()[0].until, 104u);
  EXPECT_EQ(sampler_.samples()[1].from, 104u);
  EXPECT_EQ(sampler_.samples()[1].until, 200u);
  EXPECT_EQ(sampler_.samples()[1].in.instructions, 96u);
  EXPECT_EQ(sampler_.samples()[1].in.resident_warps, 7u);  // as of now, not a difference
}

TEST_F(SamplerTest, JumpsMakeLongSamplesAndKeepTheGrid) {
  sampler_.begin(0, 0);
  window(104);
  window(1010);
  window(1096);  // not due before 1100
  window(1104);
  ASSERT_EQ(sampler_.samples().size(), 3u);
  EXPECT_EQ(sampler_.samples()[1].until - sampler_.samples()[1].from, 906u);
  EXPECT_EQ(sampler_.samples()[2].until, 1104u);
}

TEST_F(SamplerTest, LaunchesAreApartAndComplete) {
  sampler_.begin(0, 0);
  window(48);
  sampler_.end(48);
  machine_.cleared = 48;
  window(400);  // between launches nothing is sampled
  machine_.cleared = 400;
  sampler_.begin(1, 400);
  window(504);
  window(512);
  sampler_.end(512);
  ASSERT_EQ(sampler_.samples().size(), 3u);
  EXPECT_EQ(sampler_.samples()[0].in.instructions, 48u);
  EXPECT_EQ(sampler_.samples()[1].launch, 1u);
  EXPECT_EQ(sampler_.samples()[1].in.instructions + sampler_.samples()[2].in.instructions, 112u);
}

}  // namespace
}  // namespace heddle::gpu
