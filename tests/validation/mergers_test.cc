// Other mergers in place of the H200's: designs, conservation, and that the card's design is the card's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "gpu/presets.h"
#include "validation/mergers.h"
#include "validation/report.h"

namespace heddle::validation {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

gpu::GpuSpec spec_of(const MergerDesign& design) {
  config::Config c = gpu::load_config("h200");
  for (const std::string& s : design.settings) c.set(s);
  gpu::GpuSpec spec = config::read<gpu::GpuSpec>(c);
  c.check_all_read();
  return spec;
}

const MergerDesign& find(const std::vector<MergerDesign>& designs, const std::string& name) {
  for (const MergerDesign& design : designs)
    if (design.name == name) return design;
  throw Error("no design " + name);
}

// Moving a merger to the other side of the crossbar changes neither the way to L2 nor the window.
TEST(MergerDesigns, AllHaveTheCardsLatencies) {
  const auto designs = merger_designs();
  const gpu::LatencySpec card = spec_of(find(designs, "LRC")).latency;
  for (const MergerDesign& design : designs) {
    const gpu::LatencySpec l = spec_of(design).latency;
    EXPECT_EQ(l.sm_to_cluster + l.cluster_to_network + l.network_to_partition,
              card.sm_to_cluster + card.cluster_to_network + card.network_to_partition)
        << design.name;
    EXPECT_EQ(l.partition_to_network + l.network_to_cluster + l.cluster_to_sm,
              card.partition_to_network + card.network_to_cluster + card.cluster_to_sm)
        << design.name;
    EXPECT_EQ(l.sm_to_cluster < l.network_to_partition, design.name.starts_with("near")) << design.name;
  }
}

TEST(MergerDesigns, AreScaledByTheSmsOfACluster) {
  const auto designs = merger_designs();
  const std::uint32_t sms = spec_of(find(designs, "LRC")).gpu.sms_per_cluster;
  EXPECT_THAT(find(designs, "ICC+CC").settings,
              testing::IsSupersetOf({"cluster.icc_cc.entries=" + std::to_string((48 * sms + 4) / 5),
                                     "cluster.icc_cc.lines=" + std::to_string((24 * sms + 4) / 5)}));
}

MergersResult two_designs() {
  MergersResult r;
  r.designs = {{"none", "", "", {"x"}}, {"own", "none", "", {}}};
  r.reference = 1;
  r.rows = {{"a", {100, 80}, {{100, 100, 0, 0, 100, 50, 0, 4000}, {100, 60, 30, 10, 60, 50, 0, 1000}}},
            {"b", {0, 10}, {{0, 0, 0, 0, 20, 0, 0, 1000}, {0, 0, 0, 0, 12, 0, 0, 1000}}}};
  return r;
}

TEST(MergerMeans, OverPrograms) {
  const MergersResult r = two_designs();
  EXPECT_DOUBLE_EQ(r.rows[0].points[1].kept(), 0.4);
  EXPECT_DOUBLE_EQ(r.rows[1].points[1].kept(), 0);  // nothing offered
  EXPECT_DOUBLE_EQ(r.mean_kept(1), 0.2);
  EXPECT_DOUBLE_EQ(r.mean_card_kept(), 0.1);
  EXPECT_DOUBLE_EQ(r.mean_cycles(0), 2);  // of 4 and 1
  EXPECT_DOUBLE_EQ(r.mean_cycles(1), 1);
}

TEST(MergerMeans, AreToldAsSentences) {
  const auto f = findings(two_designs());
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[0],
            "own keeps 20.0% of the read sectors that miss in L1s from L2 (mean of 2 programs); the H200 "
            "itself 10.0%");
  EXPECT_EQ(
      f[1],
      "own beside none: 20.0% instead of 0.0% kept from L2; L2 reads -40.0%; cycles -50.0% (most: a -75.0%)");
}

class OneProgram : public testing::Test {
 protected:
  static void SetUpTestSuite() { result_ = compare_mergers({"nbody", 2, {}}); }
  static MergersResult result_;
};
MergersResult OneProgram::result_;

TEST_F(OneProgram, EverySectorIsAskedForMergedOrHeld) {
  ASSERT_EQ(result_.rows.size(), 1u);
  ASSERT_EQ(result_.rows[0].points.size(), result_.designs.size());
  for (std::size_t i = 0; i < result_.designs.size(); ++i) {
    const MergerPoint& p = result_.rows[0].points[i];
    const std::string& name = result_.designs[i].name;
    EXPECT_EQ(p.offered, 4096u) << name;  // eight SMs read 16 KiB each
    EXPECT_EQ(p.asked + p.merged + p.held, p.offered) << name;
    EXPECT_EQ(p.l2_reads, p.asked) << name;
    EXPECT_EQ(p.held > 0, name.ends_with("+CC")) << name;
    // Eight CTAs: distributed scheduling puts one into each cluster, where nobody is left to merge with.
    EXPECT_EQ(p.merged > 0, name != "none" && !name.ends_with("DB")) << name;
    EXPECT_GT(p.cycles, 0u) << name;
  }
}

TEST_F(OneProgram, TheCardsDesignIsWhatSiliconIsComparedWith) {
  const SiliconResult silicon = compare_with_silicon({"nbody", 1, {}}, Tolerances::recorded());
  const Figure& reads = silicon.sums[0].figure("L2 reads");
  EXPECT_EQ(result_.designs[result_.reference].name, "LRC");
  EXPECT_EQ(static_cast<double>(result_.rows[0].points[result_.reference].l2_reads), reads.ours);
  EXPECT_EQ(result_.rows[0].card.l2_reads, reads.theirs);
  EXPECT_EQ(result_.rows[0].card.received, 4096);
}

TEST_F(OneProgram, IsPrintedAndRecorded) {
  Results results;
  results.mergers = result_;
  EXPECT_TRUE(results.within_tolerances());
  std::ostringstream text, markdown;
  write_tables(results, false, text);
  write_tables(results, true, markdown);
  EXPECT_THAT(text.str(), StartsWith("In place of an H200's request coalescer"));
  EXPECT_THAT(text.str(), HasSubstr("LRC beside none: "));
  EXPECT_THAT(markdown.str(), HasSubstr("| program | H200 | none | LRC |"));
  const auto json = nlohmann::json::parse(to_json(results));
  const auto& points = json["mergers"]["programs"][0]["points"];
  ASSERT_EQ(points.size(), result_.designs.size());
  EXPECT_EQ(points[result_.reference]["l2_reads"], result_.rows[0].points[result_.reference].l2_reads);
}

TEST(Mergers, AnErrorOfAPointIsTold) {
  EXPECT_THROW(compare_mergers({"nbody", 2, {"no.such=1"}}), Error);
}

}  // namespace
}  // namespace heddle::validation
