#include "base/numbers.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace heddle {

std::string grouped(std::uint64_t n) {
  std::string s = std::to_string(n);
  for (std::size_t i = s.size(); i > 3; i -= 3) s.insert(i - 3, ",");
  return s;
}

std::string millions(std::uint64_t n) {
  return n < 100'000 ? grouped(n) : fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string percent(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? "-" : fmt::format("{:.1f} %", 100 * ratio(a, b));
}

std::string scaled(double value, std::string_view unit) {
  struct Prefix {
    double factor;
    const char* name;
  };
  static constexpr std::array kPrefixes = {Prefix{1e12, "T"}, Prefix{1e9, "G"},  Prefix{1e6, "M"},
                                           Prefix{1e3, "k"},  Prefix{1, ""},     Prefix{1e-3, "m"},
                                           Prefix{1e-6, "u"}, Prefix{1e-9, "n"}, Prefix{1e-12, "p"}};
  if (value == 0) return fmt::format("0 {}", unit);
  for (const Prefix& p : kPrefixes) {
    const double shown = value / p.factor;
    if (std::fabs(shown) < 0.9995 && p.factor > 1e-12) continue;
    const int digits = std::fabs(shown) < 9.995 ? 2 : std::fabs(shown) < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}{}", shown, digits, p.name, unit);
  }
  return fmt::format("{} {}", value, unit);
}

std::string per_second(double rate, std::string_view what) {
  const std::string number = scaled(rate, "");
  return fmt::format("{}{}{}/s", number, number.ends_with(' ') ? "" : " ", what);
}

std::string seconds(std::uint64_t picoseconds) {
  return scaled(static_cast<double>(picoseconds) * 1e-12, "s");
}

}  // namespace heddle
