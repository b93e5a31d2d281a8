// Listing 3 of the CTA clustering paper on the four simulated cards: CTAs of one warp, of which one thread
// reads the line of its SM and takes the time. The first turn of CTAs on an SM waits for memory, later turns
// find the line in the L1. (The listing as printed does not compile: clustering.md rule 19.)
#include <algorithm>
#include <cstdio>

#include "bench.h"

namespace heddle::gpu {
namespace {

struct Card {
  const char* name;
  std::uint32_t turns;            // of CTAs, as in the paper
  std::uint64_t reads_of_a_line;  // 32-byte transactions per SM, Figure 2
};
constexpr Card kCards[] = {{"gtx570", 4, 4}, {"k40", 4, 4}, {"gtx980", 2, 2}, {"gtx1080", 2, 2}};

// %n: cycles that a CTA waits before it reads, times its number.
constexpr std::string_view kListing = R"(
setp.ne.u32 %p1, %tid, 0;
@%p1 bra DONE;
mul.lo.u32 %r1, %n, %cta;
mov.u32 %r2, %clock;
WAIT:
mov.u32 %r3, %clock;
sub.u32 %r4, %r3, %r2;
setp.lt.u32 %p2, %r4, %r1;
@%p2 bra WAIT;
mov.u32 %r5, %smid;
mul.wide.u32 %rd1, %r5, 128;
add.u64 %rd1, %rd1, %a;
mov.u32 %r6, %clock;
ld.global.u32 %r7, [%rd1];
add.u32 %r8, %r7, %r6;
mov.u32 %r9, %clock;
sub.u32 %r9, %r9, %r6;
add.u32 %r9, %r9, %r7;
mul.wide.u32 %rd2, %cta, 8;
add.u64 %rd2, %rd2, %b;
st.global.u32 [%rd2], %r5;
st.global.u32 [%rd2+4], %r9;
DONE:
)";

struct Probe {
  std::vector<std::vector<std::uint32_t>> ticks;  // by SM, in the order of CTAs
  std::uint64_t l2_sectors = 0;
};
Probe probe(const GpuSpec& spec, std::uint32_t turns, std::uint32_t delay) {
  Bench b(spec);
  b.load(kListing);
  const std::uint32_t ctas = spec.sms() * spec.sm.ctas * turns;
  const auto lines = b.words(std::vector<std::uint32_t>(32 * spec.sms())), out = b.words(2 * ctas);
  const LaunchResult r = b.run({ctas, 32, delay}, lines, out);
  Probe p;
  p.ticks.resize(spec.sms());
  const std::vector<std::uint32_t> words = b.read(out, 2 * ctas);
  for (std::uint32_t c = 0; c < ctas; ++c) p.ticks[words[2 * c]].push_back(words[2 * c + 1]);
  p.l2_sectors = r.stats.l2().reads.sectors;
  return p;
}

TEST(Turnaround, LaterTurnsFindTheLineInTheL1) {
  for (const Card& card : kCards) {
    SCOPED_TRACE(card.name);
    const GpuSpec spec = spec_of(card.name);
    const Probe p = probe(spec, card.turns, 0);
    EXPECT_EQ(p.l2_sectors, card.reads_of_a_line * spec.sms());
    const auto& sm_0 = p.ticks.front();
    std::printf("%s: %zu CTAs on SM 0; first turn %u cycles at most, later ones %u\n", card.name, sm_0.size(),
                *std::max_element(sm_0.begin(), sm_0.begin() + spec.sm.ctas),
                *std::max_element(sm_0.begin() + spec.sm.ctas, sm_0.end()));
    for (const auto& sm : p.ticks) {
      ASSERT_GT(sm.size(), spec.sm.ctas);
      // One of the first turn waits for all of the way, others of it for what is left; later ones for the L1.
      const auto first = *std::max_element(sm.begin(), sm.begin() + spec.sm.ctas);
      const auto late = *std::max_element(sm.begin() + spec.sm.ctas, sm.end());
      EXPECT_GT(first, 2 * spec.l1.latency);
      EXPECT_LT(late, 3 * first / 4);
    }
  }
}

// With time between the CTAs only the first of an SM (of a part of its L1) waits.
TEST(Turnaround, StaggeredCtasWaitOnce) {
  for (const Card& card : kCards) {
    SCOPED_TRACE(card.name);
    const GpuSpec spec = spec_of(card.name, {"gpu.clusters=2"});
    const Probe p = probe(spec, 1, 1200);
    for (const auto& sm : p.ticks) {
      const auto [hit, miss] = std::minmax_element(sm.begin(), sm.end());
      EXPECT_GT(*miss, *hit + spec.l1.latency / 2);
      const std::uint32_t between = (*hit + *miss) / 2;
      const auto slow = std::count_if(sm.begin(), sm.end(), [&](std::uint32_t t) { return t > between; });
      EXPECT_EQ(slow, spec.l1.tags.parts);
    }
  }
}

}  // namespace
}  // namespace heddle::gpu
