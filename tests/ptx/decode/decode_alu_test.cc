// Arithmetic, logic, comparison, moves, conversions: each modifier lands in its field.
#include <gmock/gmock.h>

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

using Kind = Operand::Kind;

TEST(DecodeAlu, AddWithRegistersAndConstants) {
  const Instr i = first("add.s32 %r1, %r2, -5;");
  EXPECT_EQ(i.op, Op::Add);
  EXPECT_EQ(i.type, Type::S32);
  EXPECT_EQ(i.n_dst, 1);
  EXPECT_EQ(i.n_src, 2);
  EXPECT_EQ(i.dst[0].kind, Kind::Reg);
  EXPECT_EQ(i.src[0].kind, Kind::Reg);
  EXPECT_NE(i.src[0].index, i.dst[0].index);
  EXPECT_EQ(i.src[1].kind, Kind::Imm);
  EXPECT_EQ(i.src[1].value, static_cast<std::uint64_t>(-5));
  EXPECT_EQ(i.guard.kind, Kind::None);
}

TEST(DecodeAlu, GuardsAndNegation) {
  EXPECT_FALSE(first("@%p1 add.s32 %r1, %r2, 1;").guard.negated);
  const Instr i = first("@!%p1 add.s32 %r1, %r2, 1;");
  EXPECT_EQ(i.guard.kind, Kind::Pred);
  EXPECT_TRUE(i.guard.negated);
}

TEST(DecodeAlu, IntegerConstantsAreSignExtendedFromTheirType) {
  EXPECT_EQ(first("and.b32 %r1, %r2, 0xFFFFFFFF;").src[1].value, ~0ull);
  EXPECT_EQ(first("and.b64 %rd1, %rd2, 0xFFFFFFFF;").src[1].value, 0xFFFFFFFFull);
  EXPECT_EQ(first("mov.u16 %h1, 0x8000;").src[0].value, 0xFFFFFFFFFFFF8000ull);
  EXPECT_EQ(first("mov.u32 %r1, 0b101;").src[0].value, 5u);
  EXPECT_EQ(first("mov.u32 %r1, 017U;").src[0].value, 15u);
  EXPECT_EQ(first("mov.u32 %r1, WARP_SZ;").src[0].value, 32u);
  EXPECT_EQ(first("mov.u32 %r1, (1 << 4) + 3 * 2 - (7 & 5);").src[0].value, 17u);
  EXPECT_EQ(first("mov.u32 %r1, 1 ? 2 : 3;").src[0].value, 2u);
  EXPECT_EQ(first("mov.u64 %rd1, -1 / 2;").src[0].value, 0u);
  EXPECT_EQ(first("mov.u64 %rd1, (.u64)-1 >> 63;").src[0].value, 1u);
}

TEST(DecodeAlu, FloatingPointConstantsTakeTheOperandsType) {
  EXPECT_EQ(first("add.f32 %f1, %f2, 0f3F800000;").src[1].value, 0x3F800000u);
  EXPECT_EQ(first("add.f32 %f1, %f2, 1.5;").src[1].value, 0x3FC00000u);
  EXPECT_EQ(first("add.f32 %f1, %f2, -0f3F800000;").src[1].value, 0xBF800000u);
  EXPECT_EQ(first("add.f32 %f1, %f2, 0d3FF0000000000000;").src[1].value, 0x3F800000u);
  EXPECT_EQ(first("add.f64 %d1, %d2, 0f3F800000;").src[1].value, 0x3FF0000000000000u);
  EXPECT_EQ(first("add.f64 %d1, %d2, 25e-1;").src[1].value, 0x4004000000000000u);
  EXPECT_EQ(first("mov.b32 %r1, 0fBF800000;").src[0].value, 0xFFFFFFFFBF800000u);
}

TEST(DecodeAlu, CarryChain) {
  EXPECT_TRUE(first("add.cc.u32 %r1, %r2, %r3;").carry_out);
  const Instr i = first("madc.hi.cc.u32 %r1, %r2, %r3, %r4;");
  EXPECT_EQ(i.op, Op::Mad);
  EXPECT_TRUE(i.carry_in);
  EXPECT_TRUE(i.carry_out);
  EXPECT_EQ(i.half, Half::Hi);
  EXPECT_TRUE(first("subc.u32 %r1, %r2, %r3;").carry_in);
}

TEST(DecodeAlu, ProductsOfTwiceTheWidth) {
  const Instr i = first("mad.wide.u32 %rd1, %r2, 7, %rd4;");
  EXPECT_EQ(i.half, Half::Wide);
  EXPECT_EQ(i.type, Type::U32);
  EXPECT_EQ(i.n_src, 3);
  EXPECT_EQ(first("mul.wide.s16 %r1, %h2, %h3;").half, Half::Wide);
  EXPECT_EQ(first("mad.rn.f32 %f1, %f2, %f3, %f4;").op, Op::Fma);
}

TEST(DecodeAlu, FloatingPointModifiers) {
  const Instr i = first("fma.rz.ftz.sat.f32 %f1, %f2, %f3, %f4;");
  EXPECT_EQ(i.round, Round::Rz);
  EXPECT_TRUE(i.ftz);
  EXPECT_TRUE(i.sat);
  EXPECT_TRUE(first("fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;").relu);
  EXPECT_TRUE(first("div.full.f32 %f1, %f2, %f3;").full);
  EXPECT_TRUE(first("div.approx.ftz.f32 %f1, %f2, %f3;").approx);
  EXPECT_TRUE(first("min.NaN.f32 %f1, %f2, %f3;").nan);
  EXPECT_TRUE(first("max.xorsign.abs.f32 %f1, %f2, %f3;").xorsign_abs);
  EXPECT_TRUE(first("tanh.approx.f16 %h1, %h2;").approx);
  EXPECT_EQ(first("ex2.approx.ftz.bf16x2 %r1, %r2;").type, Type::BF16x2);
  EXPECT_EQ(first("testp.notanumber.f64 %p1, %d1;").testp, TestpOp::NotANumber);
}

TEST(DecodeAlu, ComparisonWithBooleanOperand) {
  const Instr i = first("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;");
  EXPECT_EQ(i.op, Op::Setp);
  EXPECT_EQ(i.cmp, Cmp::Lt);
  EXPECT_EQ(i.bool_op, BoolOp::And);
  EXPECT_EQ(i.n_dst, 2);
  EXPECT_EQ(i.n_src, 3);
  EXPECT_EQ(i.src[2].kind, Kind::Pred);
  EXPECT_TRUE(i.src[2].negated);
  EXPECT_EQ(first("setp.eq.s32 _|%p1, %r1, 0;").dst[0].kind, Kind::Sink);
  EXPECT_EQ(first("setp.lo.u32 %p1, %r1, %r2;").cmp, Cmp::Lo);
  const Instr s = first("set.gt.ftz.u32.f32 %r1, %f1, %f2;");
  EXPECT_EQ(s.type, Type::U32);
  EXPECT_EQ(s.src_type, Type::F32);
}

TEST(DecodeAlu, SelectionTakesAPredicateOrAConstant) {
  EXPECT_EQ(first("selp.b32 %r1, %r2, 3, %p1;").src[2].kind, Kind::Pred);
  const Instr i = first("selp.b32 %r1, %r2, 3, 1;");
  EXPECT_EQ(i.src[2].kind, Kind::Imm);
  EXPECT_EQ(i.src[2].value, 1u);
  EXPECT_EQ(first("mov.pred %p1, -1;").src[0].value, 1u);
  EXPECT_EQ(first("slct.f32.s32 %f1, %f2, %f3, %r1;").src_type, Type::S32);
}

TEST(DecodeAlu, Bits) {
  EXPECT_EQ(first("lop3.b32 %r1, %r2, %r3, %r4, 0x96;").lut, 0x96);
  const Instr s = first("shf.l.clamp.b32 %r1, %r2, %r3, %r4;");
  EXPECT_TRUE(s.left);
  EXPECT_TRUE(s.clamp);
  EXPECT_FALSE(first("shf.r.wrap.b32 %r1, %r2, %r3, %r4;").left);
  EXPECT_EQ(first("bfi.b64 %rd1, %rd2, %rd3, %r1, 8;").n_src, 4);
  EXPECT_EQ(first("bfe.s32 %r1, %r2, 3, 8;").type, Type::S32);
  EXPECT_TRUE(first("bfind.shiftamt.u32 %r1, %r2;").shiftamt);
  EXPECT_EQ(first("prmt.b32.rc16 %r1, %r2, %r3, %r4;").prmt, PrmtMode::Rc16);
  EXPECT_EQ(first("clz.b64 %r1, %rd2;").type, Type::B64);
  EXPECT_EQ(first("dp4a.u32.s32 %r1, %r2, %r3, %r4;").type, Type::S32);
  EXPECT_EQ(first("dp2a.hi.u32.u32 %r1, %r2, %r3, %r4;").half, Half::Hi);
  EXPECT_EQ(first("min.s16x2.relu %r1, %r2, %r3;").type, Type::S16x2);
  EXPECT_TRUE(first("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;").accumulate);
  EXPECT_EQ(first("fns.b32 %r1, %r2, 0, 1;").n_src, 3);
  EXPECT_TRUE(first("szext.clamp.s32 %r1, %r2, 7;").clamp);
}

TEST(DecodeAlu, MovOfSpecialRegistersAndAddresses) {
  const Instr t = first("mov.u32 %r1, %tid.x;");
  EXPECT_EQ(t.src[0].kind, Kind::Sreg);
  EXPECT_EQ(static_cast<Sreg>(t.src[0].index), Sreg::TidX);
  EXPECT_EQ(static_cast<Sreg>(first("mov.u64 %rd1, %clock64;").src[0].index), Sreg::Clock64);
  EXPECT_EQ(static_cast<Sreg>(first("mov.u32 %r1, %lanemask_lt;").src[0].index), Sreg::LanemaskLt);
  EXPECT_EQ(static_cast<Sreg>(first("mov.u32 %r1, %envreg2;").src[0].index), Sreg::Envreg2);
  const Module m = parse(kernel_text("mov.u64 %rd1, gvar+8; mov.u64 %rd2, callee; mov.u64 %rd3, lvar;"));
  const auto& instrs = m.find_function("k")->instrs;
  EXPECT_EQ(instrs[0].src[0].kind, Kind::Symbol);
  EXPECT_EQ(instrs[0].src[0].value, 8u);
  EXPECT_EQ(m.symbols[instrs[0].src[0].index].name, "gvar");
  EXPECT_EQ(m.symbols[instrs[1].src[0].index].kind, Symbol::Kind::Function);
  EXPECT_EQ(m.symbols[instrs[2].src[0].index].kind, Symbol::Kind::FunctionVariable);
}

TEST(DecodeAlu, PackAndUnpack) {
  const Instr u = first("mov.b64 {%r1, _}, %rd1;");
  EXPECT_EQ(u.op, Op::Unpack);
  EXPECT_EQ(u.n_dst, 2);
  EXPECT_EQ(u.dst[1].kind, Kind::Sink);
  EXPECT_EQ(u.type, Type::B64);
  EXPECT_EQ(u.src_type, Type::B32);
  const Instr p = first("mov.b64 %rd1, {%h1, %h2, %h3, 7};");
  EXPECT_EQ(p.op, Op::Pack);
  EXPECT_EQ(p.n_src, 4);
  EXPECT_EQ(p.src[3].value, 7u);
}

TEST(DecodeAlu, Conversions) {
  const Instr c = first("cvt.rzi.ftz.s32.f32 %r1, %f1;");
  EXPECT_EQ(c.type, Type::S32);
  EXPECT_EQ(c.src_type, Type::F32);
  EXPECT_EQ(c.round, Round::Rzi);
  EXPECT_TRUE(c.ftz);
  EXPECT_EQ(first("cvt.s8.s32 %r1, %r2;").type, Type::S8);
  EXPECT_TRUE(first("cvt.sat.u8.s32 %h1, %r2;").sat);
  const Instr p = first("cvt.rn.relu.bf16x2.f32 %r1, %f1, %f2;");
  EXPECT_EQ(p.op, Op::CvtPack);
  EXPECT_TRUE(p.relu);
  EXPECT_EQ(p.n_src, 2);
  const Instr e = first("cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;");
  EXPECT_EQ(e.op, Op::CvtPack);
  EXPECT_EQ(e.type, Type::E4M3x2);
  EXPECT_TRUE(e.satfinite && e.relu);
  EXPECT_EQ(first("cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r1;").src_type, Type::F16x2);
  const Instr w = first("cvt.rn.relu.f16x2.e5m2x2 %r1, %h1;");
  EXPECT_EQ(w.op, Op::Cvt);
  EXPECT_EQ(w.src_type, Type::E5M2x2);
  EXPECT_FALSE(w.satfinite);
  const Instr a = first("cvta.to.global.u64 %rd1, %rd2;");
  EXPECT_TRUE(a.to_space);
  EXPECT_EQ(a.space, Space::Global);
  EXPECT_FALSE(first("cvta.shared.u64 %rd1, %rd2;").to_space);
  EXPECT_EQ(first("isspacep.shared %p1, %rd2;").op, Op::Isspacep);
}

TEST(DecodeAlu, ConversionsOfBytesThatThereAreNot) {
  const auto why = [](const char* line) -> std::string {
    try {
      first(line);
    } catch (const Error& e) {
      return e.what();
    }
    return "decoded";
  };
  using testing::HasSubstr;
  EXPECT_THAT(why("cvt.rn.e4m3x2.f32 %h1, %f1, %f2;"), HasSubstr(".satfinite"));
  EXPECT_THAT(why("cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;"), HasSubstr(".rn"));
  EXPECT_THAT(why("cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;"), HasSubstr("before sm_100"));
  EXPECT_THAT(why("cvt.rn.bf16x2.e4m3x2 %r1, %h1;"), HasSubstr("before sm_100"));
  EXPECT_THAT(why("cvt.rn.satfinite.f16x2.e4m3x2 %r1, %h1;"), HasSubstr(".satfinite"));
  EXPECT_THAT(why("cvt.rn.satfinite.e2m1x2.f32 %h1, %f1, %f2;"), HasSubstr("compile for compute_90"));
  EXPECT_THAT(why("cvt.rz.ue8m0x2.f32 %h1, %f1, %f2;"), HasSubstr("compile for compute_90"));
  EXPECT_THAT(why("cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f2;"), HasSubstr(".b16"));
}

}  // namespace
}  // namespace heddle::ptx
