// The coalescer on the scenarios that were probed on silicon, and on the corners of a table.
#include "cluster/request_coalescer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle::cluster {
namespace {

using mem::Request;
using Verdict = MissMerger::Verdict;

class Coalescer : public testing::Test {
 protected:
  Verdict ask(std::uint16_t sm, std::uint64_t line, mem::SectorMask sectors = 0xf) {
    Request r;
    r.sm = sm;
    r.token = 100u + sm;
    r.line = line;
    r.sectors = sectors;
    const Verdict v = lrc->offer(0, r, answers);
    if (v == Verdict::Forward) sent.push_back(r);
    return v;
  }
  // Answers request number n of those sent; returns the SMs served.
  std::vector<std::uint16_t> serve(std::size_t n) {
    Request r = sent.at(n);
    r.reply = true;
    answers.clear();
    lrc->reply(0, r, answers);
    std::vector<std::uint16_t> sms;
    for (const Request& a : answers) {
      EXPECT_EQ(a.token, 100u + a.sm);
      EXPECT_FALSE(a.recorded);
      sms.push_back(a.sm);
    }
    return sms;
  }
  void use(std::uint32_t entries, std::uint32_t requesters) {
    lrc = std::make_unique<RequestCoalescer>(CoalescerSpec{entries, requesters});
    sent.clear();
  }

  std::unique_ptr<RequestCoalescer> lrc = std::make_unique<RequestCoalescer>(CoalescerSpec{});
  std::vector<Request> sent, answers;
};

using Sms = std::vector<std::uint16_t>;

TEST_F(Coalescer, FourRequestersShareARequest) {
  for (std::uint16_t k = 1; k <= 16; ++k) {
    use(64, 4);
    sent.clear();
    for (std::uint16_t sm = 0; sm < k; ++sm) ask(sm, 0x1000);
    EXPECT_EQ(sent.size(), (k + 3u) / 4) << k << " SMs";
    Sms served;
    for (std::size_t n = 0; n < sent.size(); ++n)
      for (std::uint16_t sm : serve(n)) served.push_back(sm);
    Sms expected(k);
    for (std::uint16_t sm = 0; sm < k; ++sm) expected[sm] = sm;
    EXPECT_EQ(served, expected);
    EXPECT_EQ(lrc->waiting(), 0u);
  }
}

TEST_F(Coalescer, MergesIntoTheNewestRequestWhateverReplyComesFirst) {
  for (std::uint16_t sm = 0; sm < 6; ++sm) ask(sm, 0x1000);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(serve(0), (Sms{0, 1, 2, 3}));
  EXPECT_EQ(ask(6, 0x1000), Verdict::Merged);  // the second is still under way and has two requesters
  EXPECT_EQ(serve(1), (Sms{4, 5, 6}));
}

TEST_F(Coalescer, RepliesMayComeInAnotherOrder) {
  for (std::uint16_t sm = 0; sm < 8; ++sm) ask(sm, 0x1000);
  EXPECT_EQ(serve(1), (Sms{4, 5, 6, 7}));
  EXPECT_EQ(ask(8, 0x1000), Verdict::Forward);  // the first is full
  EXPECT_EQ(serve(0), (Sms{0, 1, 2, 3}));
  EXPECT_EQ(serve(2), (Sms{8}));
}

TEST_F(Coalescer, KeepsNothingAfterTheReply) {
  ask(0, 0x1000);
  serve(0);
  EXPECT_EQ(ask(1, 0x1000), Verdict::Forward);
  EXPECT_EQ(lrc->statistics().merged, 0u);
}

TEST_F(Coalescer, DifferentLinesDoNotMerge) {
  EXPECT_EQ(ask(0, 0x1000), Verdict::Forward);
  EXPECT_EQ(ask(1, 0x1080), Verdict::Forward);
  EXPECT_EQ(serve(1), (Sms{1}));
  EXPECT_EQ(serve(0), (Sms{0}));
}

// h200_lrc_sectors.csv: not even a request for a part of what is under way.
TEST_F(Coalescer, OnlyRequestsForTheSameSectorsMerge) {
  for (const mem::SectorMask other : {0b0001, 0b0110, 0b1100, 0b1111}) {
    use(16, 4);
    ask(0, 0x1000, 0b0011);
    EXPECT_EQ(ask(1, 0x1000, other), Verdict::Forward);
    EXPECT_FALSE(sent[1].recorded);
    EXPECT_EQ(sent[1].sectors, other);
    EXPECT_EQ(serve(1), (Sms{1}));
    EXPECT_EQ(serve(0), (Sms{0}));
    EXPECT_EQ(lrc->statistics().unrecorded, 1u);
  }
}

// h200_lrc_line.csv, two SMs and two sectors of a line: merged are the first ones only where both came before
// the second ones.
TEST_F(Coalescer, OtherSectorsOfALineEndTheMerging) {
  ask(0, 0x1000, 0b0001);
  EXPECT_EQ(ask(1, 0x1000, 0b0001), Verdict::Merged);
  EXPECT_EQ(ask(0, 0x1000, 0b0010), Verdict::Forward);
  EXPECT_EQ(ask(1, 0x1000, 0b0010), Verdict::Forward);
  EXPECT_EQ(serve(0), (Sms{0, 1}));

  use(16, 4);
  ask(0, 0x1000, 0b0001);
  EXPECT_EQ(ask(0, 0x1000, 0b0010), Verdict::Forward);
  EXPECT_EQ(ask(1, 0x1000, 0b0001), Verdict::Forward);
  EXPECT_EQ(ask(1, 0x1000, 0b0010), Verdict::Forward);
  EXPECT_EQ(lrc->statistics().merged, 0u);
}

// icc.md rules 9c and 13.
TEST_F(Coalescer, FullTableForwardsUnrecorded) {
  use(1, 4);
  ask(0, 0x1000);
  EXPECT_EQ(ask(1, 0x2000), Verdict::Forward);
  EXPECT_FALSE(sent[1].recorded);
  EXPECT_EQ(lrc->statistics().unrecorded, 1u);
  serve(0);
  // The line under way without a record is recorded for another SM now: each gets its own reply.
  EXPECT_EQ(ask(2, 0x2000), Verdict::Forward);
  EXPECT_TRUE(sent[2].recorded);
  EXPECT_EQ(serve(1), (Sms{1}));
  EXPECT_EQ(serve(2), (Sms{2}));
}

TEST_F(Coalescer, FullEntryTakesUpItsPlaceUntilItsReply) {
  use(1, 2);
  ask(0, 0x1000);
  ask(1, 0x1000);
  EXPECT_EQ(ask(2, 0x1000), Verdict::Forward);
  EXPECT_FALSE(sent[1].recorded);
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  EXPECT_EQ(serve(1), (Sms{2}));
}

TEST_F(Coalescer, OneSmMayAskTwice) {
  ask(3, 0x1000);
  ask(3, 0x1000);
  EXPECT_EQ(serve(0), (Sms{3, 3}));
}

TEST_F(Coalescer, OnlyGlobalReadsMerge) {
  ask(0, 0x1000);
  for (int k = 0; k < 6; ++k) {
    Request r;
    r.line = 0x1000;
    if (k < 2)
      r.op = k == 0 ? mem::Op::Write : mem::Op::Atomic;
    else
      r.space = static_cast<mem::Space>(k - 1);
    EXPECT_EQ(lrc->offer(0, r, answers), Verdict::Forward);
    EXPECT_FALSE(r.recorded);
    EXPECT_EQ(r.token, mem::kNoToken);
  }
  EXPECT_EQ(lrc->statistics().bypassed, 6u);
}

TEST_F(Coalescer, RefusesATableWithoutEntries) {
  for (const char* text : {"entries = 0", "requesters = 0", "requesters = 65"}) {
    config::Config config = config::Config::parse(text, "f.toml");
    EXPECT_THROW(config::read<CoalescerSpec>(config), Error) << text;
  }
}

}  // namespace
}  // namespace heddle::cluster
