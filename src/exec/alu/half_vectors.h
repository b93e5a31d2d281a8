// Pairs of f16 with the host's own conversions: a lane vector of pairs is 64 values of 16 bits in a row. Both
// directions are fixed by IEEE 754 but for NaN, which is made canonical before it is narrowed.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "exec/alu/half_ops.h"
#include "exec/lanes.h"
#include "exec/warp.h"

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

// add_to_odd of float_ops.h, for vectors.
inline FloatVector add_vectors_to_odd(FloatVector a, FloatVector b) {
  constexpr std::int32_t kMagnitude = 0x7fffffff, kInf = 0x7f800000;
  const FloatVector sum = a + b;
  const FloatVector b_part = sum - a;
  const FloatVector error = (a - (sum - b_part)) + (b - b_part);
  const auto s = reinterpret_cast<BitVector>(sum), e = reinterpret_cast<BitVector>(error);
  const BitVector magnitude = e & kMagnitude;
  const BitVector inexact = (magnitude != 0) & (magnitude < kInf) & ((s & 1) == 0);  // all ones or none
  const BitVector away = ((s ^ e) >> 31) | 1;  // 1: towards larger magnitude, -1: smaller
  return reinterpret_cast<FloatVector>(s + (inexact & away));
}

struct AddHalves {
  static FloatVector apply(FloatVector a, FloatVector b, FloatVector) { return a + b; }
};
struct SubHalves {
  static FloatVector apply(FloatVector a, FloatVector b, FloatVector) { return a - b; }
};
struct MulHalves {
  static FloatVector apply(FloatVector a, FloatVector b, FloatVector) { return a * b; }
};
struct FmaHalves {
  static FloatVector apply(FloatVector a, FloatVector b, FloatVector c) {
    return add_vectors_to_odd(a * b, c);
  }
};

template <class Operation>
void run_halves(Warp& warp, const Code& code, Mask active) {
  const auto halves = [&](Place p) {
    return reinterpret_cast<const std::uint16_t*>(warp.in<std::uint32_t>(p));
  };
  const std::uint16_t *a = halves(code.a), *b = halves(code.b), *c = a;
  if constexpr (std::is_same_v<Operation, FmaHalves>) c = halves(code.c);
  std::uint32_t* const d = warp.out<std::uint32_t>(code.d);
  alignas(64) std::uint32_t t[kLanes];
  auto* const to = reinterpret_cast<std::uint16_t*>(active == kAllLanes ? d : t);
  const BitVector nan = BitVector{} + 0x7fffffff;  // narrowed, it is the canonical one
  for (int i = 0; i < 2 * kLanes; i += kHalves) {
    const FloatVector x = Operation::apply(widen_halves(a + i), widen_halves(b + i), widen_halves(c + i));
    const BitVector number = x == x;
    narrow_halves(reinterpret_cast<FloatVector>((reinterpret_cast<BitVector>(x) & number) | (nan & ~number)),
                  to + i);
  }
  if (active != kAllLanes) blend(d, t, active);
}

inline Handler half_pairs(ptx::Op op) {
  switch (op) {
    case ptx::Op::Add:
      return run_halves<AddHalves>;
    case ptx::Op::Sub:
      return run_halves<SubHalves>;
    case ptx::Op::Mul:
      return run_halves<MulHalves>;
    case ptx::Op::Fma:
    case ptx::Op::Mad:
      return run_halves<FmaHalves>;
    default:
      return nullptr;
  }
}

#else

inline Handler half_pairs(ptx::Op) {
  return nullptr;
}

#endif

}  // namespace heddle::exec::alu
