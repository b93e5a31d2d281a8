// Divisions, roots and reciprocals whose operands lie where the vendor's short sequence of instructions does
// not do, so that it calls a function: found on an H200 (validation/data/h200_division_ranges.csv,
// h200_division_paths.csv). A handler made here says so in its warp, and executes as before.
#pragma once

#include <bit>
#include <cstdint>

#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {

inline int exponent(float v) {
  return static_cast<int>(std::bit_cast<std::uint32_t>(v) >> 23 & 0xff);
}
inline int exponent(double v) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 0x7ff);
}

inline bool long_division(float a, float b) {
  const int ea = exponent(a), eb = exponent(b);
  return (ea < 25) | (ea == 255) | (eb < 2) | (eb > 251) | (eb - ea > 124) | (ea - eb > 126);
}
inline bool long_division(double a, double b) {
  const int ea = exponent(a), eb = exponent(b);
  // Below 55: what ptxas compares with; the card was asked with 0 and 64.
  return (ea < 55) | (ea == 2047) | (eb == 0) | (eb > 2039) | (eb - ea > 1021) | (ea - eb > 1017);
}
inline bool long_root(float a) {
  return std::bit_cast<std::uint32_t>(a) - 0x0d000000u > 0x727fffffu;  // negative ones, too
}
inline bool long_root(double a) {
  return std::bit_cast<std::uint64_t>(a) - (std::uint64_t{53} << 52) >= std::uint64_t{2047 - 53} << 52;
}
inline bool long_reciprocal(float a) {
  const int e = exponent(a);
  return (e == 0) | (e > 252);
}
inline bool long_reciprocal(double a) {
  const int e = exponent(a);
  return (e == 0) | (e > 2044);  // assumed: as in single precision
}

template <auto H, auto IsLong, class T>
void noting_division(Warp& warp, const Code& code, Mask active) {
  const T *a = warp.in<T>(code.a), *b = warp.in<T>(code.b);
  const bool any = (lane_mask([a, b](int i) { return IsLong(a[i], b[i]); }) & active) != 0;
  warp.set_long_way(any ? workload::LongWay::Division : workload::LongWay::None);
  H(warp, code, active);
}
template <auto H, auto IsLong, class T, workload::LongWay kWay>
void noting(Warp& warp, const Code& code, Mask active) {
  const T* a = warp.in<T>(code.a);
  const bool any = (lane_mask([a](int i) { return IsLong(a[i]); }) & active) != 0;
  warp.set_long_way(any ? kWay : workload::LongWay::None);
  H(warp, code, active);
}

// The handler H of a division (a root, a reciprocal) of T, which notes whether one of its lanes goes the long
// way.
template <auto H, class T>
inline constexpr auto noted_division = &noting_division<H, static_cast<bool (*)(T, T)>(&long_division), T>;
template <auto H, class T>
inline constexpr auto noted_root =
    &noting<H, static_cast<bool (*)(T)>(&long_root), T, workload::LongWay::Root>;
template <auto H, class T>
inline constexpr auto noted_reciprocal =
    &noting<H, static_cast<bool (*)(T)>(&long_reciprocal), T, workload::LongWay::Reciprocal>;

}  // namespace heddle::exec::alu
