// When code is there that is not in the instruction cache.
#include "sm/code_fetch.h"

#include <gtest/gtest.h>

#include "tests/sm/script.h"

namespace heddle::sm {
namespace {

constexpr std::uint32_t kBegin = CodeFetch::kNothing;

// 1 KiB: 4 sets of 4 lines of 64 bytes.
SmSpec machine(std::uint32_t interval) {
  SmSpec s = plain();
  s.icache = 1_KiB;
  s.icache_miss_latency = 50;
  s.icache_miss_interval = interval;
  s.icache_prefetch = true;
  return s;
}

TEST(CodeFetch, LinesBehindOneAnotherComeAtARate) {
  CodeFetch f(machine(11));
  EXPECT_EQ(f.read(100, 1, 0, kBegin).there, 150u);
  EXPECT_EQ(f.read(154, 1, 1, 0).there, 161u) << "asked for when the one before it came";
  EXPECT_EQ(f.read(165, 1, 2, 1).there, 172u);
  EXPECT_EQ(f.read(300, 1, 3, 2).there, 300u) << "it came in the meantime";
  EXPECT_EQ(f.read(304, 1, 4, 3).there, 311u) << "but nothing behind it";
  EXPECT_EQ(f.read(400, 1, 1, 0).there, 400u) << "they stay";
  EXPECT_FALSE(f.read(400, 1, 1, 0).missed);
}

TEST(CodeFetch, AJumpTakesLonger) {
  CodeFetch f(machine(11));
  f.read(0, 1, 0, kBegin);
  EXPECT_EQ(f.read(60, 1, 9, 0).there, 110u);
  EXPECT_EQ(f.read(62, 1, 12, 0).there, 121u) << "another warp's: one after the other";
  EXPECT_EQ(f.read(130, 1, 13, 12).there, 132u);
}

TEST(CodeFetch, OthersWaitForALineUnderWay) {
  CodeFetch f(machine(11));
  f.read(0, 1, 0, kBegin);
  const CodeFetch::Answer a = f.read(10, 1, 0, kBegin);
  EXPECT_EQ(a.there, 50u);
  EXPECT_FALSE(a.missed) << "one miss";
}

TEST(CodeFetch, WithoutARateEachWarpWaitsForItself) {
  CodeFetch f(machine(0));
  EXPECT_EQ(f.read(0, 1, 0, kBegin).there, 50u);
  EXPECT_EQ(f.read(10, 1, 0, kBegin).there, 10u);
  EXPECT_EQ(f.read(10, 1, 1, 0).there, 10u) << "fetched ahead";
  EXPECT_EQ(f.read(10, 1, 7, 1).there, 60u);
  EXPECT_EQ(f.read(10, 1, 8, 7).there, 10u);
}

TEST(CodeFetch, AKernelsFirstLineComesFromFar) {
  SmSpec s = machine(11);
  s.icache_cold_latency = 130;
  CodeFetch f(s);
  EXPECT_EQ(f.read(0, 1, 0, kBegin).there, 130u);
  EXPECT_EQ(f.read(200, 1, 9, 0).there, 250u);
  EXPECT_EQ(f.read(300, 2, 0, kBegin).there, 430u) << "another kernel";
  EXPECT_EQ(f.read(500, 1, 0, kBegin).there, 500u) << "the first one's is still there";
  f.flush();
  EXPECT_EQ(f.read(600, 1, 0, kBegin).there, 730u);
}

TEST(CodeFetch, LongLoopsAreFetchedAgain) {
  CodeFetch f(machine(11));
  sim::Cycle now = 0;
  std::uint32_t last = kBegin, misses = 0;
  for (int turn = 0; turn < 3; ++turn)
    for (std::uint32_t line = 0; line < 32; ++line) {  // twice what there is room for
      const CodeFetch::Answer a = f.read(now, 1, line, last);
      misses += a.missed ? 1 : 0;
      now = std::max(now, a.there) + 4;
      last = line;
    }
  EXPECT_EQ(misses, 96u);
}

// Machine code of 16 bytes: four instructions in a line.
TEST(CodeFetch, AnSmWaitsForItsCode) {
  SmSpec spec = machine(11);
  spec.instruction_bytes = 16;
  spec.icache_cold_latency = 130;
  std::vector<StaticInstr> code;
  for (int i = 0; i < 12; ++i) code.push_back(op(InstrClass::IntAdd, {i}));
  code.push_back(exit_op());
  for (const bool kept : {false, true}) {
    spec.icache_kept = kept;
    Bench b(spec);
    Script s(code, 1);
    const auto line_waits = [&](std::size_t i) { return s.issued[0][i] - s.issued[0][i - 1] - 1; };
    b.run(s);
    EXPECT_EQ(s.issued[0][0], 131u);
    EXPECT_EQ(line_waits(4), 7u);
    EXPECT_EQ(line_waits(5), 0u);
    EXPECT_EQ(line_waits(8), 7u);
    EXPECT_EQ(b.sm.statistics().instruction_misses, 4u);
    b.sm.kernel_end();
    s.issued.clear();
    s.finished = 0;
    b.run(s);
    EXPECT_EQ(line_waits(4), kept ? 0u : 7u);
  }
}

}  // namespace
}  // namespace heddle::sm
