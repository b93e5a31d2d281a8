// The mathematics of workloads/device, compiled for the host and held against the C library in double
// precision.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "workload/random.h"

namespace device {

// What the headers take from the compiler and from heddle_intrinsics.h.
#define HEDDLE_DEVICE [[maybe_unused]] static inline
#define HEDDLE_BOTH [[maybe_unused]] static inline
HEDDLE_DEVICE float __nvvm_ex2_approx_f(float x) {
  return static_cast<float>(std::exp2(static_cast<double>(x)));
}
HEDDLE_DEVICE float __nvvm_rsqrt_approx_f(float x) {
  return 1.0f / std::sqrt(x);
}
HEDDLE_DEVICE int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
HEDDLE_DEVICE unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
HEDDLE_DEVICE float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
HEDDLE_DEVICE long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
HEDDLE_DEVICE double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
HEDDLE_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
#include "workloads/device/heddle_math.h"
#include "workloads/device/heddle_math_double.h"

}  // namespace device

namespace heddle {
namespace {

// Distance in units of the last place of the correct result.
template <class T>
double ulps(T got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  const T rounded = static_cast<T>(want);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  const T size = std::max(std::fabs(rounded), std::numeric_limits<T>::min());
  const T unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

// The largest error over random arguments spread over [low, high], on both a linear and a logarithmic scale.
template <class Got, class Want>
double worst(Got got, Want want, double low, double high, double* where) {
  workload::Random random(1);
  double max_error = 0;
  const auto check = [&](auto x) {
    const double error = ulps(got(x), want(static_cast<double>(x)));
    if (error > max_error) {
      max_error = error;
      *where = static_cast<double>(x);
    }
  };
  using T = decltype(got(1.0f));
  const auto uniform = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  for (int i = 0; i < 100'000; ++i) {
    check(static_cast<T>(low + (high - low) * uniform()));
    const double small = std::exp(std::log(1e-6) * uniform());  // 1e-6 .. 1 of the range
    check(static_cast<T>(low >= 0 ? low + (high - low) * small : (i % 2 ? high : low) * small));
  }
  return max_error;
}

#define EXPECT_ULPS(function, low, high, limit)                                                   \
  do {                                                                                            \
    double where = 0;                                                                             \
    const double error = worst([](float x) { return device::function##f(x); },                    \
                               [](double x) { return std::function(x); }, low, high, &where);     \
    EXPECT_LE(error, limit) << #function "f(" << where << ") in [" << low << ", " << high << "]"; \
  } while (0)

TEST(DeviceMath, Exponentials) {
  EXPECT_ULPS(exp, -87.0, 88.7, 2.0);
  EXPECT_ULPS(exp, -1.0, 1.0, 2.0);
  EXPECT_ULPS(expm1, -5.0, 5.0, 3.0);
  EXPECT_EQ(device::expf(89.0f), std::numeric_limits<float>::infinity());
  EXPECT_EQ(device::expf(-200.0f), 0.0f);
  EXPECT_EQ(device::expf(-std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(device::expf(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(device::expf(std::nanf(""))));
  EXPECT_NEAR(device::expf(-100.0f), std::exp(-100.0), 3e-45);  // subnormal
}

TEST(DeviceMath, Logarithms) {
  EXPECT_ULPS(log, 1e-3, 10.0, 3.0);
  EXPECT_ULPS(log, 0.9, 1.1, 3.0);
  EXPECT_ULPS(log, 1e-38, 3e38, 3.0);
  EXPECT_ULPS(log2, 1e-3, 1e6, 3.0);
  EXPECT_ULPS(log10, 1e-3, 1e6, 3.0);
  EXPECT_ULPS(log1p, -0.5, 5.0, 4.0);
  EXPECT_EQ(device::logf(0.0f), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(device::logf(-1.0f)));
  EXPECT_FLOAT_EQ(device::logf(1e-42f), std::log(static_cast<double>(1e-42f)));
}

TEST(DeviceMath, Trigonometry) {
  EXPECT_ULPS(sin, -3.2, 3.2, 2.0);
  EXPECT_ULPS(cos, -3.2, 3.2, 2.0);
  EXPECT_ULPS(sin, -40000.0, 40000.0, 2.0);
  EXPECT_ULPS(cos, -40000.0, 40000.0, 2.0);
  EXPECT_ULPS(sin, 40000.0, 3e38, 2.0);
  EXPECT_ULPS(cos, -3e38, -40000.0, 2.0);
  EXPECT_ULPS(tan, -1.5, 1.5, 4.0);
  EXPECT_ULPS(atan, -20.0, 20.0, 3.0);
  EXPECT_ULPS(asin, -1.0, 1.0, 4.0);
  EXPECT_ULPS(acos, -0.9, 0.9, 4.0);
  EXPECT_TRUE(std::isnan(device::sinf(std::numeric_limits<float>::infinity())));
  EXPECT_FLOAT_EQ(device::atan2f(-1.0f, -2.0f), std::atan2(-1.0f, -2.0f));
  EXPECT_FLOAT_EQ(device::atan2f(3.0f, 0.0f), std::atan2(3.0f, 0.0f));
}

TEST(DeviceMath, HyperbolicAndError) {
  EXPECT_ULPS(tanh, -10.0, 10.0, 3.0);
  EXPECT_ULPS(tanh, -0.7, 0.7, 3.0);
  EXPECT_ULPS(sinh, -10.0, 10.0, 4.0);
  EXPECT_ULPS(cosh, -10.0, 10.0, 3.0);
  EXPECT_ULPS(erf, -4.5, 4.5, 3.0);
}

TEST(DeviceMath, Powers) {
  workload::Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    const float x = random.uniform(0.01f, 20.0f), y = random.uniform(-20.0f, 20.0f);
    ASSERT_LE(ulps(device::powf(x, y), std::pow(static_cast<double>(x), static_cast<double>(y))), 1.0)
        << x << " " << y;
  }
  EXPECT_EQ(device::powf(-2.0f, 3.0f), -8.0f);
  EXPECT_EQ(device::powf(-2.0f, 4.0f), 16.0f);
  EXPECT_EQ(device::powf(0.0f, 0.0f), 1.0f);
  EXPECT_EQ(device::powf(0.0f, 2.5f), 0.0f);
  EXPECT_EQ(device::powf(0.0f, -1.0f), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(device::powf(-2.0f, 0.5f)));
}

TEST(DeviceMath, Remainder) {
  workload::Random random(3);
  for (int i = 0; i < 100'000; ++i) {
    const float x = random.uniform(-1.0f, 1.0f) * std::exp2(static_cast<float>(random.below(80)));
    const float y = random.uniform(-1.0f, 1.0f) * std::exp2(static_cast<float>(random.below(20)));
    ASSERT_EQ(device::fmodf(x, y), std::fmod(x, y)) << x << " " << y;
  }
  EXPECT_EQ(device::fmodf(3e38f, 1e-40f), std::fmod(3e38f, 1e-40f));
  EXPECT_TRUE(std::isnan(device::fmodf(1.0f, 0.0f)));
  EXPECT_EQ(device::fmodf(5.0f, std::numeric_limits<float>::infinity()), 5.0f);
}

#define EXPECT_ULPS_DOUBLE(function, low, high, limit)                                            \
  do {                                                                                            \
    workload::Random random(4);                                                                   \
    for (int i = 0; i < 100'000; ++i) {                                                           \
      const double x = low + (high - low) * (static_cast<double>(random.next() >> 11) * 0x1p-53); \
      ASSERT_LE(ulps(device::function(x), std::function(x)), limit) << #function " of " << x;     \
    }                                                                                             \
  } while (0)

TEST(DeviceMath, Doubles) {
  EXPECT_ULPS_DOUBLE(exp, -700.0, 700.0, 3.0);
  EXPECT_ULPS_DOUBLE(log, 1e-3, 1e3, 3.0);
  EXPECT_ULPS_DOUBLE(log, 0.99, 1.01, 3.0);
  EXPECT_ULPS_DOUBLE(sin, -1e5, 1e5, 3.0);
  EXPECT_ULPS_DOUBLE(cos, -1e5, 1e5, 3.0);
  EXPECT_EQ(device::exp(710.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(device::exp(-std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_EQ(device::log(0.0), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace heddle
