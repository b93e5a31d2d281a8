// The values of a launch file's buffers: types, patterns, comparison, text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/workload.h"

namespace heddle::launch {

enum class Element : std::uint8_t { U8, S8, U16, S16, U32, S32, U64, S64, F16, F32, F64 };
std::string_view name(Element e);                 // "f32"
const std::vector<std::string>& element_names();  // by enumerator
std::size_t size_of(Element e);
bool is_float(Element e);

using Number = std::variant<std::int64_t, double>;  // as TOML wrote it
std::string to_text(const Number& n);

// Writes the number as one element. Returns why not when it does not fit (empty: written). Integers may be
// given for floating-point elements, but not the other way round: 0.5 must not become 0 silently.
std::string store(Element e, const Number& n, std::byte* to);
double load(Element e, const std::byte* from);
// Integers as they are; floating point so that reading it again gives the same value.
std::string element_text(Element e, const std::byte* from);

// How a buffer gets its first contents.
struct Fill {
  enum class Kind : std::uint8_t { Constant, Iota, Random, Ramp, Modulo, File, Values };
  Kind kind = Kind::Constant;
  Number constant = std::int64_t{0};
  Number lo = std::int64_t{0}, hi = std::int64_t{1};  // Random: [lo, hi), for integers lo to hi
  std::uint64_t seed = 1;
  Number start = std::int64_t{0}, step = std::int64_t{1};  // Ramp
  std::int64_t n = 1;                                      // Modulo: i mod n
  std::string path;                                        // File
  std::vector<std::byte> values;                           // Values, already stored
};

// Returns why not when a value of the pattern does not fit the type (empty: filled).
std::string fill(Element e, const Fill& how, std::span<std::byte> data);

// |got - want| <= tolerance * max(|want|, 1); no tolerance: the same bits. NaN equals NaN then, too.
workload::Verification compare(Element e, std::span<const std::byte> got, std::span<const std::byte> want,
                               std::optional<double> tolerance, const std::vector<std::uint64_t>& shape);

// "[3]", "[2, 1]": where element `index` of this shape lies.
std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape);
// One row of the last dimension per line.
std::string csv(Element e, std::span<const std::byte> data, const std::vector<std::uint64_t>& shape);
// "1 2 3 ... (1021 more)"
std::string preview(Element e, std::span<const std::byte> data, std::size_t first);

}  // namespace heddle::launch
