// Addresses as compilers write them.
#include "ptx/analysis/cta_addresses.h"

#include <gtest/gtest.h>

#include "addresses.h"

namespace heddle::ptx {
namespace {

using Kind = AddressDependence::Kind;

// The terms' order follows the atoms' order of appearance: compare sums, not texts.
struct Terms {
  explicit Terms(const Analysed& a) : analysed(a) {}
  const Analysed& analysed;
  std::int64_t of(std::size_t access, std::vector<std::pair<AtomKind, std::uint32_t>> atoms) const {
    const Atoms& all = analysed.found.atoms;
    for (const Sum::Term& t : analysed.access(access).offset.terms()) {
      std::vector<std::pair<AtomKind, std::uint32_t>> named;
      for (AtomId id : t.atoms) named.emplace_back(all[id].kind, all[id].index);
      std::sort(named.begin(), named.end());
      std::sort(atoms.begin(), atoms.end());
      if (named == atoms) return t.factor;
    }
    return 0;
  }
};

TEST(Addresses, GlobalIndexOfAThread) {
  const Analysed a(
      "mad.lo.s32 %r1, %r50, %r54, %r52; mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %rd31, %rd1;\n"
      "ld.global.f32 %f1, [%rd2+8];");
  ASSERT_EQ(a.found.accesses.size(), 1u);
  const Terms t(a);
  EXPECT_EQ(a.access().array, "a");
  EXPECT_EQ(a.access().width, 4u);
  EXPECT_EQ(t.of(0, {{AtomKind::Ctaid, 0}, {AtomKind::Ntid, 0}}), 4);
  EXPECT_EQ(t.of(0, {{AtomKind::Tid, 0}}), 4);
  EXPECT_EQ(t.of(0, {}), 8);
  EXPECT_EQ(a.on_x(), "4*ntid.x");
  EXPECT_EQ(a.on_y(), "-");
  EXPECT_TRUE(is_fastest(a.access(), Axis::X));
  EXPECT_FALSE(is_fastest(a.access(), Axis::Y));
}

TEST(Addresses, KnownLaunchGivesNumbers) {
  KnownLaunch known;
  known.block = {64, 2, 1};
  known.parameters[24] = 100;
  const Analysed a(
      "mad.lo.s32 %r1, %r50, %r54, %r52; mad.lo.s32 %r1, %r51, %r55, %r1;\n"
      "mul.wide.s32 %rd1, %r1, 8; add.s64 %rd2, %rd31, %rd1; st.global.f64 [%rd2], 0d0000000000000000;",
      known);
  EXPECT_EQ(a.access().kind, AccessKind::Write);
  EXPECT_EQ(a.access().on_cta(Axis::X).bytes, 512);
  EXPECT_EQ(a.access().on_cta(Axis::Y).bytes, 800);
  EXPECT_EQ(a.access().on_cta(Axis::Y).kind, Kind::Constant);
}

TEST(Addresses, PitchIsASymbol) {
  const Analysed a(
      "mad.lo.s32 %r1, %r51, %r55, %r50; cvt.s64.s32 %rd1, %r1; shl.b64 %rd1, %rd1, 2;\n"
      "add.s64 %rd2, %rd31, %rd1; ld.global.nc.v2.f32 {%f1,%f2}, [%rd2];");
  EXPECT_EQ(a.on_x(), "4");
  EXPECT_EQ(a.on_y(), "4*n");
  EXPECT_EQ(a.access().on_cta(Axis::Y).kind, Kind::Symbolic);
  EXPECT_EQ(a.access().width, 8u);
  EXPECT_TRUE(is_fastest(a.access(), Axis::X));
}

TEST(Addresses, GenericAndVariablesAndAtomics) {
  const Analysed a(
      "mul.wide.u32 %rd1, %r50, 4; add.s64 %rd2, %rd32, %rd1; ld.f32 %f1, [%rd2];\n"
      "mov.u64 %rd3, table; add.s64 %rd4, %rd3, %rd1; red.global.add.u32 [%rd4], 1;\n"
      "mov.u64 %rd5, tile; cvta.shared.u64 %rd6, %rd5; ld.f32 %f2, [%rd6];\n"
      "ld.shared.f32 %f3, [tile];");
  ASSERT_EQ(a.found.accesses.size(), 2u);  // shared memory is none of ours
  EXPECT_EQ(a.access(0).array, "b");
  EXPECT_EQ(a.access(1).array, "table");
  EXPECT_EQ(a.access(1).kind, AccessKind::Atomic);
}

TEST(Addresses, OrAddsWhereBitsAreFree) {
  const Analysed a(
      "shl.b32 %r1, %r50, 4; and.b32 %r2, %r52, 15; or.b32 %r3, %r1, %r2;\n"
      "mul.wide.u32 %rd1, %r3, 4; add.s64 %rd2, %rd31, %rd1; ld.global.f32 %f1, [%rd2];\n"
      "or.b32 %r4, %r1, %r53; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd31, %rd3;\n"
      "ld.global.f32 %f2, [%rd4];");
  EXPECT_EQ(a.access(0).on_cta(Axis::X).bytes, 64);
  EXPECT_EQ(a.access(1).on_cta(Axis::X).kind, Kind::Function);  // tid.y may have those bits
}

TEST(Addresses, DivisionsOfMultiples) {
  const Analysed a(
      "shl.b32 %r1, %r50, 10; add.s32 %r2, %r1, %r52; shr.u32 %r3, %r2, 10;\n"
      "mul.wide.u32 %rd1, %r3, 4; add.s64 %rd2, %rd31, %rd1; ld.global.f32 %f1, [%rd2];\n"
      "and.b32 %r4, %r2, 1023; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd31, %rd3;\n"
      "ld.global.f32 %f2, [%rd4];\n"
      "bfe.u32 %r5, %r2, 10, 3; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd31, %rd5;\n"
      "ld.global.f32 %f3, [%rd6];\n"
      "rem.u32 %r6, %r50, %r55; mul.wide.u32 %rd7, %r6, 4; add.s64 %rd8, %rd31, %rd7;\n"
      "ld.global.f32 %f4, [%rd8];");
  EXPECT_EQ(a.offset(0), "4*bx");
  EXPECT_EQ(a.offset(1), "4*tx");
  EXPECT_EQ(a.access(2).on_cta(Axis::X).kind, Kind::Function);
  EXPECT_EQ(a.access(3).on_cta(Axis::X).kind, Kind::Function);
}

TEST(Addresses, ClampsAreAboutTheirValue) {
  const Analysed a(
      "add.s32 %r1, %r50, -1; max.s32 %r2, %r1, 0; min.s32 %r3, %r2, %r55;\n"
      "mul.wide.s32 %rd1, %r3, 4; add.s64 %rd2, %rd31, %rd1; ld.global.f32 %f1, [%rd2];\n"
      "setp.lt.s32 %p1, %r1, 0; selp.b32 %r4, 0, %r1, %p1; mul.wide.s32 %rd3, %r4, 4;\n"
      "add.s64 %rd4, %rd31, %rd3; ld.global.f32 %f2, [%rd4];");
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(a.on_x(i), "4");
    EXPECT_TRUE(a.access(i).about);
  }
}

TEST(Addresses, Mul24AndNegation) {
  const Analysed a(
      "mul24.lo.s32 %r1, %r50, 20; neg.s32 %r2, %r52; sub.s32 %r3, %r1, %r2; not.b32 %r4, %r3;\n"
      "mul.wide.s32 %rd1, %r4, 4; sub.s64 %rd2, %rd31, %rd1; ld.global.f32 %f1, [%rd2];");
  EXPECT_EQ(a.access().on_cta(Axis::X).bytes, 80);
  EXPECT_EQ(a.access().on_thread(Axis::X).bytes, 4);
  EXPECT_EQ(a.access().offset.constant_part(), 4);
}

TEST(Addresses, LoadedDataIsNamed) {
  const Analysed a(
      "mul.wide.u32 %rd1, %r50, 4; add.s64 %rd2, %rd31, %rd1; ld.global.u32 %r1, [%rd2];\n"
      "mul.wide.u32 %rd3, %r1, 64; add.s64 %rd4, %rd31, %rd3; mul.wide.u32 %rd5, %r52, 4;\n"
      "add.s64 %rd6, %rd4, %rd5; ld.global.u32 %r2, [%rd6];\n"
      "ld.global.u32 %r3, [%rd31]; mul.wide.u32 %rd7, %r3, 4; add.s64 %rd8, %rd31, %rd7;\n"
      "ld.global.u32 %r4, [%rd8];");
  EXPECT_EQ(a.access(1).on_cta(Axis::X).kind, Kind::Data);
  EXPECT_EQ(a.access(1).on_thread(Axis::X).bytes, 4);
  EXPECT_TRUE(a.access(1).by_data);
  EXPECT_FALSE(a.access(3).by_data);  // the same for all
  EXPECT_FALSE(a.access(3).on_cta(Axis::X).depends());
}

TEST(Addresses, LoopsBecomeIterations) {
  const Analysed a(
      "mov.u32 %r1, %r50; mov.u32 %r2, 0; mul.wide.u32 %rd1, %r50, 4; add.s64 %rd2, %rd31, %rd1;\n"
      "L: mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd31, %rd3; ld.global.f32 %f1, [%rd4];\n"
      "ld.global.f32 %f2, [%rd2]; add.s32 %r1, %r1, %r55; add.s64 %rd2, %rd2, 64;\n"
      "add.s32 %r2, %r2, 2; setp.lt.s32 %p1, %r2, %r56; @%p1 bra L;\n"
      "ld.global.f32 %f3, [%rd2];");
  EXPECT_EQ(text(a.found, a.module, a.kernel(), a.access(0).loop.at(0)), "4*n");
  EXPECT_EQ(a.access(0).on_cta(Axis::X).bytes, 4);
  EXPECT_EQ(a.access(1).loop.at(0).bytes, 64);
  // Behind the loop: as far as it has come.
  EXPECT_TRUE(a.access(2).loop.empty());
  EXPECT_EQ(Terms(a).of(2, {{AtomKind::Last, 0}}), 64);
  const SymbolicLoop& l = a.found.atoms.loops.at(0);
  ASSERT_TRUE(l.distance);
  EXPECT_EQ(text(a.found.atoms, a.module, a.kernel(), *l.distance), "-2 + m");
  EXPECT_EQ(l.step, Sum(2));
  EXPECT_EQ(l.extra, 1);
}

TEST(Addresses, FixedLoopsLeaveNumbers) {
  const Analysed a(
      "mov.u32 %r2, 0; mov.u64 %rd2, %rd31;\n"
      "L: add.s64 %rd2, %rd2, 16; add.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, 10; @%p1 bra L;\n"
      "ld.global.f32 %f3, [%rd2];");
  EXPECT_EQ(a.offset(), "160");
}

TEST(Addresses, PointerThroughTwoLoops) {
  const Analysed a(
      "mov.u32 %r1, 0; mov.u64 %rd2, %rd31;\n"
      "OUTER: mov.u32 %r2, 0;\n"
      "INNER: ld.global.f32 %f1, [%rd2]; add.s64 %rd2, %rd2, 4; add.s32 %r2, %r2, 1;\n"
      "setp.lt.s32 %p1, %r2, 8; @%p1 bra INNER;\n"
      "add.s32 %r1, %r1, 1; setp.lt.s32 %p2, %r1, %r55; @%p2 bra OUTER;");
  ASSERT_EQ(a.access().loop.size(), 2u);
  EXPECT_EQ(a.access().loop[0].bytes, 32);
  EXPECT_EQ(a.access().loop[1].bytes, 4);
}

// The value that counts is found although the evaluation begins at the join inside the loop.
TEST(Addresses, CounterAroundABranch) {
  const Analysed a(
      "mov.u32 %r1, 0; mov.u32 %r4, 0;\n"
      "L: setp.gt.u32 %p1, %r52, %r1; @%p1 bra SKIP; add.s32 %r4, %r4, %r1;\n"
      "SKIP: add.s32 %r2, %r1, 1; mul.wide.u32 %rd1, %r2, 4; add.s64 %rd2, %rd31, %rd1;\n"
      "ld.global.f32 %f1, [%rd2]; add.s32 %r1, %r2, 1; setp.ne.s32 %p2, %r1, 16; @%p2 bra L;");
  EXPECT_EQ(a.access().loop.at(0).bytes, 8);
}

TEST(Addresses, SometimesMoreIsStillFromTheStart) {
  const Analysed a(
      "mov.u32 %r1, %r50; mov.u32 %r2, 0;\n"
      "L: mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd31, %rd1; ld.global.f32 %f1, [%rd2];\n"
      "setp.gt.u32 %p1, %r52, %r2; @%p1 bra SKIP; add.s32 %r1, %r1, 1;\n"
      "SKIP: add.s32 %r2, %r2, 1; setp.ne.s32 %p2, %r2, 16; @%p2 bra L;");
  EXPECT_EQ(a.access().on_cta(Axis::X).bytes, 4);
  EXPECT_EQ(a.access().loop.at(0).kind, Kind::Function);
  EXPECT_TRUE(a.access().about);
}

TEST(Addresses, ChosenPointers) {
  const Analysed a(
      "mul.wide.u32 %rd1, %r50, 4; add.s64 %rd2, %rd30, %rd1; add.s64 %rd3, %rd32, %rd1;\n"
      "setp.eq.s32 %p1, %r55, 0; selp.b64 %rd4, %rd2, %rd3, %p1; ld.f32 %f1, [%rd4];");
  ASSERT_EQ(a.found.accesses.size(), 2u);
  EXPECT_EQ(a.access(0).array, "a");
  EXPECT_EQ(a.access(1).array, "b");
  EXPECT_EQ(a.access(1).on_cta(Axis::X).bytes, 4);
}

TEST(Addresses, CallsAreFollowed) {
  const std::string_view callee =
      ".func (.param .b32 out) load(.param .b64 p, .param .b32 i)\n"
      "{ .reg .b64 %rd<5>; .reg .b32 %r<5>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [i];\n"
      "mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.u32 %r2, [%rd3]; add.s32 %r3, %r1, 7;\n"
      "st.param.b32 [out], %r3; ret; }\n.extern .func elsewhere(.param .b64 p);\n";
  const Analysed a(
      "{ .param .b64 p0; .param .b32 p1; .param .b32 r0;\n"
      "st.param.b64 [p0], %rd30; st.param.b32 [p1], %r50; call.uni (r0), load, (p0, p1);\n"
      "ld.param.b32 %r1, [r0]; }\n"
      "mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %rd32, %rd1; ld.f32 %f1, [%rd2];\n"
      "{ .param .b64 p0; st.param.b64 [p0], %rd30; call.uni elsewhere, (p0); }",
      {}, callee);
  ASSERT_EQ(a.found.accesses.size(), 2u);
  EXPECT_EQ(a.access(0).array, "a");
  EXPECT_EQ(a.offset(0), "4*bx");
  EXPECT_EQ(a.access(1).array, "b");
  EXPECT_EQ(a.offset(1), "28 + 4*bx");
  ASSERT_EQ(a.found.notes.size(), 1u);
  EXPECT_NE(a.found.notes[0].find("elsewhere"), std::string::npos);
}

TEST(Addresses, TexturesHaveRows) {
  const Analysed a(
      "cvt.rn.f32.s32 %f1, %r50; add.f32 %f2, %f1, 0f3F000000; cvt.rn.f32.s32 %f3, %r51;\n"
      "add.f32 %f4, %f3, 0f40200000;\n"
      "tex.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%rd30, {%f2, %f4}];\n"
      "tex.1d.v4.f32.s32 {%f5,%f6,%f7,%f8}, [%rd32, {%r52}];");
  EXPECT_EQ(a.access(0).array, "a");
  EXPECT_TRUE(a.access(0).texture);
  EXPECT_EQ(a.access(0).on_cta(Axis::X).bytes, 4);
  EXPECT_EQ(a.on_y(0), "pitch");
  EXPECT_EQ(Terms(a).of(0, {{AtomKind::Pitch, 1}}), 2);  // 2.5 rows further
  EXPECT_EQ(a.access(1).on_thread(Axis::X).bytes, 4);
}

TEST(Addresses, AsynchronousCopiesRead) {
  const Analysed a(
      "mul.wide.u32 %rd1, %r50, 16; add.s64 %rd2, %rd31, %rd1; mov.u32 %r1, tile;\n"
      "cp.async.cg.shared.global [%r1], [%rd2+32], 16;");
  EXPECT_EQ(a.access().kind, AccessKind::Read);
  EXPECT_EQ(a.offset(), "32 + 16*bx");
  EXPECT_EQ(a.access().width, 16u);
}

TEST(Addresses, WhatIsNotFollowedIsUnknown) {
  const Analysed a(
      "mov.u32 %r1, %smid; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd31, %rd1;\n"
      "ld.global.f32 %f1, [%rd2];");
  EXPECT_FALSE(a.access().understood);
  EXPECT_EQ(a.access().on_cta(Axis::X).kind, Kind::Unknown);
}

}  // namespace
}  // namespace heddle::ptx
