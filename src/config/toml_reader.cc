// A tree of TOML into a Config, and `--set path=value`.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/config.h"
#include "config/toml_tree.h"

namespace heddle::config {
namespace {

constexpr TomlLimits kLimits{.what = "configuration",
                             .bytes = Config::kLargestFile,
                             .nesting = Config::kDeepest,
                             .key_parts = Config::kDeepest};

bool is_plain_key(std::string_view key) {
  if (key.empty() || key.size() > Config::kLongestKey) return false;
  for (const char c : key) {
    const bool ok =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!ok) return false;
  }
  return true;
}

}  // namespace

class TomlReader {
 public:
  TomlReader(Config& config, std::shared_ptr<const SourceText> source, Origin::Kind kind)
      : config_(config), source_(std::move(source)), kind_(kind) {}

  void read() {
    const TomlNode root = parse_toml(TomlSource(source_), kLimits);
    table(*root.table(), "");
  }

 private:
  void table(const TomlNode::Table& t, const std::string& prefix) {
    for (const TomlMember& m : t) {
      const Origin origin = origin_of(m);
      if (!is_plain_key(m.key))
        throw Error(origin.key_place(),
                    fmt::format("the key '{}' is not of 1 to {} letters, digits, '_' and '-'",
                                printable(m.key), Config::kLongestKey));
      const std::string path = prefix + m.key;
      if (const TomlNode::Table* sub = m.node.table())
        table(*sub, path + ".");
      else if (const TomlNode::List* list = m.node.list(); list != nullptr && holds_tables(*list))
        tables(*list, path);
      else
        config_.insert(path, value(m.node), origin);
    }
  }

  static bool holds_tables(const TomlNode::List& list) {
    return std::any_of(list.begin(), list.end(), [](const TomlNode& n) { return n.table() != nullptr; });
  }

  void tables(const TomlNode::List& list, const std::string& path) {
    std::size_t index = 0;
    for (const TomlNode& n : list) {
      const TomlNode::Table* t = n.table();
      if (t == nullptr) throw Error(place(n), fmt::format("'{}' mixes tables with other values", path));
      // Values are kept by path, so an element without any could not be told from one that is not there.
      if (!has_values(*t)) throw Error(place(n), fmt::format("element {} of '{}' is empty", index, path));
      table(*t, fmt::format("{}[{}].", path, index++));
    }
  }

  static bool has_values(const TomlNode::Table& t) {
    return std::any_of(t.begin(), t.end(), [](const TomlMember& m) {
      return m.node.table() == nullptr || has_values(*m.node.table());
    });
  }

  Value value(const TomlNode& node) const {
    if (const auto* b = std::get_if<bool>(&node.data)) return {*b};
    if (const auto* i = std::get_if<std::int64_t>(&node.data)) return {*i};
    if (const auto* d = std::get_if<double>(&node.data)) return {*d};
    if (const std::string* s = node.text()) return {*s};
    if (node.table() != nullptr) throw Error(place(node), "a list inside a list cannot hold tables");
    Value::List list;
    for (const TomlNode& n : *node.list()) list.push_back(value(n));
    return {std::move(list)};
  }

  Origin origin_of(const TomlMember& m) const {
    const bool same_line = m.line == m.node.line;
    return {kind_, source_, m.node.line, same_line ? m.column : m.node.column, m.node.column};
  }

  SourcePlace place(const TomlNode& n) const {
    return Origin{kind_, source_, n.line, n.column, n.column}.place();
  }

  Config& config_;
  std::shared_ptr<const SourceText> source_;
  Origin::Kind kind_;
};

void Config::read_toml(std::shared_ptr<const SourceText> source) {
  TomlReader(*this, std::move(source), Origin::Kind::File).read();
}

void Config::set(std::string_view assignment) {
  auto shown = std::make_shared<SourceText>(SourceText{"--set", std::string(assignment)});
  const auto fail = [&](std::size_t column, std::string message, std::string advice) {
    const auto at = static_cast<std::uint32_t>(column);
    throw Error(Origin{Origin::Kind::Set, shown, 1, at, at}.place(), std::move(message), std::move(advice));
  };
  if (!is_utf8(assignment) || assignment.size() > kLargestFile)
    throw Error(SourcePlace{"--set", 0, 0, {}}, "expected short, valid UTF-8 text");
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) fail(0, "expected path=value", "for example --set l1.size=64KiB");
  const std::string path(trim(assignment.substr(0, equals)));
  const std::vector<std::string_view> parts = split(path, '.');
  if (parts.size() > kDeepest) fail(1, fmt::format("a path may have at most {} parts", kDeepest), "");
  for (const std::string_view part : parts)
    if (!is_plain_key(part)) fail(1, fmt::format("'{}' is not a path such as l1.size", printable(path)), "");

  std::string_view text = trim(assignment.substr(equals + 1));
  if (text.empty()) fail(equals + 2, "the value is missing", "write \"\" for an empty text");
  Origin origin{Origin::Kind::Set, shown, 1, 1, static_cast<std::uint32_t>(equals + 2)};

  // Read "x = <text>" as TOML. What is none (48KiB, gto) is plain text; an opening quote or bracket is meant
  // as TOML, so its error counts.
  const std::string line = "x = " + std::string(text);
  Config one;
  try {
    TomlReader(one, std::make_shared<SourceText>(SourceText{"--set", line}), Origin::Kind::Set).read();
  } catch (const Error& e) {
    if (text.front() == '"' || text.front() == '\'' || text.front() == '[' || text.front() == '{')
      fail(equals + 2, e.message(), e.advice());
    one = Config();
  }
  const Entry* entry = one.find("x");
  const bool single = entry != nullptr && one.entries_.size() == 1;
  insert(path, single ? entry->value : Value{std::string(text)}, origin);
}

}  // namespace heddle::config
