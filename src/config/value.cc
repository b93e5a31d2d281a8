#include "config/value.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace heddle::config {
namespace {

// Longer lines are not shown in errors.
constexpr std::size_t kLongestLine = 400;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string real(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  std::string out = fmt::format("{}", d);  // the shortest text that reads back as the same number
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string list(const Value::List& values) {
  std::string out = "[";
  for (const Value& v : values) {
    if (out.size() > 1) out += ", ";
    out += v.toml();
  }
  return out + "]";
}

SourcePlace place_at(const Origin& origin, std::uint32_t column) {
  if (origin.source == nullptr) return {};
  SourcePlace p{origin.source->file, origin.line, column, {}};
  const std::string_view line = line_of(origin.source->text, origin.line);
  if (line.size() <= kLongestLine && is_utf8(line)) p.text = line;
  return p;
}

}  // namespace

std::string Value::toml() const {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double d) const { return real(d); }
    std::string operator()(const std::string& s) const { return in_quotes(s); }
    std::string operator()(const List& l) const { return list(l); }
  };
  return std::visit(Writer{}, data);
}

std::string_view Value::kind() const {
  constexpr std::string_view kNames[] = {"true or false", "an integer", "a number", "a string", "a list"};
  return kNames[data.index()];
}

SourcePlace Origin::place() const {
  return place_at(*this, column);
}

SourcePlace Origin::key_place() const {
  return place_at(*this, key_column);
}

std::string Origin::brief() const {
  switch (kind) {
    case Kind::Default:
      return "default";
    case Kind::Set:
      return "--set";
    case Kind::File:
      break;
  }
  return fmt::format("{}:{}", printable(source->file), line);
}

std::string Origin::remark() const {
  if (kind != Kind::File) return {};
  std::string_view rest = source->text;
  for (std::uint32_t n = 1; n < line; ++n) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  char quote = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '#')
      return printable(trim(rest.substr(i + 1)));
  }
  return {};
}

}  // namespace heddle::config
