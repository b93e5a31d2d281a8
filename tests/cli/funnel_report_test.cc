// How a funnel is printed.
#include "apps/cli/reports/funnel_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "gpu/stages.h"

namespace heddle::cli {
namespace {

using mem::Funnel;
using testing::HasSubstr;
using testing::Not;

struct Example : gpu::MachineStats {
  sm::SmStats& sm = groups.make<sm::SmStats>("sm");
  cache::L1Stats& l1 = groups.make<cache::L1Stats>("l1");
  cluster::ClusterStats& cluster = groups.make<cluster::ClusterStats>("cluster");
  cache::L2Stats& l2 = groups.make<cache::L2Stats>("l2");
  dram::DramStats& dram = groups.make<dram::DramStats>("dram");

  Example() {
    sm.global_load.lanes = 320'000;
    sm.global_load.lines = 24'000;
    l1.global_reads = {24'000, 12'000, 2'000, 9'000, 1'000};
    cluster.global_reads_forwarded = cluster.global_reads_injected = 8'000;
    l2.global_reads = {8'000, 5'000, 500, 2'500, 0, 0};
    dram.global_bursts = 5'000;
    dram.global_activations = 1'000;
    could_merge("line_requests") = 20'000;
    could_merge("l1_misses") = 6'000;
    could_merge("cluster") = 5'000;
    could_merge("network") = 6'000;
    could_merge("l2_misses") = 1'000;
    could_merge("rows") = 4'500;
  }
  std::uint64_t& could_merge(const std::string& level) {
    return groups.make<mem::PotentialLevel>("potential." + level).could_merge;
  }
};

Funnel funnel(const gpu::MachineStats& s, bool measured = true) {
  gpu::GpuSpec spec = gpu::default_spec();
  spec.measure.funnel = measured;
  return gpu::funnel(spec, s);
}

std::string printed(const Funnel& f) {
  std::ostringstream out;
  print_funnel(f, 2000, out);
  return out.str();
}

TEST(FunnelReport, IsDrawnLevelByLevel) {
  EXPECT_EQ(printed(funnel(Example())),
            "global loads               count of above                           could merge\n"
            "lanes                    320,000           #######################>\n"
            "line requests             24,000     7.5%  ####++++++++++++++++++++       83.3%\n"
            "after inter-warp          24,000   100.0%  ########################\n"
            "L1 misses                 12,000    50.0%  ######++++++                   50.0%\n"
            "after MSHR                10,000    83.3%  #####+++++                     50.0%\n"
            "after the cluster          8,000    80.0%  ########\n"
            "NoC packets                8,000   100.0%  ##++++++                       75.0%\n"
            "L2 misses                  3,000    37.5%  ##+                            33.3%\n"
            "after L2 MSHR              2,500    83.3%  ###\n"
            "DRAM bursts                5,000   200.0%  +++++                          90.0%\n"
            "row activations            1,000    20.0%  #\n"
            "'+', could merge: same line (DRAM: same row) asked for there within 2,000 cycles\n"
            "or still under way; what did merge is among them.\n\n"
            "Most redundancy is removed by L1 hits: 12,000 requests, 50.0% of all line\n"
            "requests. Most is left at the L1s and their MSHRs: 6,000 of 24,000 requests\n"
            "could have merged within 2,000 cycles and did not.\n");
}

TEST(FunnelReport, FitsInEightyColumns) {
  Example s;
  s.sm.global_load.lanes = 123'456'789'012;
  s.sm.global_load.lines = s.l1.global_reads.in = 98'765'432'109;
  std::istringstream text(printed(funnel(s)));
  for (std::string line; std::getline(text, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(FunnelReport, SummaryFollowsTheNumbers) {
  Example s;
  s.could_merge("line_requests") = 100;
  s.l1.global_reads = {24'000, 100, 0, 23'900, 0};
  s.cluster.global_reads_forwarded = s.cluster.global_reads_injected = 3'000;
  s.l2.global_reads = {3'000, 0, 0, 3'000, 0, 0};
  const std::string merged = funnel_summary(funnel(s), 2000);
  EXPECT_THAT(merged, HasSubstr("removed by the clusters' mergers: 20,900 requests, 87.1%"));
  EXPECT_THAT(merged, HasSubstr("left at the L2 and its MSHRs: 6,000 of 3,000"));
}

TEST(FunnelReport, SaysWhenThereIsNothing) {
  EXPECT_EQ(funnel_summary(funnel({}), 2000), "The program loads nothing from global memory.");
  const std::string empty = printed(funnel({}));
  EXPECT_THAT(empty, Not(HasSubstr("#")));
  EXPECT_THAT(empty, Not(HasSubstr("nan")));
  // Not measured: what was removed is known, what is left is not.
  const std::string unmeasured = funnel_summary(funnel(Example(), false), 2000);
  EXPECT_THAT(unmeasured, HasSubstr("removed by L1 hits"));
  EXPECT_THAT(unmeasured, Not(HasSubstr("left")));
}

TEST(FunnelReport, JsonHasCountsAndShares) {
  nlohmann::ordered_json j;
  add_json(funnel(Example()), 2000, j);
  EXPECT_EQ(j["window_cycles"], 2000);
  ASSERT_EQ(j["levels"].size(), 11u);
  EXPECT_TRUE(j["levels"][0]["share_of_level_before"].is_null());
  EXPECT_TRUE(j["levels"][0]["could_merge"].is_null());
  EXPECT_EQ(j["levels"][3]["level"], "L1 misses");
  EXPECT_EQ(j["levels"][3]["unit"], "requests");
  EXPECT_EQ(j["levels"][3]["count"], 12'000);
  EXPECT_EQ(j["levels"][3]["could_merge"], 6'000);
  EXPECT_EQ(j["levels"][3]["share_of_level_before"], 0.5);
  EXPECT_THAT(j["summary"].get<std::string>(), HasSubstr("L1 hits"));
}

}  // namespace
}  // namespace heddle::cli
