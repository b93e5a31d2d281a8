// The comparison itself: that a figure out of bounds is found.
#include <gtest/gtest.h>

#include "base/error.h"
#include "validation/comparison.h"
#include "validation/embedded.h"
#include "validation/measure.h"
#include "validation/peer.h"
#include "validation/report.h"

namespace heddle::validation {
namespace {

const char* const kTable =
    "# comment\n"
    "against,program,quantity,allowed_percent,reason\n"
    "peer,*,cycles,20,\n"
    "peer,nbody,cycles,30,\"a reason, with a comma\"\n"
    "peer,mean,cycles,5,\n";

TEST(Tolerances, AProgramGoesBeforeAll) {
  const Tolerances t(parse_csv(kTable, "t.csv"));
  EXPECT_DOUBLE_EQ(t.allowed("peer", "nbody", "cycles").value(), 0.30);
  EXPECT_DOUBLE_EQ(t.allowed("peer", "bfs", "cycles").value(), 0.20);
  EXPECT_DOUBLE_EQ(t.allowed("peer", "mean", "cycles").value(), 0.05);
  EXPECT_FALSE(t.allowed("silicon", "bfs", "cycles"));
}

TEST(Judge, FindsWhatIsOutOfBounds) {
  const Tolerances t(parse_csv(kTable, "t.csv"));
  Comparison c;
  c.against = "peer";
  judge(c, t, "bfs", "warm", "cycles", -0.19);
  judge(c, t, "nbody", "warm", "cycles", 0.29);
  judge(c, t, "bfs", "warm", "colour", 9);
  EXPECT_TRUE(c.excesses.empty());
  judge(c, t, "bfs", "warm", "cycles", -0.21);
  ASSERT_EQ(c.excesses.size(), 1u);
  EXPECT_EQ(c.excesses[0].text, "bfs (warm): cycles is off by -21.0%, allowed are 20%");
}

TEST(Figures, AnErrorNeedsSomethingToCompareWith) {
  EXPECT_DOUBLE_EQ((Figure{"x", 90, 100}).error(), -0.1);
  EXPECT_TRUE((Figure{"x", 0, 0}).defined());
  EXPECT_FALSE((Figure{"x", 1, 0}).defined());
}

// A machine that is wrong does not pass: here the way to L2 takes thousands of cycles.
TEST(Peer, AWrongMachineFails) {
  const PeerResult r =
      compare_with_peer({"vecadd", 1, {"latency.network_to_partition=4000"}}, Tolerances::recorded());
  EXPECT_FALSE(r.comparison.excesses.empty());
  Results results;
  results.peer = r;
  EXPECT_FALSE(results.within_tolerances());
}

TEST(Programs, HaveTheirPtxInside) {
  for (const Program& p : programs()) EXPECT_NO_THROW(find_embedded(embedded_ptx(), p.name)) << p.name;
  EXPECT_THROW(find_program("vecad"), Error);
}

}  // namespace
}  // namespace heddle::validation
