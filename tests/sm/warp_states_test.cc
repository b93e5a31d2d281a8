// Warp cycles by state against formulas: small kernels whose every cycle can be accounted for.
#include <gtest/gtest.h>

#include "sm/warp_states.h"
#include "tests/sm/script.h"
#include "tests/stats/check_declared.h"

namespace heddle::sm {
namespace {

using Answer = mem::L1Port::Answer;
using Outcome = mem::L1Port::Outcome;
using Space = WarpAccess::Space;

// A bench whose SM tells the states of its warps.
struct Watched : Bench {
  explicit Watched(const SmSpec& spec) : Bench(spec) { sm.watch(&states); }
  sim::Cycle run(Script& s) {
    if (!s.access) s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess&) {};
    const sim::Cycle end = Bench::run(s);
    sm.settle(end);
    EXPECT_EQ(states.statistics().sum(), sm.statistics().warp_cycles);
    return end;
  }
  std::uint64_t of(IssueState s) const { return states.statistics().of(s); }
  WarpStates states;
};

void set(SmSpec& spec, InstrClass cls, const ClassTiming& t) {
  spec.timing.classes[static_cast<std::size_t>(cls)] = t;
}
void reply_after(Bench& b, sim::Cycle latency) {
  b.l1.behave = [&b, latency](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + latency, r);
    return Answer{Outcome::Pending, 0};
  };
}
auto in(Space space) {
  return [space](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) { a.space = space; };
}
std::vector<StaticInstr> repeated(const StaticInstr& i, int n) {
  std::vector<StaticInstr> code(static_cast<std::size_t>(n), i);
  code.push_back(exit_op());
  return code;
}

TEST(WarpStates, Declared) {
  stats::check_declared<WarpStateStats>();
}

// The last instruction ends the CTA: its cycle is not one of a resident warp.
TEST(WarpStates, AChainOfAdditionsWaits) {
  Watched b(plain());
  Script s(repeated(op(InstrClass::IntAdd, {1}, {1}), 20), 1);
  b.run(s);
  EXPECT_EQ(b.of(IssueState::Selected), 20u);
  EXPECT_EQ(b.of(IssueState::Wait), 19u * (6 - 1));
  EXPECT_EQ(b.of(IssueState::Starting), 1u);
  EXPECT_EQ(b.of(IssueState::NotSelected), 0u);
}

TEST(WarpStates, AChainOfLoadsWaitsForTheLongScoreboard) {
  Watched b(plain());
  reply_after(b, 300);
  Script s(repeated(op(InstrClass::Load, {1}, {1}, StaticInstr::kMemory), 10), 1);
  b.run(s);
  const sim::Cycle each = s.issued[0][1] - s.issued[0][0];
  EXPECT_GE(each, 300u);
  EXPECT_EQ(b.of(IssueState::LongScoreboard), 9 * (each - 1));
  EXPECT_EQ(b.of(IssueState::Wait), 0u);
}

TEST(WarpStates, AChainOfSharedLoadsWaitsForTheShortScoreboard) {
  Watched b(plain());
  Script s(repeated(op(InstrClass::LoadShared, {1}, {1}, StaticInstr::kMemory), 10), 1);
  s.access = in(Space::Shared);
  b.run(s);
  const sim::Cycle each = s.issued[0][1] - s.issued[0][0];
  EXPECT_EQ(b.of(IssueState::ShortScoreboard), 9 * (each - 1));
  EXPECT_EQ(b.of(IssueState::LongScoreboard), 0u);
}

TEST(WarpStates, SpecialFunctionsAndShufflesAreOfTheShortScoreboard) {
  for (const InstrClass cls : {InstrClass::Special, InstrClass::Shuffle}) {
    Watched b(plain());
    Script s(repeated(op(cls, {1}, {1}), 10), 1);
    b.run(s);
    EXPECT_EQ(b.of(IssueState::ShortScoreboard), 9 * (s.issued[0][1] - s.issued[0][0] - 1));
  }
}

// The sum waits for both; until the addition has its result the warp waits for that, then for the load.
TEST(WarpStates, WhatGoesLastDecides) {
  Watched b(plain());
  reply_after(b, 100);
  Script s({op(InstrClass::Load, {1}, {}, StaticInstr::kMemory), op(InstrClass::IntAdd, {2}),
            op(InstrClass::IntAdd, {3}, {1, 2}), exit_op()},
           1);
  b.run(s);
  EXPECT_EQ(b.of(IssueState::Wait), 6u - 1);
  EXPECT_EQ(b.of(IssueState::LongScoreboard), s.issued[0][2] - s.issued[0][1] - 6);
}

// A move that the assembler removes hands on what its source waits for.
TEST(WarpStates, ACopyOfALoadIsWaitedForAsTheLoad) {
  SmSpec spec = plain();
  spec.count = Counting::AsSass;
  set(spec, InstrClass::Move, {UnitKind::Int, 4, 1, 0});
  Watched b(spec);
  reply_after(b, 100);
  Script s({op(InstrClass::Load, {1}, {}, StaticInstr::kMemory), op(InstrClass::Move, {2}, {1}),
            op(InstrClass::IntAdd, {3}, {2}), exit_op()},
           1);
  b.run(s);
  EXPECT_GE(b.of(IssueState::LongScoreboard), 100u);
  EXPECT_EQ(b.of(IssueState::Wait), 0u);
}

// The second one starts 100 cycles later: the first waits for it, and both until they are let go.
TEST(WarpStates, WhoComesFirstWaitsAtTheBarrier) {
  SmSpec spec = plain();
  spec.barrier_latency = 4;
  spec.warp_launch = 100;
  Watched b(spec);
  Script s({op(InstrClass::IntAdd, {1}), barrier_op(), exit_op()}, 2);
  b.run(s);
  const sim::Cycle first = s.issued[0][1], last = s.issued[1][1];
  EXPECT_EQ(last - first, 100u);
  EXPECT_EQ(b.of(IssueState::Barrier), (last + 4 - first - 1) + (4 - 1));
  EXPECT_EQ(b.of(IssueState::NotSelected), 1u);  // both are let go at once
  EXPECT_EQ(b.of(IssueState::Starting), 1u + 101);
}

// Eight warps share a slot: each issues in every eighth cycle.
TEST(WarpStates, WarpsThatNeedNotWaitAreNotSelected) {
  SmSpec spec = plain();
  set(spec, InstrClass::IntAdd, {UnitKind::Int, 1, 1, 1});
  Watched b(spec);
  Script s(repeated(op(InstrClass::IntAdd, {1}), 100), 8);
  b.run(s);
  EXPECT_NEAR(static_cast<double>(b.of(IssueState::Selected)), 8 * 101, 8);
  EXPECT_NEAR(static_cast<double>(b.of(IssueState::NotSelected)), 8 * 100 * 7, 64);
  EXPECT_EQ(b.of(IssueState::MathPipeThrottle), 0u);
}

// The unit takes an instruction every four cycles: of these a ready warp finds it busy in three.
TEST(WarpStates, ABusyUnitThrottles) {
  SmSpec spec = plain();
  set(spec, InstrClass::FloatAdd, {UnitKind::Float, 4, 4, 1});
  Watched b(spec);
  Script s(repeated(op(InstrClass::FloatAdd, {1}), 50), 1);
  b.run(s);
  EXPECT_EQ(b.of(IssueState::MathPipeThrottle) + b.of(IssueState::Wait), 49u * 3);
  Watched two(spec);
  std::vector<StaticInstr> code;
  for (int i = 0; i < 48; ++i) code.push_back(op(InstrClass::FloatAdd, {i}));
  code.push_back(exit_op());
  Script t(code, 2);
  two.run(t);
  const auto throttled = static_cast<double>(two.of(IssueState::MathPipeThrottle));
  const auto not_selected = static_cast<double>(two.of(IssueState::NotSelected));
  EXPECT_NEAR(throttled, 2 * 96 * 3, 20);  // both, three cycles of four
  EXPECT_NEAR(not_selected, 96, 10);       // the fourth is for one of them
}

TEST(WarpStates, AFullQueueThrottlesByWhatIsAskedFor) {
  const auto with = [](InstrClass cls, Space space) {
    SmSpec spec = plain();
    spec.lsu_queue = 2;
    auto b = std::make_unique<Watched>(spec);
    std::vector<StaticInstr> code;
    for (int i = 0; i < 16; ++i) code.push_back(op(cls, {i}, {}, StaticInstr::kMemory));
    code.push_back(exit_op());
    Script s(code, 4);
    s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
      a.space = space;
      for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = 0x1000'0000 + l * 128;
    };
    b->run(s);
    return b;
  };
  const auto global = with(InstrClass::Load, Space::Global);
  EXPECT_GT(global->of(IssueState::LgThrottle), 1000u);
  EXPECT_EQ(global->of(IssueState::MioThrottle), 0u);
  const auto shared = with(InstrClass::LoadShared, Space::Shared);
  EXPECT_GT(shared->of(IssueState::MioThrottle), 1000u);
  EXPECT_EQ(shared->of(IssueState::LgThrottle), 0u);
  const auto texture = with(InstrClass::Texture, Space::Texture);
  EXPECT_GT(texture->of(IssueState::TexThrottle), 1000u);
}

TEST(WarpStates, BranchesFencesAndFetches) {
  SmSpec spec = plain();
  spec.untaken_latency = 7;
  spec.fence_latency = 50;
  spec.icache = 1_KiB;
  spec.icache_miss_latency = 90;
  Watched b(spec);
  Script s({op(InstrClass::Branch, {}, {}, StaticInstr::kBranch),
            op(InstrClass::Fence, {}, {}, StaticInstr::kFence), exit_op()},
           1);
  b.run(s);
  EXPECT_EQ(b.of(IssueState::NoInstruction), 90u);
  EXPECT_EQ(b.of(IssueState::BranchResolving), 6u);
  EXPECT_EQ(b.of(IssueState::Membar), 49u);
}

TEST(WarpStates, AConstantThatIsNotThere) {
  SmSpec spec = plain();
  spec.constant_cache = 1_KiB;
  spec.constant_latency = 8;
  spec.constant_miss_latency = 70;
  Watched b(spec);
  Script s(
      {op(InstrClass::LoadConst, {1}, {}, StaticInstr::kMemory), op(InstrClass::IntAdd, {2}, {1}),
       op(InstrClass::LoadConst, {3}, {}, StaticInstr::kMemory), op(InstrClass::IntAdd, {4}, {3}), exit_op()},
      1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.space = Space::Constant;
    a.mask = 1;
  };
  b.run(s);
  EXPECT_EQ(b.of(IssueState::ImcMiss), s.issued[0][1] - s.issued[0][0] - 1);
  EXPECT_EQ(b.of(IssueState::ShortScoreboard), s.issued[0][3] - s.issued[0][2] - 1);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0] - (s.issued[0][3] - s.issued[0][2]), 70u);
}

// A warp that has exited drains until its store is acknowledged; its neighbour, which has stored nothing, has
// ended.
TEST(WarpStates, StoresDrainAfterTheExit) {
  Watched b(plain());
  reply_after(b, 200);
  Script s({op(InstrClass::Store, {}, {}, StaticInstr::kMemory), exit_op()}, 1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = WarpAccess::Kind::Store;
  };
  b.run(s);
  EXPECT_NEAR(static_cast<double>(b.of(IssueState::Drain)), 200, 3);
  EXPECT_EQ(b.of(IssueState::Ended), 0u);

  Watched two(plain());
  Script t({op(InstrClass::IntAdd, {1}), op(InstrClass::IntAdd, {1}, {1}), exit_op()}, 2);
  two.run(t);
  EXPECT_EQ(two.of(IssueState::Ended), t.issued[1][2] - t.issued[0][2] - 1);
}

// A fence waits for stores before it issues.
TEST(WarpStates, AFenceWaitsForStores) {
  Watched b(plain());
  reply_after(b, 200);
  Script s({op(InstrClass::Store, {}, {}, StaticInstr::kMemory),
            op(InstrClass::Fence, {}, {}, StaticInstr::kFence), exit_op()},
           1);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = WarpAccess::Kind::Store;
  };
  b.run(s);
  EXPECT_EQ(b.of(IssueState::Membar), s.issued[0][1] - s.issued[0][0] - 1);
}

// Looking on changes nothing.
TEST(WarpStates, TimesAreTheSame) {
  SmSpec spec = plain();
  spec.schedulers = 2;
  const std::vector<StaticInstr> code = {op(InstrClass::Load, {1}, {}, StaticInstr::kMemory),
                                         op(InstrClass::IntAdd, {2}, {1}),
                                         barrier_op(),
                                         op(InstrClass::Special, {3}, {2}),
                                         op(InstrClass::FloatMad, {4}, {3}),
                                         exit_op()};
  Bench plain_bench(spec);
  Watched watched(spec);
  reply_after(plain_bench, 80);
  reply_after(watched, 80);
  Script s(code, 8, 3), t(code, 8, 3);
  s.access = t.access = in(Space::Global);
  plain_bench.run(s);
  watched.run(t);
  EXPECT_EQ(s.issued, t.issued);
}

}  // namespace
}  // namespace heddle::sm
