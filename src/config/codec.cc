#include "config/codec.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::config::detail {

Parsed<bool> read_bool(const Value& v) {
  if (const bool* b = std::get_if<bool>(&v.data)) return Parsed<bool>::ok(*b);
  return Parsed<bool>::fail("expected true or false");
}

Parsed<std::int64_t> read_integer(const Value& v, std::int64_t least, std::uint64_t most) {
  const auto* i = std::get_if<std::int64_t>(&v.data);
  if (i == nullptr) return Parsed<std::int64_t>::fail("expected an integer");
  if (*i < least || (*i > 0 && static_cast<std::uint64_t>(*i) > most))
    return Parsed<std::int64_t>::fail(fmt::format("expected an integer from {} to {}", least, most));
  return Parsed<std::int64_t>::ok(*i);
}

Parsed<double> read_real(const Value& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v.data)) return Parsed<double>::ok(static_cast<double>(*i));
  if (const auto* d = std::get_if<double>(&v.data); d != nullptr && std::isfinite(*d))
    return Parsed<double>::ok(*d);
  return Parsed<double>::fail("expected a number such as 0.5");
}

Parsed<std::string> read_text(const Value& v) {
  if (const auto* s = std::get_if<std::string>(&v.data)) return Parsed<std::string>::ok(*s);
  return Parsed<std::string>::fail("expected text in quotes");
}

template <class Q>
Parsed<Q> read_quantity(const Value& v, Parsed<Q> (*parse)(std::string_view), bool bare) {
  if (const auto* s = std::get_if<std::string>(&v.data)) {
    Parsed<Q> q = parse(*s);
    // A cycle count is dumped as an integer, which TOML bounds.
    if (q && q.value->count() > static_cast<std::uint64_t>(INT64_MAX))
      return Parsed<Q>::fail("this is too large");
    return q;
  }
  const auto* i = std::get_if<std::int64_t>(&v.data);
  if (bare && i != nullptr && *i >= 0) return Parsed<Q>::ok(Q{static_cast<std::uint64_t>(*i)});
  return Parsed<Q>::fail(parse("?").why);
}

template Parsed<Bytes> read_quantity(const Value&, Parsed<Bytes> (*)(std::string_view), bool);
template Parsed<Cycles> read_quantity(const Value&, Parsed<Cycles> (*)(std::string_view), bool);
template Parsed<Frequency> read_quantity(const Value&, Parsed<Frequency> (*)(std::string_view), bool);
template Parsed<Duration> read_quantity(const Value&, Parsed<Duration> (*)(std::string_view), bool);

}  // namespace heddle::config::detail
