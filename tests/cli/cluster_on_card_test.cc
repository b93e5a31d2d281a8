// heddle cluster WORKLOAD --on-device, with the simulated card's driver in the place of a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/csv.h"
#include "tests/cli/program.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ClusterOnCard : public Commands {
 protected:
  std::vector<CsvRow> csv() const { return parse_csv(contents("all.csv"), "all.csv"); }
  std::string csv_option() const { return " --csv " + (folder_ / "all.csv").string(); }
};

TEST_F(ClusterOnCard, ShowsEveryDesignAndMarksTheBest) {
  const Outcome o = heddle("cluster syrk --on-device --scale tiny --repeat 2" + csv_option());
  ASSERT_EQ(o.status, 0) << o.out;
  EXPECT_THAT(o.out, AllOf(HasSubstr("syrk on Heddle: "), HasSubstr("tiny, seed 1"),
                           HasSubstr("median of 2 times"), HasSubstr("agents past the L1 by rows"),
                           HasSubstr(", 1 active"), Not(HasSubstr("without L1")), ContainsRegex("  < ")));
  bool plain = false, throttled = false;
  for (const CsvRow& row : csv()) {
    EXPECT_EQ(row.at("workload"), "syrk");
    EXPECT_EQ(row.at("kernel"), "syrk_kernel");
    EXPECT_EQ(row.at("verified"), "yes");
    EXPECT_GT(csv_number(row, "median_us"), 0);
    EXPECT_LE(csv_number(row, "least_us"), csv_number(row, "most_us"));
    const bool first = row.at("design") == "as it is";
    EXPECT_EQ(row.at("speedup").empty(), first);
    EXPECT_EQ(row.at("rewritten"), first ? "0" : "1");
    plain |= first;
    throttled |= row.at("design").ends_with(", 1 active") && row.at("agents_active") == "1";
  }
  EXPECT_TRUE(plain);
  EXPECT_TRUE(throttled);
}

TEST_F(ClusterOnCard, OneDesignForAProfiler) {
  const Outcome o =
      heddle("cluster syrk --on-device --scale tiny --repeat 1 --design 'agents by columns'" + csv_option());
  EXPECT_EQ(o.status, 0) << o.out;
  ASSERT_EQ(csv().size(), 1u);
  EXPECT_EQ(csv().front().at("design"), "agents by columns");
  EXPECT_THAT(heddle("cluster syrk --on-device --design 'agents by colums'").out,
              HasSubstr("agents by columns"));
}

TEST_F(ClusterOnCard, SeveralWorkloadsGoOnAfterAFailure) {
  const Outcome o = heddle(
      "cluster --on-device syrk kmaens atax.1 --scale tiny --repeat 1 --design 'as it is'" + csv_option());
  EXPECT_NE(o.status, 0);
  EXPECT_THAT(o.out, AllOf(HasSubstr("syrk on "), HasSubstr("atax.1 on "), HasSubstr("did you mean 'kmeans'"),
                           HasSubstr("1 of 3 workloads failed: kmaens")));
  ASSERT_EQ(csv().size(), 2u);
  EXPECT_EQ(csv()[1].at("kernel"), "atax_kernel1");
}

TEST_F(ClusterOnCard, SaysWhatIsWrong) {
  EXPECT_THAT(heddle("cluster syrk --on-device --way agents").out, HasSubstr("--way is for programs"));
  EXPECT_THAT(heddle("cluster --on-device --repeat 2 -- ls").out, HasSubstr("--repeat is for workloads"));
  EXPECT_THAT(heddle("cluster --on-device --csv x.csv -- ls").out, HasSubstr("--csv is for workloads"));
  EXPECT_THAT(heddle("cluster syrk kmeans").out, HasSubstr("one workload at a time"));
  EXPECT_THAT(heddle("cluster kmaens --on-device").out, HasSubstr("did you mean 'kmeans'"));
  EXPECT_THAT(heddle("cluster program.hdl --on-device").out, HasSubstr("is a recording"));
}

TEST_F(ClusterOnCard, ProgramsAreSentToWhereTheyCanBeRun) {
  for (const std::string& what : {std::string(HEDDLE_PROGRAM), file("notes.txt", "no PTX")}) {
    const Outcome o = heddle("cluster " + what);
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, AllOf(HasSubstr("heddle cluster --on-device -- " + what),
                             HasSubstr("heddle exec --record"), Not(HasSubstr("no workload is called"))));
  }
}

TEST_F(ClusterOnCard, WithoutADriver) {
  setenv("HEDDLE_CUDA_DRIVER", "libno_driver.so.1", 1);
  for (const char* workloads : {"syrk", "syrk atax kmeans"}) {
    const Outcome o = heddle(std::string("cluster ") + workloads + " --on-device");
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, HasSubstr("no CUDA driver (libno_driver.so.1)"));
    EXPECT_EQ(o.out.find("libno_driver"), o.out.rfind("libno_driver")) << "told once";
  }
  unsetenv("HEDDLE_CUDA_DRIVER");
}

}  // namespace
}  // namespace heddle
