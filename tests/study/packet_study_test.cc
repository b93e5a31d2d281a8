// The bundled study of packet coalescing: whole, able to fail, and settled by the baseline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bundled_study.h"

namespace heddle::study {
namespace {

Study packet() {
  return bundled_study("packet");
}

TEST(PacketStudy, EveryNumberOfThePaperIsScoredOnce) {
  expect_every_number_is_scored_once("packet");
}

TEST(PacketStudy, WithAllDesignsEqualNoEffectIsReproduced) {
  EXPECT_EQ(expect_no_effect_of_equal_designs("packet"), 16u);
}

TEST(PacketStudy, EveryDesignCanBeBuilt) {
  EXPECT_THAT(make_plan(select(packet(), {})).refused, testing::IsEmpty());
}

// What machine and inputs stand on is measured without a proposal.
TEST(PacketStudy, LoadFiguresHoldNothing) {
  Selection load;
  load.figures = {"load"};
  const Plan plan = make_plan(select(packet(), load));
  EXPECT_GE(plan.machines.size(), 6u);
  for (const auto& [design, machine] : plan.machines)
    EXPECT_THAT(machine, testing::Not(testing::HasSubstr("merger = \"packet_coalescing\""))) << design;
}

// The paper's eleven programs, and STO, which is in its Figure 7.
TEST(PacketStudy, HasThePapersPrograms) {
  std::vector<std::string> names;
  for (const StudyWorkload& w : packet().workloads) names.push_back(w.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("aes", "bfs", "cp", "lps", "lib", "mum", "nn", "nqu",
                                                   "raytrace", "sto", "wp", "blackscholes"));
}

}  // namespace
}  // namespace heddle::study
