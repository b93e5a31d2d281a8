// What a program asks of its surroundings: printf, assert, trap, malloc, the clock, special registers.
#include "bench.h"

namespace heddle::exec {
namespace {

using testing::HasSubstr;

// A string as a .global of bytes.
std::string text(const std::string& name, const std::string& s) {
  std::string out = ".global .align 1 .b8 " + name + "[" + std::to_string(s.size() + 1) + "] = {";
  for (const char c : s) out += std::to_string(static_cast<int>(c)) + ", ";
  return out + "0};\n";
}

constexpr const char* kVprintf = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";

// Calls vprintf with the 64-byte buffer `buf` that `fill` has filled; the result is in %r20.
std::string print(const std::string& fill) {
  return ".local .align 8 .b8 buf[64]; mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1; mov.u64 %rd3, fmt; "
         "cvta.global.u64 %rd3, %rd3;\n" +
         fill + R"(
{ .param .b32 pr; .param .b64 pf; .param .b64 pa; st.param.b64 [pf], %rd3; st.param.b64 [pa], %rd2;
call (pr), vprintf, (pf, pa); ld.param.b32 %r20, [pr]; }
st.global.u32 [%mine], %r20;)";
}

std::string printed(const std::string& format, const std::string& fill, std::uint32_t threads = 1) {
  Bench b(print(fill),
          {.globals = kVprintf + text("fmt", format) + text("word", "loom"), .block = {threads, 1, 1}});
  b.run();
  return b.printed();
}

TEST(Printf, Conversions) {
  EXPECT_EQ(printed("plain %%\n", ""), "plain %\n");
  EXPECT_EQ(
      printed(
          "%d %i %u|",
          "mov.u32 %r1, -5; st.local.u32 [buf], %r1; st.local.u32 [buf+4], %r1; st.local.u32 [buf+8], 7;"),
      "-5 -5 7|");
  EXPECT_EQ(printed("%x %X %#o %c",
                    "mov.u32 %r1, 0xbeef; st.local.u32 [buf], %r1; st.local.u32 [buf+4], %r1; st.local.u32 "
                    "[buf+8], 8; st.local.u32 [buf+12], 65;"),
            "beef BEEF 010 A");
  EXPECT_EQ(printed("%lld %llu",
                    "mov.u64 %rd5, -5000000000; st.local.u64 [buf], %rd5; mov.u64 %rd5, 0xffffffffffffffff; "
                    "st.local.u64 [buf+8], %rd5;"),
            "-5000000000 18446744073709551615");
  EXPECT_EQ(printed("%5.2f|%e|%g|%-8.1f|",
                    "mov.f64 %d1, 0d400921FB54442D18; st.local.f64 [buf], %d1; st.local.f64 [buf+8], %d1; "
                    "st.local.f64 [buf+16], %d1; st.local.f64 [buf+24], %d1;"),
            " 3.14|3.141593e+00|3.14159|3.1     |");
  EXPECT_EQ(printed("%s|%6s|%.2s",
                    "mov.u64 %rd5, word; cvta.global.u64 %rd5, %rd5; st.local.u64 [buf], %rd5; st.local.u64 "
                    "[buf+8], %rd5; st.local.u64 [buf+16], %rd5;"),
            "loom|  loom|lo");
  EXPECT_EQ(printed("%05d %+d %*d",
                    "st.local.u32 [buf], 42; st.local.u32 [buf+4], 42; st.local.u32 [buf+8], 4; st.local.u32 "
                    "[buf+12], 9;"),
            "00042 +42    9");
}

TEST(Printf, ArgumentsAreAlignedToTheirSize) {
  EXPECT_EQ(printed("%d %f %d",
                    "st.local.u32 [buf], 1; mov.f64 %d1, 0d3FE0000000000000; st.local.f64 [buf+8], %d1; "
                    "st.local.u32 [buf+16], 2;"),
            "1 0.500000 2");
}

TEST(Printf, EachLaneInOrder) {
  EXPECT_EQ(printed("%d,", "st.local.u32 [buf], %tid;", 5), "0,1,2,3,4,");
}

TEST(Printf, ReturnsTheNumberOfArguments) {
  Bench b(print("st.local.u32 [buf], 1; st.local.u32 [buf+4], 12345;"),
          {.globals = kVprintf + text("fmt", "%d and %d\n"), .block = {1, 1, 1}});
  EXPECT_EQ(b.run().at(0), 2u);
}

TEST(Printf, ABadStringAddressIsPrintedAsSuch) {
  EXPECT_THAT(printed("%s", "mov.u64 %rd5, 16; st.local.u64 [buf], %rd5;"),
              HasSubstr("bad string address 0x10"));
}

TEST(Builtins, AssertNamesTheThreadAndTheExpression) {
  const std::string globals =
      ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 "
      "s);\n" +
      text("message", "x < 3") + text("file", "loom.cu") + text("function", "weave");
  Bench b(R"(
setp.lt.u32 %p1, %tid, 3; @%p1 bra OK;
mov.u64 %rd1, message; mov.u64 %rd2, file; mov.u64 %rd3, function; mov.u64 %rd4, 1;
{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 77; st.param.b64 [d], %rd3; st.param.b64 [e], %rd4;
call __assertfail, (a, b, c, d, e); //assert
}
OK: st.global.u32 [%mine], 1;)",
          {.globals = globals});
  const Error e = b.run_error();
  EXPECT_EQ(e.place().line, b.line("assert"));
  EXPECT_THAT(e.what(),
              HasSubstr("loom.cu:77: weave: block: [0,0,0], thread: [3,0,0] Assertion `x < 3` failed.\n"
                        "loom.cu:77: weave: block: [0,0,0], thread: [4,0,0] Assertion `x < 3` failed."));
}

TEST(Builtins, Trap) {
  Bench b("setp.lt.u32 %p1, %tid, 33; @%p1 bra OK;\ntrap; //trap\nOK: st.global.u32 [%mine], 1;",
          {.block = {64, 1, 1}});
  const Error e = b.run_error();
  EXPECT_EQ(e.place().line, b.line("trap"));
  EXPECT_THAT(e.what(), HasSubstr("warp 1 lane 1"));
}

constexpr const char* kHeap =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";

TEST(Builtins, MallocGivesEachThreadItsOwnMemoryAndFreeTakesItBack) {
  Bench b(R"(
{ .param .b64 pr; .param .b64 pn; st.param.b64 [pn], 64; call (pr), malloc, (pn); ld.param.b64 %rd1, [pr]; }
st.u32 [%rd1+60], %tid; bar.sync 0; ld.u32 %r1, [%rd1+60]; ld.u32 %r2, [%rd1]; add.u32 %r1, %r1, %r2; st.global.u32 [%mine], %r1;
{ .param .b64 pp; st.param.b64 [pp], %rd1; call free, (pp); })",
          {.globals = kHeap, .block = {64, 1, 1}});
  EXPECT_EQ(b.run(), expected(64, [](auto i) { return i; }));
  EXPECT_EQ(b.run(), expected(64, [](auto i) { return i; }));
}

TEST(Builtins, MallocOfTooMuchIsNull) {
  EXPECT_EQ(run(R"(
mov.u64 %rd2, 0x7000000000000000;
{ .param .b64 pr; .param .b64 pn; st.param.b64 [pn], %rd2; call (pr), malloc, (pn); ld.param.b64 %rd1, [pr]; }
setp.eq.u64 %p1, %rd1, 0; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%mine], %r1;)",
                {.globals = kHeap, .block = {1, 1, 1}})
                .at(0),
            1u);
}

TEST(Special, TheClockAdvances) {
  EXPECT_EQ(run(R"(
mov.u32 %r1, %clock; mov.u64 %rd1, %clock64; add.u32 %r9, %r9, 1; mov.u64 %rd2, %clock64; mov.u32 %r2, %clock;
setp.lt.u64 %p1, %rd1, %rd2; setp.lt.u32 %p2, %r1, %r2; mov.u64 %rd3, %globaltimer; mov.u64 %rd4, %globaltimer; setp.le.u64 %p3, %rd3, %rd4;
selp.u32 %r3, 1, 0, %p1; @%p2 or.b32 %r3, %r3, 2; @%p3 or.b32 %r3, %r3, 4; st.global.u32 [%mine], %r3;)")
                .at(5),
            7u);
  // Waiting for the clock ends.
  EXPECT_NO_THROW(
      run("mov.u64 %rd1, %clock64; L: mov.u64 %rd2, %clock64; sub.u64 %rd2, %rd2, %rd1; setp.lt.u64 %p1, "
          "%rd2, 5000; @%p1 bra L;"));
}

TEST(Special, ThreeDimensionalGrid) {
  const Dim3 grid{3, 2, 2}, block{5, 4, 3};
  // Coordinates of every thread, packed, at its linear position.
  const auto out = run(R"(
mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;
mad.lo.u32 %r6, %r2, %r4, %r1; mad.lo.u32 %r6, %r6, %r3, %tid; mul.lo.u32 %r7, %r3, %r4; mul.lo.u32 %r7, %r7, %r5;
mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z; mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %nctaid.z;
mad.lo.u32 %r13, %r9, %r11, %r8; mad.lo.u32 %r13, %r13, %r10, %cta; mad.lo.u32 %r14, %r13, %r7, %r6; mad.wide.u32 %rd1, %r14, 4, %out;
mad.lo.u32 %r15, %tid, 10, %r1; mad.lo.u32 %r15, %r15, 10, %r2; mad.lo.u32 %r15, %r15, 10, %cta; mad.lo.u32 %r15, %r15, 10, %r8;
mad.lo.u32 %r15, %r15, 10, %r9; mad.lo.u32 %r15, %r15, 10, %r12; st.global.u32 [%rd1], %r15;)",
                       {.grid = grid, .block = block});
  std::size_t i = 0;
  for (unsigned cz = 0; cz < 2; ++cz)
    for (unsigned cy = 0; cy < 2; ++cy)
      for (unsigned cx = 0; cx < 3; ++cx)
        for (unsigned z = 0; z < 3; ++z)
          for (unsigned y = 0; y < 4; ++y)
            for (unsigned x = 0; x < 5; ++x, ++i)
              ASSERT_EQ(out[i], ((((((x * 10 + y) * 10 + z) * 10 + cx) * 10 + cy) * 10 + cz) * 10) + 2) << i;
}

TEST(Special, LaneMasksAndWarps) {
  auto value = [](const char* sreg) {
    return run(std::string("mov.u32 %r1, ") + sreg + "; st.global.u32 [%mine], %r1;", {.block = {70, 1, 1}});
  };
  EXPECT_EQ(value("%laneid"), expected(70, [](auto i) { return i % 32; }));
  EXPECT_EQ(value("%warpid"), expected(70, [](auto i) { return i / 32; }));
  EXPECT_EQ(value("%lanemask_eq"), expected(70, [](auto i) { return 1u << i % 32; }));
  EXPECT_EQ(value("%lanemask_lt"), expected(70, [](auto i) { return (1u << i % 32) - 1; }));
  EXPECT_EQ(value("%lanemask_le"), expected(70, [](auto i) { return (2ull << i % 32) - 1; }));
  EXPECT_EQ(value("%lanemask_gt"), expected(70, [](auto i) { return ~((2ull << i % 32) - 1); }));
  EXPECT_EQ(value("%lanemask_ge"), expected(70, [](auto i) { return ~((1u << i % 32) - 1); }));
}

TEST(Special, GridWorkspaceIsWhereCooperativeGroupsLookForIt) {
  // %envreg1 is the high half (cooperative_groups/details/driver_abi.h).
  EXPECT_EQ(run("mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1}; st.u32 [%rd1+4], 6; "
                "ld.u32 %r3, [%rd1+4]; st.global.u32 [%mine], %r3;")
                .at(0),
            6u);
}

TEST(Clock, HurriesForThoseWhoWaitForIt) {
  // A million cycles: without haste as many instructions.
  Bench b(R"(
mov.u64 %rd1, %clock64;
WAIT: mov.u64 %rd2, %clock64; sub.u64 %rd3, %rd2, %rd1; setp.lt.u64 %p1, %rd3, 1000000; @%p1 bra WAIT; //WAIT
st.global.u32 [%mine], 1;)",
          {.order_shows = true});
  b.device();
  EXPECT_EQ(b.run(), std::vector<std::uint32_t>(32, 1));
  std::uint64_t instructions = 0;
  for (const PcCount& c : b.device().launches().back().counts) instructions += c.issued;
  EXPECT_LT(instructions, 1000u);
}

}  // namespace
}  // namespace heddle::exec
