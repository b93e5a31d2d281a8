#include "runtime/device/options.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle::runtime {
namespace {

TEST(Options, SurviveTheEnvironment) {
  ExecOptions o;
  o.mode = Mode::Functional;
  o.gpu = "v100";
  o.configuration = "[l1]\nlatency = 33 # \"quoted\"\n";
  o.first_timed = 3;
  o.last_timed = 7;
  o.sample = 4;
  o.results = "/tmp/a b";
  const ExecOptions back = ExecOptions::from_json(o.to_json());
  EXPECT_EQ(back.mode, o.mode);
  EXPECT_EQ(back.gpu, o.gpu);
  EXPECT_EQ(back.configuration, o.configuration);
  EXPECT_EQ(back.first_timed, 3u);
  EXPECT_EQ(back.last_timed, 7u);
  EXPECT_EQ(back.sample, 4u);
  EXPECT_EQ(back.results, o.results);
  EXPECT_EQ(ExecOptions::from_json(ExecOptions().to_json()).last_timed, ~std::uint64_t{0});
}

TEST(Options, DamagedTextIsRefused) {
  EXPECT_THROW(ExecOptions::from_json("gpu=v100"), Error);
  EXPECT_THROW(ExecOptions::from_json("[1]"), Error);
  EXPECT_THROW(ExecOptions::from_json("{\"threads\": \"many\"}"), Error);
}

}  // namespace
}  // namespace heddle::runtime
