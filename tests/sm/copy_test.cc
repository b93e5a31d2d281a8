// Asynchronous copies: of lanes, in groups, and in bulk.
#include <gtest/gtest.h>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

using Answer = mem::L1Port::Answer;
using Outcome = mem::L1Port::Outcome;
using Copies = StaticInstr::Copies;

const StaticInstr kCopy = op(InstrClass::Load, {}, {0}, StaticInstr::kMemory);
const StaticInstr kOther = op(InstrClass::IntAdd, {5});

StaticInstr commit_op(Copies which) {
  StaticInstr i = op(InstrClass::Other, {}, {}, StaticInstr::kCopies);
  i.set_copies(which, 0);
  return i;
}
StaticInstr wait_op(Copies which, std::uint64_t left) {
  StaticInstr i = op(InstrClass::Fence, {}, {}, StaticInstr::kCopies | StaticInstr::kFence);
  i.set_copies(which, left);
  return i;
}
// Every request is answered `latency` cycles later.
void answer_after(Bench& b, sim::Cycle latency) {
  b.l1.behave = [&b, latency](sim::Cycle now, const mem::Request& r) {
    b.replies.emplace_back(now + latency, r);
    return Answer{Outcome::Pending, 0};
  };
}
// Lane 0 copies `bytes` from `at` on.
auto bulk(std::uint64_t at, std::uint64_t bytes, WarpAccess::Kind kind = WarpAccess::Kind::Load) {
  static std::array<std::uint64_t, 32> sizes;
  sizes = {};
  sizes[0] = bytes;
  return [at, kind](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess& a) {
    a.kind = kind;
    a.mask = 1;
    a.sizes = sizes.data();
    a.payload = 7;
    const_cast<std::uint64_t*>(a.address)[0] = at;
  };
}

// A request per line and cycle; the mbarrier hears of them with the last answer, nobody waits otherwise.
TEST(Copy, ABulkCopyIsToldWhenItsLastLineIsThere) {
  Bench b(plain());
  answer_after(b, 300);
  Script s({kCopy, kOther, exit_op()}, 1);
  s.access = bulk(0x1000'0040, 1024);
  b.run(s);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 1u);
  ASSERT_EQ(b.l1.seen.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) {
    const mem::Request& r = b.l1.seen[i].second;
    EXPECT_EQ(r.line, 0x1000'0000u + 128 * i);
    EXPECT_EQ(r.sectors, i == 0 ? 0xc : i == 8 ? 0x3 : 0xf);
    EXPECT_EQ(r.words, i == 0 ? 0xffff0000u : i == 8 ? 0xffffu : ~0u);
    EXPECT_TRUE(r.no_l1);
    EXPECT_EQ(b.l1.seen[i].first, s.issued[0][0] + 1 + i);
  }
  ASSERT_EQ(s.copied.size(), 1u);
  EXPECT_EQ(s.copied[0].first, s.issued[0][0] + 1 + 8 + 300);
  EXPECT_EQ(s.copied[0].second, 7u);
  EXPECT_EQ(s.finished, 1u) << "and the CTA ends after it";
  EXPECT_EQ(b.sm.statistics().global_load.lines, 9u);
  EXPECT_EQ(b.sm.statistics().global_load.sectors, 32u);
  EXPECT_EQ(b.sm.statistics().global_load.lanes, 64u);
}

TEST(Copy, ABulkCopyOfNothingIsToldAtOnce) {
  Bench b(plain());
  Script s({kCopy, exit_op()}, 1);
  s.access = bulk(0x1000'0000, 0);
  b.run(s);
  ASSERT_EQ(s.copied.size(), 1u);
  EXPECT_EQ(s.copied[0].first, s.issued[0][0] + 1);
  EXPECT_EQ(s.finished, 1u);
}

// Within shared memory: a line per cycle, no request.
TEST(Copy, WithinSharedMemory) {
  Bench b(plain());
  Script s({kCopy, exit_op()}, 1);
  const auto from = bulk(256, 512);
  s.access = [&](std::uint64_t c, std::uint32_t w, std::uint32_t pc, WarpAccess& a) {
    from(c, w, pc, a);
    a.space = WarpAccess::Space::Shared;
  };
  b.run(s);
  EXPECT_TRUE(b.l1.seen.empty());
  ASSERT_EQ(s.copied.size(), 1u);
  EXPECT_EQ(s.copied[0].first, s.issued[0][0] + 1 + 3 + plain().shared_latency);
}

// A large copy and another warp's loads take turns; when the L1 takes nothing for a while, both go on later.
TEST(Copy, OtherInstructionsPassABulkCopy) {
  Bench b(plain());
  b.l1.behave = [](sim::Cycle now, const mem::Request&) {
    return now < 50 ? Answer{} : Answer{Outcome::Hit, now + 10};
  };
  const StaticInstr load = op(InstrClass::Load, {1}, {0}, StaticInstr::kMemory);
  Script s({load, op(InstrClass::IntAdd, {2}, {1}), exit_op()}, 2);
  const auto copy = bulk(0x1000'0000, 128 * 1000);
  s.access = [&](std::uint64_t c, std::uint32_t w, std::uint32_t pc, WarpAccess& a) {
    if (w == 0) copy(c, w, pc, a);
  };
  b.run(s);
  EXPECT_LE(s.issued[1][1], 50u + 15);
  ASSERT_EQ(s.copied.size(), 1u);
  EXPECT_EQ(s.copied[0].first, 50u + 1001 - 1 + 10) << "1001 requests in all, the last one's data later";
}

TEST(Copy, AWaitForBulkStoresWaitsForTheirAcknowledgements) {
  Bench b(plain());
  answer_after(b, 200);
  Script s({kCopy, commit_op(Copies::Bulk), wait_op(Copies::Lanes, 0), wait_op(Copies::Bulk, 1),
            wait_op(Copies::Bulk, 0), exit_op()},
           1);
  s.access = bulk(0x1000'0000, 256, WarpAccess::Kind::Store);
  b.run(s);
  ASSERT_EQ(b.l1.seen.size(), 2u);
  EXPECT_EQ(b.l1.seen[0].second.op, mem::Op::Write);
  EXPECT_FALSE(b.l1.seen[0].second.partial_write);
  EXPECT_LT(s.issued[0][3], 20u) << "one group may be under way";
  EXPECT_EQ(s.issued[0][4] - s.issued[0][0], 1u + 1 + 200);
  EXPECT_TRUE(s.copied.empty());
}

// cp.async reads one space and writes the other: two accesses.
class LaneCopies : public testing::Test {
 protected:
  LaneCopies() { answer_after(b, 100); }
  void run(Script& s) {
    s.parts = 2;
    s.access = [](std::uint64_t, std::uint32_t, std::uint32_t, WarpAccess&) {};
    s.second_part = [](WarpAccess& a) {
      a.kind = WarpAccess::Kind::Store;
      a.space = WarpAccess::Space::Shared;
    };
    b.run(s);
  }
  Bench b{plain()};
};

TEST_F(LaneCopies, WaitForAll) {
  Script s({kCopy, kOther, wait_op(Copies::Lanes, StaticInstr::kAllCopies), exit_op()}, 1);
  run(s);
  EXPECT_EQ(s.issued[0][1] - s.issued[0][0], 1u);
  EXPECT_EQ(s.issued[0][2] - s.issued[0][0], 101u);
}

TEST_F(LaneCopies, GroupsAreWaitedForOneByOne) {
  std::vector<StaticInstr> code{kCopy, commit_op(Copies::Lanes)};
  for (int i = 0; i < 10; ++i) code.push_back(kOther);
  code.insert(code.end(), {kCopy, commit_op(Copies::Lanes), wait_op(Copies::Lanes, 1), kOther,
                           wait_op(Copies::Lanes, 0), exit_op()});
  Script s(code, 1);
  run(s);
  const auto& at = s.issued[0];
  EXPECT_EQ(at[14] - at[0], 101u);
  EXPECT_EQ(at[16] - at[12], 101u);
}

TEST_F(LaneCopies, ACtaEndsAfterItsCopies) {
  Script s({kCopy, exit_op()}, 1);
  run(s);
  EXPECT_EQ(s.finished, 1u);
  EXPECT_TRUE(b.replies.empty());
}

}  // namespace
}  // namespace heddle::sm
