#include "launch/launch_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/text.h"
#include "exec/alu/convert.h"
#include "workload/random.h"

namespace heddle::launch {
namespace {

static_assert(std::endian::native == std::endian::little,
              "buffers are little-endian, as files and devices are");

template <class T>
struct Tag {
  using type = T;
};

// Calls f with the C++ type of an integer or f32/f64 element; f16 is kept apart because C++20 has none.
template <class F>
auto with_type(Element e, F&& f) {
  switch (e) {
    case Element::U8:
      return f(Tag<std::uint8_t>());
    case Element::S8:
      return f(Tag<std::int8_t>());
    case Element::U16:
      return f(Tag<std::uint16_t>());
    case Element::S16:
      return f(Tag<std::int16_t>());
    case Element::U32:
      return f(Tag<std::uint32_t>());
    case Element::S32:
      return f(Tag<std::int32_t>());
    case Element::U64:
      return f(Tag<std::uint64_t>());
    case Element::S64:
      return f(Tag<std::int64_t>());
    case Element::F16:
    case Element::F32:
      return f(Tag<float>());
    case Element::F64:
      break;
  }
  return f(Tag<double>());
}

double as_double(const Number& n) {
  return std::visit([](auto v) { return static_cast<double>(v); }, n);
}

template <class T>
std::string store_integer(Element e, const Number& n, std::byte* to) {
  const auto* i = std::get_if<std::int64_t>(&n);
  if (i == nullptr) return fmt::format("{} is not an integer, but the type is {}", to_text(n), name(e));
  if (!std::in_range<T>(*i))
    return fmt::format("{} is outside {} ({} to {})", *i, name(e), std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max());
  const T value = static_cast<T>(*i);
  std::memcpy(to, &value, sizeof value);
  return {};
}

std::string store_float(Element e, double d, std::byte* to) {
  if (e == Element::F64) {
    std::memcpy(to, &d, sizeof d);
    return {};
  }
  const auto f = static_cast<float>(d);
  const double most = e == Element::F16 ? 65504.0 : static_cast<double>(std::numeric_limits<float>::max());
  if (std::isfinite(d) && std::fabs(d) > most)
    return fmt::format("{} is outside {} (up to {})", d, name(e), most);
  if (e == Element::F16) {
    const auto half = static_cast<std::uint16_t>(exec::alu::f32_to_f16(f));
    std::memcpy(to, &half, sizeof half);
  } else {
    std::memcpy(to, &f, sizeof f);
  }
  return {};
}

// Both in the element's own arithmetic; the seed alone decides the values on every host.
std::string fill_random(Element e, const Fill& how, std::span<std::byte> data) {
  const std::size_t size = size_of(e);
  workload::Random random(how.seed);
  if (is_float(e)) {
    const double lo = as_double(how.lo), hi = as_double(how.hi);
    for (std::size_t at = 0; at < data.size(); at += size) {
      const double u =
          e == Element::F64 ? static_cast<double>(random.next() >> 11) * 0x1p-53 : random.uniform();
      if (std::string why = store_float(e, lo + (hi - lo) * u, data.data() + at); !why.empty()) return why;
    }
    return {};
  }
  const auto lo = std::get<std::int64_t>(how.lo), hi = std::get<std::int64_t>(how.hi);
  const std::uint64_t span = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  for (std::size_t at = 0; at < data.size(); at += size) {
    const std::uint64_t r = random.next();
    // The high half of a product is unbiased enough and, unlike %, uses the good bits.
    const auto offset =
        span == 0 ? r : static_cast<std::uint64_t>((static_cast<unsigned __int128>(r) * span) >> 64);
    const std::uint64_t v = static_cast<std::uint64_t>(lo) + offset;
    std::memcpy(data.data() + at, &v, size);
  }
  return {};
}

std::string fill_by_index(Element e, const Fill& how, std::span<std::byte> data) {
  const std::size_t size = size_of(e);
  const bool whole =
      std::holds_alternative<std::int64_t>(how.start) && std::holds_alternative<std::int64_t>(how.step);
  for (std::size_t i = 0; i * size < data.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    Number n = index;
    if (how.kind == Fill::Kind::Modulo) n = index % how.n;
    if (how.kind == Fill::Kind::Ramp && whole) {
      const __int128 v =
          static_cast<__int128>(std::get<std::int64_t>(how.step)) * index + std::get<std::int64_t>(how.start);
      if (v > INT64_MAX || v < INT64_MIN)
        return fmt::format("element {} of the ramp needs more than 64 bits", i);
      n = static_cast<std::int64_t>(v);
    } else if (how.kind == Fill::Kind::Ramp) {
      n = as_double(how.start) + as_double(how.step) * static_cast<double>(i);
    }
    if (std::string why = store(e, n, data.data() + i * size); !why.empty())
      return fmt::format("element {}: {}", i, why);
  }
  return {};
}

}  // namespace

const std::vector<std::string>& element_names() {
  static const std::vector<std::string> names = {"u8",  "s8",  "u16", "s16", "u32", "s32",
                                                 "u64", "s64", "f16", "f32", "f64"};
  return names;
}

std::string_view name(Element e) {
  return element_names()[static_cast<std::size_t>(e)];
}

std::size_t size_of(Element e) {
  constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  return kSizes[static_cast<std::size_t>(e)];
}

bool is_float(Element e) {
  return e >= Element::F16;
}

std::string to_text(const Number& n) {
  return std::visit([](auto v) { return fmt::format("{}", v); }, n);
}

std::string store(Element e, const Number& n, std::byte* to) {
  if (is_float(e)) return store_float(e, as_double(n), to);
  return with_type(e, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) return store_integer<T>(e, n, to);
    return {};
  });
}

double load(Element e, const std::byte* from) {
  if (e == Element::F16) {
    std::uint16_t half;
    std::memcpy(&half, from, sizeof half);
    return exec::alu::f16_to_f32(half);
  }
  return with_type(e, [&](auto tag) {
    typename decltype(tag)::type v;
    std::memcpy(&v, from, sizeof v);
    return static_cast<double>(v);
  });
}

std::string element_text(Element e, const std::byte* from) {
  if (e == Element::F16) return fmt::format("{}", static_cast<float>(load(e, from)));
  return with_type(e, [&](auto tag) {
    typename decltype(tag)::type v;
    std::memcpy(&v, from, sizeof v);
    if constexpr (sizeof v == 1)
      return fmt::format("{}", static_cast<int>(v));
    else
      return fmt::format("{}", v);
  });
}

std::string fill(Element e, const Fill& how, std::span<std::byte> data) {
  switch (how.kind) {
    case Fill::Kind::Constant: {
      std::byte one[8] = {};
      if (std::string why = store(e, how.constant, one); !why.empty()) return why;
      for (std::size_t at = 0; at < data.size(); at += size_of(e))
        std::memcpy(data.data() + at, one, size_of(e));
      return {};
    }
    case Fill::Kind::Random:
      return fill_random(e, how, data);
    case Fill::Kind::Iota:
    case Fill::Kind::Ramp:
    case Fill::Kind::Modulo:
      return fill_by_index(e, how, data);
    case Fill::Kind::File:
    case Fill::Kind::Values:
      std::copy(how.values.begin(), how.values.end(), data.begin());
      return {};
  }
  return {};
}

workload::Verification compare(Element e, std::span<const std::byte> got, std::span<const std::byte> want,
                               std::optional<double> tolerance, const std::vector<std::uint64_t>& shape) {
  workload::Verification v;
  v.ok = true;
  v.tolerance = tolerance ? fmt::format("relative {}", *tolerance) : "exact";
  const std::size_t size = size_of(e);
  std::uint64_t wrong = 0, first = 0;
  for (std::size_t at = 0; at < got.size(); at += size, ++v.compared) {
    if (std::memcmp(got.data() + at, want.data() + at, size) == 0) continue;
    const double g = load(e, got.data() + at), w = load(e, want.data() + at);
    if (tolerance && ((std::isnan(g) && std::isnan(w)) || g == w)) continue;
    double error = std::fabs(g - w) / std::max(std::fabs(w), 1.0);
    if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
    v.max_error = std::max(v.max_error, error);
    if (tolerance && error <= *tolerance) continue;
    if (wrong++ == 0) first = v.compared;
  }
  if (wrong == 0) return v;
  v.ok = false;
  v.detail = fmt::format("{} of {} differ; the first at {}: got {}, expected {}", wrong, v.compared,
                         index_text(first, shape), element_text(e, got.data() + first * size),
                         element_text(e, want.data() + first * size));
  return v;
}

std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
  std::vector<std::string> parts;
  for (std::size_t d = shape.size(); d-- > 0; index /= shape[d])
    parts.insert(parts.begin(), fmt::format("{}", d == 0 ? index : index % shape[d]));
  return "[" + join(parts, ", ") + "]";
}

std::string csv(Element e, std::span<const std::byte> data, const std::vector<std::uint64_t>& shape) {
  // A list without further dimensions is one value per line, so that it opens as a column.
  const std::uint64_t row = shape.size() > 1 ? shape.back() : 1;
  std::string out;
  const std::size_t count = data.size() / size_of(e);
  for (std::size_t i = 0; i < count; ++i) {
    out += element_text(e, data.data() + i * size_of(e));
    out += (i + 1) % row == 0 || i + 1 == count ? '\n' : ',';
  }
  return out;
}

std::string preview(Element e, std::span<const std::byte> data, std::size_t first) {
  const std::size_t count = data.size() / size_of(e);
  std::string out;
  for (std::size_t i = 0; i < std::min(count, first); ++i)
    out += (i == 0 ? "" : " ") + element_text(e, data.data() + i * size_of(e));
  if (count > first) out += fmt::format(" ... ({} more)", count - first);
  return out;
}

}  // namespace heddle::launch
