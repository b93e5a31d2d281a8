// Warps of an SM whose loads, stores and atomics meet in the same lines: every one gets its turn.
#include "bench.h"

namespace heddle::gpu {
namespace {

// Each thread adds 1 to a word of its own choice, by comparing and swapping, as programs do for what has no
// atomic of its own: a plain load first, so that loads wait for atomics of the same line and atomics for
// loads.
constexpr std::string_view kCasLoop = R"(
mul.lo.u32 %r1, %gid, 2654435761;
shr.u32 %r1, %r1, 16;
rem.u32 %r1, %r1, %n;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %rd1, %a;
ld.global.u32 %r2, [%rd1];
L:
add.u32 %r3, %r2, 1;
mov.u32 %r4, %r2;
atom.global.cas.b32 %r2, [%rd1], %r4, %r3;
setp.ne.u32 %p1, %r2, %r4;
@%p1 bra L;
)";

struct Case {
  const char* scheduler;
  std::uint32_t schedulers, warps, words;
  std::uint32_t limit = 8;  // swl
};

class AtomicTurns : public testing::TestWithParam<Case> {};

TEST_P(AtomicTurns, AllOfManyWarpsComeToTheirEnd) {
  const Case c = GetParam();
  Bench b(lab({"sm.scheduler=" + std::string(c.scheduler), "sm.schedulers=" + std::to_string(c.schedulers),
               "sm.swl.warps=" + std::to_string(c.limit), "sm.warps=64", "sm.threads=2048"}));
  b.load(kCasLoop);
  const auto a = b.words(c.words);
  const std::uint32_t ctas = c.warps / 4;
  b.run({.ctas = ctas, .threads = 128, .n = c.words}, a);
  std::uint64_t sum = 0;
  for (const std::uint32_t n : b.read(a, c.words)) sum += n;
  EXPECT_EQ(sum, ctas * 128u);
}

INSTANTIATE_TEST_SUITE_P(Machines, AtomicTurns,
                         testing::Values(Case{"gto", 1, 64, 32}, Case{"gto", 1, 64, 2048},
                                         Case{"gto", 4, 64, 4096}, Case{"lrr", 1, 64, 512},
                                         Case{"two_level", 1, 64, 512}, Case{"gto", 1, 20, 128},
                                         Case{"swl", 1, 64, 512, 1}, Case{"swl", 4, 64, 32, 2}));

// A refused access takes no issue slot: others issue as if it were not there.
TEST(AtomicTurns, WhoWaitsTakesNoSlot) {
  Bench b(lab({"latency.sm_to_cluster=10000"}));
  b.load("red.global.add.u32 [%a], 1;\nld.global.u32 %r1, [%a];\nst.global.u32 [%b], %r1;");
  const auto a = b.words(32);
  const LaunchResult& r = b.run({.threads = 32}, a, b.words(32));
  EXPECT_GT(r.cycles, 20'000u);
  EXPECT_EQ(r.stats.sm().retries, 1u);
  EXPECT_LE(r.stats.sm().issuing_cycles, 20u);
}

}  // namespace
}  // namespace heddle::gpu
