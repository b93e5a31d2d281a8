// Lines, sectors and bank passes of a warp's access against the closed formula.
#include "bench.h"

#include <algorithm>

namespace heddle::exec {
namespace {

// Each lane loads `bytes` at out + first + lane * stride.
AccessCount global(std::uint32_t first, std::uint32_t stride, std::uint32_t bytes,
                   std::uint32_t threads = 32) {
  const std::string load = bytes == 16  ? "ld.global.v4.u32 {%r1,%r2,%r3,%r4}"
                           : bytes == 8 ? "ld.global.u64 %rd2"
                           : bytes == 4 ? "ld.global.u32 %r1"
                                        : "ld.global.u8 %r1";
  Bench b("mad.wide.u32 %rd1, %tid, " + std::to_string(stride) + ", %out; add.u64 %rd1, %rd1, " +
              std::to_string(first) + ";\n" + load + ", [%rd1]; //load",
          {.block = {threads, 1, 1}, .words = 4096});
  b.run();
  return b.access("load");
}

TEST(AccessCount, GlobalPatterns) {
  for (const std::uint32_t bytes : {1u, 4u, 8u, 16u})
    for (const std::uint32_t stride : {0u, bytes, 2 * bytes, 16u, 32u, 128u, 256u, 272u})
      for (const std::uint32_t first : {0u, 16u, 32u, 64u, 112u})
        for (const std::uint32_t threads : {32u, 20u, 1u}) {
          std::vector<std::uint64_t> lines, sectors;
          for (std::uint32_t lane = 0; lane < threads; ++lane) {
            lines.push_back((first + lane * stride) / 128);
            sectors.push_back((first + lane * stride) / 32);
          }
          for (auto* v : {&lines, &sectors}) {
            std::sort(v->begin(), v->end());
            v->erase(std::unique(v->begin(), v->end()), v->end());
          }
          if (stride % bytes != 0) continue;
          const AccessCount n = global(first, stride, bytes, threads);
          EXPECT_EQ(n.accesses, 1u);
          EXPECT_EQ(n.bytes, bytes * threads);
          EXPECT_EQ(n.lines, lines.size())
              << bytes << " bytes, stride " << stride << ", from " << first << ", " << threads << " threads";
          EXPECT_EQ(n.sectors, sectors.size())
              << bytes << " bytes, stride " << stride << ", from " << first << ", " << threads << " threads";
        }
}

TEST(AccessCount, TheUsualCases) {
  EXPECT_EQ(global(0, 4, 4).sectors, 4u);   // contiguous
  EXPECT_EQ(global(16, 4, 4).sectors, 5u);  // contiguous, not at a sector's start
  EXPECT_EQ(global(64, 4, 4).lines, 2u);    // ... nor at a line's
  EXPECT_EQ(global(0, 0, 4).sectors, 1u);   // broadcast
  EXPECT_EQ(global(0, 128, 4).lines, 32u);  // a column
  EXPECT_EQ(global(0, 16, 16).lines, 4u);   // float4
}

std::uint64_t shared_passes(const std::string& lane_address,
                            const std::string& access = "ld.shared.u32 %r2, [%r1];") {
  Bench b(".shared .align 16 .b8 s[16384]; mov.u32 %r3, s;\n" + lane_address + "\nadd.u32 %r1, %r1, %r3;\n" +
          access + " //load");
  b.run();
  return b.access("load").passes;
}

TEST(AccessCount, SharedBankPasses) {
  for (const std::uint32_t stride : {1u, 2u, 3u, 4u, 8u, 16u, 17u, 32u, 33u}) {
    // Words i * stride: lanes in one bank differ by 32 / gcd(stride, 32) lanes.
    std::uint32_t gcd = 1;
    while (gcd < 32 && stride % (2 * gcd) == 0) gcd *= 2;
    EXPECT_EQ(shared_passes("mul.lo.u32 %r1, %tid, " + std::to_string(4 * stride) + ";"), gcd) << stride;
  }
  EXPECT_EQ(shared_passes("mov.u32 %r1, 8;"), 1u) << "broadcast";
  EXPECT_EQ(shared_passes("and.b32 %r1, %tid, 3; mul.lo.u32 %r1, %r1, 128;"), 4u) << "four words of one bank";
  EXPECT_EQ(shared_passes("mul.lo.u32 %r1, %tid, 8;", "ld.shared.u64 %rd1, [%r1];"), 2u);
  EXPECT_EQ(shared_passes("mul.lo.u32 %r1, %tid, 16;", "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r1];"), 4u);
  EXPECT_EQ(shared_passes("mov.u32 %r1, %tid;", "ld.shared.u8 %r4, [%r1];"), 1u) << "bytes of eight words";
}

TEST(AccessCount, CountsCanBeSwitchedOff) {
  Bench b("ld.global.u32 %r1, [%mine]; //load", {.options = {.count_accesses = false}});
  b.run();
  EXPECT_EQ(b.access("load").accesses, 0u);
  EXPECT_EQ(b.issued("load"), 1u);
}

}  // namespace
}  // namespace heddle::exec
