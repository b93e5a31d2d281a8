// A launch gives the same memory, counts, errors and output on any number of host threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "bench.h"
#include "exec/functional/functional_device.h"
#include "exec/image/kernel_image.h"

namespace heddle::exec {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint32_t kManyCtas = 96;

struct Outcome {
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> counts;
  std::string printed, error;
  std::size_t longest_piece = 0;  // of what was printed
  std::uint32_t threads = 0;
};

struct Sink final : OutputSink {
  void write(const std::string& t) override {
    text += t;
    longest = std::max(longest, t.size());
  }
  std::string text;
  std::size_t longest = 0;
};

void append(const LaunchProfile& profile, std::vector<std::uint64_t>& to) {
  for (const PcCount& c : profile.counts) to.insert(to.end(), {c.issued, c.lanes, c.divergent});
  for (const AccessCount& a : profile.accesses)
    to.insert(to.end(),
              {a.accesses, a.bytes, a.lines, a.sectors, a.shared_accesses, a.shared_bytes, a.passes});
}

struct Given {
  std::string body;
  std::string globals = {};
  std::uint32_t ctas = kManyCtas, block = 64;
  std::uint32_t words = 0;  // 0: one per thread
  std::uint32_t launches = 1;
  FunctionalOptions options = {.worth_threads = 0};
};

Outcome execute(const Given& given, std::uint32_t threads) {
  Sink sink;
  FunctionalOptions options = given.options;
  options.threads = threads;
  options.output = &sink;
  FunctionalDevice device(options);
  device.load_module(kernel_text(given.body, given.globals), "grid.ptx");
  const std::uint32_t words = given.words != 0 ? given.words : given.ctas * given.block;
  const workload::DevicePtr array = device.allocate(std::uint64_t{4} * words, "out");
  Outcome o;
  try {
    for (std::uint32_t i = 0; i < given.launches; ++i)
      device.launch({"k", {given.ctas, 1, 1}, {given.block, 1, 1}, 0, args(array)});
  } catch (const Error& e) {
    o.error = e.what();
  }
  o.words.resize(words);
  device.copy_out(o.words.data(), array, std::uint64_t{4} * words);
  for (const LaunchProfile& profile : device.launches()) {
    append(profile, o.counts);
    o.threads = std::max(o.threads, profile.host_threads);
  }
  o.printed = sink.text;
  o.longest_piece = sink.longest;
  return o;
}

// A loop of as many turns as %r50 says.
constexpr const char* kLoop = R"(
mov.u32 %r51, 0;
L0: add.u32 %r51, %r51, 1; setp.lt.u32 %p9, %r51, %r50; @%p9 bra L0;
)";

const char* const kShared = R"(
.shared .align 4 .b8 s[256];
mul.lo.u32 %r1, %tid, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1; mad.lo.u32 %r3, %gid, 7, 3;
st.shared.u32 [%r2], %r3; bar.sync 0; xor.b32 %r4, %tid, 37; mul.lo.u32 %r4, %r4, 4; mov.u32 %r5, s;
add.u32 %r5, %r5, %r4; ld.shared.u32 %r6, [%r5]; red.shared.add.u32 [s], 1; bar.sync 0;
ld.shared.u32 %r7, [s]; add.u32 %r6, %r6, %r7; st.global.u32 [%mine], %r6;)";
const char* const kDivergent = R"(
and.b32 %r1, %gid, 7; mov.u32 %r2, 0;
T: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; mad.lo.u32 %r2, %r2, 5, %gid; sub.u32 %r1, %r1, 1; bra T;
E: shfl.sync.bfly.b32 %r3, %r2, 5, 31, -1; setp.lt.u32 %p2, %lane, 9; @%p2 add.u32 %r3, %r3, 100;
mul.lo.u32 %r4, %tid, 2; and.b32 %r4, %r4, 63; sub.u32 %r5, %gid, %tid; add.u32 %r5, %r5, %r4;
mad.wide.u32 %rd1, %r5, 4, %out; ld.global.u32 %r6, [%rd1]; add.u32 %r3, %r3, %r6; bar.sync 0;
st.global.u32 [%mine], %r3;)";
const char* const kUneven = R"(
mul.lo.u32 %r50, %cta, 8;
mov.u32 %r51, 0;
L: add.u32 %r51, %r51, 1; setp.lt.u32 %p9, %r51, %r50; @%p9 bra L;
mov.u32 %r1, %clock; add.u32 %r1, %r1, %r51; st.u32 [%mine], %r1;)";
const char* const kLocal = R"(
.local .align 4 .b8 l[64];
and.b32 %r1, %gid, 15; mul.lo.u32 %r1, %r1, 4; mov.u32 %r2, l; add.u32 %r2, %r2, %r1;
st.local.u32 [%r2], %gid; ld.local.u32 %r3, [l+16]; ld.local.u32 %r4, [%r2]; add.u32 %r3, %r3, %r4;
st.global.u32 [%mine], %r3;)";

class Separate : public testing::TestWithParam<const char*> {};

TEST_P(Separate, SameMemoryAndCounts) {
  for (const bool count : {true, false}) {
    Given given{.body = GetParam(), .launches = 3};
    given.options.count_accesses = count;
    const Outcome one = execute(given, 1);
    EXPECT_EQ(one.error, "");
    EXPECT_EQ(one.threads, 1u);
    for (const std::uint32_t threads : {2u, 3u, 8u}) {
      const Outcome several = execute(given, threads);
      EXPECT_EQ(several.error, "");
      EXPECT_EQ(several.threads, threads);
      EXPECT_EQ(several.words, one.words) << threads << " threads";
      EXPECT_EQ(several.counts, one.counts) << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Separate, testing::Values(kShared, kDivergent, kUneven, kLocal));

TEST(GridRun, NoMoreThreadsThanCtas) {
  const Given given{.body = "st.global.u32 [%mine], %gid;", .ctas = 3};
  EXPECT_EQ(execute(given, 8).threads, 3u);
  EXPECT_EQ(execute({.body = given.body, .ctas = 1}, 8).threads, 1u);
}

TEST(GridRun, SmallLaunchesAreNotWorthThreads) {
  const Given small{.body = kShared, .options = {}};
  EXPECT_EQ(execute(small, 4).threads, 1u);
  const Given large{.body = std::string("mov.u32 %r50, 200;") + kLoop, .options = {}};
  EXPECT_EQ(execute(large, 4).threads, 4u);
}

// In CTAs of more work than all of a small launch the others do not wait for the first one's end.
TEST(GridRun, FewLargeCtasShare) {
  const Given two{.body = std::string("mov.u32 %r50, 50000;") + kLoop, .ctas = 2, .options = {}};
  EXPECT_EQ(execute(two, 2).threads, 2u);
}

TEST(GridRun, NoThreadIsLeft) {
  const auto threads_of_process = [] {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++n;
    return n;
  };
  const std::size_t before = threads_of_process();
  FunctionalDevice device({.threads = 4, .worth_threads = 0});
  device.load_module(kernel_text(kUneven), "grid.ptx");
  const workload::DevicePtr array = device.allocate(4 * 64 * kManyCtas, "out");
  device.launch({"k", {kManyCtas, 1, 1}, {64, 1, 1}, 0, args(array)});
  EXPECT_EQ(device.launches().back().host_threads, 4u);
  EXPECT_EQ(threads_of_process(), before);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
}

// ---- what stays on one thread ---------------------------------------------------------------------------

// Each CTA finds the number of the one before it: the order shows.
TEST(Serial, AtomicsKeepTheirOrder) {
  const std::string body =
      "setp.ne.u32 %p1, %tid, 0; @%p1 ret; mul.wide.u32 %rd1, %cta, 4; "
      "add.u64 %rd1, %rd1, %out; add.u32 %r1, %cta, 1; "
      "atom.global.exch.b32 %r2, [cell], %r1; st.global.u32 [%rd1], %r2;";
  const Outcome o = execute({.body = body, .globals = ".global .u32 cell;", .words = kManyCtas}, 4);
  EXPECT_EQ(o.threads, 1u);
  EXPECT_EQ(o.words, expected(kManyCtas, [](std::uint32_t i) { return i; }));
}

std::string print_text(const std::string& s) {
  std::string out = ".global .align 1 .b8 fmt[" + std::to_string(s.size() + 1) + "] = {";
  for (const char c : s) out += std::to_string(static_cast<int>(c)) + ", ";
  return out + "0};\n";
}

TEST(Serial, OutputComesInTheOrderOfCtas) {
  const std::string globals =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" + print_text("%d ");
  const std::string body = R"(.local .align 8 .b8 buf[8]; mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1;
mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3; sub.u32 %r50, 96, %cta; st.local.u32 [buf], %cta;)" +
                           std::string(kLoop) +
                           R"({ .param .b32 pr; .param .b64 pf; .param .b64 pa; st.param.b64 [pf], %rd3;
st.param.b64 [pa], %rd2; call (pr), vprintf, (pf, pa); })";
  std::string all;
  for (std::uint32_t i = 0; i < kManyCtas; ++i) all += std::to_string(i) + " ";
  EXPECT_EQ(execute({.body = body, .globals = globals, .block = 1}, 4).printed, all);
}

// 2 MiB in all: nobody keeps it.
TEST(Serial, OutputIsHandedOnLineByLine) {
  constexpr std::uint32_t kCtas = 16, kTurns = 8;
  const std::string filling(500, 'x');
  const std::string globals = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" +
                              print_text(filling + "%d %d\n");
  const std::string body = R"(.local .align 8 .b8 buf[8]; mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1;
mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3; mov.u32 %r1, 0; st.local.u32 [buf], %gid;
L: st.local.u32 [buf+4], %r1;
{ .param .b32 pr; .param .b64 pf; .param .b64 pa; st.param.b64 [pf], %rd3; st.param.b64 [pa], %rd2;
call (pr), vprintf, (pf, pa); }
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 8; @%p1 bra L;)";
  std::string all;
  for (std::uint32_t cta = 0; cta < kCtas; ++cta)
    for (std::uint32_t turn = 0; turn < kTurns; ++turn)
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        all += filling + std::to_string(cta * 32 + lane) + " " + std::to_string(turn) + "\n";
  for (const std::uint32_t threads : {1u, 2u}) {
    const Outcome o = execute({.body = body, .globals = globals, .ctas = kCtas, .block = 32}, threads);
    EXPECT_EQ(o.error, "");
    EXPECT_TRUE(o.printed == all) << o.printed.size() << " bytes, expected " << all.size();
    EXPECT_LT(o.longest_piece, 2 * filling.size());
  }
}

TEST(Serial, WhateverOtherCtasCouldNotice) {
  const std::string malloc = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n";
  const std::vector<std::pair<std::string, std::string>> kernels = {
      {"red.global.add.u32 [%out], 1;", ""},
      {"red.add.u32 [%out], 1;", ""},
      {"ld.volatile.global.u32 %r1, [%mine];", ""},
      {"ld.relaxed.gpu.global.u32 %r1, [%mine];", ""},
      {"ld.acquire.gpu.u32 %r1, [%mine];", ""},
      {"st.release.gpu.global.u32 [%mine], %r1;", ""},
      {"st.volatile.u32 [%mine], %r1;", ""},
      {"ld.global.cg.u32 %r1, [%mine];", ""},
      {"ld.global.cv.u32 %r1, [%mine];", ""},
      {"membar.gl;", ""},
      {"membar.sys;", ""},
      {"fence.acq_rel.gpu;", ""},
      {"nanosleep.u32 20;", ""},
      {"{ .param .b64 r; .param .b64 n; st.param.b64 [n], 8; call (r), malloc, (n); }", malloc},
      {"call f;", ".func f() { .reg .b32 %a; red.global.add.u32 [cell], 1; ret; }\n"},
      {"mov.u64 %rd1, table; ld.global.u64 %rd2, [%rd1]; P: .callprototype _ (); call %rd2, (), P;",
       ".func f() { red.global.add.u32 [cell], 1; ret; }\n.global .u64 table[1] = {f};\n"},
  };
  for (const auto& [body, globals] : kernels) {
    FunctionalDevice device;
    device.load_module(kernel_text(body, ".global .u32 cell;\n" + globals), "grid.ptx");
    EXPECT_FALSE(device.kernel("k").separate_ctas) << body;
  }
  for (const char* body : {"membar.cta;", "red.shared.add.u32 [s], 1;", "ld.volatile.shared.u32 %r1, [s];",
                           "ld.global.nc.u32 %r1, [%mine];", "st.global.cs.u32 [%mine], %r1;", "trap;"}) {
    FunctionalDevice device;
    device.load_module(kernel_text(body, ".shared .u32 s;"), "grid.ptx");
    EXPECT_TRUE(device.kernel("k").separate_ctas) << body;
  }
}

// ---- errors ---------------------------------------------------------------------------------------------

// CTA 5 runs long before it fails, those behind it fail at once.
TEST(GridRunError, OfTheLowestCta) {
  const std::string body =
      "setp.lt.u32 %p1, %cta, 5; setp.eq.u32 %p2, %cta, 5; st.global.u32 [%mine], %gid; "
      "mov.u32 %r50, 1; @%p2 mov.u32 %r50, 20000;" +
      std::string(kLoop) + "@!%p1 st.global.u32 [%mine+0x1000000], %gid;";
  const Given given{.body = body};
  const Outcome one = execute(given, 1);
  EXPECT_THAT(one.error, AllOf(HasSubstr("out-of-bounds store"), HasSubstr("CTA (5,0,0)")));
  for (const std::uint32_t threads : {2u, 3u, 8u})
    for (int i = 0; i < 10; ++i) {
      const Outcome several = execute(given, threads);
      EXPECT_EQ(several.error, one.error);
      // What comes before it is complete.
      for (std::uint32_t w = 0; w < 5 * given.block; ++w) EXPECT_EQ(several.words[w], w);
    }
}

TEST(GridRunError, TheDeviceStaysUsable) {
  FunctionalDevice device({.threads = 3, .worth_threads = 0});
  device.load_module(kernel_text("setp.eq.u32 %p1, %tid, 70; @%p1 trap; st.global.u32 [%mine], %gid;"),
                     "g.ptx");
  const workload::DevicePtr array = device.allocate(4 * 96 * kManyCtas, "out");
  EXPECT_THROW(device.launch({"k", {kManyCtas, 1, 1}, {96, 1, 1}, 0, args(array)}), Error);
  device.launch({"k", {kManyCtas, 1, 1}, {64, 1, 1}, 0, args(array)});
  EXPECT_EQ(device.launches().back().host_threads, 3u);
  std::vector<std::uint32_t> words(64 * kManyCtas);
  device.copy_out(words.data(), array, 4 * words.size());
  EXPECT_EQ(words, expected(64 * kManyCtas, [](std::uint32_t i) { return i; }));
}

TEST(GridRunError, Deadlock) {
  // The second warp of some CTAs waits at a barrier that the first never comes to.
  const std::string body =
      "and.b32 %r1, %cta, 15; setp.ne.u32 %p1, %r1, 7; setp.lt.u32 %p2, %tid, 32; "
      "st.global.u32 [%mine], %gid; @%p1 bra E; @%p2 bra M; bar.sync 1; bra E; "
      "M: bar.sync 2; E:";
  const Given given{.body = body};
  const Outcome one = execute(given, 1);
  EXPECT_THAT(one.error, AllOf(HasSubstr("deadlocked"), HasSubstr("CTA 7:"), HasSubstr("CTA 55:")));
  for (const std::uint32_t threads : {2u, 3u}) {
    const Outcome several = execute(given, threads);
    EXPECT_EQ(several.error, one.error);
    EXPECT_EQ(several.words, one.words);
  }
}

TEST(GridRunError, MoreDeadlockedCtasThanMayRunSideBySide) {
  Given given{.body = "setp.lt.u32 %p1, %tid, 32; @%p1 bra M; bar.sync 1; bra E; M: bar.sync 2; E:"};
  given.options.max_resident_ctas = 4;
  const std::string one = execute(given, 1).error;
  EXPECT_THAT(one, AllOf(HasSubstr("deadlocked"), HasSubstr("CTA 3:")));
  EXPECT_THAT(execute(given, 3).error, HasSubstr("deadlocked"));
}

TEST(GridRunError, EndlessLoop) {
  // In two CTAs; the others end.
  Given given{.body =
                  "setp.lt.u32 %p1, %cta, 40; st.global.u32 [%mine], %gid; @%p1 ret; "
                  "setp.gt.u32 %p2, %cta, 41; @%p2 ret; L: red.shared.add.u32 [s], 1; bra L;",
              .globals = ".shared .u32 s;"};
  given.options.spin_limit = 1000;
  for (const std::uint32_t threads : {1u, 2u, 3u}) {
    const Outcome o = execute(given, threads);
    EXPECT_THAT(o.error, AllOf(HasSubstr("makes no progress"), HasSubstr("CTA 40:"), HasSubstr("CTA 41:")));
    EXPECT_EQ(o.words, expected(64 * kManyCtas, [](std::uint32_t i) { return i; }));
  }
}

// ---- loops that never end are found without waiting for functional.spin_limit ----------------------------

std::uint64_t instructions(const std::string& body, std::string& error, std::uint32_t ctas = 300) {
  FunctionalDevice device;
  device.load_module(kernel_text(body, ".global .u32 cell;"), "grid.ptx");
  const workload::DevicePtr array = device.allocate(std::uint64_t{4} * 64 * ctas, "out");
  try {
    device.launch({"k", {ctas, 1, 1}, {64, 1, 1}, 0, args(array)});
  } catch (const Error& e) {
    error = e.what();
  }
  std::uint64_t n = 0;
  for (const LaunchProfile& profile : device.launches())
    for (const PcCount& c : profile.counts) n += c.issued;
  return n;
}

TEST(Hopeless, LoopsThatOnlyCompute) {
  for (const char* body : {"L: bra L;", "L: add.u32 %r1, %r1, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
                           "setp.eq.u32 %p1, %tid, 5; L: @%p1 bra L;"}) {
    std::string error;
    instructions(body, error);
    EXPECT_THAT(error, AllOf(HasSubstr("never ends"), HasSubstr("CTA 0:"))) << body;
  }
}

TEST(Hopeless, LoopsThatWaitForNobody) {
  for (const char* body :
       {"L: ld.global.u32 %r1, [cell]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
        "L: ld.volatile.global.u32 %r1, [cell]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
        "L: atom.global.add.u32 %r1, [cell], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
        "setp.ne.u32 %p2, %tid, 3; @%p2 bra E; "
        "L: ld.volatile.global.u32 %r1, [cell]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; E:"}) {
    std::string error;
    instructions(body, error);
    EXPECT_THAT(error, AllOf(HasSubstr("makes no progress"), HasSubstr("memory does not change"))) << body;
  }
}

// 300 CTAs meet at a counter; with 64 looks of all for each CTA that starts it would be 11 million
// instructions.
TEST(Hopeless, NotAGridThatMeets) {
  std::string error;
  const std::uint64_t n = instructions(
      "setp.ne.u32 %p2, %tid, 0; @%p2 bra M; atom.global.add.u32 %r1, [cell], 1; "
      "L: ld.volatile.global.u32 %r1, [cell]; setp.lt.u32 %p1, %r1, 300; @%p1 bra L; M: bar.sync 0;",
      error);
  EXPECT_EQ(error, "");
  EXPECT_LT(n, 2'000'000u);
}

// Each turn has other values: it may end, and does.
TEST(Hopeless, NotALongLoop) {
  std::string error;
  const std::uint64_t n = instructions(std::string("mov.u32 %r50, 3000000;") + kLoop, error, 1);
  EXPECT_EQ(error, "");
  EXPECT_GT(n, 18'000'000u);
}

}  // namespace
}  // namespace heddle::exec
