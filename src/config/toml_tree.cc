#include "config/toml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "base/text.h"
#include "base/units.h"

// The library asserts on some inputs instead of reporting them; input must not be able to end the program.
// With NDEBUG it would drop the assertions and go on into undefined behaviour.
namespace heddle::config {
namespace {
struct TomlAssertion {};
constexpr void toml_assert(bool holds) {
  if (!holds) throw TomlAssertion{};
}
}  // namespace
}  // namespace heddle::config
#undef NDEBUG
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(expr) ::heddle::config::toml_assert(static_cast<bool>(expr))
#include <toml++/toml.h>

namespace heddle::config {
namespace {

bool asserts(std::istream& text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
    return false;
  } catch (const TomlAssertion&) {
    return true;
  }
  return false;
}

// The line on which the library asserts: the last of the shortest run of lines, from the first, that makes
// it do so. It takes a stream in blocks of 32 bytes, so how far it read leaves few lines to try.
std::uint32_t line_of_assertion(const std::string& text) {
  constexpr std::size_t kWindow = 256;
  std::istringstream whole(text);
  if (!asserts(whole)) return 0;
  const auto read = static_cast<std::size_t>(whole.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in));
  const std::size_t from = read - std::min(read, kWindow);
  std::vector<std::size_t> ends;
  for (std::size_t i = from; i < read; ++i)
    if (text[i] == '\n') ends.push_back(i + 1);
  const auto last = std::partition_point(ends.begin(), ends.end(), [&](std::size_t end) {
    std::istringstream part(text.substr(0, end));
    return !asserts(part);
  });
  const std::size_t end = last == ends.end() ? read : *last - 1;
  const auto before = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  return static_cast<std::uint32_t>(before + 1);
}

class Converter {
 public:
  Converter(const TomlSource& source, const TomlLimits& limits) : source_(source), limits_(limits) {}

  TomlNode node(const toml::node& n, std::size_t tables) const {
    TomlNode out;
    out.line = n.source().begin.line;
    out.column = n.source().begin.column;
    if (const auto* b = n.as_boolean()) {
      out.data = b->get();
    } else if (const auto* i = n.as_integer()) {
      out.data = i->get();
    } else if (const auto* d = n.as_floating_point()) {
      out.data = d->get();
    } else if (const auto* s = n.as_string()) {
      out.data = s->get();
    } else if (const auto* a = n.as_array()) {
      TomlNode::List list;
      list.reserve(a->size());
      for (const toml::node& element : *a) list.push_back(node(element, tables));
      out.data = std::move(list);
    } else if (const auto* t = n.as_table()) {
      out.data = table(*t, tables);
    } else {
      throw Error(source_.place(out),
                  fmt::format("dates and times are not used in a {}; write a string", limits_.what));
    }
    return out;
  }

 private:
  TomlNode::Table table(const toml::table& t, std::size_t tables) const {
    TomlNode::Table members;
    members.reserve(t.size());
    for (const auto& [key, value] : t) {
      const toml::source_position at = key.source().begin;
      if (tables >= limits_.nesting)
        throw Error(source_.place(at.line, at.column),
                    fmt::format("tables may be nested at most {} deep", limits_.nesting));
      TomlMember m{std::string(key.str()), at.line, at.column, node(value, tables + 1)};
      // A table that only a longer key or header made has no place of its own; its key has.
      if (m.node.line == 0) std::tie(m.node.line, m.node.column) = std::tie(m.line, m.column);
      members.push_back(std::move(m));
    }
    // The library sorts by name. No two keys share a place.
    std::sort(members.begin(), members.end(), [](const TomlMember& a, const TomlMember& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    return members;
  }

  const TomlSource& source_;
  const TomlLimits& limits_;
};

}  // namespace

std::string_view TomlNode::kind() const {
  constexpr std::string_view kNames[] = {"true or false", "an integer", "a number",
                                         "a string",      "a list",     "a table"};
  return kNames[data.index()];
}

TomlSource::TomlSource(std::string file, std::string text)
    : source_(std::make_shared<SourceText>(SourceText{std::move(file), std::move(text)})) {}

SourcePlace TomlSource::place(std::uint32_t line, std::uint32_t column) const {
  return Origin{Origin::Kind::File, source_, line, column, column}.place();
}

TomlNode detail::parse_unchecked(const TomlSource& source, const TomlLimits& limits) {
  try {
    return Converter(source, limits).node(toml::parse(source.text()), 0);
  } catch (const toml::parse_error& e) {
    const toml::source_position at = e.source().begin;
    throw Error(source.place(at.line, at.column),
                fmt::format("not valid TOML: {}", printable(e.description(), 300)));
  } catch (const TomlAssertion&) {
    throw Error(source.place(line_of_assertion(source.text()), 0),
                "not valid TOML: a bracket or a value is out of place",
                "look for '[' that '}' closes, and for values that are missing after '=' or ','");
  }
}

TomlNode parse_toml(const TomlSource& source, const TomlLimits& limits) {
  if (source.text().size() > limits.bytes)
    throw Error(SourcePlace{source.file(), 0, 0, {}},
                fmt::format("the {} is larger than {}", limits.what, to_string(Bytes{limits.bytes})),
                std::string(limits.if_larger));
  detail::check_toml(source, limits);
  return detail::parse_unchecked(source, limits);
}

}  // namespace heddle::config
