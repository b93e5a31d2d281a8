// The merge table, one scenario per rule of icc.md.
#include "rig.h"

#include "base/error.h"

namespace heddle::intra_cluster {
namespace {

using IccMergeTableTest = Rig;

// Rule 8.
TEST_F(IccMergeTableTest, OnlyGlobalReadsUseTheTable) {
  ask(0, kA);
  EXPECT_EQ(write(1, kA), Verdict::Forward);
  EXPECT_EQ(write(1, kA, mem::Op::Atomic), Verdict::Forward);
  for (const auto space : {mem::Space::Local, mem::Space::Texture}) {
    Request r = read(1, kA);
    r.space = space;
    EXPECT_EQ(offer(r), Verdict::Forward);
    EXPECT_FALSE(sent.back().recorded);
  }
  EXPECT_EQ(stats().bypassed, 4u);
  EXPECT_EQ(serve(0), (Sms{0}));
}

// Rules 9a and 9b.
TEST_F(IccMergeTableTest, FollowersAreListedAndSendNothing) {
  EXPECT_EQ(ask(3, kA), Verdict::Forward);
  EXPECT_TRUE(sent[0].recorded);
  for (const std::uint16_t sm : {0, 4, 1, 2}) EXPECT_EQ(ask(sm, kA), Verdict::Merged);
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(merger->waiting(), 5u);
  // Rule 10a.
  EXPECT_EQ(serve(0), (Sms{3, 0, 4, 1, 2}));
  EXPECT_EQ(merger->waiting(), 0u);
  EXPECT_EQ(stats().merged, 4u);
  EXPECT_EQ(stats().requesters.bins[5], 1u);
}

// Rule 10a: the entry is gone with its reply.
TEST_F(IccMergeTableTest, KeepsNothingAfterTheReply) {
  ask(0, kA);
  serve(0);
  EXPECT_EQ(ask(1, kA), Verdict::Forward);
  EXPECT_EQ(serve(1), (Sms{1}));
  EXPECT_EQ(stats().merged, 0u);
}

// Rule 9c.
TEST_F(IccMergeTableTest, FullTableSendsWithoutARecordAndNeverStalls) {
  use({.entries = 2});
  ask(0, kA);
  ask(0, kB);
  EXPECT_EQ(ask(1, kC), Verdict::Forward);
  EXPECT_FALSE(sent[2].recorded);
  EXPECT_EQ(ask(2, kC), Verdict::Forward);  // nobody knows that kC is under way
  EXPECT_EQ(ask(3, kA), Verdict::Merged);   // a full table still merges
  EXPECT_EQ(stats().unrecorded, 2u);
  EXPECT_EQ(stats().entries_peak, 2u);
  // Rule 10b.
  EXPECT_EQ(serve(2), (Sms{1}));
  EXPECT_EQ(serve(3), (Sms{2}));
  EXPECT_EQ(serve(0), (Sms{0, 3}));
  EXPECT_EQ(serve(1), (Sms{0}));
}

// Rule 13: p's read went out unrecorded, then q's read of the same line allocates an entry. p's reply comes
// first and must go to p; q's entry waits for its own.
TEST_F(IccMergeTableTest, ReplyToAnUnrecordedRequestIsNotLost) {
  use({.entries = 1});
  constexpr std::uint16_t kP = 1, kQ = 2, kR = 3;
  ask(0, kA);
  ask(kP, kB);  // number 1: the table is full
  serve(0);
  ask(kQ, kB);  // number 2: allocates
  EXPECT_FALSE(sent[1].recorded);
  EXPECT_TRUE(sent[2].recorded);
  EXPECT_EQ(serve(1), (Sms{kP}));
  EXPECT_EQ(ask(kR, kB), Verdict::Merged);  // the entry is still there
  EXPECT_EQ(serve(2), (Sms{kQ, kR}));
  EXPECT_EQ(merger->waiting(), 0u);
}

// The same with the replies in the other order.
TEST_F(IccMergeTableTest, ReplyToAnUnrecordedRequestAfterTheRecordedOne) {
  use({.entries = 1});
  ask(0, kA);
  ask(1, kB);
  serve(0);
  ask(2, kB);
  EXPECT_EQ(serve(2), (Sms{2}));
  EXPECT_EQ(serve(1), (Sms{1}));
}

// Rule 14 i.
TEST_F(IccMergeTableTest, WritesDoNotKeepRequestsFromMerging) {
  ask(0, kA);
  write(1, kA);
  EXPECT_EQ(ask(1, kA), Verdict::Merged);
  EXPECT_EQ(stats().stale_merges, 1u);
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  ask(2, kA);
  ask(3, kA);
  EXPECT_EQ(stats().stale_merges, 1u);
}

// Rule 12: one bit per SM. Without an MSHR before it, an SM may ask twice; the second request is on its own.
TEST_F(IccMergeTableTest, AnSmThatIsListedSendsItsSecondRequest) {
  ask(0, kA);
  ask(1, kA);
  EXPECT_EQ(ask(1, kA), Verdict::Forward);
  EXPECT_FALSE(sent[1].recorded);
  EXPECT_EQ(stats().repeated, 1u);
  EXPECT_EQ(stats().unrecorded, 0u);
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  EXPECT_EQ(serve(1), (Sms{1}));
}

// SM numbers that agree modulo 64 are different SMs.
TEST_F(IccMergeTableTest, SmsAreToldApartByTheirWholeNumber) {
  ask(1, kA);
  EXPECT_EQ(ask(65, kA), Verdict::Merged);
  EXPECT_EQ(serve(0), (Sms{1, 65}));
}

TEST_F(IccMergeTableTest, LoadsThatPassTheL1ByPassTheTableToo) {
  ask(0, kA);
  Request r = read(1, kA);
  r.no_l1 = true;
  EXPECT_EQ(offer(r), Verdict::Forward);
  EXPECT_FALSE(sent[1].recorded);
  EXPECT_EQ(stats().bypassed, 1u);
  EXPECT_EQ(stats().offered_sectors, 4u);

  use({.bypassing_loads = true});
  ask(0, kA);
  EXPECT_EQ(offer(r), Verdict::Merged);
  EXPECT_EQ(offer(r), Verdict::Forward);  // and again: repeated
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  EXPECT_TRUE(answers[1].no_l1);
  EXPECT_EQ(serve(1), (Sms{1}));
}

// ---- sectors

TEST_F(IccMergeTableTest, APartOfWhatIsUnderWayMerges) {
  ask(0, kA, 0b0111);
  EXPECT_EQ(ask(1, kA, 0b0010), Verdict::Merged);
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  EXPECT_EQ(answers[1].sectors, 0b0010);
  EXPECT_EQ(stats().merged_sectors, 1u);
}

TEST_F(IccMergeTableTest, AResidualRequestFetchesTheRest) {
  ask(0, kA, 0b0011);
  EXPECT_EQ(ask(1, kA, 0b0110), Verdict::Forward);
  EXPECT_EQ(sent[1].sectors, 0b0100);
  EXPECT_TRUE(sent[1].recorded);
  EXPECT_EQ(ask(2, kA, 0b0101), Verdict::Merged);  // both are under way
  EXPECT_EQ(stats().merged_sectors, 1u + 2);
  EXPECT_EQ(stats().forwarded_sectors, 2u + 1);
  EXPECT_EQ(serve(0), (Sms{0}));
  EXPECT_EQ(serve(1), (Sms{1, 2}));
  EXPECT_EQ(answers[0].sectors, 0b0110);
}

TEST_F(IccMergeTableTest, PartsMayComeInAnyOrder) {
  ask(0, kA, 0b0011);
  ask(1, kA, 0b0110);
  EXPECT_EQ(serve(1), Sms{});
  EXPECT_EQ(stats().requesters.bins[0], 1u);
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  EXPECT_EQ(merger->waiting(), 0u);
}

// What has come and was not kept is fetched again.
TEST_F(IccMergeTableTest, SectorsThatHaveComeAreAskedForAgain) {
  ask(0, kA, 0b0001);
  ask(1, kA, 0b0011);
  EXPECT_EQ(serve(0), (Sms{0}));
  EXPECT_EQ(ask(2, kA, 0b0011), Verdict::Forward);
  EXPECT_EQ(sent[2].sectors, 0b0001);
  EXPECT_EQ(serve(1), (Sms{1}));
  EXPECT_EQ(serve(2), (Sms{2}));
}

// One bit per SM and sector: an L1 asks for other sectors of a line that it waits for.
TEST_F(IccMergeTableTest, AnSmMayBeListedForOtherSectors) {
  ask(0, kA, 0b1111);
  EXPECT_EQ(ask(1, kA, 0b0001), Verdict::Merged);
  EXPECT_EQ(ask(1, kA, 0b0110), Verdict::Merged);
  EXPECT_EQ(ask(1, kA, 0b1100), Verdict::Forward);  // sector 2 is listed
  EXPECT_EQ(stats().repeated, 1u);
  EXPECT_EQ(serve(0), (Sms{0, 1, 1}));
}

// ---- time

TEST_F(IccMergeTableTest, ALookupTakesCyclesBesideThePorts) {
  EXPECT_EQ(merger->delay().request, 1u);
  EXPECT_EQ(merger->delay().reply, 1u);
  use({.latency = 3});
  EXPECT_EQ(merger->delay().request, 3u);
  EXPECT_EQ(merger->delay().reply, 3u);
}

TEST(MergeTableSpec, RefusesWhatCannotBe) {
  for (const char* text : {"entries = 0", "latency = -1", "latency = 65", "lines = 24"}) {
    config::Config config = config::Config::parse(text, "f.toml");
    EXPECT_THROW(
        {
          config::read<MergeTableSpec>(config);
          config.check_all_read();
        },
        Error)
        << text;
  }
}

}  // namespace
}  // namespace heddle::intra_cluster
