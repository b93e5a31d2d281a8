// Buffers and textures of a launch file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "launch/launch_parser.h"

namespace heddle::launch {
namespace {

// The device has 64GiB of address space; a mistyped count should say so at its line, not swap the host to
// death.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;
constexpr std::int64_t kMaxInt = INT64_MAX;

}  // namespace

std::optional<Number> as_number(const TomlNode& n) {
  if (const auto* i = std::get_if<std::int64_t>(&n.data)) return Number(*i);
  if (const auto* d = std::get_if<double>(&n.data)) return Number(*d);
  if (const auto* b = std::get_if<bool>(&n.data)) return Number(std::int64_t{*b});
  return std::nullopt;
}

Number number_of(const TableReader& t, const TomlNode& n, std::string_view key) {
  const auto v = as_number(n);
  if (!v) t.fail(n, fmt::format("'{}': expected a number, got {}", key, n.kind()));
  return *v;
}

void LaunchParser::buffer(TableReader& t, const std::string& name) {
  BufferSpec b;
  b.name = name;
  b.place = b.fill_place = source_.place(t.node());
  t.require("type", "the type of its elements, for example \"f32\"");
  b.type = static_cast<Element>(*t.choice("type", element_names()));
  const TomlNode* listed = t.find("values");
  const auto* list = listed == nullptr ? nullptr : listed->list();
  if (listed != nullptr && list == nullptr)
    t.fail(*listed, fmt::format("'values': expected a list, got {}", listed->kind()));
  shape(t, b, list == nullptr ? std::nullopt : std::optional<std::uint64_t>(list->size()));
  contents(t, b);
  b.symbol = t.text("symbol").value_or("");
  out_.buffers.push_back(std::move(b));
}

void LaunchParser::shape(TableReader& t, BufferSpec& b, std::optional<std::uint64_t> from_values) {
  const TomlNode* count = t.find("count");
  const TomlNode* shape = t.find("shape");
  if (count != nullptr && shape != nullptr) t.fail(*shape, "give either 'count' or 'shape', not both");
  if (count != nullptr) b.shape = {static_cast<std::uint64_t>(*t.integer("count", 1, kMaxInt))};
  if (shape != nullptr) {
    if (shape->list() == nullptr || shape->list()->empty())
      t.fail(*shape,
             fmt::format("'shape': expected a list of sizes, [rows, columns], got {}", shape->kind()));
    for (const TomlNode& n : *shape->list()) {
      const auto* i = std::get_if<std::int64_t>(&n.data);
      if (i == nullptr || *i < 1) t.fail(n, "'shape': expected integers of at least 1");
      b.shape.push_back(static_cast<std::uint64_t>(*i));
    }
  }
  const TomlNode* where = count != nullptr ? count : shape;
  if (where == nullptr) {
    if (!from_values) t.fail(fmt::format("{} needs 'count' or 'shape': how many elements it has", t.name()));
    if (*from_values == 0) t.fail(*t.find("values"), "'values' is empty");
    b.shape = {*from_values};
  }
  b.count = 1;
  std::uint64_t left = kMostBytes;
  for (const BufferSpec& other : out_.buffers) left -= std::min(left, other.bytes());
  for (const std::uint64_t n : b.shape) {
    if (n > left / size_of(b.type) / b.count)
      t.fail(where != nullptr ? *where : t.node(),
             fmt::format("the buffers would be larger than {} together", to_string(Bytes{kMostBytes})));
    b.count *= n;
  }
}

// At most one of constant, pattern, file and values; zeros without any.
void LaunchParser::contents(TableReader& t, BufferSpec& b) {
  const TomlNode* given = nullptr;
  std::string_view kind;
  for (const std::string_view key : {"constant", "pattern", "file", "values"}) {
    const TomlNode* n = t.find(key);
    if (n == nullptr) continue;
    if (given != nullptr) t.fail(*n, fmt::format("give either '{}' or '{}', not both", kind, key));
    given = n;
    kind = key;
  }
  if (given == nullptr) return;
  b.fill_place = source_.place(*given);
  if (kind == "constant") {
    b.fill.constant = number_of(t, *given, "constant");
    std::byte one[8];
    if (const std::string why = store(b.type, b.fill.constant, one); !why.empty()) t.fail(*given, why);
  } else if (kind == "file") {
    b.fill.kind = Fill::Kind::File;
    b.fill.path = *t.text("file");
    if (b.fill.path.empty()) t.fail(*given, "'file' is empty");
  } else if (kind == "values") {
    values(t, b, *given);
  } else {
    static const std::vector<std::string> kPatterns = {"iota", "random", "ramp", "modulo"};
    pattern(t, b, kPatterns[*t.choice("pattern", kPatterns)]);
  }
}

void LaunchParser::pattern(TableReader& t, BufferSpec& b, const std::string& name) {
  // Takes a number for this pattern and checks that the type can hold it.
  const auto take = [&](const char* key, Number& to, bool must) {
    const TomlNode* n = must ? &t.require(key, "a number for this pattern") : t.find(key);
    if (n == nullptr) return;
    to = number_of(t, *n, key);
    std::byte one[8];
    if (const std::string why = store(b.type, to, one); !why.empty())
      t.fail(*n, fmt::format("'{}': {}", key, why));
  };
  Fill& f = b.fill;
  if (name == "iota") {
    f.kind = Fill::Kind::Iota;
  } else if (name == "random") {
    f.kind = Fill::Kind::Random;
    take("lo", f.lo, !is_float(b.type));
    take("hi", f.hi, !is_float(b.type));
    const double lo = std::visit([](auto v) { return static_cast<double>(v); }, f.lo);
    const double hi = std::visit([](auto v) { return static_cast<double>(v); }, f.hi);
    if (!(lo <= hi) || !std::isfinite(lo) || !std::isfinite(hi)) {
      const TomlNode* at = t.find("hi") != nullptr ? t.find("hi") : t.find("lo");
      t.fail(*at, fmt::format("'hi' ({}) must be at least 'lo' ({})", to_text(f.hi), to_text(f.lo)));
    }
    f.seed = static_cast<std::uint64_t>(t.integer("seed", 0, kMaxInt).value_or(1));
  } else if (name == "ramp") {
    f.kind = Fill::Kind::Ramp;
    take("start", f.start, false);
    // The step itself need not fit: u8 counts down from 255 with -1. Only its kind matters here.
    if (const TomlNode* n = t.find("step")) {
      f.step = number_of(t, *n, "step");
      if (!is_float(b.type) && std::holds_alternative<double>(f.step))
        t.fail(*n, fmt::format("'step': {} is not an integer, but the type is {}", to_text(f.step),
                               launch::name(b.type)));
    }
  } else {
    f.kind = Fill::Kind::Modulo;
    t.require("n", "values count 0 to n-1 and start again");
    f.n = *t.integer("n", 1, kMaxInt);
  }
}

void LaunchParser::values(TableReader& t, BufferSpec& b, const TomlNode& list) {
  b.fill.kind = Fill::Kind::Values;
  if (list.list()->size() != b.count)
    t.fail(list, fmt::format("{} given for {}", counted(list.list()->size(), "value"),
                             counted(b.count, "element")));
  b.fill.values.resize(b.bytes());
  std::size_t i = 0;
  for (const TomlNode& n : *list.list()) {
    const Number v = number_of(t, n, "values");
    if (const std::string why = store(b.type, v, b.fill.values.data() + size_of(b.type) * i++); !why.empty())
      t.fail(n, why);
  }
}

void LaunchParser::texture(TableReader& t, const std::string& name) {
  TextureSpec x;
  x.name = name;
  x.place = source_.place(t.node());
  if (out_.find_buffer(name) != nullptr) t.fail(fmt::format("'{}' already names a buffer", name));
  const TomlNode& source = t.require("buffer", "the buffer that holds its texels");
  x.buffer = *t.text("buffer");
  check_name(t, source, x.buffer, false);
  const BufferSpec& b = *out_.find_buffer(x.buffer);
  x.channels = static_cast<std::uint32_t>(t.integer("channels", 1, 4).value_or(1));
  if (x.channels == 3) t.fail(*t.find("channels"), "'channels': expected 1, 2 or 4");
  // By default the buffer's last two dimensions, where the last one counts the channels too.
  const std::uint64_t width = b.shape.back() / x.channels;
  x.width =
      static_cast<std::uint32_t>(t.integer("width", 1, 1 << 27).value_or(static_cast<std::int64_t>(width)));
  x.height = static_cast<std::uint32_t>(
      t.integer("height", 1, 1 << 20)
          .value_or(b.shape.size() > 1 ? static_cast<std::int64_t>(b.count / b.shape.back()) : 1));
  if (x.width == 0 || std::uint64_t{x.width} * x.height * x.channels > b.count)
    t.fail(fmt::format("the texture has {} x {} texels of {}, but buffer '{}' only {}", x.width, x.height,
                       counted(x.channels, "channel"), x.buffer, counted(b.count, "element")));
  x.linear = t.choice("filter", {"point", "linear"}).value_or(0) == 1;
  static const std::vector<std::string> kAddress = {"wrap", "clamp", "mirror", "border"};
  const std::size_t both = t.choice("address", kAddress).value_or(1);
  x.address_u = kAddress[t.choice("address_u", kAddress).value_or(both)];
  x.address_v = kAddress[t.choice("address_v", kAddress).value_or(both)];
  x.normalized_coordinates = t.choice("coordinates", {"texels", "normalized"}).value_or(0) == 1;
  x.normalized_values = t.choice("read", {"element", "normalized"}).value_or(0) == 1;
  out_.textures.push_back(std::move(x));
}

}  // namespace heddle::launch
