// Quantities with a unit: a number of bytes cannot be taken for a number of cycles.
//
// All are exact 64-bit integers (bytes, cycles, hertz, picoseconds), so that results do not depend on how a
// host rounds. `parse_*` read what people write in a configuration ("48KiB", "1.4GHz"); `to_string` writes
// the same form, and parsing it again gives the same quantity.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t count) : count_(count) {}
  constexpr std::uint64_t count() const { return count_; }

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.count_ + b.count_}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.count_ - b.count_}; }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return Quantity{a.count_ * n}; }
  friend constexpr Quantity operator*(std::uint64_t n, Quantity a) { return a * n; }
  friend constexpr Quantity operator/(Quantity a, std::uint64_t n) { return Quantity{a.count_ / n}; }
  friend constexpr std::uint64_t operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) { return Quantity{a.count_ % b.count_}; }
  constexpr Quantity& operator+=(Quantity b) { return *this = *this + b; }
  constexpr Quantity& operator-=(Quantity b) { return *this = *this - b; }

 private:
  std::uint64_t count_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using Cycles = Quantity<struct CyclesTag>;
using Frequency = Quantity<struct FrequencyTag>;  // hertz
using Duration = Quantity<struct DurationTag>;    // picoseconds

inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) {
  return Bytes{n};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes{n << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes{n << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return Bytes{n << 30};
}
constexpr Cycles operator""_cycles(unsigned long long n) {
  return Cycles{n};
}
constexpr Frequency operator""_MHz(unsigned long long n) {
  return Frequency{n * 1'000'000};
}
constexpr Frequency operator""_GHz(unsigned long long n) {
  return Frequency{n * 1'000'000'000};
}
constexpr Duration operator""_ps(unsigned long long n) {
  return Duration{n};
}
constexpr Duration operator""_ns(unsigned long long n) {
  return Duration{n * 1'000};
}
}  // namespace literals

// Outcome of reading a text: the value, or why not (a sentence that says what was expected).
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string why;

  static Parsed ok(T v) { return {std::move(v), {}}; }
  static Parsed fail(std::string reason) { return {std::nullopt, std::move(reason)}; }
  explicit operator bool() const { return value.has_value(); }
};

// "64B", "48KiB", "1.5MiB", "4GiB" (powers of 1024), "4kB", "2MB", "1GB" (powers of 1000); "64" is bytes.
Parsed<Bytes> parse_bytes(std::string_view text);
// "2000", "2000 cycles", "1 cycle".
Parsed<Cycles> parse_cycles(std::string_view text);
// "700MHz", "1.4GHz"; a unit is required, because a bare number does not say which.
Parsed<Frequency> parse_frequency(std::string_view text);
// "12.5ns", "350ps", "3us", "1ms", "2s"; a unit is required.
Parsed<Duration> parse_duration(std::string_view text);

std::string to_string(Bytes b);
std::string to_string(Cycles c);
std::string to_string(Frequency f);
std::string to_string(Duration d);

}  // namespace heddle
