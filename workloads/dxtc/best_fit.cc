#include "workloads/dxtc/best_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace heddle::workloads::dxtc {
namespace {

constexpr int pixels = 16;
constexpr Colour levels = {31, 63, 31};
constexpr double infinite = std::numeric_limits<double>::infinity();

Colour main_direction(const Block& colours) {
  Colour mean{};
  for (const Colour& colour : colours)
    for (int c = 0; c < 3; ++c) mean[c] += colour[c] / pixels;
  std::array<Colour, 3> covariance{};
  for (const Colour& colour : colours)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) covariance[i][j] += (colour[i] - mean[i]) * (colour[j] - mean[j]);
  Colour v = {1, 1, 1};
  for (int step = 0; step < 8; ++step) {
    Colour next{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) next[i] += covariance[i][j] * v[j];
    const double largest = std::max({std::abs(next[0]), std::abs(next[1]), std::abs(next[2])});
    for (int i = 0; i < 3; ++i) v[i] = largest > 0 ? next[i] / largest : 0;
  }
  return v;
}

// Colours along the main direction: one order, or several where neighbours are so close that the last bits of
// single precision decide.
std::vector<Block> orders_of(const Block& colours) {
  constexpr double close = 5e-6;
  const Colour direction = main_direction(colours);
  std::array<std::pair<double, int>, pixels> keys;
  for (int i = 0; i < pixels; ++i)
    keys[i] = {std::inner_product(direction.begin(), direction.end(), colours[i].begin(), 0.0), i};
  std::sort(keys.begin(), keys.end());
  Block first;
  for (int i = 0; i < pixels; ++i) first[i] = colours[keys[i].second];
  std::vector<Block> orders = {first};
  for (int i = 0; i + 1 < pixels; ++i) {
    if (keys[i + 1].first - keys[i].first > close || first[i] == first[i + 1]) continue;
    for (std::size_t k = 0, count = orders.size(); k < count; ++k) {
      Block other = orders[k];
      std::swap(other[i], other[i + 1]);
      orders.push_back(other);
    }
  }
  return orders;
}

// The whole steps that a value may be rounded to in single precision.
std::array<double, 2> roundings(double value, double steps, double uncertainty) {
  const double exact = std::clamp(value, 0.0, 1.0) * steps;
  return {std::rint(exact - uncertainty * steps) / steps, std::rint(exact + uncertainty * steps) / steps};
}

// Sums over the pixels of a division: shares of the first end colour a and the second b.
struct Sums {
  double aa = 0, bb = 0, ab = 0;
  Colour a{}, b{};
};

// The least error with both end colours free, then rounded.
Range fit(const Sums& s, const Colour& squares) {
  // Of sums of 16 products up to 1, in single precision.
  constexpr double rounding = 1e-5;
  const double determinant = s.aa * s.bb - s.ab * s.ab;
  if (determinant < 1e-6) return {infinite, infinite};
  Range error{0, 0};
  for (int c = 0; c < 3; ++c) {
    const double a = (s.a[c] * s.bb - s.b[c] * s.ab) / determinant,
                 b = (s.b[c] * s.aa - s.a[c] * s.ab) / determinant;
    Range own{infinite, -infinite};
    for (const double ra : roundings(a, levels[c], rounding * (s.bb + s.ab) / determinant)) {
      for (const double rb : roundings(b, levels[c], rounding * (s.aa + s.ab) / determinant)) {
        const double left =
            squares[c] + ra * ra * s.aa + rb * rb * s.bb + 2 * (ra * rb * s.ab - ra * s.a[c] - rb * s.b[c]);
        own = {std::min(own.low, left), std::max(own.high, left)};
      }
    }
    error = {error.low + own.low, error.high + own.high};
  }
  return error;
}

// Sums of colours before each place of an order.
using Before = std::array<Colour, pixels + 1>;

void add_group(Sums& s, const Before& before, int from, int to, double share) {
  const double count = to - from, other = 1 - share;
  s.aa += count * share * share;
  s.bb += count * other * other;
  s.ab += count * share * other;
  for (int c = 0; c < 3; ++c) {
    s.a[c] += share * (before[to][c] - before[from][c]);
    s.b[c] += other * (before[to][c] - before[from][c]);
  }
}

Range best_of_order(const Block& order) {
  Before before{};
  Colour squares{};
  for (int i = 0; i < pixels; ++i) {
    for (int c = 0; c < 3; ++c) {
      before[i + 1][c] = before[i][c] + order[i][c];
      squares[c] += order[i][c] * order[i][c];
    }
  }
  Range best{infinite, infinite};
  const auto take = [&](const Sums& s) {
    const Range error = fit(s, squares);
    best = {std::min(best.low, error.low), std::min(best.high, error.high)};
  };
  for (int i = 0; i <= pixels; ++i) {
    for (int j = i; j <= pixels; ++j) {
      Sums three;
      add_group(three, before, 0, i, 1);
      add_group(three, before, i, j, 0.5);
      add_group(three, before, j, pixels, 0);
      take(three);
      for (int k = j; k <= pixels; ++k) {
        Sums four;
        add_group(four, before, 0, i, 1);
        add_group(four, before, i, j, 2.0 / 3);
        add_group(four, before, j, k, 1.0 / 3);
        add_group(four, before, k, pixels, 0);
        take(four);
      }
    }
  }
  return best;
}

Colour decoded(std::uint32_t word) {
  return {(word >> 11 & 31) / levels[0], (word >> 5 & 63) / levels[1], (word & 31) / levels[2]};
}

}  // namespace

Block colours_of(const std::uint32_t* from) {
  Block block;
  for (int i = 0; i < pixels; ++i)
    for (int c = 0; c < 3; ++c) block[i][c] = (from[i] >> (8 * c) & 0xff) / 255.0;
  return block;
}

double error_of(const Block& colours, std::uint32_t ends, std::uint32_t codes) {
  const std::uint32_t start = ends & 0xffff, end = ends >> 16;
  const bool four = start > end;
  const Colour a = decoded(start), b = decoded(end);
  const std::array<double, 4> shares = {1, 0, four ? 2.0 / 3 : 0.5, 1.0 / 3};
  double error = 0;
  for (int i = 0; i < pixels; ++i) {
    const std::uint32_t code = codes >> (2 * i) & 3;
    const bool black = !four && code == 3;
    for (int c = 0; c < 3; ++c) {
      const double value = black ? 0 : shares[code] * a[c] + (1 - shares[code]) * b[c];
      error += (colours[i][c] - value) * (colours[i][c] - value);
    }
  }
  return error;
}

Range best_error(const Block& colours) {
  Range all{infinite, 0};
  for (const Block& order : orders_of(colours)) {
    const Range best = best_of_order(order);
    all = {std::min(all.low, best.low), std::max(all.high, best.high)};
  }
  return all;
}

}  // namespace heddle::workloads::dxtc
