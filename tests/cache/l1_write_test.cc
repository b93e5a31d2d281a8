// Stores: what each policy does to the tags and sends down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "l1_rig.h"

namespace heddle::cache {
namespace {

using mem::Op;
using mem::Space;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Outcome = mem::L1Port::Outcome;

L1Spec with(WritePolicy p) {
  L1Spec s = small_l1();
  s.write = p;
  return s;
}

class EveryThrough : public ::testing::TestWithParam<WritePolicy> {};
INSTANTIATE_TEST_SUITE_P(L1Write, EveryThrough,
                         ::testing::Values(WritePolicy::Evict, WritePolicy::Through,
                                           WritePolicy::ThroughAllocate));

TEST_P(EveryThrough, AStoreGoesDownAndItsAcknowledgementComesBack) {
  Rig rig(with(GetParam()));
  EXPECT_EQ(rig.write(0, 0b0011, 8), Outcome::Pending);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].op, Op::Write);
  EXPECT_EQ(sent[0].sectors, 0b0011);
  rig.answer(sent[0]);
  ASSERT_EQ(rig.client.got.size(), 1u);
  EXPECT_EQ(rig.client.got[0].request.token, 8u);
  EXPECT_EQ(rig.client.got[0].request.op, Op::Write);
  EXPECT_TRUE(rig.l1.idle());
  EXPECT_EQ(rig.l1.statistics().writes.forwarded, 1u);
  EXPECT_EQ(rig.l1.statistics().global.written, 2u);
}

TEST(L1Write, EvictInvalidatesTheWholeLine) {
  Rig rig(with(WritePolicy::Evict));
  rig.fetch(0, 0b1111);
  rig.write(0, 0b0001);
  EXPECT_EQ(rig.l1.statistics().write_hits, 1u);
  EXPECT_EQ(rig.read(0, 0b1000), Outcome::Pending);
}

TEST(L1Write, ThroughKeepsAHitAndAllocatesNothing) {
  Rig rig(with(WritePolicy::Through));
  rig.fetch(0, 0b0011);
  rig.write(0, 0b0001);
  rig.write(0, 0b1000);
  rig.write(128, 0b1111);
  EXPECT_EQ(rig.read(0, 0b0011), Outcome::Hit);
  EXPECT_EQ(rig.read(0, 0b1000), Outcome::Pending);
  EXPECT_EQ(rig.read(128, 0b0001), Outcome::Pending);
}

TEST(L1Write, ThroughAllocateValidatesWhollyWrittenSectorsOnly) {
  Rig rig(with(WritePolicy::ThroughAllocate));
  rig.write(0, 0b0011);
  rig.write(0, 0b0100, 0, true);
  EXPECT_EQ(rig.read(0, 0b0011), Outcome::Hit);
  EXPECT_EQ(rig.read(0, 0b0100), Outcome::Pending);
  rig.write(128, 0b0100, 0, true);
  EXPECT_EQ(rig.read(128, 0b0100), Outcome::Pending);
  const auto sent = rig.sent();
  EXPECT_EQ(sent.size(), 5u);  // three stores, two loads; nothing fetched for the stores
}

TEST(L1Write, ThroughAllocateWithoutAFreeWayJustGoesThrough) {
  Rig rig(with(WritePolicy::ThroughAllocate));
  rig.read(0, 1);
  rig.read(512, 1);
  EXPECT_EQ(rig.write(1024, 0b1111), Outcome::Pending);
  EXPECT_EQ(rig.l1.statistics().evictions, 0u);
  EXPECT_EQ(rig.read(1024, 1), Outcome::Blocked);
}

TEST(L1Write, WithoutSectorsOnlyAWholeLineValidates) {
  L1Spec s = with(WritePolicy::ThroughAllocate);
  s.tags.sectored = false;
  Rig rig(s);
  rig.write(0, 0b0011);
  rig.write(128, 0b1111);
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Pending);
  EXPECT_EQ(rig.read(128, 0b0001), Outcome::Hit);
}

TEST(L1Write, DataFetchedBeforeAnEvictingStoreAreNotKept) {
  Rig rig(with(WritePolicy::Evict));
  rig.read(0, 0b0011, 1);
  rig.write(0, 0b0001, 2);
  EXPECT_EQ(rig.read(0, 0b0001, 3), Outcome::Pending);
  EXPECT_EQ(rig.l1.statistics().stale_merges, 1u);
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  rig.answer(sent[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(1, 3));
  EXPECT_EQ(rig.read(0, 0b0010, 4), Outcome::Hit);
  EXPECT_EQ(rig.read(0, 0b0001, 5), Outcome::Pending);
}

TEST(L1Write, ALineOverwrittenAsAWholeWhileUnderWayFreesItsWay) {
  Rig rig(with(WritePolicy::Evict));
  rig.read(0, 0b0001, 1);
  rig.write(0, 0b0001, 2);
  rig.answer(rig.sent()[0]);
  EXPECT_EQ(rig.l1.statistics().fills_not_kept, 1u);
  EXPECT_EQ(rig.l1.tags().find(0), TagStore::kNone);
}

TEST(L1Write, AnUncachedStoreDropsItsSectors) {
  Rig rig(with(WritePolicy::Through));
  rig.fetch(0, 0b1111);
  mem::Request r = rig.request(Op::Write, 0, 0b0001, 1);
  r.no_l1 = true;
  EXPECT_EQ(rig.offer(r).outcome, Outcome::Pending);
  EXPECT_EQ(rig.read(0, 0b1110), Outcome::Hit);
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Pending);
  EXPECT_EQ(rig.l1.statistics().writes.bypassed, 1u);
}

TEST(L1Write, LocalStoresStayAndAreWrittenBackWhenTheirLineMakesRoom) {
  Rig rig(with(WritePolicy::Evict));
  rig.space = Space::Local;
  const auto a = rig.offer(rig.request(Op::Write, 0, 0b0110, 1));
  EXPECT_EQ(a.outcome, Outcome::Hit);
  EXPECT_EQ(a.ready, rig.now + 20);
  EXPECT_THAT(rig.sent(), IsEmpty());
  EXPECT_EQ(rig.read(0, 0b0110), Outcome::Hit);
  rig.write(512, 0b1111);
  rig.read(0, 0b0010);
  rig.read(1024, 0b0001, 7);  // pushes 512 out
  const auto sent = rig.sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].op, Op::Write);
  EXPECT_EQ(sent[0].line, 512u);
  EXPECT_EQ(sent[0].sectors, 0b1111);
  EXPECT_EQ(sent[1].op, Op::Read);
  rig.answer(sent[1]);
  EXPECT_FALSE(rig.l1.idle());
  rig.answer(sent[0]);
  EXPECT_TRUE(rig.l1.idle());
  EXPECT_THAT(rig.client.tokens(), ElementsAre(7));  // nobody waits for a write-back
  EXPECT_EQ(rig.l1.statistics().write_backs, 1u);
}

TEST(L1Write, ALocalStoreOfPartOfAMissingSectorGoesThrough) {
  Rig rig(with(WritePolicy::Evict));
  rig.space = Space::Local;
  EXPECT_EQ(rig.write(0, 0b0001, 1, true), Outcome::Pending);
  rig.fetch(128, 0b0001);
  EXPECT_EQ(rig.write(128, 0b0001, 2, true), Outcome::Hit);
}

TEST(L1Write, AMissThatWritesBackNeedsTwoPlacesInTheQueue) {
  L1Spec s = with(WritePolicy::Evict);
  s.miss_queue = 2;
  Rig rig(s);
  rig.space = Space::Local;
  rig.write(0, 0b1111);
  rig.write(512, 0b1111);
  EXPECT_EQ(rig.read(128, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(1024, 1), Outcome::Blocked);
  EXPECT_EQ(rig.l1.statistics().queue_full, 1u);
  rig.tick();
  EXPECT_EQ(rig.read(1024, 1), Outcome::Pending);
  EXPECT_EQ(rig.sent().size(), 3u);
}

TEST(L1Write, AFillThatCannotWriteBackIsNotKeptButAnswers) {
  L1Spec s = with(WritePolicy::Evict);
  s.allocate = Allocate::OnFill;
  s.miss_queue = 2;
  Rig rig(s);
  rig.space = Space::Local;
  rig.write(0, 0b1111);
  rig.write(512, 0b1111);
  rig.read(1024, 1, 7);
  const auto sent = rig.sent();
  rig.read(128, 1);
  rig.read(256, 1);  // the queue is full now
  rig.answer(sent[0]);
  EXPECT_THAT(rig.client.tokens(), ElementsAre(7));
  EXPECT_EQ(rig.l1.statistics().fills_not_kept, 1u);
  EXPECT_EQ(rig.l1.tags().find(1024), TagStore::kNone);
  EXPECT_EQ(rig.l1.statistics().write_backs, 0u);
}

TEST(L1Write, ALineWrittenTwiceIsDirtyOnce) {
  L1Spec s = with(WritePolicy::Evict);
  s.miss_queue = 2;
  Rig rig(s);
  rig.space = Space::Local;
  rig.write(0, 0b0001);
  rig.write(0, 0b0011);
  rig.fetch(512, 1);
  rig.fetch(1024, 1);  // pushes 0 out: nothing is dirty any more
  EXPECT_EQ(rig.l1.statistics().write_backs, 1u);
  EXPECT_EQ(rig.read(128, 1), Outcome::Pending);
  EXPECT_EQ(rig.read(256, 1), Outcome::Pending);  // the last place will do
}

TEST(L1Write, LocalMemoryMayBeWrittenThrough) {
  L1Spec s = with(WritePolicy::Evict);
  s.local_write_back = false;
  Rig rig(s);
  rig.space = Space::Local;
  rig.fetch(0, 0b1111);
  EXPECT_EQ(rig.write(0, 0b0001), Outcome::Pending);
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Hit);
  EXPECT_EQ(rig.l1.statistics().local.written, 1u);
}

TEST(L1Write, AFenceForgetsWhatIsCleanAndWhatIsUnderWay) {
  Rig rig(with(WritePolicy::Through));
  rig.fetch(0, 0b1111);
  rig.read(128, 0b0011);
  std::vector<mem::Request> under_way = rig.sent();
  rig.l1.forget_clean(rig.now);
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Pending);
  for (const mem::Request& r : under_way) rig.answer(r);
  EXPECT_EQ(rig.client.got.size(), 1u) << "who waits is answered all the same";
  EXPECT_EQ(rig.read(128, 0b0001), Outcome::Pending);
  for (const mem::Request& r : rig.sent()) rig.answer(r);
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Hit) << "what was asked for behind the fence";
  EXPECT_EQ(rig.read(128, 0b0001), Outcome::Hit);
}

TEST(L1Write, AFenceLeavesWhatNobodyElseSees) {
  Rig rig(with(WritePolicy::Evict));
  rig.space = Space::Local;
  rig.fetch(0, 0b1111);
  rig.write(0, 0b0001);
  rig.l1.forget_clean(rig.now);
  EXPECT_EQ(rig.read(0, 0b0001), Outcome::Hit);
  EXPECT_EQ(rig.read(0, 0b0010), Outcome::Pending);
}

TEST(L1Write, AKernelsEndDropsDirtyLines) {
  Rig rig(with(WritePolicy::Evict));
  rig.space = Space::Local;
  rig.write(0, 0b1111);
  rig.l1.kernel_end();
  EXPECT_THAT(rig.sent(), IsEmpty());
  rig.write(0, 0b1111);
  rig.write(512, 0b1111);
  rig.write(1024, 0b1111);
  EXPECT_EQ(rig.sent().size(), 1u);
}

}  // namespace
}  // namespace heddle::cache
