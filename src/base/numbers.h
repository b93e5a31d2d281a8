// Numbers for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

std::string grouped(std::uint64_t n);                   // 1,234,567
std::string millions(std::uint64_t n);                  // 12.35 M; grouped when small
double ratio(std::uint64_t a, std::uint64_t b);         // 0 when b is
std::string percent(std::uint64_t a, std::uint64_t b);  // "45.3 %"; "-" when b is 0
// With a decimal prefix and three digits: 717 GB/s, 88.2 us, 12.3 MB.
std::string scaled(double value, std::string_view unit);
std::string per_second(double rate, std::string_view what);  // 106 k cycles/s
std::string seconds(std::uint64_t picoseconds);

}  // namespace heddle
