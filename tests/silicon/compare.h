// Compares words of two runs as the launch table says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "launches.h"

namespace silicon {

inline double half_value(std::uint16_t h) {
  const int exponent = h >> 10 & 31;
  const double magnitude = exponent == 31  ? (h & 1023 ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(h & 1023, -24)
                                           : std::ldexp(1024 + (h & 1023), exponent - 25);
  return h & 0x8000 ? -magnitude : magnitude;
}

// Values of one launch's words, as doubles.
inline std::vector<double> values(Compare kind, const std::vector<std::uint32_t>& words) {
  std::vector<double> v;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (kind == Compare::F32) {
      float f;
      std::memcpy(&f, &words[i], sizeof f);
      v.push_back(f);
    } else if (kind == Compare::F64 && i % 2 == 0) {
      double d;
      std::memcpy(&d, &words[i], sizeof d);
      v.push_back(d);
    } else if (kind == Compare::F16) {
      v.push_back(half_value(static_cast<std::uint16_t>(words[i])));
      v.push_back(half_value(static_cast<std::uint16_t>(words[i] >> 16)));
    }
  }
  return v;
}

// Empty when the two agree; otherwise where and by how much they do not.
inline std::string difference(const LaunchSpec& spec, const std::vector<std::uint32_t>& expected,
                              const std::vector<std::uint32_t>& got) {
  if (expected == got) return "";
  if (expected.size() != got.size()) return "different sizes";
  std::size_t wrong = 0, first = 0;
  double worst = 0;
  if (spec.compare == Compare::Exact) {
    for (std::size_t i = expected.size(); i-- > 0;)
      if (expected[i] != got[i]) ++wrong, first = i;
    char text[160];
    std::snprintf(text, sizeof text, "%zu of %zu words, first [%zu]: expected %08x, got %08x", wrong,
                  expected.size(), first, expected[first], got[first]);
    return text;
  }
  const std::vector<double> e = values(spec.compare, expected), g = values(spec.compare, got);
  for (std::size_t i = e.size(); i-- > 0;) {
    if (e[i] == g[i] || (std::isnan(e[i]) && std::isnan(g[i]))) continue;
    const double error = std::fabs(e[i] - g[i]) / std::max(1.0, std::fabs(e[i]));
    if (error <= spec.tolerance) continue;
    ++wrong;
    first = i;
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  if (wrong == 0) return "";
  char text[200];
  std::snprintf(text, sizeof text, "%zu of %zu values by up to %g, first [%zu]: expected %.17g, got %.17g",
                wrong, e.size(), worst, first, e[first], g[first]);
  return text;
}

}  // namespace silicon
