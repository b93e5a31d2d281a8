// From a line's address to its set.
#pragma once

#include <bit>
#include <cstdint>

#include "mem/bit_hash.h"

namespace heddle::cache {

enum class IndexHash : std::uint8_t {
  Linear,      // line number modulo sets
  Masked,      // line number AND (sets - 1): of 96 sets it reaches 64
  Fermi,       // reverse-engineered, published; 32 or 64 sets
  Polynomial,  // line number modulo an irreducible polynomial; sets a power of two
  Xor          // higher bits of the line number folded onto the lower ones
};

// Address bits 7 to 11 XOR bits {13, 14, 15, 17, 19}; bit 12 is the sixth bit (warppool.md, set hash).
constexpr std::uint32_t fermi_set(std::uint64_t address, std::uint32_t sets) {
  const auto bit = [&](std::uint32_t from, std::uint32_t to) {
    return static_cast<std::uint32_t>((address >> from) & 1) << to;
  };
  const std::uint32_t low = static_cast<std::uint32_t>(address >> 7) & 31;
  const std::uint32_t high = bit(13, 0) | bit(14, 1) | bit(15, 2) | bit(17, 3) | bit(19, 4);
  return (low ^ high) | (sets == 64 ? bit(12, 5) : 0);
}

class SetIndex {
 public:
  SetIndex(IndexHash hash, std::uint32_t sets, std::uint32_t line_bytes)
      : hash_(hash),
        power_of_two_(std::has_single_bit(sets)),
        sets_(sets),
        line_shift_(static_cast<std::uint32_t>(std::countr_zero(line_bytes))),
        set_bits_(static_cast<std::uint32_t>(std::bit_width(sets) - 1)) {
    if (!power_of_two_) reciprocal_ = ~std::uint64_t{0} / sets + 1;
    if (hash == IndexHash::Polynomial) above_ = mem::BitHash::polynomial(set_bits_);
    if (hash == IndexHash::Xor)
      above_ = mem::BitHash::fold(static_cast<std::uint32_t>(std::bit_width(sets - 1)));
  }

  std::uint32_t operator()(std::uint64_t line_address) const {
    if (hash_ == IndexHash::Fermi) return fermi_set(line_address, sets_);
    const std::uint64_t n = line_address >> line_shift_;
    if (power_of_two_) {
      const auto low = static_cast<std::uint32_t>(n) & (sets_ - 1);
      return hash_ <= IndexHash::Masked ? low : low ^ above_(n >> set_bits_);
    }
    if (hash_ == IndexHash::Masked) return static_cast<std::uint32_t>(n) & (sets_ - 1);
    const auto q = static_cast<std::uint64_t>((static_cast<unsigned __int128>(n) * reciprocal_) >> 64);
    const auto low = static_cast<std::uint32_t>(n - q * sets_);
    return hash_ == IndexHash::Linear ? low : (low + above_(q)) % sets_;
  }

 private:
  IndexHash hash_;
  bool power_of_two_;
  std::uint32_t sets_, line_shift_, set_bits_;
  std::uint64_t reciprocal_ = 0;
  mem::BitHash above_;
};

}  // namespace heddle::cache
