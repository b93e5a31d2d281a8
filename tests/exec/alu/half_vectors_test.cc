// f16 arithmetic by vectors, in every way that this host has, against one value at a time.
#include "exec/alu/half_vectors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

namespace heddle::exec::alu {
namespace {

#ifdef HEDDLE_HALF_VECTORS

using Halves = std::array<std::uint16_t, kHalvesInAll>;

template <HalfOp Op>
std::uint32_t expected(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if constexpr (Op == HalfOp::Add) return add_half<Half, false, Post::None>(a, b);
  if constexpr (Op == HalfOp::Sub) return sub_half<Half, false, Post::None>(a, b);
  if constexpr (Op == HalfOp::Mul) return mul_half<Half, false, Post::None>(a, b);
  return fma_half<Half, false, Post::None>(a, b, c);
}

// Sums whose addends are near each other, far apart, of any sign and kind.
void fill(Halves& a, Halves& b, Halves& c, std::mt19937_64& random) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t v = random();
    a[i] = static_cast<std::uint16_t>(v);
    b[i] = static_cast<std::uint16_t>(v >> 16);
    c[i] = static_cast<std::uint16_t>(v >> 32);
    if ((v >> 63) != 0) continue;
    const unsigned near = (a[i] >> 10 & 31u) + (b[i] >> 10 & 31u) + static_cast<unsigned>(v >> 48 & 31) + 1u;
    c[i] = static_cast<std::uint16_t>((c[i] & 0x83ffu) | (near & 31u) << 10);
    if ((v >> 62) != 0) a[i] &= 0xfff0;  // ties
  }
}

template <HalfOp Op>
void compare(HalvesFunction f, const char* how) {
  std::mt19937_64 random(7);
  Halves a, b, c, d;
  for (int round = 0; round < 20000; ++round) {
    fill(a, b, c, random);
    f(a.data(), b.data(), c.data(), d.data());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(d[i], expected<Op>(a[i], b[i], c[i]))
          << how << ", operation " << static_cast<int>(Op) << std::hex << ": " << a[i] << ' ' << b[i] << ' '
          << c[i];
  }
}

template <HalfOp Op>
void compare_all() {
  compare<Op>(halves_by_float<Op>, "by float");
#ifdef __aarch64__
  if (has_half_arithmetic()) compare<Op>(halves_natively<Op>, "natively");
#endif
}

TEST(HalfVectors, AreWhatOneValueAtATimeIs) {
  compare_all<HalfOp::Add>();
  compare_all<HalfOp::Sub>();
  compare_all<HalfOp::Mul>();
  compare_all<HalfOp::Fma>();
}

#endif

}  // namespace
}  // namespace heddle::exec::alu
