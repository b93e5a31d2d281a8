// An SM whose scheduler holds warps back: static warp limiting.
#include <gtest/gtest.h>

#include <algorithm>

#include "stats/snapshot.h"
#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

using Answer = mem::L1Port::Answer;
using Outcome = mem::L1Port::Outcome;

const StaticInstr kAdd = op(InstrClass::IntAdd, {1}, {1});
const StaticInstr kRead = op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory);
const StaticInstr kWrite = op(InstrClass::Store, {}, {0}, StaticInstr::kMemory);
const StaticInstr kReduce = op(InstrClass::Atomic, {}, {0}, StaticInstr::kMemory);
const StaticInstr kFence = op(InstrClass::Fence, {}, {}, StaticInstr::kFence);

SmSpec limited(std::uint32_t warps) {
  SmSpec s = plain();
  config::Config config =
      config::Config::parse("scheduler = \"swl\"\nswl.warps = " + std::to_string(warps), "sm.toml");
  config::Reader reader(&config, nullptr);
  SmSpec read;
  read.fields(reader);
  s.scheduler = read.scheduler;
  s.make_scheduler = read.make_scheduler;
  return s;
}

struct Course {
  std::vector<std::vector<sim::Cycle>> issued;
  SmStats stats;
  std::vector<Retired> retired;
  int steps = 0;
  sim::Cycle start(std::size_t warp) const { return issued[warp].front(); }
  sim::Cycle end(std::size_t warp) const { return issued[warp].back(); }
};

// Memory answers after 500 cycles. `every_cycle`: without skipping any.
Course run(const SmSpec& spec, const std::vector<StaticInstr>& code, std::uint32_t warps,
           std::uint64_t ctas = 1, bool every_cycle = false) {
  FakeL1 l1;
  std::vector<std::pair<sim::Cycle, mem::Request>> replies;
  l1.behave = [&](sim::Cycle now, const mem::Request& r) {
    replies.emplace_back(now + 500, r);
    return Answer{Outcome::Pending, 0};
  };
  Sm sm(spec, 0, 1, 1_GHz);
  sm.connect(l1, {});
  Script s(code, warps, ctas);
  s.view = &sm;
  s.access = [&](std::uint64_t, std::uint32_t, std::uint32_t pc, WarpAccess& a) {
    a.kind = code[pc].cls == InstrClass::Store    ? WarpAccess::Kind::Store
             : code[pc].cls == InstrClass::Atomic ? WarpAccess::Kind::Reduce
                                                  : WarpAccess::Kind::Load;
  };
  for (std::uint64_t c = 0; c < ctas; ++c) sm.launch(s, 0, c, 37 * c);
  Course r;
  for (sim::Cycle now = 0; s.finished < ctas;) {
    sm.begin(now);
    for (; !replies.empty() && replies.front().first <= now; replies.erase(replies.begin())) {
      sm.client().reply(now, replies.front().second);
      sm.unblock();
    }
    sm.step(now);
    ++r.steps;
    sim::Cycle next = every_cycle ? now + 1 : sm.next(now);
    if (!replies.empty()) next = std::min(next, std::max(now + 1, replies.front().first));
    now = next;
    if (s.finished < ctas && now > 100'000) {  // or kNever
      ADD_FAILURE() << "nothing goes on: " << sm.waits();
      break;
    }
  }
  r.issued = s.issued;
  r.stats = sm.statistics();
  r.retired = sm.retired();
  return r;
}

std::vector<std::pair<std::string, std::uint64_t>> counters(const SmStats& s) {
  stats::Snapshot snapshot;
  snapshot.add("sm", s);
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const stats::Statistic& one : snapshot.all())
    if (const auto* n = std::get_if<std::uint64_t>(&one.reading)) all.emplace_back(one.info.name, *n);
  return all;
}

std::vector<StaticInstr> adds(int n) {
  std::vector<StaticInstr> code(static_cast<std::size_t>(n), kAdd);
  code.push_back(exit_op());
  return code;
}

TEST(WarpLimit, OnlyTheOldestIssue) {
  const Course r = run(limited(2), adds(10), 5);
  // Two go side by side; the next one comes when one ends, in order.
  EXPECT_LT(r.start(1), r.end(0));
  for (std::size_t w = 2; w < 5; ++w) {
    std::size_t others = 0;  // older ones that have not ended when it starts
    sim::Cycle ended = 0;
    for (std::size_t o = 0; o < w; ++o) {
      if (r.end(o) > r.start(w))
        ++others;
      else
        ended = std::max(ended, r.end(o));
    }
    EXPECT_LE(others, 1u) << w;
    EXPECT_LE(r.start(w), ended + 2) << w;
  }
}

TEST(WarpLimit, AnotherJoinsInTheCycleAfterOneEnds) {
  const Course r = run(limited(1), adds(10), 3);
  EXPECT_EQ(r.start(1), r.end(0) + 1);
  EXPECT_EQ(r.start(2), r.end(1) + 1);
}

TEST(WarpLimit, EverySchedulerHasItsOwn) {
  SmSpec spec = limited(1);
  spec.schedulers = 2;
  const Course r = run(spec, adds(10), 4);
  EXPECT_EQ(r.start(0), r.start(1));
  EXPECT_EQ(r.start(2), r.end(0) + 1);
  EXPECT_EQ(r.start(3), r.end(1) + 1);
}

// Who waits for memory keeps its place; who waits for other warps does not.
TEST(WarpLimit, LoadsKeepTheirPlace) {
  const Course r = run(limited(1), {kRead, kAdd, exit_op()}, 3);
  EXPECT_GT(r.start(1), r.end(0));
  EXPECT_GT(r.end(0), 500u);
}
TEST(WarpLimit, WhoWaitsAtABarrierOrAFenceDoesNotCount) {
  const Course barrier = run(limited(1), {kAdd, barrier_op(), kAdd, exit_op()}, 4);
  EXPECT_EQ(barrier.stats.ctas, 1u);
  const Course fence = run(limited(1), {kWrite, kFence, kAdd, exit_op()}, 3);
  EXPECT_LT(fence.start(1), 50u);
  EXPECT_GT(fence.end(0), 500u);
}
TEST(WarpLimit, WhoHasAtomicsUnderWayDoesNotCount) {
  std::vector<StaticInstr> code = adds(5);
  code.insert(code.begin(), kReduce);
  const Course r = run(limited(1), code, 2);
  // It may go on itself, as under any scheduler.
  EXPECT_LT(r.start(1), 50u);
  EXPECT_LT(r.issued[0][5], 100u);
}

// The reason is what those who may issue wait for, not that others may not.
TEST(WarpLimit, StallsAreThoseOfTheAdmitted) {
  const Course memory = run(limited(1), {kRead, kAdd, exit_op()}, 4);
  EXPECT_EQ(memory.stats.stall_memory, 4 * 500u);
  EXPECT_EQ(memory.stats.stall_unit + memory.stats.stall_lsu, 0u);
  const Course results = run(limited(1), adds(10), 4);
  EXPECT_EQ(results.stats.stall_dependency, 4 * (9 * 5u) + 1);  // nobody issues in the cycle of the launch
  EXPECT_EQ(results.stats.stall_unit, 0u);
  const SmStats& t = memory.stats;
  EXPECT_EQ(t.active_cycles, t.issuing_cycles + t.stall_memory + t.stall_dependency + t.stall_unit +
                                 t.stall_lsu + t.stall_barrier + t.stall_drain);
}

// A queue that is full stalls only who may issue to it.
TEST(WarpLimit, AHeldBackWarpDoesNotHideAFullQueue) {
  SmSpec spec = limited(1);
  spec.lsu_queue = 1;
  std::vector<StaticInstr> code(6, kWrite);
  code.insert(code.begin(), op(InstrClass::IntAdd, {1}));  // the others could issue this
  code.push_back(exit_op());
  const Course r = run(spec, code, 2);
  EXPECT_EQ(r.stats.stall_unit, 0u);
}

TEST(WarpLimit, AHighLimitIsGreedyThenOldest) {
  const std::vector<StaticInstr> code = {kAdd, kRead,  kAdd,   barrier_op(), kReduce,
                                         kAdd, kWrite, kFence, kAdd,         exit_op()};
  SmSpec gto = plain();
  gto.scheduler = "gto";
  EXPECT_EQ(run(limited(64), code, 6, 3).issued, run(gto, code, 6, 3).issued);
}

TEST(WarpLimit, SkippingIsExact) {
  const std::vector<StaticInstr> code = {kAdd,   kRead, kAdd,   barrier_op(), kAdd,   kReduce, kAdd,
                                         kWrite, kAdd,  kFence, kRead,        kWrite, kAdd,    exit_op()};
  for (const std::uint32_t most : {1u, 2u, 3u, 7u})
    for (const std::uint32_t schedulers : {1u, 2u, 4u})
      for (const std::uint32_t width : {1u, 2u}) {
        SCOPED_TRACE(testing::Message() << most << " of " << schedulers << ", width " << width);
        SmSpec spec = limited(most);
        spec.schedulers = schedulers;
        spec.issue_width = width;
        Course skips = run(spec, code, 5, 4), all = run(spec, code, 5, 4, true);
        EXPECT_EQ(skips.issued, all.issued);
        EXPECT_EQ(counters(skips.stats), counters(all.stats));
        EXPECT_LT(skips.steps * 2, all.steps);
      }
}

// Ready warps that may not issue are no reason to look at every cycle.
TEST(WarpLimit, HeldBackWarpsCostNoSteps) {
  const Course r = run(limited(1), {kRead, kAdd, exit_op()}, 8);
  EXPECT_GT(r.end(7), 8 * 500u);
  EXPECT_LT(r.steps, 8 * 20);
}

}  // namespace
}  // namespace heddle::sm
