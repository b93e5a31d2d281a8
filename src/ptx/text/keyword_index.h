// Words of a fixed table, found by hashing; built at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::ptx {

// Buckets: a power of two, several times the number of words. A table in which a word stands twice does not
// compile.
template <std::size_t Buckets>
class KeywordIndex {
 public:
  // text(i): the word at place i of `count`.
  template <class Text>
  constexpr KeywordIndex(std::size_t count, Text&& text) {
    if (count >= 255) throw "too many words for places of a byte";
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t at = hash(text(i));
      for (; place_[at] != 0; at = (at + 1) & (Buckets - 1))
        if (text(place_[at] - 1u) == text(i)) throw "a word stands twice";
      place_[at] = static_cast<std::uint8_t>(i + 1);
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  template <class Text>
  constexpr std::size_t find(std::string_view word, Text&& text) const {
    for (std::size_t at = hash(word); place_[at] != 0; at = (at + 1) & (Buckets - 1))
      if (text(place_[at] - 1u) == word) return place_[at] - 1u;
    return kNone;
  }

 private:
  static constexpr std::size_t hash(std::string_view s) {
    std::uint32_t h = 2166136261u;
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return (h ^ h >> 15) & (Buckets - 1);
  }

  std::array<std::uint8_t, Buckets> place_{};  // open addressing: 0 is empty, else place + 1
};

}  // namespace heddle::ptx
