#include "apps/cli/reports/whole_program.h"

#include <gmock/gmock.h>

namespace heddle::cli {
namespace {

using testing::ElementsAre;

study::TimingRecord record(std::uint64_t a, std::uint64_t b) {
  study::TimingRecord r;
  r.spec.gpu.clock = Frequency{1'000'000'000};
  r.launches = {{"a", 0, a, 1, 10}, {"b", a, b, 1, 10}, {"a", a + b, a, 1, 10}};
  return r;
}

TEST(WholeProgram, LaunchesThatAreLeftOutCountByTheirInstructions) {
  runtime::LaunchesHeld launches;
  launches.kernels["a"] = {{2, 20}, {3, 60}};
  launches.kernels["b"] = {{1, 10}, {}};
  launches.kernels["c"] = {{}, {5, 50}};
  const WholeProgram p = whole_program(launches, record(100, 70));
  EXPECT_EQ(p.cycles, 2 * 100 + 70 + 600);
  EXPECT_EQ(p.left_out, 600);
  EXPECT_DOUBLE_EQ(p.seconds, 870e-9);
  EXPECT_THAT(p.unknown, ElementsAre("c"));

  const study::Table t =
      whole_program_table({{"baseline", p}, {"B", whole_program(launches, record(50, 70))}});
  EXPECT_THAT(t.rows[0], ElementsAre("baseline", "870", "", "69.0%"));
  EXPECT_THAT(t.rows[1], ElementsAre("B", "470", "+85.1%", "63.8%"));
  EXPECT_THAT(t.below, ElementsAre("Without c, of which the recording holds no launch."));
}

}  // namespace
}  // namespace heddle::cli
