#include "reference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>

namespace silicon {
namespace {

using Words = std::vector<std::uint32_t>;
using Reference = std::function<Words(const LaunchSpec&, const Words& in)>;

float unit(std::uint32_t w) {
  return static_cast<float>(w >> 8) * 0x1p-24f;
}
std::uint32_t total(const Words& in, std::size_t n) {
  return std::accumulate(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n), std::uint32_t{0});
}

// Calls f with the first and the last word of each block's piece.
template <class F>
Words by_block(Words words, std::size_t piece, F&& f) {
  for (std::size_t at = 0; at < words.size(); at += piece)
    f(words.begin() + static_cast<std::ptrdiff_t>(at),
      words.begin() + static_cast<std::ptrdiff_t>(at + piece));
  return words;
}

Words block_scan(const LaunchSpec&, const Words& in) {
  return by_block(in, 256, [](auto a, auto b) { std::partial_sum(a, b, a); });
}

Words bitonic_sort(const LaunchSpec&, const Words& in) {
  return by_block(in, 512, [](auto a, auto b) {
    std::sort(a, b,
              [](auto x, auto y) { return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y); });
  });
}

Words cub_scan(const LaunchSpec& spec, const Words& in) {
  Words out(spec.out_words);
  for (std::size_t block = 0; block < 2; ++block) {
    std::uint32_t sum = 0, check = 0;
    for (std::size_t k = 0; k < 1024; ++k) {
      out[block * 1024 + k] = sum;
      sum += in[block * 1024 + k] >> 12;
    }
    for (std::size_t t = 0; t < 256; ++t) check += out[block * 1024 + 4 * t] ^ sum;
    out[2048 + block] = check;
  }
  return out;
}

Words cub_radix_sort(const LaunchSpec& spec, const Words& in) {
  Words out(spec.out_words);
  for (std::uint32_t block = 0; block < 2; ++block) {
    std::vector<std::uint32_t> order(512);
    std::iota(order.begin(), order.end(), block * 512);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return in[a] >> 10 < in[b] >> 10; });
    for (std::size_t k = 0; k < 512; ++k) {
      out[2 * (block * 512 + k)] = in[order[k]] >> 10;
      out[2 * (block * 512 + k) + 1] = order[k];
    }
  }
  return out;
}

Words grid_barrier(const LaunchSpec&, const Words& in) {
  Words out = in;
  for (int round = 0; round < 3; ++round) {
    const Words before = out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = before[i] * 3 + before[(i * 7 + 13) % out.size()];
  }
  return out;
}

Words histogram(const LaunchSpec&, const Words& in) {
  Words bins(64);
  for (const std::uint32_t w : in) ++bins[w >> 26];
  return bins;
}

Words ticket_lock(const LaunchSpec&, const Words& in) {
  Words out = {16, 16, 16, 0};
  for (std::size_t i = 0; i < in.size(); i += 32) out[3] += in[i];
  return out;
}

Words last_block(const LaunchSpec&, const Words& in) {
  Words out(9);
  out[0] = total(in, in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[1 + i / 64] += in[i];
  return out;
}

Words message_chain(const LaunchSpec&, const Words& in) {
  Words out(32, 1);
  for (std::size_t b = 0; b < 16; ++b) out[b] = (b > 0 ? out[b - 1] * 5 : 0) + in[b];
  return out;
}

Words warp_legacy(const LaunchSpec&, const Words& in) {
  Words out(4);
  for (std::size_t i = 0; i < 1024; ++i) out[i / 256] += in[i] + in[i + 1024];
  return out;
}

Words floyd_warshall(const LaunchSpec&, const Words& in) {
  Words out(in.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i / 32 % 32 == i % 32 ? 0 : in[i] >> 22;
  for (std::size_t block = 0; block < out.size(); block += 1024)
    for (std::size_t k = 0; k < 32; ++k)
      for (std::size_t i = 0; i < 1024; ++i)
        out[block + i] =
            std::min(out[block + i], out[block + i / 32 * 32 + k] + out[block + k * 32 + i % 32]);
  return out;
}

Words gather(const LaunchSpec& spec, const Words& in) {
  Words out(spec.out_words);
  const auto n = static_cast<std::uint32_t>(spec.n);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    std::uint32_t at = i % n;
    for (int k = 0; k < 16; ++k) {
      out[i] += in[at];
      at = (in[at] ^ out[i]) % n;
    }
  }
  return out;
}

Words matmul(const LaunchSpec& spec, const Words& in) {
  Words out(spec.out_words);
  for (std::size_t row = 0; row < 64; ++row)
    for (std::size_t column = 0; column < 64; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < 64; ++k)
        sum = std::fma(unit(in[row * 64 + k]), unit(in[4096 + k * 64 + column]), sum);
      out[row * 64 + column] = std::bit_cast<std::uint32_t>(sum);
    }
  return out;
}

Words lu(const LaunchSpec&, const Words& in) {
  Words out;
  for (std::size_t block = 0; block < in.size(); block += 256) {
    std::array<std::array<float, 16>, 16> a{};
    for (std::size_t i = 0; i < 256; ++i)
      a[i / 16][i % 16] = unit(in[block + i]) + (i / 16 == i % 16 ? 16.0f : 0.0f);
    for (std::size_t k = 0; k < 15; ++k)
      for (std::size_t y = k + 1; y < 16; ++y) {
        a[y][k] /= a[k][k];
        for (std::size_t x = k + 1; x < 16; ++x) a[y][x] = std::fma(-a[y][k], a[k][x], a[y][x]);
      }
    for (const auto& row : a)
      for (const float f : row) out.push_back(std::bit_cast<std::uint32_t>(f));
  }
  return out;
}

// The discrete Fourier transform by its definition.
Words fft(const LaunchSpec&, const Words& in) {
  Words out;
  for (std::size_t block = 0; block < in.size(); block += 256)
    for (std::size_t f = 0; f < 256; ++f) {
      double re = 0, im = 0;
      for (std::size_t k = 0; k < 256; ++k) {
        const double angle = -2 * M_PI * static_cast<double>(f * k % 256) / 256;
        re += unit(in[block + k]) * std::cos(angle);
        im += unit(in[block + k]) * std::sin(angle);
      }
      out.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(re)));
      out.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(im)));
    }
  return out;
}

}  // namespace

std::vector<std::uint32_t> reference(const LaunchSpec& spec) {
  static const std::map<std::string, Reference> references = {
      {"block_scan", block_scan},
      {"bitonic_sort", bitonic_sort},
      {"cub_scan", cub_scan},
      {"cub_radix_sort", cub_radix_sort},
      {"grid_barrier", grid_barrier},
      {"histogram", histogram},
      {"spin_lock",
       [](const LaunchSpec&, const Words& in) {
         return Words{0, total(in, in.size())};
       }},
      {"ticket_lock", ticket_lock},
      {"last_block", last_block},
      {"message_chain", message_chain},
      {"warp_legacy", warp_legacy},
      {"floyd_warshall", floyd_warshall},
      {"gather", gather},
      {"matmul", matmul},
      {"lu", lu},
      {"fft", fft},
      {"clocks", [](const LaunchSpec& l, const Words&) { return Words(l.out_words, 3); }},
  };
  const auto at = references.find(spec.kernel);
  return at != references.end() ? at->second(spec, input_words(spec)) : host_kernel(spec);
}

}  // namespace silicon
