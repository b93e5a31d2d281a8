// Which values a parameter allows: range(1, 64), at_least(1_KiB), range(1, 64).power_of_two().
#pragma once

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string>

#include "config/codec.h"

namespace heddle::config {

// What limits compare: the number itself, or the count of a quantity.
template <class T>
constexpr std::uint64_t count_of(const T& v) {
  if constexpr (requires { v.count(); })
    return v.count();
  else
    return static_cast<std::uint64_t>(v);
}

template <class T>
class Limits {
 public:
  Limits() = default;
  // From a literal's type to the field's: range(1, 64) for a std::uint32_t.
  template <class U>
  requires std::convertible_to<U, T> Limits(
      const Limits<U>& other)  // NOLINT(google-explicit-constructor): this is the purpose
      : power_of_two_(other.is_power_of_two()) {
    if (other.least()) least_ = static_cast<T>(*other.least());
    if (other.most()) most_ = static_cast<T>(*other.most());
    if (other.multiple()) multiple_of_ = static_cast<T>(*other.multiple());
  }

  Limits from(T least) const {
    return with([&](Limits& l) { l.least_ = least; });
  }
  Limits to(T most) const {
    return with([&](Limits& l) { l.most_ = most; });
  }
  Limits power_of_two() const {
    return with([](Limits& l) { l.power_of_two_ = true; });
  }
  Limits multiple_of(T unit) const {
    return with([&](Limits& l) { l.multiple_of_ = unit; });
  }

  bool allow(const T& v) const {
    if (least_ && v < *least_) return false;
    if (most_ && *most_ < v) return false;
    if (power_of_two_ && !std::has_single_bit(count_of(v))) return false;
    if (multiple_of_ && count_of(v) % count_of(*multiple_of_) != 0) return false;
    return true;
  }

  // "1 to 64, a power of two"; empty when everything is allowed.
  std::string text() const {
    std::string out;
    if (least_ && most_)
      out = fmt::format("{} to {}", shown(*least_), shown(*most_));
    else if (least_)
      out = fmt::format("at least {}", shown(*least_));
    else if (most_)
      out = fmt::format("at most {}", shown(*most_));
    const auto add = [&](const std::string& more) { out += (out.empty() ? "" : ", ") + more; };
    if (power_of_two_) add("a power of two");
    if (multiple_of_) add("a multiple of " + shown(*multiple_of_));
    return out;
  }

  const std::optional<T>& least() const { return least_; }
  const std::optional<T>& most() const { return most_; }
  const std::optional<T>& multiple() const { return multiple_of_; }
  bool is_power_of_two() const { return power_of_two_; }

 private:
  template <class F>
  Limits with(F&& change) const {
    Limits l = *this;
    change(l);
    return l;
  }

  std::optional<T> least_, most_, multiple_of_;
  bool power_of_two_ = false;
};

template <class T>
Limits<T> range(T least, T most) {
  return Limits<T>().from(least).to(most);
}
template <class T>
Limits<T> at_least(T least) {
  return Limits<T>().from(least);
}

}  // namespace heddle::config
