// Arithmetic semantics against exact models and known values, and the forms that programs use.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "alu_harness.h"
#include "exec/alu/approx.h"
#include "exec/alu/bind_alu.h"
#include "exec/alu/bit_ops.h"
#include "exec/alu/byte_float.h"
#include "exec/alu/compare.h"
#include "exec/alu/convert.h"
#include "exec/alu/float_ops.h"
#include "exec/alu/half_ops.h"
#include "exec/alu/integer_ops.h"
#include "exec/alu/lane_vectors.h"
#include "exec/alu/video.h"

namespace heddle::exec {
namespace {

using namespace alu;
using ptx::Cmp;
using testing::parse_opcode;
using testing::TestWarp;

class Random {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1d;
  }
  // Any bits, or values with exponents near one another and few significant bits.
  std::uint32_t f32() {
    const std::uint64_t r = next();
    if ((r & 3) == 0) return static_cast<std::uint32_t>(r >> 32);
    const std::uint32_t mask = (r & 4) != 0 ? 0x007fffffu : 0x00780000u;
    const std::uint32_t exponent = (r & 8) != 0 ? static_cast<std::uint32_t>(r >> 10 & 3)
                                                : 126 + static_cast<std::uint32_t>(r >> 10 & 3);
    return static_cast<std::uint32_t>(r >> 63) << 31 | exponent << 23 |
           (static_cast<std::uint32_t>(r >> 20) & mask);
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

// Runs one instruction on the given lanes.
template <class D, class... S>
std::vector<D> apply(const char* opcode, Mask active, const std::vector<S>&... sources) {
  TestWarp warp;
  ptx::Instr instr = parse_opcode(opcode);
  Code code;
  code.instr = &instr;
  code.handler = bind_alu(instr);
  EXPECT_NE(code.handler, nullptr) << opcode;
  code.d = TestWarp::slot(0);
  Place* const places[] = {&code.a, &code.b, &code.c};
  unsigned k = 0;
  const auto put = [&](const auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    *places[k] = TestWarp::slot(k + 1);
    for (std::size_t i = 0; i < values.size(); ++i) warp.out<T>(TestWarp::slot(k + 1))[i] = values[i];
    ++k;
  };
  (put(sources), ...);
  for (int i = 0; i < kLanes; ++i) warp.out<D>(code.d)[i] = static_cast<D>(0x5a5a5a5a);
  code.handler(warp, code, active);
  const D* d = warp.in<D>(code.d);
  return std::vector<D>(d, d + kLanes);
}

// ---- formats
// ---------------------------------------------------------------------------------------------------

TEST(FloatFormat, PackAndUnpackAreInverse) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    if (!is_nan<F16>(b)) {
      EXPECT_EQ((pack<F16>(unpack<F16>(b), Round::Rn)), b);
    }
    if (!is_nan<BF16>(b)) {
      EXPECT_EQ((pack<BF16>(unpack<BF16>(b), Round::Rn)), b);
    }
  }
}

TEST(FloatFormat, NearestAgreesWithTheHost) {
  Random random;
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random.next())),
                                static_cast<int>(random.next() % 320) - 240);
    ASSERT_EQ((pack<F32>(unpack<F64>(bits_of(x)), Round::Rn)), bits_of(static_cast<float>(x))) << x;
  }
}

TEST(FloatFormat, HalfConversionsAgreeWithTheGeneralOne) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    if (is_nan<F16>(b)) continue;
    ASSERT_EQ(bits_of(widen_f16(b)), (pack<F32>(unpack<F16>(b), Round::Rn)));
  }
  Random random;
  for (int i = 0; i < 500000; ++i) {
    const std::uint32_t b = i < 300000 ? static_cast<std::uint32_t>(random.next() >> 32)
                                       : 0x32000000u + static_cast<std::uint32_t>(random.next() % 0x16000000);
    if (is_nan<F32>(b)) continue;
    ASSERT_EQ(narrow_f16(f32_of(b)), (pack<F16>(unpack<F32>(b), Round::Rn))) << std::hex << b;
    ASSERT_EQ(narrow_bf16(f32_of(b)), (pack<BF16>(unpack<F32>(b), Round::Rn))) << std::hex << b;
  }
}

// ---- directed rounding: two methods that share nothing
// ----------------------------------------------------------

template <Round R, bool kFtz>
void check_directed(const char* suffix) {
  Random random;
  const std::string tail = std::string(suffix) + (kFtz ? ".ftz.f32" : ".f32");
  for (int n = 0; n < 3000; ++n) {
    std::vector<float> a(kLanes), b(kLanes), c(kLanes);
    for (int i = 0; i < kLanes; ++i) {
      a[static_cast<std::size_t>(i)] = f32_of(random.f32());
      b[static_cast<std::size_t>(i)] = f32_of(random.f32());
      c[static_cast<std::size_t>(i)] = f32_of(random.f32());
    }
    const auto sum = apply<float>(("add" + tail).c_str(), kAllLanes, a, b);
    const auto product = apply<float>(("mul" + tail).c_str(), kAllLanes, a, b);
    const auto fused = apply<float>(("fma" + tail).c_str(), kAllLanes, a, b, c);
    const auto quotient = apply<float>(("div" + tail).c_str(), kAllLanes, a, b);
    const auto root = apply<float>(("sqrt" + tail).c_str(), kAllLanes, a);
    for (std::size_t i = 0; i < kLanes; ++i) {
      ASSERT_EQ(bits_of(sum[i]), bits_of(add_f32<R, kFtz, false>(a[i], b[i]))) << a[i] << " + " << b[i];
      ASSERT_EQ(bits_of(product[i]), bits_of(mul_f32<R, kFtz, false>(a[i], b[i]))) << a[i] << " * " << b[i];
      ASSERT_EQ(bits_of(fused[i]), bits_of(fma_f32<R, kFtz, false>(a[i], b[i], c[i])));
      ASSERT_EQ(bits_of(quotient[i]), bits_of(div_f32<R, kFtz>(a[i], b[i]))) << a[i] << " / " << b[i];
      ASSERT_EQ(bits_of(root[i]), bits_of(sqrt_f32<R, kFtz>(a[i])));
    }
  }
}
TEST(FloatOps, TowardsZero) {
  check_directed<Round::Rz, false>(".rz");
  check_directed<Round::Rz, true>(".rz");
}
TEST(FloatOps, Downwards) {
  check_directed<Round::Rm, false>(".rm");
  check_directed<Round::Rm, true>(".rm");
}
TEST(FloatOps, Upwards) {
  check_directed<Round::Rp, false>(".rp");
  check_directed<Round::Rp, true>(".rp");
}

// The exact value of a 16-bit sum or product, rounded once.
TEST(HalfOps, EqualOneRoundingOfTheExactResult) {
  Random random;
  for (int n = 0; n < 400000; ++n) {
    const std::uint64_t r = random.next();
    const std::uint32_t a = r & 0xffff, b = r >> 16 & 0xffff;
    const double x = static_cast<double>(widen_f16(a)), y = static_cast<double>(widen_f16(b));
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    // Sums and products of two f16 values are exact in double.
    ASSERT_EQ((add_half<Half, false, Post::None>(a, b)), (pack<F16>(unpack<F64>(bits_of(x + y)), Round::Rn)));
    ASSERT_EQ((mul_half<Half, false, Post::None>(a, b)), (pack<F16>(unpack<F64>(bits_of(x * y)), Round::Rn)));
    const double u = static_cast<double>(widen_bf16(a)), v = static_cast<double>(widen_bf16(b));
    if (!std::isfinite(u) || !std::isfinite(v)) continue;
    ASSERT_EQ((mul_half<Bhalf, false, Post::None>(a, b)),
              (pack<BF16>(unpack<F64>(bits_of(u * v)), Round::Rn)));
    ASSERT_EQ((add_half<Bhalf, false, Post::None>(a, b)),
              (pack<BF16>(unpack<F64>(bits_of(add_to_odd(u, v))), Round::Rn)));
  }
}
TEST(HalfOps, FusedEqualsOneRounding) {
  Random random;
  for (int n = 0; n < 400000; ++n) {
    const std::uint64_t r = random.next();
    const std::uint32_t a = r & 0xffff, b = r >> 16 & 0xffff, c = r >> 32 & 0xffff;
    const double x = static_cast<double>(widen_f16(a)) * static_cast<double>(widen_f16(b));
    const double exact = add_to_odd(x, static_cast<double>(widen_f16(c)));
    if (!std::isfinite(exact)) continue;
    ASSERT_EQ((fma_half<Half, false, Post::None>(a, b, c)),
              (pack<F16>(unpack<F64>(bits_of(exact)), Round::Rn)));
  }
}

TEST(FloatOps, NanRules) {
  const float nan = f32_of(0xffc12345);
  EXPECT_EQ(bits_of(add_f32<Round::Rn, false, false>(nan, 1.0f)), 0x7fffffffu);
  EXPECT_EQ(bits_of(add_f32<Round::Rn, false, true>(nan, 1.0f)), 0u);
  EXPECT_EQ(bits_of(add_f64(f64_of(0x7ff0000000000001), f64_of(0xfff8000000000002))), 0xfff8000000000002u);
  EXPECT_EQ(bits_of(mul_f64(0.0, f64_of(F64::inf))), 0xfff8000000000000u);
  EXPECT_EQ((min_max_bits<F32, false, false, false, false, std::uint32_t>(0x7fc00000, 0x3f800000)),
            0x3f800000u);
  EXPECT_EQ((min_max_bits<F32, false, false, true, false, std::uint32_t>(0x7fc00000, 0x3f800000)),
            0x7fffffffu);
  EXPECT_EQ((min_max_bits<F32, true, false, false, false, std::uint32_t>(0x80000000, 0)), 0u);
  EXPECT_EQ((min_max_bits<F32, false, false, false, false, std::uint32_t>(0, 0x80000000)), 0x80000000u);
}

// ---- conversions: the fast paths against the general one
// -----------------------------------------------------------

TEST(Convert, FastPathsAgreeWithTheGeneralFunction) {
  Random random;
  const char* types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"};
  for (const std::string to : types) {
    for (const std::string from : types) {
      for (const char* modifiers :
           {"", ".sat", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi", ".rn.ftz", ".rzi.ftz"}) {
        const ptx::Instr instr = parse_opcode("cvt" + std::string(modifiers) + "." + to + "." + from);
        const Handler handler = bind_alu(instr);
        const bool to_float = is_float(instr.type), from_float = is_float(instr.src_type);
        // Only forms that exist: a rounding that says where the result lies.
        const bool needs_integral = from_float && !to_float;
        if (handler == nullptr || needs_integral != is_integral(instr.round)) continue;
        if ((instr.round == Round::None) == (to_float && !from_float)) continue;
        if (to_float && from_float &&
            (instr.round == Round::None || bits(instr.type) >= bits(instr.src_type)))
          continue;
        TestWarp warp;
        Code code;
        code.instr = &instr;
        code.d = TestWarp::slot(0);
        code.a = TestWarp::slot(1);
        for (int n = 0; n < 60; ++n) {
          const bool wide = bits(instr.src_type) == 64, wide_to = bits(instr.type) == 64;
          std::uint64_t in[kLanes];
          for (int i = 0; i < kLanes; ++i) {
            in[i] = random.next() >> (n % 3 == 0 ? random.next() % 60 : 0);
            if (instr.src_type == ptx::Type::F32 && n % 2 == 0) in[i] = random.f32();
            if (!wide) in[i] &= 0xffffffffu;
            if (wide)
              warp.out<std::uint64_t>(code.a)[i] = in[i];
            else
              warp.out<std::uint32_t>(code.a)[i] = static_cast<std::uint32_t>(in[i]);
          }
          handler(warp, code, kAllLanes);
          for (int i = 0; i < kLanes; ++i) {
            const std::uint64_t expected = convert_general(instr, in[i]);
            const std::uint64_t got =
                wide_to ? warp.in<std::uint64_t>(code.d)[i] : warp.in<std::uint32_t>(code.d)[i];
            ASSERT_EQ(got, wide_to ? expected : expected & 0xffffffffu)
                << to << ' ' << from << modifiers << std::hex << ' ' << in[i];
          }
        }
      }
    }
  }
}

// ---- comparison
// ------------------------------------------------------------------------------------------------------

template <Cmp C, class T>
void check_masks(const std::vector<T>& a, const std::vector<T>& b) {
  Mask expected = 0;
  for (std::size_t i = 0; i < kLanes; ++i) expected |= static_cast<Mask>(compare<C>(a[i], b[i])) << i;
  EXPECT_EQ((compare_mask<C>(a.data(), b.data())), expected);
}
template <class T, Cmp... C>
void check_all(const std::vector<T>& a, const std::vector<T>& b) {
  (check_masks<C>(a, b), ...);
}
TEST(Compare, VectorMasksAgreeWithSingleLanes) {
  Random random;
  for (int n = 0; n < 200; ++n) {
    std::vector<float> f(kLanes), g(kLanes);
    std::vector<double> d(kLanes), e(kLanes);
    std::vector<std::int32_t> s(kLanes), t(kLanes);
    std::vector<std::uint64_t> u(kLanes), v(kLanes);
    for (std::size_t i = 0; i < kLanes; ++i) {
      f[i] = random.next() % 5 == 0 ? NAN : static_cast<float>(random.next() % 4);
      g[i] = random.next() % 5 == 0 ? NAN : static_cast<float>(random.next() % 4);
      d[i] = static_cast<double>(f[i]);
      e[i] = static_cast<double>(g[i]);
      s[i] = static_cast<std::int32_t>(random.next() % 5) - 2;
      t[i] = static_cast<std::int32_t>(random.next() % 5) - 2;
      u[i] = static_cast<std::uint64_t>(std::int64_t{s[i]});
      v[i] = static_cast<std::uint64_t>(std::int64_t{t[i]});
    }
    check_all<float, Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Equ, Cmp::Neu, Cmp::Ltu,
              Cmp::Leu, Cmp::Gtu, Cmp::Geu, Cmp::Num, Cmp::Nan>(f, g);
    check_all<double, Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Equ, Cmp::Neu, Cmp::Ltu,
              Cmp::Leu, Cmp::Gtu, Cmp::Geu, Cmp::Num, Cmp::Nan>(d, e);
    check_all<std::int32_t, Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge>(s, t);
    check_all<std::uint64_t, Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge>(u, v);
  }
}

// ---- lanes
// ------------------------------------------------------------------------------------------------------------

TEST(Handlers, InactiveLanesKeepTheirValues) {
  std::vector<std::uint32_t> a(kLanes), b(kLanes);
  for (std::size_t i = 0; i < kLanes; ++i) {
    a[i] = static_cast<std::uint32_t>(i);
    b[i] = 100;
  }
  const Mask active = 0x80f00ff1u;
  const auto d = apply<std::uint32_t>("add.u32", active, a, b);
  for (std::size_t i = 0; i < kLanes; ++i)
    EXPECT_EQ(d[i], (active >> i & 1u) != 0 ? a[i] + 100 : 0x5a5a5a5au);
}

TEST(Handlers, DestinationMayBeASource) {
  TestWarp warp;
  const ptx::Instr instr = parse_opcode("mad.lo.s32");
  Code code;
  code.instr = &instr;
  code.d = code.a = code.b = code.c = TestWarp::slot(3);
  for (int i = 0; i < kLanes; ++i) warp.out<std::int32_t>(code.d)[i] = i;
  bind_alu(instr)(warp, code, kAllLanes);
  for (int i = 0; i < kLanes; ++i) EXPECT_EQ(warp.in<std::int32_t>(code.d)[i], i * i + i);
}

TEST(Handlers, DivisionByZeroDoesNotTrap) {
  const std::vector<std::uint32_t> a(kLanes, 0x80000000u), zero(kLanes, 0u), minus(kLanes, ~0u);
  EXPECT_EQ(apply<std::uint32_t>("div.u32", kAllLanes, a, zero)[0], ~0u);
  EXPECT_EQ(apply<std::uint32_t>("div.s32", kAllLanes, a, minus)[0], 0x80000000u);
  EXPECT_EQ(apply<std::uint32_t>("rem.s32", kAllLanes, a, minus)[0], 0u);
}

// ---- bits
// ---------------------------------------------------------------------------------------------------------------

TEST(Bits, Lop3IsItsTable) {
  for (std::uint32_t lut = 0; lut < 256; ++lut) {
    // With these operands bit k of the result is bit k of the table.
    EXPECT_EQ(lop3(0xf0, 0xcc, 0xaa, lut) & 0xffu, lut);
  }
}
TEST(Bits, FieldsFollowTheManualBitByBit) {
  Random random;
  for (int n = 0; n < 20000; ++n) {
    const std::uint32_t a = static_cast<std::uint32_t>(random.next() >> 32), pos = random.next() % 40,
                        len = random.next() % 40;
    std::uint32_t plain = 0, filled = 0;
    const bool sign = len != 0 && (a >> std::min(pos + len - 1, 31u) & 1u) != 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      const bool inside = i < len && pos + i <= 31;
      const std::uint32_t bit = inside ? a >> (pos + i) & 1u : 0;
      plain |= bit << i;
      filled |= (inside ? bit : sign ? 1u : 0u) << i;
    }
    ASSERT_EQ(bfe<std::uint32_t>(a, pos, len), plain);
    ASSERT_EQ(bfe<std::int32_t>(a, pos, len), filled) << std::hex << a << ' ' << pos << ' ' << len;
  }
}
TEST(Integer, HighProducts) {
  EXPECT_EQ(mul_hi<std::int64_t>(~0ull, ~0ull), 0u);
  EXPECT_EQ(mul_hi<std::uint64_t>(~0ull, ~0ull), ~1ull);
  EXPECT_EQ(mul_hi<std::int32_t>(0x80000000u, 0x80000000u), 0x40000000u);
  EXPECT_EQ(mul_wide<std::uint16_t>(0xffff, 0xffff), 0xfffe0001u);
  EXPECT_EQ(mul_wide<std::int32_t>(~0u, 2), ~1ull);
}

// ---- approximate instructions: against the C library, here only, as a yardstick
// --------------------------------------------

TEST(Approx, NearTheTrueValue) {
  for (int i = -2000; i <= 2000; ++i) {
    const float x = static_cast<float>(i) * 0.0613f;
    const double y = static_cast<double>(x);
    EXPECT_NEAR(ex2_f32<false>(x) / std::exp2(y), 1.0, 0x1p-23) << x;
    EXPECT_NEAR(tanh_f32(x), std::tanh(y), 0x1p-24) << x;
    if (x > 0) {
      EXPECT_NEAR(lg2_f32<false>(x), std::log2(y), 0x1p-20);
    }
    if (std::fabs(x) < 3.1415f) {
      EXPECT_NEAR(sin_cos_f32<false>(x), std::sin(y), 0x1.6p-21) << x;
      EXPECT_NEAR(sin_cos_f32<true>(x), std::cos(y), 0x1.6p-21) << x;
    }
  }
}

// ---- every form that at least two of the surveyed programs use
// --------------------------------------------------------------

TEST(Bind, FormsOfRealPrograms) {
  for (const char* op : {"mov.u32",
                         "add.s64",
                         "add.s32",
                         "mad.lo.s32",
                         "mul.wide.s32",
                         "shl.b32",
                         "setp.ne.s32",
                         "and.b32",
                         "sub.s32",
                         "mul.lo.s32",
                         "shl.b64",
                         "cvt.s64.s32",
                         "shr.u32",
                         "mov.f32",
                         "mul.f32",
                         "or.pred",
                         "mov.u64",
                         "fma.rn.f32",
                         "cvt.u64.u32",
                         "selp.b32",
                         "not.b32",
                         "div.rn.f32",
                         "cvt.rn.f32.s32",
                         "selp.f32",
                         "xor.b32",
                         "neg.f32",
                         "not.pred",
                         "selp.u32",
                         "div.u32",
                         "mov.u16",
                         "setp.eq.s16",
                         "cvt.u16.u32",
                         "cvt.rzi.s32.f32",
                         "rcp.rn.f32",
                         "sqrt.rn.f32",
                         "ex2.approx.ftz.f32",
                         "setp.eq.b32",
                         "cvt.sat.f32.f32",
                         "fma.rm.f32",
                         "xor.pred",
                         "rem.s32",
                         "mul.rn.f32",
                         "rcp.approx.ftz.f32",
                         "rcp.rn.f64",
                         "bfi.b64",
                         "selp.b16",
                         "popc.b32",
                         "cvt.rn.f16.f32",
                         "clz.b32",
                         "brev.b32",
                         "cvt.rni.f32.f32",
                         "cvt.f32.f16",
                         "mul.hi.s32",
                         "mul.ftz.f32",
                         "mul.wide.u16",
                         "shl.b16",
                         "cvt.rmi.f32.f32",
                         "shr.u16",
                         "copysign.f32",
                         "rcp.approx.ftz.f64",
                         "mad.wide.u32",
                         "div.approx.f32",
                         "rsqrt.approx.f32",
                         "cvt.u64.u16",
                         "abs.s32",
                         "prmt.b32",
                         "clz.b64",
                         "min.u64",
                         "cvt.rzi.f64.f64",
                         "bfind.shiftamt.u32",
                         "lg2.approx.ftz.f32",
                         "add.cc.u32",
                         "addc.cc.u32",
                         "mad.lo.cc.u32",
                         "madc.hi.cc.u32",
                         "subc.u32",
                         "cvt.s32.s16",
                         "add.f16",
                         "bmsk.clamp.b32",
                         "shr.b32",
                         "cvt.rn.f16.s32",
                         "shf.l.wrap.b32",
                         "add.f16x2",
                         "cos.approx.ftz.f32",
                         "sqrt.approx.ftz.f32",
                         "cvt.ftz.f64.f32",
                         "fma.rn.f16x2",
                         "cvt.s16.s8",
                         "fma.rz.f32",
                         "max.u16",
                         "cvt.rm.f32.s32",
                         "cvt.s32.s8",
                         "mul.wide.s16",
                         "cvt.rn.f32.s16",
                         "mul.f16x2",
                         "lop3.b32",
                         "setp.lt.f16",
                         "rsqrt.approx.ftz.f64",
                         "fma.rn.f16",
                         "set.eq.f16.f16",
                         "setp.nan.f64",
                         "vabsdiff4.u32.u32.u32.add",
                         "div.u16",
                         "tanh.approx.f32",
                         "dp4a.s32.s32",
                         "rsqrt.approx.f64",
                         "set.gt.f16x2.f16x2",
                         "set.nan.f32.f32",
                         "popc.b64",
                         "cvt.rni.s64.f32"}) {
    EXPECT_NE(bind_alu(parse_opcode(op)), nullptr) << op;
  }
}

// ---- 8-bit floating point: against all its values
// -----------------------------------------------------------

struct ByteFormat {
  int exponent_bits, fraction_bits, bias, largest;  // largest: the code of the largest number
  double value(int code) const {
    const int e = code >> fraction_bits, f = code & ((1 << fraction_bits) - 1);
    return e == 0 ? std::ldexp(f, 1 - bias - fraction_bits)
                  : std::ldexp(f + (1 << fraction_bits), e - bias - fraction_bits);
  }
  std::uint32_t nearest(double x) const {
    const std::uint32_t sign = std::signbit(x) ? 0x80 : 0;
    int best = 0;
    for (int code = 0; code <= largest; ++code) {
      const double now = std::fabs(value(code) - std::fabs(x)), least = std::fabs(value(best) - std::fabs(x));
      if (now < least || (now == least && code % 2 == 0)) best = code;
    }
    return sign | static_cast<std::uint32_t>(best);
  }
};
constexpr ByteFormat kE4M3{4, 3, 7, 0x7e}, kE5M2{5, 2, 15, 0x7b};

template <class Fmt>
void check_bytes(const ByteFormat& model) {
  ptx::Instr plain, relu;
  relu.relu = true;
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const double x = std::clamp<double>(f16_to_f32(h), -1e6, 1e6);  // infinity is large, too; NaN stays
    const std::uint32_t want = std::isnan(x) ? 0x7f : model.nearest(x);
    ASSERT_EQ(bytes_of_f16<Fmt>(plain, h << 16 | 0x3c00) >> 8, want) << std::hex << h;
    ASSERT_EQ(bytes_of_f16<Fmt>(relu, 0x3c000000 | h) & 0xff, (want & 0x80) != 0 ? 0 : want) << std::hex << h;
  }
  for (int code = 0; code < 256; ++code) {
    const int magnitude = code & 0x7f;
    const auto got = bytes_to_f16<Fmt>(plain, static_cast<std::uint32_t>(code) << 8) >> 16;
    const double sign = code >= 128 ? -1 : 1;
    if (magnitude <= model.largest) {
      ASSERT_EQ(static_cast<double>(f16_to_f32(got)), sign * model.value(magnitude)) << code;
      // Midway to the next, and beside it.
      const double next =
          magnitude < model.largest ? model.value(magnitude + 1) : model.value(magnitude) * 1.125;
      const auto middle = static_cast<float>(sign * (model.value(magnitude) + next) / 2);
      for (const float x : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e30f * middle)})
        ASSERT_EQ(bytes_of_f32<Fmt>(plain, 0, bits_of(x)), model.nearest(x)) << x;
    } else if (magnitude == 0x7c && Fmt::has_infinity) {
      ASSERT_EQ(got, code >= 128 ? 0xfc00u : 0x7c00u);
    } else {
      ASSERT_EQ(got, 0x7fffu) << code;
    }
  }
  const auto largest = static_cast<std::uint32_t>(model.largest);
  EXPECT_EQ(bytes_of_f32<Fmt>(plain, 0x7f800000, 0xff800000), largest << 8 | largest | 0x80);
  EXPECT_EQ(bytes_of_f32<Fmt>(plain, 0x7f7fffff, 0xff7fffff), largest << 8 | largest | 0x80);
  EXPECT_EQ(bytes_of_f32<Fmt>(plain, 0xffc00000, 0x00000001), 0x7f00u);
}

TEST(ByteFloat, NearestOfAllValues) {
  check_bytes<E4M3>(kE4M3);
  check_bytes<E5M2>(kE5M2);
}

}  // namespace
}  // namespace heddle::exec
