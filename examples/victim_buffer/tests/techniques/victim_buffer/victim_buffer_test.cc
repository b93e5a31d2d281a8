// A scenario per rule of README.md.
#include "techniques/victim_buffer/victim_buffer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "config/config.h"

namespace heddle::victim_buffer {
namespace {

using mem::Request;
using Verdict = cluster::MissMerger::Verdict;

class Buffer : public testing::Test {
 protected:
  static constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = 0x3000;

  void use(const char* toml) {
    config::Config config = config::Config::parse(toml, "test.toml");
    config::Reader reader(&config, nullptr);
    merger = read(reader)(cluster::MergerPlace{.sms = 5});
    config.check_all_read();
  }
  void SetUp() override { use(""); }

  static Request of(std::uint16_t sm, std::uint64_t line, mem::SectorMask sectors = 0xf) {
    Request r;
    r.sm = sm;
    r.token = 100u + sm;
    r.line = line;
    r.sectors = sectors;
    return r;
  }
  Verdict offer(Request r) {
    answers.clear();
    const Verdict v = merger->offer(0, r, answers);
    EXPECT_EQ(answers.size(), v == Verdict::Answered ? 1u : 0u);
    if (v == Verdict::Forward) sent.push_back(r);
    return v;
  }
  Verdict write(std::uint64_t line, mem::Op op = mem::Op::Write) {
    Request r = of(4, line, 1);
    r.op = op;
    return offer(r);
  }
  // The reply to request number n of those sent.
  void serve(std::size_t n) {
    Request r = sent.at(n);
    r.reply = true;
    answers.clear();
    merger->reply(0, r, answers);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].token, r.token);
  }
  void fetch(std::uint64_t line, mem::SectorMask sectors = 0xf) {
    ASSERT_EQ(offer(of(0, line, sectors)), Verdict::Forward);
    serve(sent.size() - 1);
  }
  const cluster::MergerStats& stats() const { return merger->statistics(); }
  VictimBufferStats own() const {
    stats::Groups all;
    merger->collect(all);
    return all.get<VictimBufferStats>("victim_buffer");
  }

  std::unique_ptr<cluster::MissMerger> merger;
  std::vector<Request> sent, answers;
};

TEST_F(Buffer, KeepsWhatComesBack) {
  fetch(kA);
  EXPECT_EQ(offer(of(3, kA)), Verdict::Answered);
  EXPECT_TRUE(answers[0].reply);
  EXPECT_EQ(answers[0].sm, 3);
  EXPECT_EQ(answers[0].token, 103u);
  EXPECT_EQ(stats().held, 1u);
  EXPECT_EQ(stats().held_sectors, 4u);
  EXPECT_EQ(stats().offered, stats().forwarded + stats().held);
  EXPECT_EQ(stats().offered_sectors, stats().forwarded_sectors + stats().held_sectors);
  EXPECT_EQ(merger->waiting(), 0u);
}

TEST_F(Buffer, TheLeastRecentlyUsedLineMakesRoom) {
  use("lines = 2");
  fetch(kA);
  fetch(kB);
  EXPECT_EQ(offer(of(1, kA)), Verdict::Answered);
  fetch(kC);
  EXPECT_EQ(stats().store_evictions, 1u);
  EXPECT_EQ(offer(of(1, kA)), Verdict::Answered);
  EXPECT_EQ(offer(of(1, kB)), Verdict::Forward);
}

TEST_F(Buffer, AReadNeedsAllItsSectors) {
  fetch(kA, 0b0001);
  EXPECT_EQ(offer(of(1, kA, 0b0001)), Verdict::Answered);
  EXPECT_EQ(offer(of(1, kA, 0b0011)), Verdict::Forward);
  serve(1);
  EXPECT_EQ(offer(of(2, kA, 0b0011)), Verdict::Answered);
  EXPECT_EQ(stats().store_insertions, 1u);
}

TEST_F(Buffer, WritesDropTheLine) {
  for (const mem::Op op : {mem::Op::Write, mem::Op::Atomic}) {
    fetch(kA);
    EXPECT_EQ(write(kA, op), Verdict::Forward);
    EXPECT_EQ(offer(of(1, kA)), Verdict::Forward);
    serve(sent.size() - 1);
    write(kA);
  }
  EXPECT_EQ(stats().store_invalidations, 4u);
}

TEST_F(Buffer, WhatWasWrittenUnderWayIsNotKept) {
  offer(of(0, kA));
  write(kA);
  serve(0);
  EXPECT_EQ(own().outdated, 1u);
  EXPECT_EQ(offer(of(1, kA)), Verdict::Forward);
  serve(2);  // sent after the write, and nothing older is under way: kept
  EXPECT_EQ(own().kept, 1u);
  EXPECT_EQ(offer(of(2, kA)), Verdict::Answered);
}

TEST_F(Buffer, LoadsThatPassTheL1ByAreNotServed) {
  fetch(kA);
  Request r = of(1, kA);
  r.no_l1 = true;
  EXPECT_EQ(offer(r), Verdict::Forward);
  r.line = kB;
  EXPECT_EQ(offer(r), Verdict::Forward);
  serve(sent.size() - 1);
  EXPECT_EQ(offer(of(2, kB)), Verdict::Forward);  // and what they bring is not kept
  EXPECT_EQ(own().bypassing, 2u);
}

TEST_F(Buffer, OtherSpacesAreLeftAlone) {
  fetch(kA);
  Request local = of(1, kA);
  local.space = mem::Space::Local;
  EXPECT_EQ(offer(local), Verdict::Forward);
  local.op = mem::Op::Write;
  offer(local);
  EXPECT_EQ(offer(of(1, kA)), Verdict::Answered);
}

TEST_F(Buffer, AKernelsEndEmptiesIt) {
  fetch(kA);
  merger->kernel_end();
  EXPECT_EQ(offer(of(1, kA)), Verdict::Forward);
}

TEST_F(Buffer, TellsItsStorageAndHasLimits) {
  EXPECT_EQ(merger->storage().front().formula, "16 x (41 + 1024 + 1) bits");
  EXPECT_EQ(merger->storage().front().bits, 16u * 1066);
  EXPECT_THROW(use("lines = 0"), Error);
}

}  // namespace
}  // namespace heddle::victim_buffer
