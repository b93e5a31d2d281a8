// SMs in which a warp has one instruction under way, and all instructions pass one pipeline (GPGPU-Sim 2).
#include <gtest/gtest.h>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

const StaticInstr kLoadWord = op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory);
const StaticInstr kStoreWord = op(InstrClass::Store, {}, {0, 1}, StaticInstr::kMemory);
const StaticInstr kApart = op(InstrClass::IntAdd, {20}, {21});  // of no other instruction's registers

SmSpec one_at_a_time() {
  SmSpec s = plain();
  s.warp_overlap = false;
  s.load_pipeline = 4;
  return s;
}
sim::Cycle gap(const Script& s, std::size_t n, std::size_t warp = 0) {
  return s.issued[warp][n + 1] - s.issued[warp][n];
}
void to_lines(WarpAccess& a, std::uint32_t lines) {
  for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = l % lines * 128;
}

TEST(OneAtATime, AnInstructionWaitsForTheOneBeforeWhateverItsRegisters) {
  for (const bool overlap : {true, false}) {
    SmSpec spec = one_at_a_time();
    spec.warp_overlap = overlap;
    Bench b(spec);
    Script s({op(InstrClass::IntAdd, {1}), op(InstrClass::IntAdd, {2}), op(InstrClass::FloatMad, {3}), kApart,
              exit_op()},
             1);
    b.run(s);
    EXPECT_EQ(gap(s, 0), overlap ? 1u : 6u);
    EXPECT_EQ(gap(s, 1), overlap ? 1u : 6u);
    EXPECT_EQ(gap(s, 2), overlap ? 1u : 4u);
  }
}

// n warps issue an instruction each in the time that one waits: latency / n cycles for each, at least 1.
TEST(OneAtATime, OtherWarpsFillTheTime) {
  for (const std::uint32_t warps : {1u, 2u, 3u, 6u, 8u}) {
    Bench b(one_at_a_time());
    std::vector<StaticInstr> code(20, op(InstrClass::IntAdd, {1}));
    code.push_back(exit_op());
    Script s(code, warps);
    b.run(s);
    EXPECT_EQ(s.issued[0][19] - s.issued[0][0], 19 * std::max(6u, warps)) << warps;
  }
}

TEST(OneAtATime, ALoadHoldsItsWarpUntilItsDataAreThere) {
  for (const bool overlap : {true, false}) {
    SmSpec spec = one_at_a_time();
    spec.warp_overlap = overlap;
    Bench b(spec);
    b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
      b.replies.emplace_back(now + 300, r);
      return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
    };
    Script s({kLoadWord, kApart, exit_op()}, 1);
    s.access = [](auto...) {};
    b.run(s);
    EXPECT_EQ(gap(s, 0), overlap ? 1u : 1 + 300 + 4u);
  }
}

// The last of n requests leaves n cycles after the issue; nobody waits for acknowledgements.
TEST(OneAtATime, AStoreHoldsItsWarpUntilItHasLeft) {
  for (const std::uint32_t lines : {1u, 2u, 7u, 32u})
    for (const bool overlap : {true, false}) {
      SmSpec spec = one_at_a_time();
      spec.warp_overlap = overlap;
      Bench b(spec);
      b.l1.behave = [&](sim::Cycle now, const mem::Request& r) {
        b.replies.emplace_back(now + 900, r);
        return mem::L1Port::Answer{mem::L1Port::Outcome::Pending, 0};
      };
      Script s({kStoreWord, kApart, exit_op()}, 1);
      s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
        a.kind = WarpAccess::Kind::Store;
        to_lines(a, lines);
      };
      b.run(s);
      EXPECT_EQ(gap(s, 0), overlap ? 1u : lines + 1 + 4u);
    }
}

TEST(OneAtATime, SharedMemoryHoldsLoadsAndStores) {
  for (const bool load : {true, false}) {
    SmSpec spec = one_at_a_time();
    spec.shared_latency = 1;
    spec.shared = {16, 16, 2};
    Bench b(spec);
    Script s({load ? op(InstrClass::LoadShared, {1}, {0}, StaticInstr::kMemory)
                   : op(InstrClass::StoreShared, {}, {0}, StaticInstr::kMemory),
              kApart, exit_op()},
             1);
    s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
      a.space = WarpAccess::Space::Shared;
      if (!load) a.kind = WarpAccess::Kind::Store;
    };
    b.run(s);
    EXPECT_EQ(gap(s, 0), 1 + 1 + 4u);
  }
}

// The last to arrive has its own instruction under way, too.
TEST(OneAtATime, BarriersAreInstructions) {
  SmSpec spec = one_at_a_time();
  spec.barrier_latency = 2;
  spec.timing.classes[static_cast<std::size_t>(InstrClass::Barrier)] = {UnitKind::None, 6, 1, 1};
  Bench b(spec);
  Script s({barrier_op(), kApart, exit_op()}, 2);
  b.run(s);
  EXPECT_EQ(s.issued[1][0], s.issued[0][0] + 1);
  EXPECT_EQ(gap(s, 0, 1), 6u);
  EXPECT_EQ(s.issued[0][1], s.issued[0][0] + 6) << "7 would be the scheduler's turn";
}

// Nothing is issued while a memory instruction sends: n requests take n cycles of everybody's time.
TEST(OnePipeline, RequestsStallIssue) {
  for (const bool stalls : {false, true})
    for (const std::uint32_t lines : {1u, 2u, 5u, 32u}) {
      SmSpec spec = plain();
      spec.lsu_stalls_issue = stalls;
      Bench b(spec);
      // Warp 0 loads; warp 1 adds independent values all the time.
      Script s({kLoadWord, op(InstrClass::FloatMad, {4}), op(InstrClass::FloatMad, {5}), exit_op()}, 2);
      s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) { to_lines(a, lines); };
      b.run(s);
      // Warp 0 issues at t, the unit has it from t + 1 on, and warp 1's load waits for it.
      EXPECT_EQ(s.issued[1][0] - s.issued[0][0], stalls ? lines : 1u) << lines;
      if (stalls && lines > 1) {
        EXPECT_GE(b.sm.statistics().stall_lsu, 2 * (lines - 1)) << "both loads";
      }
    }
}

TEST(OnePipeline, PassesOfSharedMemoryStallIssue) {
  SmSpec spec = plain();
  spec.lsu_stalls_issue = true;
  Bench b(spec);
  Script s({op(InstrClass::LoadShared, {1}, {0}, StaticInstr::kMemory), kApart, exit_op()}, 2);
  s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.space = WarpAccess::Space::Shared;
    for (std::uint64_t l = 0; l < 32; ++l) const_cast<std::uint64_t*>(a.address)[l] = l % 9 * 128;
  };
  b.run(s);
  EXPECT_EQ(s.issued[1][0] - s.issued[0][0], 9u);
}

// A blocked L1 stalls everybody until it takes the request.
TEST(OnePipeline, ABlockedRequestStallsIssue) {
  SmSpec spec = plain();
  spec.lsu_stalls_issue = true;
  Bench b(spec);
  b.l1.behave = [](sim::Cycle now, const mem::Request&) {
    return now < 50 ? mem::L1Port::Answer{} : mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + 10};
  };
  Script s({kLoadWord, kApart, exit_op()}, 2);
  s.access = [](auto...) {};
  b.run(s);
  EXPECT_EQ(s.issued[1][0], 50u);
}

// ---- who could issue ------------------------------------------------------------------------------------

// Three warps that add: all three could in the first cycle, then two, then one, then none until six cycles
// have passed since each one's issue.
TEST(AvailableWarps, AreCountedBeforeTheIssueOfEveryCycle) {
  Bench b(one_at_a_time());
  AvailableWarps meter;
  b.sm.watch(&meter);
  std::vector<StaticInstr> code(10, op(InstrClass::IntAdd, {1}));
  code.push_back(exit_op());
  Script s(code, 3);
  b.run(s);
  // Started at 0, they may issue from 1 on: 3 + 2 + 1, then each alone. Nine times six cycles; the exits.
  EXPECT_EQ(meter.statistics().warps, 3 + 2 + 1 + 10 * 3u);
  EXPECT_EQ(meter.statistics().cycles, b.sm.statistics().active_cycles);
}

TEST(AvailableWarps, StalledCyclesDoNotCount) {
  SmSpec spec = plain();
  spec.lsu_stalls_issue = true;
  Bench b(spec);
  AvailableWarps meter;
  b.sm.watch(&meter);
  Script s({kLoadWord, exit_op()}, 1);
  s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) { to_lines(a, 32); };
  b.run(s);
  EXPECT_EQ(b.sm.statistics().active_cycles - meter.statistics().cycles, 31u);
  EXPECT_EQ(meter.statistics().warps, 2u) << "for the load, and for the exit";
}

}  // namespace
}  // namespace heddle::sm
