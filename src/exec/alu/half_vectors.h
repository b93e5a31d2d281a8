// f16 with the host's own conversions or arithmetic: a lane vector is 64 values of 16 bits in a row. All of
// it is fixed by IEEE 754 but for NaN, which is made canonical.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "exec/alu/half_ops.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

namespace heddle::exec::alu {

#if defined(__F16C__)
#define HEDDLE_HALF_VECTORS 1
inline constexpr int kHalves = 8;  // at a time
typedef float FloatVector __attribute__((vector_size(4 * kHalves)));
inline FloatVector widen_halves(const std::uint16_t* p) {
  __m128i h;
  std::memcpy(&h, p, sizeof h);
  return _mm256_cvtph_ps(h);
}
inline void narrow_halves(FloatVector x, std::uint16_t* to) {
  const __m128i h = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  std::memcpy(to, &h, sizeof h);
}
#elif defined(__aarch64__)
#define HEDDLE_HALF_VECTORS 1
inline constexpr int kHalves = 4;
typedef float FloatVector __attribute__((vector_size(4 * kHalves)));
inline FloatVector widen_halves(const std::uint16_t* p) {
  float16x4_t h;
  std::memcpy(&h, p, sizeof h);
  return vcvt_f32_f16(h);
}
inline void narrow_halves(FloatVector x, std::uint16_t* to) {
  const float16x4_t h = vcvt_f16_f32(x);
  std::memcpy(to, &h, sizeof h);
}
#endif

#ifdef HEDDLE_HALF_VECTORS

typedef std::int32_t BitVector __attribute__((vector_size(4 * kHalves)));

// add_to_odd of float_ops.h, for vectors: cut off towards zero, with a last bit that is set if anything was.
inline FloatVector add_vectors_to_odd(FloatVector a, FloatVector b) {
  constexpr std::int32_t kSign = std::int32_t{-1} ^ 0x7fffffff;
  const FloatVector sum = a + b;
  const FloatVector b_part = sum - a;
  const FloatVector error = (a - (sum - b_part)) + (b - b_part);
  const auto s = reinterpret_cast<BitVector>(sum);
  // Away from zero if positive. Infinite and NaN sums stand: their error is NaN.
  const auto away = reinterpret_cast<FloatVector>(reinterpret_cast<BitVector>(error) ^ (s & kSign));
  const BitVector less = away > 0.0f, more = away < 0.0f;  // than the exact sum: all ones or none
  return reinterpret_cast<FloatVector>((s + more) | ((less | more) & 1));
}

enum class HalfOp : std::uint8_t { Add, Sub, Mul, Fma };
using HalvesFunction = void (*)(const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t* c,
                                std::uint16_t* d);
inline constexpr int kHalvesInAll = 2 * kLanes;

template <HalfOp Op>
inline void halves_by_float(const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t* c,
                            std::uint16_t* d) {
  const BitVector nan = BitVector{} + 0x7fffffff;  // narrowed, it is the canonical one
  for (int i = 0; i < kHalvesInAll; i += kHalves) {
    const FloatVector x = widen_halves(a + i), y = widen_halves(b + i);
    FloatVector r;
    if constexpr (Op == HalfOp::Add)
      r = x + y;
    else if constexpr (Op == HalfOp::Sub)
      r = x - y;
    else if constexpr (Op == HalfOp::Mul)
      r = x * y;
    else
      r = add_vectors_to_odd(x * y, widen_halves(c + i));
    const BitVector number = r == r;
    narrow_halves(reinterpret_cast<FloatVector>((reinterpret_cast<BitVector>(r) & number) | (nan & ~number)),
                  d + i);
  }
}

#ifdef __aarch64__

// Processors from ARMv8.2 on may have the arithmetic itself.
inline bool has_half_arithmetic() {
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0;
  return has;
}

template <HalfOp Op>
__attribute__((target("arch=armv8.2-a+fp16"))) inline void halves_natively(const std::uint16_t* a,
                                                                           const std::uint16_t* b,
                                                                           const std::uint16_t* c,
                                                                           std::uint16_t* d) {
  for (int i = 0; i < kHalvesInAll; i += 8) {
    const float16x8_t x = vreinterpretq_f16_u16(vld1q_u16(a + i)),
                      y = vreinterpretq_f16_u16(vld1q_u16(b + i));
    float16x8_t r;
    if constexpr (Op == HalfOp::Add)
      r = vaddq_f16(x, y);
    else if constexpr (Op == HalfOp::Sub)
      r = vsubq_f16(x, y);
    else if constexpr (Op == HalfOp::Mul)
      r = vmulq_f16(x, y);
    else
      r = vfmaq_f16(vreinterpretq_f16_u16(vld1q_u16(c + i)), x, y);
    vst1q_u16(d + i, vbslq_u16(vceqq_f16(r, r), vreinterpretq_u16_f16(r), vdupq_n_u16(0x7fff)));
  }
}

#endif

// kPair: both halves of a lane count; otherwise only the lower one, and the other one is zero.
template <HalfOp Op, HalvesFunction F, bool kPair>
void run_halves(Warp& warp, const Code& code, Mask active) {
  const auto halves = [&](Place p) {
    return reinterpret_cast<const std::uint16_t*>(warp.in<std::uint32_t>(p));
  };
  const std::uint16_t *a = halves(code.a), *b = halves(code.b), *c = a;
  if constexpr (Op == HalfOp::Fma) c = halves(code.c);
  std::uint32_t* const d = warp.out<std::uint32_t>(code.d);
  if (kPair && active == kAllLanes) {
    F(a, b, c, reinterpret_cast<std::uint16_t*>(d));
    return;
  }
  alignas(64) std::uint32_t t[kLanes];
  F(a, b, c, reinterpret_cast<std::uint16_t*>(t));
  write_lanes(d, active, [&](int i) { return kPair ? t[i] : t[i] & 0xffffu; });
}

template <HalfOp Op>
Handler halves_handler(bool pair) {
#ifdef __aarch64__
  if (has_half_arithmetic())
    return pair ? run_halves<Op, halves_natively<Op>, true> : run_halves<Op, halves_natively<Op>, false>;
#endif
  return pair ? run_halves<Op, halves_by_float<Op>, true> : run_halves<Op, halves_by_float<Op>, false>;
}

// Rounding to nearest, no further modifiers. `pair`: f16x2, else f16.
inline Handler half_arithmetic(ptx::Op op, bool pair) {
  switch (op) {
    case ptx::Op::Add:
      return halves_handler<HalfOp::Add>(pair);
    case ptx::Op::Sub:
      return halves_handler<HalfOp::Sub>(pair);
    case ptx::Op::Mul:
      return halves_handler<HalfOp::Mul>(pair);
    case ptx::Op::Fma:
    case ptx::Op::Mad:
      return halves_handler<HalfOp::Fma>(pair);
    default:
      return nullptr;
  }
}

#else

inline Handler half_arithmetic(ptx::Op, bool) {
  return nullptr;
}

#endif

}  // namespace heddle::exec::alu
