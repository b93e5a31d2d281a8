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
  const Study s = packet();
  const Selected all = select(s, {});
  const StudyReport report(all, nothing_changes(s));
  const std::size_t lines = target_lines("packet");
  EXPECT_EQ(s.rows.size(), lines);
  EXPECT_EQ(report.score().rows.size(), lines);
  for (const Row& r : s.rows) EXPECT_NE(s.figure(r.figure), nullptr) << "line " << r.target.line;
}

TEST(PacketStudy, WithAllDesignsEqualNoEffectIsReproduced) {
  const Study s = packet();
  const Selected all = select(s, {});
  std::size_t effects = 0;
  for (const Scored& scored : score(all, nothing_changes(s))) {
    if (!scored.row->not_attempted.empty()) continue;
    if (s.metric(scored.row->measure.metric).kind != Kind::Change) continue;
    ++effects;
    EXPECT_EQ(scored.state, State::NoEffect) << "line " << scored.row->target.line;
  }
  EXPECT_EQ(effects, 16u);
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
