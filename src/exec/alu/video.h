// SIMD-in-a-word absolute differences.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::exec::alu {

// kParts elements (4 bytes or 2 halves); signedness of a, b and of the result. With kAdd the differences are
// added to c; else they are packed, saturated to the element where kSat.
template <int kParts>
inline std::uint32_t vabsdiff(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool a_signed, bool b_signed,
                              bool d_signed, bool sat, bool add) {
  constexpr int kBits = 32 / kParts;
  constexpr std::uint32_t kMask = (1u << kBits) - 1;
  const auto element = [](std::uint32_t x, int k, bool is_signed) {
    const std::uint32_t up = x << (32 - kBits * (k + 1));
    return is_signed ? std::int64_t{static_cast<std::int32_t>(up) >> (32 - kBits)}
                     : std::int64_t{up >> (32 - kBits)};
  };
  std::uint32_t sum = c, packed = 0;
  for (int k = 0; k < kParts; ++k) {
    const std::int64_t x = element(a, k, a_signed), y = element(b, k, b_signed);
    std::int64_t d = x > y ? x - y : y - x;
    if (sat) d = std::min<std::int64_t>(d, d_signed ? kMask >> 1 : kMask);
    const std::uint32_t cut = static_cast<std::uint32_t>(d) & kMask;
    packed |= cut << (kBits * k);
    sum += static_cast<std::uint32_t>(d);
  }
  return add ? sum : packed;
}

}  // namespace heddle::exec::alu
