// The warps of a CTA access memory in step, so that programs which forget a barrier behave as on a card.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench.h"

namespace heddle::exec {
namespace {

constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;

std::string fill(unsigned instructions) {
  std::string text;
  for (unsigned i = 0; i < instructions; ++i) text += "add.u32 %r40, %r40, 1;\n";
  return text;
}

Case one_cta() {
  return {.block = {kThreads, 1, 1}, .order_shows = true};
}

// All read what one warp overwrites some instructions later.
TEST(InStep, WriteAfterRead) {
  for (const unsigned distance : {0u, 1u, 2u, 10u, 40u})
    for (const unsigned writer : {0u, 3u, 7u})
      EXPECT_EQ(run(".shared .u32 b; setp.eq.u32 %p1, %tid, " + std::to_string(32 * writer) +
                        "; @%p1 st.shared.u32 [b], 1; bar.sync 0; ld.shared.u32 %r1, [b];" + fill(distance) +
                        "@%p1 st.shared.u32 [b], 2; st.global.u32 [%mine], %r1;",
                    one_cta()),
                expected(kThreads, [](auto) { return 1; }))
          << distance << " instructions, warp " << writer;
}

// All read what one warp wrote some instructions before.
TEST(InStep, ReadAfterWrite) {
  for (const unsigned distance : {0u, 1u, 2u, 10u, 40u})
    for (const unsigned writer : {0u, 3u, 7u})
      EXPECT_EQ(run(".shared .u32 b; setp.eq.u32 %p1, %tid, " + std::to_string(32 * writer) +
                        "; bar.sync 0; @%p1 st.shared.u32 [b], 1;" + fill(distance) +
                        "ld.shared.u32 %r1, [b]; st.global.u32 [%mine], %r1;",
                    one_cta()),
                expected(kThreads, [](auto) { return 1; }))
          << distance << " instructions, warp " << writer;
}

// Each thread shifts its word of global memory by one place: all are read before the first is written.
TEST(InStep, GlobalMemory) {
  Bench bench(
      "st.global.u32 [%mine], %tid; bar.sync 0; mov.u32 %r3, %tid; setp.eq.u32 %p1, %tid, 0; "
      "sub.u64 %rd1, %mine, 4; mov.u32 %r1, 99; @!%p1 ld.global.u32 %r1, [%rd1]; "
      "st.global.u32 [%mine], %r1;",
      one_cta());
  EXPECT_EQ(bench.run(), expected(kThreads, [](auto i) { return i == 0 ? 99 : i - 1; }));
}

// A sum over several warps whose steps have no barrier between them, as warp-synchronous tails have.
TEST(InStep, Reduction) {
  std::string body = R"(.shared .align 4 .b32 s[256];
mul.lo.u32 %r1, %tid, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %tid; bar.sync 0;)";
  for (const unsigned half : {128u, 64u, 32u, 16u, 8u, 4u, 2u, 1u}) {
    const std::string n = std::to_string(half);
    body += "setp.lt.u32 %p1, %tid, " + n + "; @%p1 ld.shared.u32 %r3, [%r2+" + std::to_string(4 * half) +
            "]; @%p1 ld.shared.u32 %r4, [%r2]; @%p1 add.u32 %r4, %r4, %r3; @%p1 st.shared.u32 [%r2], %r4;\n";
  }
  body += "ld.shared.u32 %r5, [s]; st.global.u32 [%mine], %r5;";
  EXPECT_EQ(run(body, one_cta()), expected(kThreads, [](auto) { return 255 * 256 / 2; }));
}

// ---- the class ------------------------------------------------------------------------------------------

constexpr unsigned kCells = 3;

struct Step {
  enum What : std::uint8_t { Fill, Read, Write } what;
  unsigned cell = 0;
  std::uint32_t value = 0;
};
using Program = std::array<std::vector<Step>, kWarps>;  // by warp; each step is one instruction

Program random_steps(std::mt19937& random) {
  Program p;
  std::uint32_t value = 1;
  for (auto& steps : p) {
    const unsigned n = 20 + random() % 60, density = 1 + random() % 12;
    for (unsigned i = 0; i < n; ++i) {
      const bool access = random() % density == 0;
      const auto what = !access ? Step::Fill : random() % 3 == 0 ? Step::Write : Step::Read;
      steps.push_back({what, static_cast<unsigned>(random() % kCells), value++});
    }
  }
  return p;
}

// What each warp ends with when all execute one instruction per step, the lowest warp first.
std::array<std::uint32_t, kWarps> in_step_results(const Program& p) {
  std::array<std::uint32_t, kCells> cells{};
  std::array<std::uint32_t, kWarps> sums{};
  for (std::size_t at = 0;; ++at) {
    bool any = false;
    for (unsigned w = 0; w < kWarps; ++w) {
      if (at >= p[w].size()) continue;
      any = true;
      const Step& s = p[w][at];
      if (s.what == Step::Write) cells[s.cell] = s.value;
      if (s.what == Step::Read) sums[w] += cells[s.cell] * (2 * static_cast<std::uint32_t>(at) + 1);
    }
    if (!any) return sums;
  }
}

// Each warp has code of its own, and reaches it after as many instructions as the others.
std::string text_of(const Program& p, const std::string& space) {
  std::string body = "shr.u32 %r1, %tid, 5; bar.sync 0;\nT: .branchtargets ";
  for (unsigned w = 0; w < kWarps; ++w) body += (w == 0 ? "W" : ", W") + std::to_string(w);
  body += "; brx.idx.uni %r1, T;\n";
  for (unsigned w = 0; w < kWarps; ++w) {
    body += "W" + std::to_string(w) + ":\n";
    std::string sums;
    for (std::size_t at = 0; at < p[w].size(); ++at) {
      const Step& s = p[w][at];
      const std::string cell = "[cells+" + std::to_string(4 * s.cell) + "]";
      const std::string reg = "%v" + std::to_string(at);
      if (s.what == Step::Fill) body += fill(1);
      if (s.what == Step::Write)
        body += "st." + space + ".u32 " + cell + ", " + std::to_string(s.value) + ";\n";
      if (s.what != Step::Read) continue;
      body += "ld." + space + ".u32 " + reg + ", " + cell + ";\n";
      sums += "mad.lo.u32 %r2, " + reg + ", " + std::to_string(2 * at + 1) + ", %r2;\n";
    }
    body += sums + "bra E;\n";
  }
  return ".reg .b32 %v<100>;\n" + body + "E: bar.sync 0; st.global.u32 [%mine], %r2;";
}

TEST(InStep, RandomProgramsOfEachWarp) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 60; ++i) {
    const Program p = random_steps(random);
    const auto sums = in_step_results(p);
    const std::string space = i % 2 == 0 ? "shared" : "global";
    Case given = one_cta();
    given.globals = "." + space + " .align 4 .b32 cells[4];";
    EXPECT_EQ(run(text_of(p, space), given), expected(kThreads, [&](auto t) { return sums[t / 32]; })) << i;
  }
}

// Threads of the host are no part of it.
TEST(InStep, SameOnSeveralThreads) {
  std::mt19937 random(11);
  const Program p = random_steps(random);
  const auto sums = in_step_results(p);
  constexpr std::uint32_t kCtas = 40;
  for (const std::uint32_t threads : {1u, 2u, 3u}) {
    FunctionalDevice device({.threads = threads, .worth_threads = 0});
    device.load_module(kernel_text(text_of(p, "shared"), ".shared .align 4 .b32 cells[4];"), "in_step.ptx");
    const workload::DevicePtr array = device.allocate(4 * kThreads * kCtas, "out");
    device.launch({"k", {kCtas, 1, 1}, {kThreads, 1, 1}, 0, args(array)});
    EXPECT_EQ(device.launches().back().host_threads, threads);
    std::vector<std::uint32_t> words(kThreads * kCtas);
    device.copy_out(words.data(), array, 4 * words.size());
    EXPECT_EQ(words, expected(kThreads * kCtas, [&](auto t) { return sums[t / 32 % kWarps]; }));
  }
}

// ---- where nothing needs to be in step ------------------------------------------------------------------

bool marked(const std::string& body) {
  FunctionalDevice device;
  device.load_module(kernel_text(body, ".shared .align 4 .b32 s[64];"), "in_step.ptx");
  return device.kernel("k").in_step;
}

TEST(InStep, OnlyWhereWarpsMayNotice) {
  EXPECT_FALSE(
      marked("st.shared.u32 [s], %tid; bar.sync 0; ld.shared.u32 %r1, [s]; st.global.u32 [%mine], %r1;"));
  EXPECT_FALSE(marked("red.shared.add.u32 [s], 1; red.shared.add.u32 [s+4], 1;"));
  EXPECT_FALSE(marked("ld.global.nc.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;"));
  EXPECT_TRUE(
      marked("st.shared.u32 [s], %tid; ld.shared.u32 %r1, [s]; bar.sync 0; st.global.u32 [%mine], %r1;"));
  EXPECT_TRUE(marked("st.shared.u32 [s], %tid; bar.sync 1, 64; ld.shared.u32 %r1, [s];"));
  EXPECT_TRUE(
      marked("L: st.shared.u32 [s], %tid; bar.sync 0; ld.shared.u32 %r1, [s]; setp.ne.u32 %p1, %r1, 0; "
             "@%p1 bra L;"));
  EXPECT_TRUE(
      marked("setp.eq.u32 %p1, %tid, 0; st.shared.u32 [s], %tid; @%p1 bar.sync 0; ld.shared.u32 %r1, [s];"));
  // Warps that never meet do not tell each other anything.
  EXPECT_FALSE(marked("ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;"));
  EXPECT_TRUE(marked("bar.sync 0; ld.global.u32 %r1, [%mine]; st.global.u32 [%mine+4], %r1;"));
  EXPECT_TRUE(marked("red.shared.add.u32 [s], 1; ld.shared.u32 %r1, [s];"));
}

}  // namespace
}  // namespace heddle::exec
