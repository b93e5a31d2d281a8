// How a C++ type is written in a configuration: Codec<T>::read, write, and its name for people.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/units.h"
#include "config/value.h"

namespace heddle::config {

template <class T>
struct Codec;  // specialise: `kind`, `read`, `write`, `text`

namespace detail {
Parsed<bool> read_bool(const Value& v);
Parsed<std::int64_t> read_integer(const Value& v, std::int64_t least, std::uint64_t most);
Parsed<double> read_real(const Value& v);
Parsed<std::string> read_text(const Value& v);
// A bare integer counts in the base unit where `bare` allows it; everything else is a string with a unit.
template <class Q>
Parsed<Q> read_quantity(const Value& v, Parsed<Q> (*parse)(std::string_view), bool bare);
}  // namespace detail

template <>
struct Codec<bool> {
  static constexpr std::string_view kind = "true or false";
  static Parsed<bool> read(const Value& v) { return detail::read_bool(v); }
  static Value write(bool b) { return {b}; }
};

template <std::integral T>
struct Codec<T> {
  static constexpr std::string_view kind = "integer";
  // TOML integers are 64-bit and signed.
  static constexpr std::uint64_t kMost =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()),
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  static Parsed<T> read(const Value& v) {
    const auto i = detail::read_integer(v, static_cast<std::int64_t>(std::numeric_limits<T>::min()), kMost);
    return i ? Parsed<T>::ok(static_cast<T>(*i.value)) : Parsed<T>::fail(i.why);
  }
  static Value write(T i) { return {static_cast<std::int64_t>(i)}; }
};

template <>
struct Codec<double> {
  static constexpr std::string_view kind = "number";
  static Parsed<double> read(const Value& v) { return detail::read_real(v); }
  static Value write(double d) { return {d}; }
};

template <>
struct Codec<std::string> {
  static constexpr std::string_view kind = "text";
  static Parsed<std::string> read(const Value& v) { return detail::read_text(v); }
  static Value write(const std::string& s) { return {s}; }
};

template <>
struct Codec<Bytes> {
  static constexpr std::string_view kind = "size";
  static Parsed<Bytes> read(const Value& v) { return detail::read_quantity<Bytes>(v, parse_bytes, true); }
  static Value write(Bytes b) { return {to_string(b)}; }
};

template <>
struct Codec<Cycles> {
  static constexpr std::string_view kind = "cycles";
  static Parsed<Cycles> read(const Value& v) { return detail::read_quantity<Cycles>(v, parse_cycles, true); }
  static Value write(Cycles c) { return {static_cast<std::int64_t>(c.count())}; }
};

template <>
struct Codec<Frequency> {
  static constexpr std::string_view kind = "frequency";
  static Parsed<Frequency> read(const Value& v) {
    return detail::read_quantity<Frequency>(v, parse_frequency, false);
  }
  static Value write(Frequency f) { return {to_string(f)}; }
};

template <>
struct Codec<Duration> {
  static constexpr std::string_view kind = "time";
  static Parsed<Duration> read(const Value& v) {
    return detail::read_quantity<Duration>(v, parse_duration, false);
  }
  static Value write(Duration d) { return {to_string(d)}; }
};

template <class T>
struct Codec<std::vector<T>> {
  static constexpr std::string_view kind = "list";
  static Parsed<std::vector<T>> read(const Value& v) {
    const auto* list = std::get_if<Value::List>(&v.data);
    if (list == nullptr) return Parsed<std::vector<T>>::fail("expected a list, [a, b, ...]");
    std::vector<T> out;
    for (const Value& element : *list) {
      auto one = Codec<T>::read(element);
      if (!one) return Parsed<std::vector<T>>::fail("in the list: " + one.why);
      out.push_back(std::move(*one.value));
    }
    return Parsed<std::vector<T>>::ok(std::move(out));
  }
  static Value write(const std::vector<T>& values) {
    Value::List list;
    for (const T& v : values) list.push_back(Codec<T>::write(v));
    return {std::move(list)};
  }
};

// A value as people write it in messages: 48KiB, 64, 0.5.
template <class T>
std::string shown(const T& value) {
  const Value v = Codec<T>::write(value);
  if (const auto* s = std::get_if<std::string>(&v.data)) return *s;
  return v.toml();
}

}  // namespace heddle::config
