#include "runtime/recording/texture_encoding.h"

#include <bit>
#include <type_traits>

namespace heddle::runtime {
namespace {

// Calls f for each field, always in this order: recordings depend on it.
template <class T, class F>
void for_each_field(T& t, F&& f) {
  f(t.address), f(t.width), f(t.height), f(t.pitch), f(t.format), f(t.channel_bits), f(t.channels);
  f(t.normalized_coordinates), f(t.normalized_values), f(t.filter);
  f(t.address_u), f(t.address_v), f(t.address_w), f(t.depth), f(t.slice), f(t.layered), f(t.cube),
      f(t.surface);
  f(t.srgb);
  for (auto& b : t.border) f(b);
  f(t.levels), f(t.mip_filter), f(t.mip_bias), f(t.min_level), f(t.max_level);
}

template <class V>
std::uint64_t word_of(V v) {
  if constexpr (std::is_same_v<V, float>)
    return std::bit_cast<std::uint32_t>(v);
  else
    return static_cast<std::uint64_t>(v);
}

template <class V>
V value_of(std::uint64_t w) {
  if constexpr (std::is_same_v<V, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(w));
  else if constexpr (std::is_same_v<V, bool>)
    return w != 0;
  else
    return static_cast<V>(w);
}

bool is_valid(const exec::Texture& t) {
  constexpr unsigned kMostLevels = 32;
  const bool texel = (t.channel_bits == 8 || t.channel_bits == 16 || t.channel_bits == 32) &&
                     (t.channels == 1 || t.channels == 2 || t.channels == 4) &&
                     t.format <= exec::TexelFormat::Float && (!t.normalized_values || t.channel_bits <= 16);
  const bool modes = t.filter <= exec::TexFilter::Linear && t.mip_filter <= exec::TexFilter::Linear &&
                     t.address_u <= exec::TexAddress::Border && t.address_v <= exec::TexAddress::Border &&
                     t.address_w <= exec::TexAddress::Border;
  return texel && modes && t.width != 0 && t.height != 0 && t.depth != 0 && t.levels != 0 &&
         t.levels <= kMostLevels;
}

}  // namespace

std::vector<std::uint64_t> encode_texture(const exec::Texture& texture) {
  std::vector<std::uint64_t> words;
  for_each_field(texture, [&](const auto& v) { words.push_back(word_of(v)); });
  return words;
}

std::optional<exec::Texture> decode_texture(std::span<const std::uint64_t> words) {
  exec::Texture t;
  std::size_t n = 0;
  for_each_field(t, [&](auto& v) {
    if (n < words.size()) v = value_of<std::remove_reference_t<decltype(v)>>(words[n]);
    ++n;
  });
  if (n != words.size() || !is_valid(t)) return std::nullopt;
  return t;
}

}  // namespace heddle::runtime
