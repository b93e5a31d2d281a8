// Issue timing against formulas.
#include <gtest/gtest.h>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

std::vector<StaticInstr> chain(InstrClass cls, int n) {
  std::vector<StaticInstr> code;
  for (int i = 0; i < n; ++i) code.push_back(op(cls, {1}, {1}));
  code.push_back(exit_op());
  return code;
}
std::vector<StaticInstr> independent(InstrClass cls, int n) {
  std::vector<StaticInstr> code;
  for (int i = 0; i < n; ++i) code.push_back(op(cls, {i % 32}));
  code.push_back(exit_op());
  return code;
}
std::vector<sim::Cycle> gaps(const std::vector<sim::Cycle>& t, std::size_t n) {
  std::vector<sim::Cycle> g;
  for (std::size_t i = 1; i < n; ++i) g.push_back(t[i] - t[i - 1]);
  return g;
}

TEST(Issue, DependentInstructionsWaitForTheLatency) {
  Bench b(plain());
  Script s(chain(InstrClass::IntAdd, 20), 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 20), std::vector<sim::Cycle>(19, 6));
}

// Fragments of matrices: sources and results in a second record count like those in the first.
TEST(Issue, RegistersOfASecondRecordAreWaitedForToo) {
  StaticInstr product = op(InstrClass::FloatMad, {1, 2, 3, 4, 5}, {10, 11, 12, 13, 14});
  product.more = 1;
  const StaticInstr rest = op(InstrClass::Other, {6, 7}, {15, 16});
  std::vector<StaticInstr> code = {op(InstrClass::IntAdd, {16}), product, op(InstrClass::IntAdd, {20}, {7}),
                                   exit_op()};
  code[1].set_rest(static_cast<std::uint32_t>(code.size()));
  code.push_back(rest);
  Bench b(plain());
  Script s(code, 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 3), (std::vector<sim::Cycle>{6, 4}));  // the latencies of addition and product
}

TEST(Issue, WhatComesToTheSameBarrierIsWaitedForToo) {
  std::vector<StaticInstr> code = {op(InstrClass::IntAdd, {1}), op(InstrClass::FloatMad, {2}),
                                   op(InstrClass::IntAdd, {3}, {2}), exit_op()};
  auto last_gap = [&code] {
    Bench b(plain());
    Script s(code, 1);
    b.run(s);
    return gaps(s.issued[0], 3).back();
  };
  EXPECT_EQ(last_gap(), 4u);  // the latency of what it reads
  code[2].set_waits_also(1);
  EXPECT_EQ(last_gap(), 5u);  // that of the addition, which has begun a cycle before
}

TEST(Issue, PipelineStagesAddToEveryDependence) {
  SmSpec spec = plain();
  spec.pipeline = 5;
  Bench b(spec);
  Script s(chain(InstrClass::IntAdd, 20), 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 20), std::vector<sim::Cycle>(19, 11));
}

TEST(Issue, IndependentInstructionsFollowTheInitiationInterval) {
  Bench b(plain());
  Script s(independent(InstrClass::FloatMad, 20), 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 20), std::vector<sim::Cycle>(19, 2));
}

// Enough warps hide the latency: one instruction per cycle and scheduler.
TEST(Issue, WarpsOfACtaStartOneAfterAnother) {
  SmSpec spec = plain();
  spec.warp_launch = 3;
  Bench b(spec);
  Script s({op(InstrClass::IntAdd, {1}), exit_op()}, 8);
  b.run(s);
  for (std::size_t w = 1; w < 8; ++w) EXPECT_EQ(s.issued[w][0] - s.issued[0][0], 3 * w);
}

// How long the first warps of four CTAs take, whose other warps wait for memory: as many as share a scheduler
// issue in turn.
sim::Cycle first_warps(std::uint32_t warps, bool in_turn) {
  constexpr int kWork = 100;
  SmSpec spec = plain();
  spec.schedulers = 4;
  spec.warps_in_turn = in_turn;
  std::vector<StaticInstr> code = {op(InstrClass::Load, {0}, {}, StaticInstr::kMemory)};
  for (int i = 0; i < kWork; ++i) code.push_back(op(InstrClass::FloatMad, {1 + i % 32}, {0}));
  code.push_back(exit_op());
  Bench b(spec);
  Script s(code, warps, 4);
  s.access = [](std::uint64_t, std::uint32_t warp, std::uint32_t, WarpAccess& a) {
    for (std::size_t l = 0; l < 32; ++l)
      const_cast<std::uint64_t&>(a.address[l]) = (warp == 0 ? 0x1000 : 0x2000) + 4 * l;
  };
  b.l1.behave = [](sim::Cycle now, const mem::Request& r) {
    return mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + (r.line == 0x1000 ? 10 : 10'000)};
  };
  b.run(s);
  sim::Cycle last = 0;
  for (std::size_t cta = 0; cta < 4; ++cta) last = std::max(last, s.issued[cta * warps][kWork]);
  return last;
}

TEST(Issue, WarpsInTurnSpreadOverTheSchedulers) {
  constexpr double kEach = 200;  // a FloatMad every second cycle
  EXPECT_NEAR(static_cast<double>(first_warps(4, false)), 4 * kEach, 40);
  EXPECT_NEAR(static_cast<double>(first_warps(4, true)), kEach, 40);  // whole turns: one later each time
  EXPECT_NEAR(static_cast<double>(first_warps(8, true)), kEach, 40);
  EXPECT_NEAR(static_cast<double>(first_warps(6, true)), 2 * kEach, 40);  // schedulers 0 and 2
}

TEST(Issue, WarpsHideLatency) {
  Bench b(plain());
  Script s(chain(InstrClass::IntAdd, 100), 8);
  const sim::Cycle end = b.run(s);
  EXPECT_NEAR(static_cast<double>(end), 8 * 101, 10);
}

TEST(Issue, FourSchedulersIssueFourPerCycle) {
  SmSpec spec = plain();
  spec.schedulers = 4;
  Bench b(spec);
  Script s(chain(InstrClass::IntAdd, 100), 32);
  const sim::Cycle end = b.run(s);
  EXPECT_NEAR(static_cast<double>(end), 32 * 101 / 4, 12);
}

// One pool of units for all schedulers instead of one each: the pool is the limit.
TEST(Issue, SharedUnitsLimitAllSchedulers) {
  SmSpec spec = plain();
  spec.schedulers = 2;
  spec.sub_core = false;
  Bench b(spec);
  Script s(chain(InstrClass::FloatMad, 100), 32);
  const sim::Cycle end = b.run(s);
  EXPECT_NEAR(static_cast<double>(end), 32 * 100 * 2, 60);
}

TEST(Issue, DualIssueNeedsDifferentUnits) {
  SmSpec spec = plain();
  spec.issue_width = 2;
  std::vector<StaticInstr> mixed;
  for (int i = 0; i < 50; ++i) {
    mixed.push_back(op(InstrClass::IntAdd, {i % 8}));
    mixed.push_back(op(InstrClass::FloatAdd, {8 + i % 8}));
  }
  mixed.push_back(exit_op());
  auto with = [&](std::uint32_t width) {
    SmSpec w = spec;
    w.issue_width = width;
    Bench b(w);
    Script s(mixed, 1);
    return b.run(s);
  };
  EXPECT_NEAR(static_cast<double>(with(1)), 100, 5);
  EXPECT_NEAR(static_cast<double>(with(2)), 50, 5);
}

// Inert check: four operands in one bank take four cycles instead of one, so each instruction of a chain
// becomes three cycles later.
TEST(Issue, OperandsOfOneBankAreReadOneAfterAnother) {
  auto cycles = [](std::uint32_t banks) {
    SmSpec spec = plain();
    spec.bank_ports = 1;
    spec.register_banks = banks;
    Bench b(spec);
    std::vector<StaticInstr> code;
    for (int i = 0; i < 50; ++i) code.push_back(op(InstrClass::IntAdd, {16}, {16, 0, 32, 48}));
    code.push_back(exit_op());
    Script s(code, 1);
    return b.run(s);
  };
  // Registers 16, 0, 32, 48 share bank 0 of 16 banks, and lie apart in 64.
  EXPECT_EQ(cycles(16) - cycles(64), 49u * 3);  // nobody waits for the last one
}

TEST(Issue, SlotsOfTheHardwareTakeTheScheduler) {
  SmSpec spec = plain();
  spec.count = Counting::AsSass;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::Int64Add)] = {UnitKind::Int, 6, 1, 2};
  Bench b(spec);
  Script s(independent(InstrClass::Int64Add, 20), 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 20), std::vector<sim::Cycle>(19, 2));
  EXPECT_EQ(b.sm.statistics().slots, 20u * 2 + 1);
}

TEST(Issue, RemovedInstructionsCostNothing) {
  SmSpec spec = plain();
  spec.count = Counting::AsSass;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::Move)] = {UnitKind::Int, 6, 1, 0};
  std::vector<StaticInstr> code;
  for (int i = 0; i < 10; ++i) {
    code.push_back(op(InstrClass::IntAdd, {1}, {2}));
    code.push_back(op(InstrClass::Move, {2}, {1}));
  }
  code.push_back(exit_op());
  Bench b(spec);
  Script s(code, 1);
  b.run(s);
  // Dependence goes through the copy at the latency of the addition alone.
  for (int i = 1; i < 10; ++i)
    EXPECT_EQ(s.issued[0][static_cast<std::size_t>(2 * i)] - s.issued[0][static_cast<std::size_t>(2 * i - 2)],
              6u);
  EXPECT_EQ(b.sm.statistics().slots, 11u);
  EXPECT_EQ(b.sm.statistics().instructions, 21u);
}

TEST(Issue, BranchesDelayTheWarp) {
  SmSpec spec = plain();
  spec.branch_latency = spec.untaken_latency = 7;
  std::vector<StaticInstr> code(20, op(InstrClass::Branch, {}, {}, StaticInstr::kBranch));
  code.push_back(exit_op());
  Bench b(spec);
  Script s(code, 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 20), std::vector<sim::Cycle>(19, 7));
}

// An instruction that is four on the machine, with a result 20 cycles later for them.
TEST(Issue, FurtherMachineInstructionsTakeSlotsAndTime) {
  SmSpec spec = plain();
  spec.count = Counting::AsSass;
  StaticInstr first = op(InstrClass::IntAdd, {1});
  first.set_extra(3, 20);
  auto issued = [&](const StaticInstr& second) {
    Bench b(spec);
    Script s({first, second, exit_op()}, 1);
    b.run(s);
    EXPECT_EQ(b.sm.statistics().slots, 6u);
    return s.issued[0][1] - s.issued[0][0];
  };
  EXPECT_EQ(issued(op(InstrClass::IntAdd, {2})), 4u);
  EXPECT_EQ(issued(op(InstrClass::IntAdd, {2}, {1})), 26u);  // 6 of the class
}

TEST(Issue, TexturesOfAPlaneTakeMorePasses) {
  SmSpec spec = plain();
  spec.plane_passes = 3;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::Texture)].interval = 5;
  std::vector<StaticInstr> code(20, op(InstrClass::Texture, {}, {}));
  for (StaticInstr& i : code) i.wide_dst = StaticInstr::kPlane;
  code.push_back(exit_op());
  Bench b(spec);
  Script s(code, 1);
  b.run(s);
  EXPECT_EQ(gaps(s.issued[0], 20), std::vector<sim::Cycle>(19, 15));
}

TEST(Issue, BarrierReleasesAllAfterTheLastArrives) {
  SmSpec spec = plain();
  spec.barrier_latency = 9;
  Bench b(spec);
  Script s({op(InstrClass::IntAdd, {1}), barrier_op(), op(InstrClass::IntAdd, {2}), exit_op()}, 4);
  b.run(s);
  sim::Cycle last = 0, first_after = ~sim::Cycle{0};
  for (int w = 0; w < 4; ++w) {
    last = std::max(last, s.issued[static_cast<std::size_t>(w)][1]);
    first_after = std::min(first_after, s.issued[static_cast<std::size_t>(w)][2]);
  }
  EXPECT_EQ(first_after, last + 9);
}

TEST(Issue, EveryCycleIsAccountedFor) {
  SmSpec spec = plain();
  Bench b(spec);
  Script s({op(InstrClass::IntAdd, {1}), op(InstrClass::IntAdd, {2}, {1}), barrier_op(),
            op(InstrClass::IntDiv, {3}, {2}), op(InstrClass::IntAdd, {4}, {3}), exit_op()},
           3, 2);
  b.run(s);
  const SmStats& t = b.sm.statistics();
  EXPECT_EQ(t.active_cycles, t.issuing_cycles + t.stall_memory + t.stall_dependency + t.stall_unit +
                                 t.stall_lsu + t.stall_barrier + t.stall_drain);
  EXPECT_EQ(t.ctas, 2u);
  EXPECT_EQ(t.warps, 6u);
}

}  // namespace
}  // namespace heddle::sm
