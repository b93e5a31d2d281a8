#include "exec/alu/bind.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/host_rounding.h"
#include "exec/alu/long_way.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;

// f64 results keep NaN payloads, which costs more than the operation itself. So: the bare operation for all
// lanes, and the full rule only for warps in which a NaN came out. F is the full function, Raw the bare one.
template <auto F, auto Raw, class... Sources>
void rarely_nan(Warp& warp, const Code& code, Mask active, Sources... sources) {
  double r[kLanes];
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) r[i] = Raw(sources[i]...);
  std::uint64_t any = 0;
  HEDDLE_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    any |= (bits_of(r[i]) & (F64::sign - 1)) > F64::inf ? 1 : 0;
  }
  if (any != 0) [[unlikely]] {
    for (int i = 0; i < kLanes; ++i) r[i] = F(sources[i]...);
  }
  store_lanes(warp.out<double>(code.d), active, [&r](int i) { return r[i]; });
}
template <auto F, auto Raw>
void rare1(Warp& warp, const Code& code, Mask active) {
  rarely_nan<F, Raw>(warp, code, active, warp.in<double>(code.a));
}
template <auto F, auto Raw>
void rare2(Warp& warp, const Code& code, Mask active) {
  rarely_nan<F, Raw>(warp, code, active, warp.in<double>(code.a), warp.in<double>(code.b));
}
template <auto F, auto Raw>
void rare3(Warp& warp, const Code& code, Mask active) {
  rarely_nan<F, Raw>(warp, code, active, warp.in<double>(code.a), warp.in<double>(code.b),
                     warp.in<double>(code.c));
}

double raw_add(double a, double b) {
  return a + b;
}
double raw_sub(double a, double b) {
  return a - b;
}
double raw_mul(double a, double b) {
  return a * b;
}
double raw_fma(double a, double b, double c) {
  return std::fma(a, b, c);
}
double raw_div(double a, double b) {
  return a / b;
}
double raw_rcp(double a) {
  return 1.0 / a;
}
double raw_sqrt(double a) {
  return std::sqrt(a);
}

}  // namespace

Handler bind_f64(const ptx::Instr& instr) {
  if (instr.sat) return nullptr;
  switch (instr.op) {
    case Op::Add:
      return handler_in_mode<&rare2<add_f64, raw_add>>(instr);
    case Op::Sub:
      return handler_in_mode<&rare2<sub_f64, raw_sub>>(instr);
    case Op::Mul:
      return handler_in_mode<&rare2<mul_f64, raw_mul>>(instr);
    case Op::Fma:
    case Op::Mad:
      return handler_in_mode<&rare3<fma_f64, raw_fma>>(instr);
    case Op::Div:
      return handler_in_mode<noted_division<&rare2<div_f64, raw_div>, double>>(instr);
    case Op::Rcp:
      return handler_in_mode<noted_reciprocal<&rare1<rcp_f64, raw_rcp>, double>>(instr);
    case Op::Sqrt:
      return handler_in_mode<noted_root<&rare1<sqrt_f64, raw_sqrt>, double>>(instr);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
