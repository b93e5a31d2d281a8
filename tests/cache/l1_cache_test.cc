// Reads, merging, stalls and what passes by.
#include "cache/l1_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "l1_rig.h"
#include "stats/snapshot.h"

namespace heddle::cache {
namespace {

using mem::Op;
using mem::Space;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Outcome = mem::L1Port::Outcome;

TEST(L1, AMissAsksOnceAndAReplyAnswersWithTheRequestAsItCame) {
  Rig rig(small_l1());
  const mem::Request r = rig.request(Op::Read, 0x1000, 0b0110, 42);
  EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].line, 0x1000u);
  EXPECT_EQ(sent[0].sectors, 0b0110);
  EXPECT_EQ(sent[0].op, Op::Read);
  EXPECT_EQ(sent[0].sm, 3);
  EXPECT_EQ(sent[0].slice, rig.map.slice(0x1000));
  EXPECT_FALSE(sent[0].reply);
  EXPECT_FALSE(rig.l1.idle());
  EXPECT_THAT(rig.l1.waits(), ::testing::HasSubstr("SM 3: 1 of 4 MSHRs"));
  rig.answer(sent[0]);
  ASSERT_EQ(rig.client.got.size(), 1u);
  const mem::Request& back = rig.client.got[0].request;
  EXPECT_EQ(rig.client.got[0].at, rig.now);
  EXPECT_EQ(back.token, 42u);
  EXPECT_EQ(back.line, r.line);
  EXPECT_EQ(back.words, r.words);
  EXPECT_EQ(back.born, r.born);
  EXPECT_EQ(back.sectors, r.sectors);
  EXPECT_TRUE(back.reply);
  EXPECT_TRUE(rig.l1.idle());
  EXPECT_EQ(rig.l1.waits(), "");
}

TEST(L1, AHitIsThereAfterTheLatencyAndMakesNoReply) {
  Rig rig(small_l1());
  rig.fetch(0, 0b1111);
  const auto a = rig.offer(rig.request(Op::Read, 0, 0b0101, 1));
  EXPECT_EQ(a.outcome, Outcome::Hit);
  EXPECT_EQ(a.ready, rig.now + 20);
  EXPECT_THAT(rig.sent(), IsEmpty());
  EXPECT_THAT(rig.client.got, IsEmpty());
  EXPECT_EQ(rig.l1.statistics().reads.hits, 1u);
}

TEST(L1, FillLatencyDelaysTheData) {
  L1Spec s = small_l1();
  s.fill_latency = 7;
  Rig rig(s);
  rig.read(0, 1, 5);
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.client.got[0].at, rig.now + 7);
}

TEST(L1, RequestsToALineUnderWayMergeAndAreAnsweredInOrder) {
  Rig rig(small_l1());
  rig.read(0, 0b0001, 9);
  EXPECT_EQ(rig.read(0, 0b0001, 7), Outcome::Pending);
  EXPECT_EQ(rig.read(0, 0b0001, 8), Outcome::Pending);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 1u);
  rig.answer(sent[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(9, 7, 8));
  EXPECT_EQ(rig.l1.statistics().reads.merged, 2u);
}

TEST(L1, BeyondTheMergeLimitAnAccessWaitsForTheReply) {
  Rig rig(small_l1());
  for (std::uint32_t t = 0; t < 3; ++t) EXPECT_EQ(rig.read(0, 1, t), Outcome::Pending);
  EXPECT_EQ(rig.read(0, 1, 3), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().merge_limit, 1u);
  EXPECT_EQ(rig.l1.retry_at(rig.now), sim::kNever);
  EXPECT_EQ(rig.l1.statistics().reads.in, 3u);
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.read(0, 1, 3), Outcome::Hit);
}

TEST(L1, OnlyMissingSectorsAreAskedFor) {
  Rig rig(small_l1());
  rig.fetch(0, 0b0001);
  rig.read(0, 0b0011, 1);  // one is there
  rig.read(0, 0b0110, 2);  // one is under way
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].sectors, 0b0010);
  EXPECT_EQ(sent[1].sectors, 0b0100);
  rig.answer(sent[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(1));
  rig.answer(sent[1]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(1, 2));
  EXPECT_EQ(rig.read(0, 0b0111, 3), Outcome::Hit);
  const auto& s = rig.l1.statistics().global;
  EXPECT_EQ(s.read, 1u + 2 + 2 + 3);
  EXPECT_EQ(s.read_hit, 1u + 3);
  EXPECT_EQ(s.read_asked, 1u + 1 + 1);
}

TEST(L1, RepliesOfOneLineMayComeInAnyOrder) {
  Rig rig(small_l1());
  rig.read(0, 0b0001, 1);
  rig.read(0, 0b0011, 2);
  const auto sent = rig.sent();
  rig.answer(sent[1]);
  EXPECT_THAT(rig.client.tokens(), IsEmpty());
  rig.answer(sent[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(1, 2));
}

TEST(L1, WithoutSectorsTheLineIsFetched) {
  L1Spec s = small_l1();
  s.tags.sectored = false;
  Rig rig(s);
  rig.read(0, 0b0001, 1);
  EXPECT_EQ(rig.read(0, 0b1000, 2), Outcome::Pending);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].sectors, 0b1111);
  rig.answer(sent[0]);
  EXPECT_EQ(rig.client.got[1].request.sectors, 0b1000);
  EXPECT_EQ(rig.read(0, 0b0100, 3), Outcome::Hit);
}

TEST(L1, AFullMshrTableBlocks) {
  L1Spec s = small_l1();
  s.mshr_entries = 2;
  Rig rig(s);
  rig.read(0, 1);
  rig.read(128, 1);
  EXPECT_EQ(rig.read(256, 1), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().mshr_full, 1u);
  EXPECT_EQ(rig.l1.statistics().mshr_peak, 2u);
  EXPECT_EQ(rig.l1.retry_at(rig.now), sim::kNever);
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.read(256, 1), Outcome::Pending);
}

TEST(L1, ASetWhoseWaysAllPendRefusesAReservation) {
  Rig rig(small_l1());
  rig.read(0, 1);
  rig.read(512, 1);
  EXPECT_EQ(rig.read(1024, 1), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().reservation, 1u);
  EXPECT_EQ(rig.read(128, 1), Outcome::Pending);  // another set
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.read(1024, 1), Outcome::Pending);
  EXPECT_EQ(rig.l1.statistics().evictions, 1u);
}

TEST(L1, AllocationOnFillReservesNothing) {
  L1Spec s = small_l1();
  s.allocate = Allocate::OnFill;
  Rig rig(s);
  rig.fetch(0, 1);
  rig.fetch(512, 1);
  EXPECT_EQ(rig.read(1024, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(1536, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(2048, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(0, 1), Outcome::Hit);  // still there: nothing came
  for (const auto& r : rig.sent()) rig.answer(r);
  EXPECT_EQ(rig.l1.statistics().evictions, 3u);
  EXPECT_EQ(rig.read(2048, 1), Outcome::Hit);
  EXPECT_EQ(rig.read(512, 1), Outcome::Pending);
}

TEST(L1, AFullMissQueueBlocksUntilOneLeaves) {
  L1Spec s = small_l1();
  s.miss_queue = 2;
  Rig rig(s);
  rig.read(0, 1);
  rig.read(128, 1);
  EXPECT_EQ(rig.read(256, 1), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().queue_full, 1u);
  EXPECT_EQ(rig.l1.retry_at(rig.now), rig.now + 1);
  EXPECT_EQ(rig.read(0, 1), Outcome::Pending);  // merges: needs no place
  rig.tick();
  EXPECT_EQ(rig.read(256, 1), Outcome::Pending);
}

TEST(L1, OneRequestLeavesPerCycleAndNoneIntoAFullChannel) {
  Rig rig(small_l1(), 2);
  for (std::uint64_t i = 0; i < 3; ++i) rig.read(128 * i, 1);
  EXPECT_NE(rig.l1.next_send(rig.now), sim::kNever);
  rig.tick();
  EXPECT_EQ(rig.l1.queued(), 2u);
  rig.tick();
  EXPECT_EQ(rig.l1.queued(), 1u);
  rig.tick();
  EXPECT_EQ(rig.l1.queued(), 1u);
  EXPECT_EQ(rig.l1.next_send(rig.now), sim::kNever);
}

TEST(L1, AHitOccupiesTheDataPort) {
  L1Spec s = small_l1();
  s.port_bytes = Bytes{48};
  Rig rig(s);
  rig.fetch(0, 0b1111);
  EXPECT_EQ(rig.read(0, 0b1111), Outcome::Hit);  // 128 bytes: 3 cycles
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().port_busy, 1u);
  EXPECT_EQ(rig.l1.retry_at(rig.now), rig.now + 3);
  rig.now += 3;
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Hit);
  rig.now += 1;
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Hit);
}

TEST(L1, UncachedLoadsPassWithoutMergingOrAllocating) {
  Rig rig(small_l1());
  mem::Request r = rig.request(Op::Read, 0, 0b0001, 1);
  r.no_l1 = true;
  EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
  r.token = 2;
  EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_NE(sent[0].token, sent[1].token);
  rig.answer(sent[1]);
  rig.answer(sent[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(2, 1));
  EXPECT_EQ(rig.read(0, 0b0001, 3), Outcome::Pending);
  EXPECT_EQ(rig.l1.statistics().reads.bypassed, 2u);
}

TEST(L1, GlobalLoadsMayBypassWhileLocalOnesAreCached) {
  L1Spec s = small_l1();
  s.bypass_global = true;
  Rig rig(s);
  rig.fetch(0, 1);
  EXPECT_EQ(rig.read(0, 1), Outcome::Pending);
  rig.space = Space::Local;
  rig.fetch(mem::kLocalWindow, 1);
  EXPECT_EQ(rig.read(mem::kLocalWindow, 1), Outcome::Hit);
}

TEST(L1, WithoutAnL1EverythingPasses) {
  L1Spec s = small_l1();
  s.enabled = false;
  Rig rig(s);
  for (const Space space : {Space::Global, Space::Local, Space::Texture}) {
    rig.space = space;
    rig.fetch(0, 1);
    EXPECT_EQ(rig.read(0, 1), Outcome::Pending);
    EXPECT_EQ(rig.write(0, 0b1111), Outcome::Pending);
  }
  EXPECT_EQ(rig.l1.statistics().reads.bypassed, 6u);
  EXPECT_EQ(rig.l1.statistics().writes.bypassed, 3u);
}

TEST(L1, AtomicsPassAndDropTheirSectors) {
  Rig rig(small_l1());
  rig.fetch(0, 0b1111);
  mem::Request r = rig.request(Op::Atomic, 0, 0b0001, 5);
  r.payload = 17;
  EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
  EXPECT_EQ(rig.read(0, 0b1110), Outcome::Hit);
  EXPECT_EQ(rig.read(0, 0b0001, 6), Outcome::Pending);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].op, Op::Atomic);
  EXPECT_EQ(sent[0].payload, 17);
  EXPECT_EQ(sent[0].words, r.words);
  rig.answer(sent[0]);
  EXPECT_EQ(rig.client.got[0].request.op, Op::Atomic);
  EXPECT_EQ(rig.client.got[0].request.token, 5u);
  EXPECT_EQ(rig.client.got[0].request.payload, 17);
  EXPECT_EQ(rig.l1.statistics().atomics.bypassed, 1u);
}

TEST(L1, TooManyPassingRequestsBlock) {
  L1Spec s = small_l1();
  s.passing = 1;
  Rig rig(s);
  EXPECT_EQ(rig.write(0, 1), Outcome::Pending);
  EXPECT_EQ(rig.write(128, 1), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().passing_full, 1u);
  EXPECT_EQ(rig.l1.retry_at(rig.now), sim::kNever);
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.write(128, 1), Outcome::Pending);
}

TEST(L1, AKernelsEndForgetsEverything) {
  Rig rig(small_l1());
  rig.fetch(0, 0b1111);
  EXPECT_EQ(rig.read(0, 1), Outcome::Hit);
  rig.l1.kernel_end();
  EXPECT_EQ(rig.read(0, 1), Outcome::Pending);
}

std::string refusal(std::string_view toml) {
  config::Config c = config::Config::parse(toml, "f.toml");
  try {
    config::read<L1Spec>(c);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}
TEST(L1, BadSpecsAreRefused) {
  using ::testing::HasSubstr;
  EXPECT_EQ(refusal("sets = 3\nways = 5\nline = \"256B\"\nallocate = \"on_fill\""), "accepted");
  EXPECT_THAT(refusal("mshr_entries = 0"), HasSubstr("mshr_entries"));
  EXPECT_THAT(refusal("miss_queue = 1"), HasSubstr("miss_queue: a miss that writes a line back"));
  EXPECT_EQ(refusal("miss_queue = 1\nlocal_write_back = false"), "accepted");
  EXPECT_THAT(refusal("index = \"fermi\"\nsets = 16"), HasSubstr("index: the fermi hash makes 32 or 64"));
}

TEST(L1, StatisticsHaveNames) {
  Rig rig(small_l1());
  rig.fetch(0, 0b0011);
  stats::Snapshot snapshot;
  snapshot.add("l1", rig.l1.statistics());
  EXPECT_EQ(snapshot.count("l1.global_read_sectors"), 2u);
  EXPECT_EQ(snapshot.find("l1.global_read_sectors")->info.nsight,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_EQ(snapshot.find("l1.other_read_sectors")->info.nsight, "");
}

}  // namespace
}  // namespace heddle::cache
