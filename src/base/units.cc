#include "base/units.h"

#include <fmt/format.h>

#include <limits>
#include <span>

#include "base/text.h"

namespace heddle {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t scale;
};

constexpr Unit kByteUnits[] = {{"", 1},
                               {"B", 1},
                               {"KiB", 1ull << 10},
                               {"MiB", 1ull << 20},
                               {"GiB", 1ull << 30},
                               {"TiB", 1ull << 40},
                               {"kB", 1'000},
                               {"MB", 1'000'000},
                               {"GB", 1'000'000'000}};
constexpr Unit kCycleUnits[] = {{"", 1}, {"cycles", 1}, {"cycle", 1}};
constexpr Unit kFrequencyUnits[] = {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}};
constexpr Unit kDurationUnits[] = {
    {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};

// A decimal number kept exact: digits / 10^decimals.
struct Decimal {
  std::uint64_t digits = 0;
  unsigned decimals = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes a number from the front of `text`; nothing when there is none or it has more than 18 digits.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal d;
  std::size_t i = 0;
  unsigned count = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point && count > 0 && i + 1 < text.size() && is_digit(text[i + 1])) {
      point = true;
      continue;
    }
    if (!is_digit(text[i])) break;
    if (++count > 18) return std::nullopt;
    d.digits = d.digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (point) ++d.decimals;
  }
  if (count == 0) return std::nullopt;
  text.remove_prefix(i);
  return d;
}

template <class Q>
Parsed<Q> parse_quantity(std::string_view text, std::span<const Unit> units, std::string_view expected,
                         std::string_view base_unit) {
  std::string_view rest = trim(text);
  const auto number = take_decimal(rest);
  const auto bad = [&](std::string_view why) {
    return Parsed<Q>::fail(fmt::format("expected {}{}", expected, why));
  };
  if (!number) return bad("");
  rest = trim(rest);
  if (rest == "KB" || rest == "K" || rest == "k") return bad("; write KiB for 1024 bytes or kB for 1000");
  for (const Unit& unit : units) {
    if (unit.name != rest) continue;
    unsigned __int128 value = static_cast<unsigned __int128>(number->digits) * unit.scale;
    for (unsigned i = 0; i < number->decimals; ++i) {
      if (value % 10 != 0) return bad(fmt::format("; this is not a whole number of {}", base_unit));
      value /= 10;
    }
    if (value > std::numeric_limits<std::uint64_t>::max()) return bad("; this is too large");
    return Parsed<Q>::ok(Q{static_cast<std::uint64_t>(value)});
  }
  std::string names;
  for (const Unit& unit : units)
    if (!unit.name.empty()) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  if (rest.empty()) return bad(fmt::format("; the unit is missing ({})", names));
  return bad(fmt::format("; '{}' is no unit of it ({})", printable(rest), names));
}

// Writes count/scale with as many decimals as it takes to be exact.
std::string exact(std::uint64_t count, std::uint64_t scale, std::string_view unit) {
  std::string out = fmt::format("{}", count / scale);
  std::uint64_t rest = count % scale;
  if (rest != 0) out += '.';
  for (std::uint64_t s = scale / 10; rest != 0; s /= 10) {
    out += static_cast<char>('0' + rest / s);
    rest %= s;
  }
  out += unit;
  return out;
}

std::string in_largest_unit(std::uint64_t count, std::span<const Unit> units) {
  for (std::size_t i = units.size(); i-- > 1;)
    if (count >= units[i].scale) return exact(count, units[i].scale, units[i].name);
  return fmt::format("{}{}", count, units[0].name);
}

}  // namespace

Parsed<Bytes> parse_bytes(std::string_view text) {
  return parse_quantity<Bytes>(text, kByteUnits, "a size such as 64B, 48KiB or 2MiB", "bytes");
}
Parsed<Cycles> parse_cycles(std::string_view text) {
  return parse_quantity<Cycles>(text, kCycleUnits, "a number of cycles such as 2000", "cycles");
}
Parsed<Frequency> parse_frequency(std::string_view text) {
  return parse_quantity<Frequency>(text, kFrequencyUnits, "a frequency such as 700MHz or 1.4GHz", "hertz");
}
Parsed<Duration> parse_duration(std::string_view text) {
  return parse_quantity<Duration>(text, kDurationUnits, "a time such as 12.5ns", "picoseconds");
}

std::string to_string(Bytes b) {
  constexpr Unit kUnits[] = {
      {"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}};
  for (const Unit& unit : kUnits)
    if (b.count() != 0 && b.count() % unit.scale == 0)
      return fmt::format("{}{}", b.count() / unit.scale, unit.name);
  return fmt::format("{}B", b.count());
}
std::string to_string(Cycles c) {
  return fmt::format("{} {}", c.count(), c.count() == 1 ? "cycle" : "cycles");
}
std::string to_string(Frequency f) {
  return in_largest_unit(f.count(), kFrequencyUnits);
}
std::string to_string(Duration d) {
  return in_largest_unit(d.count(), kDurationUnits);
}

}  // namespace heddle
