#include "apps/cli/launch_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

// The library asserts where some bad input should be an error ("x = [ }"); here that becomes one. With
// exceptions its parser lies in another namespace than config's, so the two definitions of the macro cannot
// meet.
namespace heddle::cli {
struct TomlAssertion {};
constexpr void toml_assert(bool holds) {
  if (!holds) throw TomlAssertion{};
}
}  // namespace heddle::cli
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(expr) heddle::cli::toml_assert(static_cast<bool>(expr))
#include <toml++/toml.h>

#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kLargestFile = 16u << 20;  // `values` may be long
constexpr std::size_t kMostDots = 16;
constexpr std::size_t kDeepest = 16;

// The library builds tables for dotted keys without a limit and frees them by recursion, so a key of 100,000
// dots would overflow the stack. Dots in strings count as well: nobody writes that many there either. A line
// that starts with '#' is a comment or part of a string, never a key.
void check_dots(const TomlSource& source, std::string_view text) {
  std::uint32_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).starts_with('#')) continue;
    std::size_t dots = 0;
    for (const char c : line) {
      if (std::string_view(",=[]{}").find(c) != std::string_view::npos) dots = 0;
      if (c == '.' && ++dots > kMostDots)
        throw Error(source.place(number, 0), fmt::format("more than {} dots in one key or value", kMostDots));
    }
  }
}

class Converter {
 public:
  explicit Converter(const TomlSource& source) : source_(source) {}

  TomlNode node(const toml::node& n, std::size_t depth) const {
    TomlNode out;
    out.line = n.source().begin.line;
    out.column = n.source().begin.column;
    if (depth > kDeepest)
      throw Error(source_.place(out), fmt::format("values may be nested at most {} deep", kDeepest));
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
      for (const toml::node& element : *a) list.push_back(node(element, depth + 1));
      out.data = std::move(list);
    } else if (const auto* t = n.as_table()) {
      out.data = table(*t, depth);
    } else {
      throw Error(source_.place(out), "dates and times are not used in a launch file");
    }
    return out;
  }

 private:
  TomlNode::Table table(const toml::table& t, std::size_t depth) const {
    TomlNode::Table members;
    for (const auto& [key, value] : t) {
      TomlMember m{std::string(key.str()), key.source().begin.line, key.source().begin.column,
                   node(value, depth + 1)};
      // A table that only a longer header made has no place of its own; its key has.
      if (m.node.line == 0) std::tie(m.node.line, m.node.column) = std::tie(m.line, m.column);
      members.push_back(std::move(m));
    }
    // The library sorts by name; buffers are allocated in the order in which they are written.
    std::stable_sort(members.begin(), members.end(), [](const TomlMember& a, const TomlMember& b) {
      return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    return members;
  }

  const TomlSource& source_;
};

}  // namespace

std::string_view TomlNode::kind() const {
  constexpr std::string_view kNames[] = {"true or false", "an integer", "a number",
                                         "a string",      "a list",     "a table"};
  return kNames[data.index()];
}

TomlSource::TomlSource(std::string file, std::string text)
    : source_(std::make_shared<config::SourceText>(config::SourceText{std::move(file), std::move(text)})) {}

SourcePlace TomlSource::place(std::uint32_t line, std::uint32_t column) const {
  return config::Origin{config::Origin::Kind::File, source_, line, column, column}.place();
}

TomlNode parse_toml(const TomlSource& source) {
  const std::string& text = source.source_->text;
  if (text.size() > kLargestFile)
    throw Error(SourcePlace{source.file(), 0, 0, {}},
                fmt::format("the launch file is larger than {}", to_string(Bytes{kLargestFile})),
                "keep large inputs in files of their own: file = \"a.bin\"");
  check_dots(source, text);
  try {
    return Converter(source).node(toml::parse(text), 0);
  } catch (const toml::parse_error& e) {
    const toml::source_position at = e.source().begin;
    throw Error(source.place(at.line, at.column),
                fmt::format("not valid TOML: {}", printable(e.description(), 300)));
  } catch (const TomlAssertion&) {
    throw Error(SourcePlace{source.file(), 0, 0, {}}, "not valid TOML: a bracket or a value is out of place",
                "look for '[' that '}' closes, and for values that are missing after '=' or ','");
  }
}

TableReader::TableReader(const TomlSource& source, const TomlNode& table, std::string name)
    : source_(source), table_(table), name_(std::move(name)) {
  if (table.table() == nullptr) fail(table, fmt::format("expected a table {}, got {}", name_, table.kind()));
}

const TomlNode* TableReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  for (const TomlMember& m : *table_.table())
    if (m.key == key) return &m.node;
  return nullptr;
}

const TomlNode& TableReader::require(std::string_view key, std::string_view what) {
  const TomlNode* n = find(key);
  if (n == nullptr) fail(fmt::format("{} needs '{}': {}", name_, key, what));
  return *n;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const TomlNode* n = find(key);
  if (n == nullptr) return std::nullopt;
  if (n->text() == nullptr) fail(*n, fmt::format("'{}': expected a string, got {}", key, n->kind()));
  return *n->text();
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t least,
                                                 std::int64_t most) {
  const TomlNode* n = find(key);
  if (n == nullptr) return std::nullopt;
  const auto* i = std::get_if<std::int64_t>(&n->data);
  if (i == nullptr || *i < least || *i > most)
    fail(*n, fmt::format("'{}': expected an integer from {} to {}", key, least, most));
  return *i;
}

std::optional<double> TableReader::number(std::string_view key) {
  const TomlNode* n = find(key);
  if (n == nullptr) return std::nullopt;
  if (const auto* d = std::get_if<double>(&n->data)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&n->data)) return static_cast<double>(*i);
  fail(*n, fmt::format("'{}': expected a number, got {}", key, n->kind()));
}

std::optional<std::size_t> TableReader::choice(std::string_view key, const std::vector<std::string>& names) {
  const TomlNode* n = find(key);
  if (n == nullptr) return std::nullopt;
  const std::string* given = n->text();
  const auto at = given == nullptr ? names.end() : std::find(names.begin(), names.end(), *given);
  if (at == names.end())
    fail(*n, fmt::format("'{}': expected one of {}", key, join(names, ", ")),
         given == nullptr ? "" : did_you_mean(*given, names));
  return static_cast<std::size_t>(at - names.begin());
}

void TableReader::finish() const {
  for (const TomlMember& m : *table_.table())
    if (std::find(known_.begin(), known_.end(), m.key) == known_.end()) {
      std::string advice = did_you_mean(m.key, known_);
      if (advice.empty()) advice = "known here: " + join(known_, ", ");
      throw Error(source_.place(m.line, m.column),
                  fmt::format("unknown key '{}' in {}", printable(m.key), name_), advice);
    }
}

void TableReader::fail(const TomlNode& at, const std::string& message, const std::string& advice) const {
  throw Error(source_.place(at), message, advice);
}

void TableReader::fail(const std::string& message, const std::string& advice) const {
  throw Error(source_.place(table_), message, advice);
}

}  // namespace heddle::cli
