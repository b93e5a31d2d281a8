// Matrices of small values for the tests of tensor-core instructions, in every type of their elements.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace heddle::exec {

using Words = std::vector<std::uint32_t>;

struct Form {
  const char* type;  // of A and B
  int m, n, k;
};

inline int element_bits(const std::string& t) {
  return t == "f64"                  ? 64
         : t == "tf32"               ? 32
         : t == "f16" || t == "bf16" ? 16
         : t == "b1"                 ? 1
         : t[1] == '4'               ? 4
                                     : 8;
}
inline bool is_integer(const std::string& t) {
  return t[0] == 's' || t[0] == 'u' || t == "b1";
}

// f16 of small integers and of random values of 11 bits: exact.
inline std::uint64_t f16_bits(double v) {
  if (v == 0) return std::signbit(v) ? 0x8000 : 0;
  int e = 0;
  const double m = std::frexp(std::fabs(v), &e);  // [0.5, 1)
  const auto fraction = static_cast<std::uint64_t>(m * 2048) - 1024;
  return static_cast<std::uint64_t>(v < 0) << 15 | static_cast<std::uint64_t>(e + 14) << 10 | fraction;
}
inline double f16_value(std::uint64_t b) {
  const int e = static_cast<int>(b >> 10 & 31);
  const double m = static_cast<double>(b & 1023) / 1024;
  const double v = e == 0 ? std::ldexp(m, -14) : std::ldexp(1 + m, e - 15);
  return (b & 0x8000) != 0 ? -v : v;
}
inline std::uint64_t encode(const std::string& t, double v) {
  if (t == "f64") return std::bit_cast<std::uint64_t>(v);
  if (t == "tf32" || t == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(v));
  if (t == "f16") return f16_bits(v);
  if (t == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16;
  if (t == "s32") return static_cast<std::uint32_t>(static_cast<std::int64_t>(v));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & ((1u << element_bits(t)) - 1);
}
inline double decode(const std::string& t, std::uint64_t b) {
  if (t == "f64") return std::bit_cast<double>(b);
  if (t == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(b));
  if (t == "f16") return f16_value(b & 0xffff);
  return static_cast<std::int32_t>(b);
}

struct Matrix {
  Matrix(int r, int c) : rows(r), columns(c), v(static_cast<std::size_t>(r * c)) {}
  double& at(int r, int c) { return v[static_cast<std::size_t>(r * columns + c)]; }
  double at(int r, int c) const { return v[static_cast<std::size_t>(r * columns + c)]; }
  int rows, columns;
  std::vector<double> v;
};

inline Matrix random_integers(int rows, int columns, const std::string& t, std::mt19937& random) {
  Matrix m(rows, columns);
  const bool is_unsigned = t[0] == 'u';
  const int bits = element_bits(t);
  const int high = t == "b1" ? 1 : !is_integer(t) ? 3 : (1 << (bits - (is_unsigned ? 0 : 1))) - 1;
  const int low = t == "b1" || is_unsigned ? 0 : -high;
  for (double& x : m.v) x = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  return m;
}

inline Matrix multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix d = c;
  for (int i = 0; i < d.rows; ++i)
    for (int j = 0; j < d.columns; ++j)
      for (int k = 0; k < a.columns; ++k) d.at(i, j) += a.at(i, k) * b.at(k, j);
  return d;
}

inline std::string shape(const Form& f) {
  return fmt::format("m{}n{}k{}", f.m, f.n, f.k);
}

inline std::string registers(const char* name, int n) {
  std::string s = "{";
  for (int i = 0; i < n; ++i) s += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
  return s + "}";
}
}  // namespace heddle::exec
