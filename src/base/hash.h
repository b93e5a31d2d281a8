// A fast 64-bit hash of data, the same on every host. To recognise inputs, not to resist attackers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace heddle {

class Hasher {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::size_t left = bytes;
    for (; left >= 8; left -= 8, p += 8) {
      std::uint64_t w = 0;
      for (int i = 0; i < 8; ++i) w |= std::uint64_t{p[i]} << (8 * i);  // one load on little-endian hosts
      mix(w);
    }
    std::uint64_t tail = 0;
    for (std::size_t i = 0; i < left; ++i) tail |= std::uint64_t{p[i]} << (8 * i);
    mix(tail);
    mix(bytes);
  }
  void add(std::string_view text) { add(text.data(), text.size()); }
  void add(std::uint64_t value) { mix(value); }
  std::uint64_t value() const {
    std::uint64_t h = state_;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
  }

 private:
  void mix(std::uint64_t w) { state_ = std::rotl((state_ ^ w) * 0x9e3779b97f4a7c15ull, 29); }
  std::uint64_t state_ = 0x243f6a8885a308d3ull;
};

}  // namespace heddle
