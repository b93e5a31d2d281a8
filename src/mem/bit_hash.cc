#include "mem/bit_hash.h"

#include <cassert>

namespace heddle::mem {

BitHash::BitHash(const std::array<std::uint16_t, 64>& image) {
  for (std::uint32_t byte = 0; byte < 8; ++byte) {
    for (std::uint32_t v = 1; v < 256; ++v) {
      const auto low = static_cast<std::uint32_t>(__builtin_ctz(v));
      table_[byte][v] = static_cast<std::uint16_t>(table_[byte][v & (v - 1)] ^ image[8 * byte + low]);
    }
  }
}

BitHash BitHash::fold(std::uint32_t bits) {
  assert(bits <= kMaxBits);
  if (bits == 0) return {};
  std::array<std::uint16_t, 64> image{};
  for (std::uint32_t i = 0; i < 64; ++i) image[i] = static_cast<std::uint16_t>(1u << (i % bits));
  return BitHash(image);
}

BitHash BitHash::polynomial(std::uint32_t bits) {
  assert(bits <= kMaxBits);
  if (bits == 0) return {};
  const std::uint32_t p = irreducible(bits);
  std::array<std::uint16_t, 64> image{};
  std::uint32_t v = 1u << (bits - 1);  // x^(bits - 1)
  for (auto& i : image) {
    v <<= 1;
    if (((v >> bits) & 1) != 0) v ^= p;
    i = static_cast<std::uint16_t>(v);
  }
  return BitHash(image);
}

std::uint32_t BitHash::irreducible(std::uint32_t degree) {
  // Primitive polynomials with few terms, by degree.
  static constexpr std::array<std::uint32_t, kMaxBits + 1> table = {
      0x1,   0x3,   0x7,   0xb,    0x13,   0x25,   0x43,   0x83,   0x11d,
      0x211, 0x409, 0x805, 0x1053, 0x201b, 0x4443, 0x8003, 0x1100b};
  return table[degree];
}

}  // namespace heddle::mem
