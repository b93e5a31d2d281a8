// wmma.mma and mma.sync: D = A B + C by the whole warp.
//
// Fragments are unpacked into rows of A and C and columns of B side by side, multiplied, and packed. Each sum
// starts with C's element and adds the products in the order of k: products of f16, bf16 and tf32 are exact
// in f32 and sums are rounded to f32 (to the nearest), those of f64 are fused. A card adds several products
// at once, aligned to the largest and truncated.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "exec/alu/half_ops.h"
#include "exec/handlers/bind.h"
#include "exec/image/kernel_image.h"
#include "exec/image/matrix.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

namespace heddle::exec {
namespace {

using ptx::FragmentPart;
using ptx::Instr;
using ptx::MatrixInstr;
using ptx::Op;
using ptx::Type;

constexpr unsigned kMostFactors = 1024;  // elements of A or of B
constexpr unsigned kMostWords = 256;     // registers of them, all lanes together
constexpr unsigned kMostSums = 256;      // elements of C

// ---- elements ---------------------------------------------------------------------------------------------

template <Type T>
struct FactorOf;
template <>
struct FactorOf<Type::F16> {
  using Value = float;
  using Word = std::uint32_t;
  static constexpr unsigned kPerWord = 2;
  static float get(std::uint32_t w, unsigned e) { return alu::widen_f16(w >> 16 * e & 0xffffu); }
};
template <>
struct FactorOf<Type::BF16> {
  using Value = float;
  using Word = std::uint32_t;
  static constexpr unsigned kPerWord = 2;
  static float get(std::uint32_t w, unsigned e) { return alu::f32_of(w >> 16 * e << 16); }
};
template <>
struct FactorOf<Type::TF32> {  // the lower 13 bits are not looked at
  using Value = float;
  using Word = std::uint32_t;
  static constexpr unsigned kPerWord = 1;
  static float get(std::uint32_t w, unsigned) { return alu::f32_of(w & 0xffffe000u); }
};
template <>
struct FactorOf<Type::F64> {
  using Value = double;
  using Word = std::uint64_t;
  static constexpr unsigned kPerWord = 1;
  static double get(std::uint64_t w, unsigned) { return alu::f64_of(w); }
};
template <unsigned Bits, bool Signed>
struct IntegerFactor {
  using Value = std::int32_t;
  using Word = std::uint32_t;
  static constexpr unsigned kPerWord = 32 / Bits;
  static std::int32_t get(std::uint32_t w, unsigned e) {
    const std::uint32_t top = w << (32 - Bits * (e + 1));
    return Signed ? static_cast<std::int32_t>(top) >> (32 - Bits)
                  : static_cast<std::int32_t>(top >> (32 - Bits));
  }
};
template <>
struct FactorOf<Type::S8> : IntegerFactor<8, true> {};
template <>
struct FactorOf<Type::U8> : IntegerFactor<8, false> {};
template <>
struct FactorOf<Type::S4> : IntegerFactor<4, true> {};
template <>
struct FactorOf<Type::U4> : IntegerFactor<4, false> {};

// ---- fragments (ptx/ir/matrix.h has the layouts) ----------------------------------------------------------

// Rows of A word by word; a register holds four words of each of eight of them.
template <class Word>
void put_words(const Word* lanes, Word* to, unsigned words_per_row) {
  for (unsigned g = 0; g < 8; ++g) std::copy_n(lanes + 4 * g, 4, to + g * words_per_row);
}
template <class F>
void widen(const typename F::Word* words, unsigned n, typename F::Value* out) {
  for (unsigned i = 0; i < n; ++i)
    for (unsigned e = 0; e < F::kPerWord; ++e) out[i * F::kPerWord + e] = F::get(words[i], e);
}

// Rows of A, k values each.
template <class F>
void unpack_a(const Warp& w, const MatrixCode& m, typename F::Value* out) {
  using Word = typename F::Word;
  const ptx::MatrixShape s = m.instr->shape;
  const unsigned halves = s.m == 8 ? 1 : 2, words = s.k / F::kPerWord;
  const unsigned per_tile = halves * words / 4;
  alignas(64) Word raw[kMostWords];
  for (unsigned r = 0; r < s.m * words / kLanes; ++r) {
    const unsigned in_tile = r % per_tile;
    put_words(w.in<Word>(m.a[r]),
              raw + (r / per_tile * 16 + in_tile % halves * 8) * words + in_tile / halves * 4, words);
  }
  widen<F>(raw, s.m * words, out);
}

// k rows of B, n values each.
template <class F>
void unpack_b(const Warp& w, const MatrixCode& m, typename F::Value* out) {
  using Word = typename F::Word;
  constexpr unsigned P = F::kPerWord;
  const ptx::MatrixShape s = m.instr->shape;
  const unsigned words = s.k / P, per_tile = words / 4;
  for (unsigned r = 0; r < s.n * words / kLanes; ++r) {
    const Word* const lanes = w.in<Word>(m.b[r]);
    alignas(64) Word by_row[4][8];
    for (unsigned g = 0; g < 8; ++g)
      for (unsigned t = 0; t < 4; ++t) by_row[t][g] = lanes[4 * g + t];
    auto* const to = out + r % per_tile * 4 * P * s.n + r / per_tile * 8;
    for (unsigned t = 0; t < 4; ++t)
      for (unsigned e = 0; e < P; ++e)
        for (unsigned g = 0; g < 8; ++g) to[(t * P + e) * s.n + g] = F::get(by_row[t][g], e);
  }
}

// Calls f(i, first) for the pairs of values of C: pair i of each lane, whose first lane's is element `first`.
// Lane 4g + t has its pair 2t elements behind, g rows below.
template <class F>
void for_each_pair(ptx::MatrixShape s, F&& f) {
  const unsigned halves = s.m == 8 ? 1 : 2;
  unsigned i = 0;
  for (unsigned row = 0; row < s.m; row += 8 * halves)
    for (unsigned column = 0; column < s.n; column += 8)
      for (unsigned h = 0; h < halves; ++h) f(i++, (row + 8 * h) * s.n + column);
}

template <class T>
void unpack_c(const Warp& w, const MatrixCode& m, T* out) {
  const unsigned n = m.instr->shape.n;
  for_each_pair(m.instr->shape, [&](unsigned i, unsigned first) {
    auto put = [&](auto&& x, auto&& y) {
      for (unsigned g = 0; g < 8; ++g)
        for (unsigned t = 0; t < 4; ++t) {
          out[first + g * n + 2 * t] = x(4 * g + t);
          out[first + g * n + 2 * t + 1] = y(4 * g + t);
        }
    };
    if constexpr (std::is_same_v<T, float>) {
      if (m.instr->c_type == Type::F16) {
        const std::uint32_t* v = w.in<std::uint32_t>(m.c[i]);
        put([&](unsigned l) { return alu::widen_f16(v[l] & 0xffffu); },
            [&](unsigned l) { return alu::widen_f16(v[l] >> 16); });
        return;
      }
    }
    const T* const x = w.in<T>(m.c[2 * i]);
    const T* const y = w.in<T>(m.c[2 * i + 1]);
    put([&](unsigned l) { return x[l]; }, [&](unsigned l) { return y[l]; });
  });
}

// NaNs are those of the card's other arithmetic, whatever the host's are.
std::uint32_t bits_of_sum(float x) {
  return x == x ? alu::bits_of(x) : static_cast<std::uint32_t>(alu::F32::nan);
}
std::uint64_t bits_of_sum(double x) {
  return x == x ? alu::bits_of(x) : alu::F64::nan;
}
std::uint32_t bits_of_sum(std::int32_t x) {
  return static_cast<std::uint32_t>(x);
}

template <class T>
void pack_d(Warp& w, const MatrixCode& m, const T* sums, Mask lanes) {
  const unsigned n = m.instr->shape.n;
  using Word = decltype(bits_of_sum(T{}));
  for_each_pair(m.instr->shape, [&](unsigned i, unsigned first) {
    alignas(64) T x[kLanes], y[kLanes];
    for (unsigned g = 0; g < 8; ++g)
      for (unsigned t = 0; t < 4; ++t) {
        x[4 * g + t] = sums[first + g * n + 2 * t];
        y[4 * g + t] = sums[first + g * n + 2 * t + 1];
      }
    if constexpr (std::is_same_v<T, float>) {
      if (m.instr->d_type == Type::F16) {
        write_lanes(w.out<std::uint32_t>(m.d[i]), lanes,
                    [&](int l) { return alu::narrow_f16(x[l]) | alu::narrow_f16(y[l]) << 16; });
        return;
      }
    }
    write_lanes(w.out<Word>(m.d[2 * i]), lanes, [&](int l) { return bits_of_sum(x[l]); });
    write_lanes(w.out<Word>(m.d[2 * i + 1]), lanes, [&](int l) { return bits_of_sum(y[l]); });
  });
}

// ---- products ---------------------------------------------------------------------------------------------

// Four rows of eight sums: they stay in the host's registers, if their vectors are no longer than the host's.
constexpr unsigned kRows = 4;
template <class T>
struct HostVector {
  typedef T type __attribute__((vector_size(16)));
};

template <class T>
void add_products(T* sums, const T* a, const T* b, ptx::MatrixShape shape) {
  using Vector = typename HostVector<T>::type;
  constexpr unsigned kWidth = sizeof(Vector) / sizeof(T), kParts = 8 / kWidth;
  const unsigned n = shape.n, k = shape.k;
  Vector s[kRows][kParts];
  for (unsigned r = 0; r < kRows; ++r) std::memcpy(s[r], sums + r * n, sizeof s[r]);
  for (unsigned i = 0; i < k; ++i) {
    Vector row[kParts];
    std::memcpy(row, b + i * n, sizeof row);
#pragma GCC unroll 4
    for (unsigned r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (unsigned p = 0; p < kParts; ++p)
        if constexpr (std::is_same_v<T, double>)
          for (unsigned j = 0; j < kWidth; ++j) s[r][p][j] = std::fma(a[r * k + i], row[p][j], s[r][p][j]);
        else
          s[r][p] += a[r * k + i] * row[p];
  }
  for (unsigned r = 0; r < kRows; ++r) std::memcpy(sums + r * n, s[r], sizeof s[r]);
}

// Of integers: the products' sum has 21 bits at most; only C's addition can overflow.
template <bool Saturate>
std::int32_t add_integers(std::int32_t c, std::int32_t products) {
  const std::int64_t exact = std::int64_t{c} + products;
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(Saturate ? std::clamp<std::int64_t>(exact, Limits::min(), Limits::max())
                                            : exact);
}

// Every lane of the warp takes part; those that have left hold what they held last.
const MatrixCode* take_part(Warp& w, const Code& c, Mask& lanes) {
  lanes = w.gather(lanes, kAllLanes, c);
  return lanes == 0 ? nullptr : &w.image().matrices[static_cast<std::size_t>(c.imm)];
}

template <Type A, Type B, bool Saturate>
void multiply(Warp& w, const Code& c, Mask active) {
  const MatrixCode* const m = take_part(w, c, active);
  if (m == nullptr) return;
  using T = typename FactorOf<A>::Value;
  const ptx::MatrixShape s = m->instr->shape;
  constexpr bool kIntegers = std::is_same_v<T, std::int32_t>;
  alignas(64) T a[kMostFactors], b[kMostFactors], sums[kMostSums];
  unpack_a<FactorOf<A>>(w, *m, a);
  unpack_b<FactorOf<B>>(w, *m, b);
  if constexpr (kIntegers)
    std::fill_n(sums, s.m * s.n, 0);
  else
    unpack_c(w, *m, sums);
  for (unsigned i = 0; i < s.m; i += kRows)
    for (unsigned j = 0; j < s.n; j += 8) add_products(sums + i * s.n + j, a + i * s.k, b + j, s);
  if constexpr (kIntegers) {
    T c_values[kMostSums];
    unpack_c(w, *m, c_values);
    for (unsigned i = 0; i < s.m * s.n; ++i) sums[i] = add_integers<Saturate>(c_values[i], sums[i]);
  }
  pack_d(w, *m, sums, active);
}

// Single bits: 32 of them are one word of A's row and of B's column.
void multiply_bits(Warp& w, const Code& c, Mask active) {
  const MatrixCode* const m = take_part(w, c, active);
  if (m == nullptr) return;
  const ptx::MatrixShape s = m->instr->shape;
  const unsigned halves = s.m == 8 ? 1 : 2, words = s.k / 32;
  std::uint32_t a[16][8], b[8][8];
  std::int32_t sums[kMostSums];
  for (unsigned r = 0; r < halves * words / 4; ++r)
    for (unsigned l = 0; l < kLanes; ++l)
      a[r % halves * 8 + l / 4][r / halves * 4 + l % 4] = w.in<std::uint32_t>(m->a[r])[l];
  for (unsigned r = 0; r < words / 4; ++r)
    for (unsigned l = 0; l < kLanes; ++l) b[l / 4][r * 4 + l % 4] = w.in<std::uint32_t>(m->b[r])[l];
  unpack_c(w, *m, sums);
  const bool both = m->instr->bit_op == ptx::BoolOp::And;
  for (unsigned i = 0; i < s.m; ++i)
    for (unsigned j = 0; j < 8; ++j) {
      std::uint32_t ones = 0;
      for (unsigned k = 0; k < words; ++k)
        ones += static_cast<unsigned>(std::popcount(both ? a[i][k] & b[j][k] : a[i][k] ^ b[j][k]));
      sums[i * 8 + j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i * 8 + j]) + ones);
    }
  pack_d(w, *m, sums, active);
}

template <Type A, Type B>
Handler integer_handler(bool saturate) {
  return saturate ? multiply<A, B, true> : multiply<A, B, false>;
}
template <Type A, Type SignedB, Type UnsignedB>
Handler integer_handler(const MatrixInstr& m) {
  return m.b_type == SignedB ? integer_handler<A, SignedB>(m.satfinite)
                             : integer_handler<A, UnsignedB>(m.satfinite);
}

Handler handler_of(const MatrixInstr& m) {
  switch (m.a_type) {
    case Type::F16:
      return multiply<Type::F16, Type::F16, false>;
    case Type::BF16:
      return multiply<Type::BF16, Type::BF16, false>;
    case Type::TF32:
      return multiply<Type::TF32, Type::TF32, false>;
    case Type::F64:
      return multiply<Type::F64, Type::F64, false>;
    case Type::S8:
      return integer_handler<Type::S8, Type::S8, Type::U8>(m);
    case Type::U8:
      return integer_handler<Type::U8, Type::S8, Type::U8>(m);
    case Type::S4:
      return integer_handler<Type::S4, Type::S4, Type::U4>(m);
    case Type::U4:
      return integer_handler<Type::U4, Type::S4, Type::U4>(m);
    case Type::B1:
      return multiply_bits;
    default:
      return nullptr;
  }
}

}  // namespace

bool bind_mma(const Instr& in, Binder& b, Code& c) {
  if (in.op != Op::Mma) return false;
  const MatrixInstr& m = b.matrix(in);
  MatrixCode code;
  code.instr = &m;
  auto bind = [&](const ptx::Fragment& f, std::array<Place, 8>& to, FragmentPart part, Type element) {
    for (unsigned i = 0; i < f.count; ++i) to[i] = b.place(f.reg[i], ptx::fragment_register(part, element));
  };
  bind(m.d, code.d, FragmentPart::C, m.d_type);
  bind(m.a, code.a, FragmentPart::A, m.a_type);
  bind(m.b, code.b, FragmentPart::B, m.b_type);
  bind(m.c, code.c, FragmentPart::C, m.c_type);
  c.imm = b.add_matrix(std::move(code));
  c.handler = handler_of(m);
  return true;
}

}  // namespace heddle::exec
