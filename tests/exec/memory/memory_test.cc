// Loads, stores and atomics in every state space.
#include "bench.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace heddle::exec {
namespace {

TEST(Memory, SignExtensionToEveryRegisterWidth) {
  // -2 as s8, s16, s32 into registers of 16, 32, 64 bits; u8 and b8 stay positive.
  const auto out = run(R"(
ld.global.s8 %h1, [g]; ld.global.s8 %r1, [g]; ld.global.s8 %rd1, [g];
ld.global.s16 %r2, [g+2]; ld.global.s16 %rd2, [g+2]; ld.global.s32 %rd3, [g+4];
ld.global.u8 %r3, [g]; ld.global.u16 %rd4, [g+2]; ld.global.b8 %h2, [g]; ld.global.u32 %rd5, [g+4];
cvt.u32.u16 %r4, %h1; st.global.u32 [%out], %r4; st.global.u32 [%out+4], %r1; st.global.u64 [%out+8], %rd1;
st.global.u32 [%out+16], %r2; st.global.u64 [%out+24], %rd2; st.global.u64 [%out+32], %rd3;
st.global.u32 [%out+40], %r3; st.global.u64 [%out+48], %rd4; cvt.u32.u16 %r5, %h2; st.global.u32 [%out+44], %r5;
st.global.u64 [%out+56], %rd5;)",
                       {.globals = ".global .align 8 .b8 g[8] = {254, 0, 254, 255, 254, 255, 255, 255};",
                        .block = {1, 1, 1},
                        .words = 16});
  const std::uint32_t m = 0xffffffff, two = 0xfffffffe;
  EXPECT_EQ(out, (std::vector<std::uint32_t>{0xfffe, two, two, m, two, 0, two, m, two, m, 0xfe, 0xfe, 0xfffe,
                                             0, two, 0}));
}

TEST(Memory, NarrowStoresWriteOnlyTheirBytes) {
  EXPECT_EQ(run(R"(
mov.u32 %r1, 0x11223344; st.global.u32 [%out], %r1; mov.u32 %r2, 0xabcdef99; st.global.u8 [%out+1], %r2;
mov.u64 %rd1, 0x55667788; st.global.u32 [%out+4], %r1; st.global.u16 [%out+6], %rd1;)",
                {.block = {1, 1, 1}, .words = 2}),
            (std::vector<std::uint32_t>{0x11229944, 0x77883344}));
}

TEST(Memory, VectorsOfTwoAndFour) {
  EXPECT_EQ(run(R"(
mad.wide.u32 %rd1, %tid, 16, %out; add.u32 %r1, %tid, 10; add.u32 %r2, %tid, 20; add.u32 %r3, %tid, 30;
st.global.v4.u32 [%rd1], {%tid, %r1, %r2, %r3}; ld.global.v4.u32 {%r4, %r5, _, %r6}, [%rd1];
mov.b64 %rd2, {%r6, %r5}; mov.b64 %rd3, {%r4, %r4}; st.global.v2.u64 [%rd1], {%rd2, %rd3};)",
                {.words = 128}),
            expected(128, [](auto i) {
              return i / 4 + (i % 4 == 0 ? 30 : i % 4 == 1 ? 10 : 0);
            }));
}

TEST(Memory, VectorsOfBytesAndHalves) {
  const auto out =
      run(R"(
ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [g]; st.global.v2.u16 [%out], {%h2, %h4}; ld.global.v2.s8 {%r1, %r2}, [g+2];
st.global.u32 [%out+4], %r1; st.global.u32 [%out+8], %r2;)",
          {.globals = ".global .align 4 .b8 g[4] = {1, 2, 200, 4};", .block = {1, 1, 1}, .words = 3});
  EXPECT_EQ(out, (std::vector<std::uint32_t>{0x00040002, static_cast<std::uint32_t>(-56), 4}));
}

TEST(Memory, StaticAndDynamicSharedDoNotOverlap) {
  EXPECT_EQ(run(R"(
.shared .align 4 .b32 fixed[32];
mov.u32 %r1, fixed; mad.lo.u32 %r1, %tid, 4, %r1; mov.u32 %r2, dyn; mad.lo.u32 %r2, %tid, 4, %r2;
st.shared.u32 [%r1], 1; st.shared.u32 [%r2], 20; bar.sync 0;
ld.shared.u32 %r3, [%r1]; ld.shared.u32 %r4, [%r2]; add.u32 %r3, %r3, %r4;
mov.u32 %r5, %dynamic_smem_size; mad.lo.u32 %r3, %r5, 100, %r3; st.global.u32 [%mine], %r3;)",
                {.globals = ".extern .shared .align 16 .b8 dyn[];", .dynamic_shared = 128}),
            expected(32, [](auto) { return 12821; }));
}

TEST(Memory, SharedMemoryIsZeroInEveryCta) {
  // Not promised by the hardware, but a simulator that lets CTAs see each other's leftovers is not
  // repeatable.
  EXPECT_EQ(run(R"(
.shared .u32 x; ld.shared.u32 %r1, [x]; st.shared.u32 [x], 5; st.global.u32 [%mine], %r1;)",
                {.grid = {4, 1, 1}, .block = {1, 1, 1}}),
            expected(4, [](auto) { return 0; }));
}

TEST(Memory, LocalArraysAreEachThreadsOwn) {
  EXPECT_EQ(run(R"(
.local .align 4 .b32 a[8]; .reg .b32 %i; mov.u64 %rd1, a; mov.u32 %i, 0;
FILL: mad.wide.u32 %rd2, %i, 4, %rd1; mad.lo.u32 %r1, %i, 100, %tid; st.local.u32 [%rd2], %r1;
add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, 8; @%p1 bra FILL;
and.b32 %r2, %tid, 7; mad.wide.u32 %rd2, %r2, 4, %rd1; ld.local.u32 %r3, [%rd2];
cvta.local.u64 %rd3, %rd1; ld.u32 %r4, [%rd3+4]; mad.lo.u32 %r3, %r4, 10000, %r3; st.global.u32 [%mine], %r3;)",
                {.block = {64, 1, 1}}),
            expected(64, [](auto i) { return (i & 7) * 100 + i + (100 + i) * 10000; }));
}

TEST(Memory, GenericLanesInDifferentSpacesAtOnce) {
  // Lanes 0 mod 4: shared, 1: local, 2: global, 3: the kernel's parameters.
  EXPECT_EQ(run(R"(
.shared .align 4 .b32 s[32]; .local .align 4 .b32 l[1];
mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 4, %r1; cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1;
mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; cvta.global.u64 %rd3, %mine; mov.b64 %rd4, k_two; cvta.param.u64 %rd4, %rd4;
st.local.u32 [l], 1000; st.shared.u32 [%r1], 2000; st.global.u32 [%mine], 3000;
and.b32 %r2, %tid, 3; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1; setp.eq.u32 %p3, %r2, 2;
selp.u64 %rd5, %rd1, %rd4, %p1; selp.u64 %rd5, %rd2, %rd5, %p2; selp.u64 %rd5, %rd3, %rd5, %p3;
ld.u32 %r3, [%rd5]; add.u32 %r3, %r3, %tid; @!%p1 bra NOSTORE;
st.u32 [%rd5], %r3; ld.shared.u32 %r3, [%r1];
NOSTORE: st.global.u32 [%mine], %r3;)",
                {.params = ", .param .u32 k_two", .more = args(4000u)}),
            expected(32, [](auto i) {
              return i + (i % 4 == 0 ? 2000 : i % 4 == 1 ? 1000 : i % 4 == 2 ? 3000 : 4000);
            }));
}

TEST(Memory, IsspacepTellsTheWindows) {
  EXPECT_EQ(run(R"(
.shared .b32 s; .local .b32 l;
cvta.shared.u64 %rd1, s; mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; mov.u64 %rd4, c; cvta.const.u64 %rd4, %rd4;
mov.u64 %rd5, %rd1; setp.eq.u32 %p1, %tid, 1; selp.u64 %rd5, %rd2, %rd5, %p1; setp.eq.u32 %p1, %tid, 2; selp.u64 %rd5, %out, %rd5, %p1;
setp.eq.u32 %p1, %tid, 3; selp.u64 %rd5, %rd4, %rd5, %p1;
isspacep.shared %p2, %rd5; isspacep.local %p3, %rd5; isspacep.global %p4, %rd5; isspacep.const %p5, %rd5;
selp.u32 %r1, 1, 0, %p2; @%p3 or.b32 %r1, %r1, 2; @%p4 or.b32 %r1, %r1, 4; @%p5 or.b32 %r1, %r1, 8; st.global.u32 [%mine], %r1;)",
                {.globals = ".const .b32 c = 1;", .block = {4, 1, 1}}),
            (std::vector<std::uint32_t>{1, 2, 4, 8}));
}

TEST(Memory, ConstantsAndTheirInitialisers) {
  // Numbers, floats, addresses of variables with an offset, function pointers.
  EXPECT_EQ(run(R"(
ld.const.u32 %r1, [n+4]; ld.const.f32 %f1, [x]; cvt.rzi.u32.f32 %r2, %f1;
ld.const.u64 %rd1, [where]; ld.global.u32 %r3, [%rd1]; ld.const.u64 %rd2, [where+8];
P: .callprototype (.param .b32 _) _ ();
{ .param .b32 pr; call (pr), %rd2, (), P; ld.param.b32 %r4, [pr]; }
ld.const.u16 %r5, [zeros+6];
st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2; st.global.u32 [%out+8], %r3; st.global.u32 [%out+12], %r4; st.global.u32 [%out+16], %r5;)",
                {.globals = R"(
.func (.param .b32 r) seven() { st.param.b32 [r], 7; ret; }
.global .align 4 .u32 g[3] = {40, 41, 42};
.const .align 4 .u32 n[3] = {1, 2, 3}; .const .f32 x = 0f40A00000; .const .align 8 .b8 zeros[8];
.const .align 8 .u64 where[2] = {g+8, seven};
)",
                 .block = {1, 1, 1},
                 .words = 5}),
            (std::vector<std::uint32_t>{2, 5, 42, 7, 0}));
}

TEST(Memory, AddressesInInitialisersByteByByte) {
  const auto out = run(
      "ld.global.u64 %rd1, [bytes]; ld.global.u32 %r1, [%rd1]; st.global.u32 [%out], %r1;",
      {.globals =
           ".global .align 4 .u32 g = 99;\n.global .align 8 .b8 bytes[8] = {0xFF(g), 0xFF00(g), 0xFF0000(g), "
           "0xFF000000(g), 0xFF00000000(g), 0xFF0000000000(g), 0xFF000000000000(g), 0xFF00000000000000(g)};",
       .block = {1, 1, 1}});
  EXPECT_EQ(out.at(0), 99u);
}

TEST(Memory, KernelParameterStructIndexedByARegister) {
  struct Ten {
    std::uint32_t v[10];
  } ten{};
  for (std::uint32_t i = 0; i < 10; ++i) ten.v[i] = 100 + i * i;
  EXPECT_EQ(run(R"(
mov.b64 %rd1, k_ten; rem.u32 %r1, %tid, 10; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
ld.param.u32 %r2, [%rd1]; ld.param.v2.u32 {%r3, %r4}, [k_ten+8]; add.u32 %r2, %r2, %r4; st.global.u32 [%mine], %r2;)",
                {.params = ", .param .align 8 .b8 k_ten[40]", .more = args(ten)}),
            expected(32, [](auto i) { return 100 + (i % 10) * (i % 10) + 109; }));
}

TEST(Memory, CpAsyncCopiesAndFillsWithZeros) {
  EXPECT_EQ(run(R"(
.shared .align 16 .b32 s[128];
mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 16, %r1; mad.wide.u32 %rd1, %tid, 16, %out;
mov.u32 %r9, 0xffffffff; st.shared.v4.u32 [%r1], {%r9, %r9, %r9, %r9};
and.b32 %r2, %tid, 1; mul.lo.u32 %r2, %r2, 8; add.u32 %r2, %r2, 8;
cp.async.cg.shared.global [%r1], [%rd1], 16, %r2; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1]; add.u32 %r3, %r3, 1; st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6};)",
                {.words = 128}),
            expected(128, [](auto i) { return i % 4 == 0; }));
  Bench b(R"(
.shared .align 16 .b32 s[64]; mov.u32 %r1, s; mad.lo.u32 %r1, %tid, 4, %r1;
cp.async.ca.shared.global [%r1], [%mine], 4; cp.async.wait_all; ld.shared.u32 %r2, [%r1]; add.u32 %r2, %r2, 5; st.global.u32 [%mine], %r2;)");
  b.set_out(expected(32, [](auto i) { return i * 3; }));
  EXPECT_EQ(b.run(), expected(32, [](auto i) { return i * 3 + 5; }));
}

TEST(Memory, LaterLanesWinAtTheSameAddress) {
  EXPECT_EQ(run("st.global.u32 [%out], %tid;").at(0), 31u);
}

class Atomics : public testing::TestWithParam<const char*> {};

// Every lane applies `op` to one cell that starts at `start`; returns the cell's final value.
std::uint32_t atomic(const std::string& space, const std::string& op, std::uint32_t start,
                     const std::string& operands) {
  const std::string at = space == ".shared" ? "[cell]" : space == ".global" ? "[%out]" : "[%rd1]";
  return run(".shared .u32 cell; mov.u32 %r1, " + std::to_string(static_cast<std::int32_t>(start)) +
             "; st.shared.u32 [cell], %r1; cvta.shared.u64 %rd1, cell; st.global.u32 [%out], %r1; bar.sync "
             "0;\natom" +
             space + "." + op + " %r2, " + at + ", " + operands +
             ";\nbar.sync 0; ld.shared.u32 %r3, [cell]; " +
             (space == ".global" ? "" : "st.global.u32 [%out], %r3;"))
      .at(0);
}

TEST_P(Atomics, EveryOperation) {
  const std::string s = GetParam();
  EXPECT_EQ(atomic(s, "add.u32", 5, "%tid"), 5u + 496);
  EXPECT_EQ(atomic(s, "add.s32", 5, "-1"), static_cast<std::uint32_t>(5 - 32));
  EXPECT_EQ(atomic(s, "min.s32", 5, "-3"), static_cast<std::uint32_t>(-3));
  EXPECT_EQ(atomic(s, "min.u32", 5, "%tid"), 0u);
  EXPECT_EQ(atomic(s, "max.u32", 5, "%tid"), 31u);
  EXPECT_EQ(atomic(s, "max.s32", static_cast<std::uint32_t>(-7), "-9"), static_cast<std::uint32_t>(-7));
  EXPECT_EQ(atomic(s, "and.b32", 0xff, "0xf0"), 0xf0u);
  EXPECT_EQ(atomic(s, "or.b32", 1, "%tid"), 31u);
  EXPECT_EQ(atomic(s, "xor.b32", 9, "%tid"), 9u);
  EXPECT_EQ(atomic(s, "exch.b32", 9, "%tid"), 31u);
  EXPECT_EQ(atomic(s, "cas.b32", 0, "%tid, 77"), 77u);
  EXPECT_EQ(atomic(s, "inc.u32", 0, "4"), 32u % 5);
  EXPECT_EQ(atomic(s, "dec.u32", 3, "9"), (3 + 10 * 4 - 32) % 10u);
  EXPECT_EQ(atomic(s, "add.f32", std::bit_cast<std::uint32_t>(0.5f), "0f3f800000"),
            std::bit_cast<std::uint32_t>(32.5f));
}

INSTANTIATE_TEST_SUITE_P(Spaces, Atomics, testing::Values(".shared", ".global", ""), [](const auto& space) {
  return std::string(space.param[0] == 0 ? "generic" : space.param + 1);
});

TEST(Memory, AtomicsReturnTheOldValueInLaneOrder) {
  EXPECT_EQ(
      run("mul.lo.u32 %r3, %tid, 2; atom.global.add.u32 %r1, [%out+128], %r3; st.global.u32 [%mine], %r1;",
          {.words = 33}),
      expected(33, [](auto i) { return i * (i - 1); }));
}

// The first turn finds the allocation, later ones know it.
TEST(Memory, WholeWarpsOnOneCellTurnAfterTurn) {
  using U = std::uint32_t;
  using S = std::int32_t;
  struct {
    const char* op;
    U (*next)(U old, U b);
  } const operations[] = {
      {"add.u32", [](U old, U b) { return old + b; }},
      {"min.u32", [](U old, U b) { return std::min(old, b); }},
      {"max.u32", [](U old, U b) { return std::max(old, b); }},
      {"min.s32",
       [](U old, U b) { return static_cast<U>(std::min(static_cast<S>(old), static_cast<S>(b))); }},
      {"max.s32",
       [](U old, U b) { return static_cast<U>(std::max(static_cast<S>(old), static_cast<S>(b))); }},
      {"and.b32", [](U old, U b) { return old & b; }},
      {"or.b32", [](U old, U b) { return old | b; }},
      {"xor.b32", [](U old, U b) { return old ^ b; }},
      {"exch.b32", [](U, U b) { return b; }},
      {"inc.u32", [](U old, U b) { return old >= b ? 0 : old + 1; }},
      {"dec.u32", [](U old, U b) { return old == 0 || old > b ? b : old - 1; }},
  };
  constexpr U kFirst = 0x7ffffff0, kFactor = 0x9e3779b1, kTurns = 4;
  for (const auto& operation : operations) {
    for (const bool result : {true, false}) {
      std::vector<U> expected(33);
      U cell = kFirst;
      for (U turn = 0; turn < kTurns; ++turn)
        for (U lane = 0; lane < 32; ++lane) {
          if (result) expected[lane] = expected[lane] * 31 + cell;
          cell = operation.next(cell, lane * kFactor + turn);
        }
      expected[32] = cell;
      const std::string text =
          result ? fmt::format("atom.global.{} %r2, [%out+128], %r1;", operation.op)
                 : fmt::format("red.global.{} [%out+128], %r1; mov.u32 %r2, 0;", operation.op);
      if (!result && operation.op == std::string("exch.b32")) continue;  // there is none
      Bench b(fmt::format(R"(
mul.lo.u32 %r1, %tid, {}; mov.u32 %r3, 0; mov.u32 %r4, 0;
L: {} mad.lo.u32 %r3, %r3, 31, %r2; add.u32 %r1, %r1, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, {};
@%p1 bra L; st.global.u32 [%mine], %r3;)",
                          kFactor, text, kTurns),
              {.words = 33});
      std::vector<U> before(33);
      before[32] = kFirst;
      b.set_out(before);
      EXPECT_EQ(b.run(), expected) << text;
    }
  }
}

TEST(Memory, WideAndHalfAtomics) {
  const auto out = run(R"(
atom.global.add.u64 %rd1, [%out], 0x100000001; atom.global.add.f64 %d1, [%out+8], 0d3FE0000000000000;
atom.global.cas.b64 %rd2, [%out+16], 0, 5; cvt.rn.f16.s32 %h1, 1; atom.global.add.noftz.f16 %h2, [%out+24], %h1;
atom.global.cas.b16 %h3, [%out+28], 0, 3; red.global.max.u64 [%out+32], 9; atom.global.exch.b64 %rd3, [%out+40], 12;)",
                       {.words = 12});
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_EQ(out[3], static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(16.0) >> 32));
  EXPECT_EQ(out[4], 5u);
  EXPECT_EQ(out[6], 0x5000u);  // 32 as f16
  EXPECT_EQ(out[7], 3u);
  EXPECT_EQ(out[8], 9u);
  EXPECT_EQ(out[10], 12u);
}

TEST(Memory, GuardedAccessesTouchOnlyTheirLanes) {
  EXPECT_EQ(run("setp.lt.u32 %p1, %tid, 4; mov.u64 %rd1, 0; selp.u64 %rd1, %mine, %rd1, %p1; @%p1 "
                "st.global.u32 [%rd1], 1;\n"
                "mov.u32 %r1, 7; @%p1 ld.global.u32 %r1, [%rd1]; st.global.u32 [%mine], %r1;"),
            expected(32, [](auto i) { return i < 4 ? 1 : 7; }));
}

TEST(Memory, ReservedSharedMemoryIsNobodyElses) {
  EXPECT_EQ(run(R"(
.shared .align 4 .b32 cell;
mov.u32 %r1, %reserved_smem_offset_1; mov.u32 %r2, %reserved_smem_offset_end; mov.u32 %r3, cell;
st.shared.u32 [%r1], 5; st.shared.u32 [%r3], 6; ld.shared.u32 %r4, [%r1];
setp.lt.u32 %p1, %r1, %r2; @%p1 add.u32 %r4, %r4, 10; setp.ge.u32 %p1, %r3, %r2; @%p1 add.u32 %r4, %r4, 100;
st.global.u32 [%mine], %r4;)",
                {.block = {1, 1, 1}}),
            std::vector<std::uint32_t>{115});
}

}  // namespace
}  // namespace heddle::exec
