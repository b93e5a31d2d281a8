// Nanoseconds per warp instruction of common handlers, operands in cache. Not a test; run by hand.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "alu_harness.h"
#include "exec/alu/bind_alu.h"

namespace heddle::exec::testing {
namespace {

double nanoseconds(const char* opcode, Mask active) {
  TestWarp warp;
  const ptx::Instr instr = parse_opcode(opcode);
  Code code;
  code.handler = bind_alu(instr);
  if (code.handler == nullptr) return -1;
  code.instr = &instr;
  code.d = TestWarp::slot(0);
  code.a = TestWarp::slot(1);
  code.b = TestWarp::slot(2);
  code.c = TestWarp::slot(3);
  code.p = 2;
  code.pd = 3;
  code.pq = 4;
  for (unsigned s = 1; s <= 3; ++s) {
    for (int i = 0; i < kLanes; ++i) {
      if (bits(instr.type) == 64 || bits(instr.src_type) == 64)
        warp.out<double>(TestWarp::slot(s))[i] = 1.5 * i + s;
      else
        warp.out<float>(TestWarp::slot(s))[i] = 1.5f * static_cast<float>(i) + static_cast<float>(s);
    }
  }
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    constexpr int kRepeat = 50000;
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kRepeat; ++k) code.handler(warp, code, active);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kRepeat);
  }
  return best;
}

}  // namespace
}  // namespace heddle::exec::testing

int main() {
  using heddle::exec::testing::nanoseconds;
  for (const char* op : {"mov.b32",
                         "mov.b64",
                         "add.s32",
                         "sub.s32",
                         "mul.lo.s32",
                         "mad.lo.s32",
                         "mul.wide.s32",
                         "mul.wide.u32",
                         "mad.wide.u32",
                         "add.s64",
                         "sub.s64",
                         "mul.lo.s64",
                         "mul.hi.s32",
                         "mul.hi.u64",
                         "min.s32",
                         "max.s32",
                         "neg.s32",
                         "add.s16",
                         "div.s32",
                         "rem.u32",
                         "and.b32",
                         "or.b32",
                         "xor.b64",
                         "not.b32",
                         "shl.b32",
                         "shr.u32",
                         "shr.s32",
                         "shl.b64",
                         "shr.u64",
                         "bfe.u32",
                         "bfi.b32",
                         "popc.b32",
                         "clz.b32",
                         "brev.b32",
                         "prmt.b32",
                         "lop3.b32",
                         "shf.l.wrap.b32",
                         "add.f32",
                         "add.rn.f32",
                         "mul.f32",
                         "fma.rn.f32",
                         "mul.ftz.f32",
                         "fma.rn.ftz.f32",
                         "add.sat.f32",
                         "fma.rm.f32",
                         "fma.rz.f32",
                         "add.rz.f32",
                         "div.rn.f32",
                         "rcp.rn.f32",
                         "sqrt.rn.f32",
                         "abs.f32",
                         "neg.f32",
                         "min.f32",
                         "max.f32",
                         "add.f64",
                         "mul.f64",
                         "fma.rn.f64",
                         "add.rz.f64",
                         "fma.rm.f64",
                         "div.rn.f64",
                         "sqrt.rn.f64",
                         "abs.f64",
                         "neg.f64",
                         "min.f64",
                         "rcp.approx.ftz.f32",
                         "rsqrt.approx.f32",
                         "ex2.approx.ftz.f32",
                         "lg2.approx.f32",
                         "sin.approx.f32",
                         "tanh.approx.f32",
                         "div.approx.f32",
                         "div.full.f32",
                         "add.f16",
                         "fma.rn.f16x2",
                         "add.f16x2",
                         "fma.rn.bf16x2",
                         "setp.lt.s32",
                         "setp.eq.s32",
                         "setp.lt.u64",
                         "setp.eq.s64",
                         "setp.eq.s16",
                         "setp.lt.f32",
                         "setp.neu.f32",
                         "setp.lt.f64",
                         "setp.ne.f64",
                         "setp.lt.and.s32",
                         "set.lt.u32.s32",
                         "selp.b32",
                         "selp.b64",
                         "cvt.s64.s32",
                         "cvt.u32.u64",
                         "cvt.u64.u32",
                         "cvt.u16.u32",
                         "cvt.rn.f32.s32",
                         "cvt.rn.f32.u32",
                         "cvt.rn.f64.s32",
                         "cvt.rzi.s32.f32",
                         "cvt.rzi.u32.f32",
                         "cvt.rni.f32.f32",
                         "cvt.rzi.s32.f64",
                         "cvt.rzi.s64.f64",
                         "cvt.rn.f32.s64",
                         "cvt.f64.f32",
                         "cvt.rn.f32.f64",
                         "cvt.f32.f16",
                         "cvt.rn.f16.f32",
                         "cvt.sat.f32.f32",
                         "cvt.rz.f32.s32",
                         "add.cc.u32",
                         "addc.cc.u32",
                         "madc.hi.cc.u32",
                         "dp4a.s32.s32",
                         "vabsdiff4.u32.u32.u32.add"}) {
    std::printf("%-26s %7.1f  partial %7.1f\n", op, nanoseconds(op, 0xffffffffu),
                nanoseconds(op, 0x0ff0f1ffu));
  }
}
