// Compares one case's outputs with the recorded ones and keeps the score.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "golden_data.h"

namespace heddle::golden {

// Forms that Heddle has no representation for.
inline bool known_unsupported(const std::string& op) {
  const auto has = [&](const char* part) { return op.find(part) != std::string::npos; };
  return has("u16x2") || has("s16x2");
}

inline std::uint64_t element(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t v = 0;
  std::memcpy(&v, bytes.data() + at, size);
  return v;
}

// A 16-, 32- or 64-bit float's value; `kind` is the end of the opcode.
inline double value_of(std::uint64_t b, unsigned bits, bool bfloat) {
  if (bits == 64) {
    double d = 0;
    std::memcpy(&d, &b, 8);
    return d;
  }
  if (bits == 32 || bfloat) {
    const std::uint32_t w = static_cast<std::uint32_t>(bits == 32 ? b : b << 16);
    float f = 0;
    std::memcpy(&f, &w, 4);
    return f;
  }
  const double sign = (b & 0x8000) != 0 ? -1.0 : 1.0;
  const int e = static_cast<int>(b >> 10 & 31);
  const double m = static_cast<double>(b & 1023);
  if (e == 31) return m == 0 ? sign * INFINITY : NAN;
  return sign * (e == 0 ? std::ldexp(m, -24) : std::ldexp(m + 1024, e - 25));
}

// Whether x and silicon's y may both be within the manual's bound of the true value ("ulp:2", "rel:2^-23",
// "abs:2^-20.5", "lg2:2^-22" for one or the other, "none").
inline bool within(const std::string& bound, double x, double y, std::uint64_t ulps) {
  if (bound == "none" || ulps <= 1) return true;
  const std::string kind = bound.substr(0, 3), limit = bound.substr(4);
  if (kind == "ulp") return ulps <= 2 * std::stoul(limit);
  const double both = 2 * std::exp2(std::stod(limit.substr(2)));
  const double absolute = std::fabs(x - y);
  const bool relative_good = absolute <= both * std::fabs(y);
  if (kind == "rel") return relative_good;
  return absolute <= both || (kind == "lg2" && relative_good);
}

class Report {
 public:
  void refuse(const Case& c, const std::string& why) {
    refused_.push_back(c.op);
    std::printf("refused: %s (%s)\n", c.op.c_str(), why.c_str());
  }
  void compare(const Data& data, const Case& c, const std::string& got) {
    ++cases_;
    for (const char byte : got) digest_ = (digest_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    if (c.exact)
      exact(data, c, got);
    else
      approximate(data, c, got);
  }
  void print() const {
    std::printf("%zu cases compared, %zu differ, %zu refused\n", cases_, wrong_, refused_.size());
    // Equal on every host, approximate results included (tools/check_other_arch).
    std::printf("digest of all results: %016llx\n", static_cast<unsigned long long>(digest_));
    for (const auto& line : approx_) std::printf("%s\n", line.c_str());
  }
  std::size_t wrong() const { return wrong_; }
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  void show(const Data& data, const Case& c, std::size_t thread, const std::string& got) const {
    std::printf("    thread %zu:", thread);
    for (const std::string& name : c.arrays) {
      if (name == "-") continue;
      const Array& a = data.arrays.at(name);
      std::printf(" %llx", static_cast<unsigned long long>(
                               element(data.inputs, a.offset + thread * a.element_bytes, a.element_bytes)));
    }
    std::printf(" -> got");
    for (std::size_t k = c.out_bytes; k-- > 0;)
      std::printf("%s%02x", k + 1 == c.out_bytes ? " " : "", got[thread * c.out_bytes + k] & 255);
    std::printf(", silicon");
    for (std::size_t k = c.out_bytes; k-- > 0;)
      std::printf("%s%02x", k + 1 == c.out_bytes ? " " : "", c.expected[thread * c.out_bytes + k] & 255);
    std::printf("\n");
  }
  void exact(const Data& data, const Case& c, const std::string& got) {
    std::size_t different = 0;
    for (std::size_t i = 0; i < c.n; ++i) {
      if (got.compare(i * c.out_bytes, c.out_bytes, c.expected, i * c.out_bytes, c.out_bytes) == 0) continue;
      if (different == 0) std::printf("DIFFERENT %s (%s)\n", c.op.c_str(), c.kernel.c_str());
      if (different < 4) show(data, c, i, got);
      ++different;
    }
    if (different != 0) {
      std::printf("    %zu of %zu\n", different, c.n);
      ++wrong_;
    }
  }
  // Errors against silicon, not against the true value: what a program sees as a difference.
  void approximate(const Data& data, const Case& c, const std::string& got) {
    const bool bfloat = c.op.find("bf16") != std::string::npos;
    const bool pair = c.op.find("16x2") != std::string::npos;
    const unsigned bits = pair ? 16 : c.outs[0];
    const std::size_t size = bits / 8;
    double relative = 0, absolute = 0;
    std::uint64_t ulps = 0;
    std::size_t special = 0, same = 0, total = 0, worst = 0, outside = 0;
    for (std::size_t at = 0; at < got.size(); at += size, ++total) {
      const std::uint64_t g = element(got, at, size), e = element(c.expected, at, size);
      if (g == e) {
        ++same;
        continue;
      }
      const double x = value_of(g, bits, bfloat), y = value_of(e, bits, bfloat);
      if (!std::isfinite(x) || !std::isfinite(y)) {
        if (special++ < 3 && c.bound != "none") show(data, c, at / c.out_bytes, got);
        continue;
      }
      const double difference = std::fabs(x - y);
      absolute = std::max(absolute, difference);
      if (y != 0 && difference / std::fabs(y) > relative) {
        relative = difference / std::fabs(y);
        worst = at / c.out_bytes;
      }
      const std::uint64_t distance = g > e ? g - e : e - g;
      const bool same_sign = (g ^ e) >> (bits - 1) == 0;
      if (same_sign) ulps = std::max(ulps, distance);
      if (!within(c.bound, x, y, same_sign ? distance : ~std::uint64_t{0}) && outside++ < 3) {
        std::printf("OUTSIDE %s: ", c.op.c_str());
        show(data, c, at / c.out_bytes, got);
      }
    }
    if (c.bound != "none") outside += special;
    wrong_ += outside != 0 ? 1 : 0;
    char line[256];
    std::snprintf(line, sizeof line,
                  "%-26s %-10s bound %-12s same %5.1f%%  max %llu ulp, rel 2^%.2f (thread %zu), abs 2^%.2f, "
                  "special values %zu",
                  c.op.c_str(), c.arrays[0].c_str(), c.bound.c_str(),
                  100.0 * static_cast<double>(same) / static_cast<double>(total),
                  static_cast<unsigned long long>(ulps), relative > 0 ? std::log2(relative) : -99.0, worst,
                  absolute > 0 ? std::log2(absolute) : -99.0, special);
    approx_.emplace_back(line);
  }

  std::size_t cases_ = 0, wrong_ = 0;
  std::uint64_t digest_ = 0xcbf29ce484222325;  // FNV-1a
  std::vector<std::string> refused_, approx_;
};

}  // namespace heddle::golden
