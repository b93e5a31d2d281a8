// Hashes in which every output bit is the XOR of some input bits, as hardware spreads addresses over
// partitions, banks and sets.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::mem {

class BitHash {
 public:
  static constexpr std::uint32_t kMaxBits = 16;

  BitHash() = default;  // always 0

  // The value in pieces of `bits` bits, all XORed.
  static BitHash fold(std::uint32_t bits);
  // value * x^bits modulo an irreducible polynomial of degree `bits`: pseudo-random interleaving (B. R. Rau,
  // ISCA 1991). XORed onto the `bits` bits below the value, it is the whole number modulo the polynomial.
  static BitHash polynomial(std::uint32_t bits);
  // The polynomial of that degree, as bits, the leading one included.
  static std::uint32_t irreducible(std::uint32_t degree);

  std::uint32_t operator()(std::uint64_t value) const {
    std::uint32_t h = 0;
    for (const auto* t = table_.data(); value != 0; value >>= 8, ++t) h ^= (*t)[value & 255];
    return h;
  }

 private:
  // image[i]: what input bit i adds.
  explicit BitHash(const std::array<std::uint16_t, 64>& image);

  std::array<std::array<std::uint16_t, 256>, 8> table_{};  // by byte of the input
};

}  // namespace heddle::mem
