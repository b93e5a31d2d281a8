// Distributions with fixed bins: adding a sample is one index and three additions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::stats {

// What a visitor sees of a histogram, whatever its number and kind of bins.
struct HistogramRef {
  std::span<std::uint64_t> bins;  // the last also holds everything beyond
  std::uint64_t* sum;
  std::uint64_t* largest;
  std::uint64_t (*lower_edge)(std::size_t bin);
};

// Bins of equal width: [0, Width), [Width, 2 Width), ...
template <std::size_t Bins, std::uint64_t Width = 1>
struct Histogram {
  static_assert(Bins > 0 && Width > 0);
  std::array<std::uint64_t, Bins> bins{};
  std::uint64_t sum = 0;
  std::uint64_t largest = 0;

  void add(std::uint64_t sample, std::uint64_t times = 1) {
    bins[std::min<std::uint64_t>(sample / Width, Bins - 1)] += times;
    sum += sample * times;
    largest = std::max(largest, sample);
  }
  static std::uint64_t lower_edge(std::size_t bin) { return bin * Width; }
  HistogramRef ref() { return {bins, &sum, &largest, &lower_edge}; }
};

// Bins that double: 0, 1, 2-3, 4-7, ...
template <std::size_t Bins>
struct Log2Histogram {
  static_assert(Bins > 1 && Bins <= 65);
  std::array<std::uint64_t, Bins> bins{};
  std::uint64_t sum = 0;
  std::uint64_t largest = 0;

  void add(std::uint64_t sample, std::uint64_t times = 1) {
    bins[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(sample)), Bins - 1)] += times;
    sum += sample * times;
    largest = std::max(largest, sample);
  }
  static std::uint64_t lower_edge(std::size_t bin) { return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1); }
  HistogramRef ref() { return {bins, &sum, &largest, &lower_edge}; }
};

}  // namespace heddle::stats
