// The rules of warppool.md, section (b), one by one, up to the L1; the way back: returns_test.cc.
#include "tests/techniques/warppool/pool_rig.h"

#include <gtest/gtest.h>

namespace heddle::warppool {
namespace {

// Footnote 1: six stages from issue to the L1; then the L1's own time.
TEST(WarpPool, ALoadReachesTheL1AfterItsStages) {
  for (const std::uint32_t stages : {3u, 6u, 9u}) {
    FrontRig rig(with([&](WarpPoolSpec& s) { s.stages = stages; }));
    rig.load(0, kLine);
    rig.run_until_idle();
    ASSERT_EQ(rig.sent.size(), 1u);
    EXPECT_EQ(rig.sent[0].at, stages);
    ASSERT_EQ(rig.completed_loads.size(), 1u);
    EXPECT_EQ(rig.completed_loads[0].at, stages + 1);
  }
}

// Rule 1: three warps share a queue of eight; a full one holds its own warps only.
TEST(WarpPool, AFullInstructionQueueHoldsItsWarps) {
  FrontRig rig(with([](WarpPoolSpec& s) { s.coalescers = 1; }));
  rig.behave = blocked;
  // The coalescer takes some; then eight more of warps 3 to 5 wait.
  unsigned issued = 0;
  for (; (rig.front().holds().loads & sm::bit(4)) == 0 && issued < 200; ++issued, rig.step())
    rig.scattered_load(3 + issued % 3, kLine + 0x1'0000 * issued, 32);
  EXPECT_EQ(rig.front().holds().loads, sm::bit(3) | sm::bit(4) | sm::bit(5));
  EXPECT_GE(issued, 8u);
}

// Rule 1: within a queue the first that came, whichever of its warps it is of.
TEST(WarpPool, AnInstructionQueueIsFirstInFirstOut) {
  FrontRig rig(with([](WarpPoolSpec& s) { s.coalescers = 1; }));
  rig.scattered_load(20, kLine, 32);  // keeps the coalescer busy
  rig.step();
  rig.load(5, kLine + 0x10000);
  rig.load(3, kLine + 0x20000);
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 34u);
  EXPECT_EQ(rig.sent[32].request.line, kLine + 0x10000);
  EXPECT_EQ(rig.sent[33].request.line, kLine + 0x20000);
}

// Rule 2: the head of the first queue that is not empty, whoever came first.
TEST(WarpPool, LowWarpsAreCoalescedFirst) {
  FrontRig rig(with([](WarpPoolSpec& s) { s.coalescers = 1; }));
  rig.scattered_load(20, kLine, 32);  // keeps the coalescer busy
  rig.step();
  rig.load(40, kLine + 0x10000);
  rig.load(1, kLine + 0x20000);
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 34u);
  EXPECT_EQ(rig.sent[32].request.line, kLine + 0x20000);
  EXPECT_EQ(rig.sent[33].request.line, kLine + 0x10000);
}

// Rule 2 and Table 1: a coalescer holds one instruction. While the window takes none of its lines, others
// stay in their queues, so that the first queue's goes next.
TEST(WarpPool, ACoalescerHoldsOneInstruction) {
  FrontRig rig(with([](WarpPoolSpec& s) { s.coalescers = 1; }));
  const auto hit = rig.behave;
  rig.behave = blocked;
  rig.access(20, workload::WarpAccess::Kind::Load,
             [](unsigned l) { return kLine + 64 * 128 * l; });  // one set
  rig.run(60);
  rig.load(40, kLine + 0x10'0000);
  rig.run(10);
  rig.load(1, kLine + 0x20'0000);
  rig.run(10);
  rig.behave = hit;
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 34u);
  EXPECT_EQ(rig.sent[32].request.line, kLine + 0x20'0000);
  EXPECT_EQ(rig.sent[33].request.line, kLine + 0x10'0000);
}

// Rules 2 and 3: n coalescers fill the window with n lines per cycle, while one request leaves.
TEST(WarpPool, CoalescersWorkInParallel) {
  for (const std::uint32_t n : {1u, 2u, 4u}) {
    FrontRig rig(with([&](WarpPoolSpec& s) {
      s.coalescers = n;
      s.window_queues = 64;
    }));
    rig.behave = blocked;
    for (unsigned w = 0; w < n; ++w) rig.scattered_load(3 * w, kLine + 128 * 16 * w, 16);
    // All in the window after the stages and 16 lines.
    rig.run(5 + 15);
    EXPECT_EQ(own(rig).tags_peak, 16u * n);
  }
}

// Rules 5 and 8: loads of four warps to one line are one request, also while the L1 refuses it; a fifth takes
// the queue's other tag.
TEST(WarpPool, FourLoadsShareARequest) {
  FrontRig rig(with());
  const auto hit = rig.behave;
  rig.behave = blocked;
  for (unsigned w = 0; w < 5; ++w) {
    rig.load(3 * w, kLine);
    rig.run(10);
  }
  rig.behave = hit;
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 2u);
  EXPECT_EQ(rig.completed_loads.size(), 5u);
  EXPECT_EQ(rig.front().statistics().merged, 3u);
  EXPECT_EQ(own(rig).loads.bins[4], 1u);
  EXPECT_EQ(own(rig).loads.bins[1], 1u);
}

// Rule 5: different loads of one warp merge as well.
TEST(WarpPool, LoadsOfOneWarpShareARequest) {
  FrontRig rig(with());
  const auto hit = rig.behave;
  rig.behave = blocked;
  for (unsigned n = 0; n < 2; ++n) {
    rig.load(7, kLine);
    rig.run(10);
  }
  rig.behave = hit;
  rig.run_until_idle();
  EXPECT_EQ(rig.sent.size(), 1u);
  EXPECT_EQ(rig.completed_loads.size(), 2u);
}

// Rule 5: a third line in a queue of two tags waits, and its coalescer with it.
TEST(WarpPool, ALineWithoutATagWaits) {
  FrontRig rig(with());
  const auto hit = rig.behave;
  rig.behave = blocked;
  for (unsigned i = 0; i < 3; ++i) rig.load(3 * i, kLine + i * 64 * 128);  // same set, so same queue
  rig.run(20);
  EXPECT_EQ(own(rig).tags_peak, 2u);
  EXPECT_EQ(own(rig).waited_tags, 1u);
  rig.behave = hit;
  rig.run_until_idle();
  EXPECT_EQ(rig.completed_loads.size(), 3u);
}

// Rule 4: two coalescers that want one queue in one cycle. 64 sets share 32 queues.
TEST(WarpPool, TwoInsertionsIntoOneQueueTakeTwoCycles) {
  for (const std::uint64_t sets : {64, 32, 16}) {
    FrontRig rig(with());
    rig.load(0, kLine);
    rig.load(3, kLine + sets * 128);
    rig.run_until_idle();
    EXPECT_EQ(own(rig).waited_queue, sets % 32 == 0 ? 1u : 0u);
    ASSERT_EQ(rig.sent.size(), 2u);
    EXPECT_EQ(rig.sent[1].at, rig.sent[0].at + 1);
  }
}

// Rule 4 where the L1 has few sets: all queues are used.
TEST(WarpPool, AnL1OfFewSetsUsesAllQueues) {
  for (const std::uint32_t sets : {4u, 3u}) {
    FrontRig rig(with(), 48, sets);
    rig.behave = blocked;
    rig.scattered_load(0, kLine, 32);
    rig.run(50);
    EXPECT_EQ(own(rig).tags_peak, 32u);
    EXPECT_EQ(own(rig).waited_tags, 0u);
  }
}

// Rule 6: the line that came first, or that of the lowest warp.
TEST(WarpPool, TheSelectorTakesTheOldestOrTheLowestWarps) {
  for (const bool by_warp : {false, true}) {
    FrontRig rig(
        with([&](WarpPoolSpec& s) { s.selection = by_warp ? Selection::WarpId : Selection::Oldest; }));
    const auto hit = rig.behave;
    rig.behave = blocked;
    rig.load(30, kLine);
    rig.run(8);
    rig.load(6, kLine + 128);
    rig.run(8);
    rig.behave = hit;
    rig.run_until_idle();
    ASSERT_EQ(rig.sent.size(), 2u);
    EXPECT_EQ(rig.sent[0].request.line, by_warp ? kLine + 128 : kLine);
  }
}

// Rule 6: a quantum with more misses than the threshold toggles the rule; both readings of a miss.
TEST(WarpPool, TheRuleChangesAfterAQuantumOfMisses) {
  for (const Miss miss : {Miss::Fetch, Miss::NoHit}) {
    WarpPoolSpec spec;
    spec.quantum = 100;
    spec.miss = miss;
    WarpPoolStats stats;
    RequestSelector s(spec, stats);
    for (int i = 0; i < 50; ++i) s.count(false, i % 2 == 0);
    s.pass(99);
    EXPECT_FALSE(s.by_warp());
    s.pass(100);
    EXPECT_EQ(s.by_warp(), miss == Miss::NoHit);
    for (int i = 0; i < 50; ++i) s.count(false, false);
    s.pass(200);
    EXPECT_EQ(s.by_warp(), miss == Miss::Fetch);  // back, or there
    s.count(true, false);
    s.pass(1000);
    EXPECT_EQ(s.by_warp(), miss == Miss::Fetch);  // hits, and quanta without requests, change nothing
    EXPECT_EQ(stats.quanta, 3u);                  // with requests
    EXPECT_EQ(stats.switches, miss == Miss::NoHit ? 2u : 1u);
  }
}

// Rule 7: a store goes straight to the L1, after loads that want the port in the same cycle.
TEST(WarpPool, LoadsGoBeforeStores) {
  FrontRig rig(with());
  rig.scattered_load(0, kLine, 8);
  rig.run(1);
  rig.store(3, kLine + 0x10000);
  rig.run_until_idle();
  ASSERT_EQ(rig.sent.size(), 9u);
  EXPECT_EQ(rig.sent[8].request.op, mem::Op::Write);
  EXPECT_EQ(own(rig).waited_store_port, 1u);
}

// Rule 8's other side: a store may use cycles in which the selected load is refused.
TEST(WarpPool, StoresMayPassARefusedLoad) {
  for (const bool may : {false, true}) {
    FrontRig rig(with([&](WarpPoolSpec& s) { s.stores_pass_blocked_loads = may; }));
    const auto hit = rig.behave;
    rig.behave = [&](Cycle now, const mem::Request& r) {
      return r.op == mem::Op::Read ? Answer{} : Answer{Outcome::Hit, now};
    };
    rig.load(0, kLine);
    rig.run(8);
    rig.store(3, kLine + 0x10000);
    rig.run(20);
    EXPECT_EQ(rig.sent.size(), may ? 1u : 0u);
    rig.behave = hit;
    rig.run_until_idle();
    EXPECT_EQ(rig.sent.size(), 2u);
  }
}

// With the port taken now and then only, warps of the first queue that store again and again do not keep back
// one of the last queue.
TEST(WarpPool, TheStoreThatHasWaitedLongestGoesFirst) {
  FrontRig rig(with());
  rig.behave = [](Cycle now, const mem::Request&) {
    return now % 16 == 0 ? Answer{Outcome::Hit, now} : Answer{};
  };
  for (int i = 0; i < 4; ++i) rig.store(0, kLine + 0x10000);  // the first coalescer has no more room
  rig.store(47, kLine);
  for (int i = 0; i < 40; ++i) {
    rig.store(0, kLine + 0x10000);
    rig.run(8);
  }
  const auto sent =
      std::find_if(rig.sent.begin(), rig.sent.end(), [](const auto& s) { return s.request.line == kLine; });
  ASSERT_NE(sent, rig.sent.end());
  EXPECT_LT(sent - rig.sent.begin(), 8);
}

// Rule 11: who may issue what while something of the warp is in WarpPool.
TEST(WarpPool, AWarpsOwnOrderIsHeld) {
  FrontRig rig(with());
  rig.behave = blocked;
  rig.load(7, kLine);
  EXPECT_EQ(rig.front().holds().stores, sm::bit(7));
  EXPECT_EQ(rig.front().holds().loads, 0u);  // loads may follow loads
  EXPECT_EQ(rig.front().holds().drain, sm::bit(7));
  rig.store(9, kLine + 128);
  EXPECT_EQ(rig.front().holds().stores, sm::bit(7) | sm::bit(9));
  EXPECT_EQ(rig.front().holds().loads, sm::bit(9));
  rig.behave = [](Cycle now, const mem::Request&) { return Answer{Outcome::Hit, now + 100}; };
  rig.run(10);  // both have reached the L1, the load's data have not come
  EXPECT_EQ(rig.front().holds().stores | rig.front().holds().loads | rig.front().holds().drain, 0u);
  EXPECT_TRUE(rig.completed_loads.empty());
}

// Rule 13: shared and constant memory never meet WarpPool; textures go to the L1 by the load/store unit's own
// way.
TEST(WarpPool, OtherSpacesPassItBy) {
  using Space = workload::WarpAccess::Space;
  for (const Space space : {Space::Shared, Space::Constant, Space::Texture}) {
    FrontRig rig(with());
    std::array<std::uint64_t, 32> lanes{};
    for (unsigned l = 0; l < 32; ++l) lanes[l] = kLine + 4 * l;
    workload::WarpAccess a;
    a.space = space;
    a.bytes = 4;
    a.mask = ~0u;
    a.address = lanes.data();
    std::uint32_t acknowledgements = 0;
    rig.unit().issue(rig.now(), 0, 0, {}, {&a, 1}, acknowledgements);
    EXPECT_EQ(rig.front().waiting(), 0u);
    EXPECT_EQ(rig.front().holds().drain, 0u);
    rig.run_until_idle();
    EXPECT_EQ(rig.completed_loads.size(), 1u);
    ASSERT_EQ(rig.sent.size(), space == Space::Texture ? 1u : 0u);
    if (!rig.sent.empty()) {
      EXPECT_EQ(rig.sent[0].at, 1u);  // none of WarpPool's stages
      EXPECT_FALSE(sm::Waiter::is_front(rig.sent[0].request.token));
    }
    EXPECT_EQ(rig.front().statistics().offered, 0u);
  }
}

}  // namespace
}  // namespace heddle::warppool
