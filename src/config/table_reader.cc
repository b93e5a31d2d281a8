#include "config/table_reader.h"

#include <algorithm>

#include "base/suggest.h"

namespace heddle::config {

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

std::optional<bool> TableReader::flag(std::string_view key) {
  const TomlNode* n = find(key);
  if (n == nullptr) return std::nullopt;
  const auto* b = std::get_if<bool>(&n->data);
  if (b == nullptr) fail(*n, fmt::format("'{}': expected true or false, got {}", key, n->kind()));
  return *b;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  std::vector<std::string> all;
  const TomlNode* n = find(key);
  if (n == nullptr) return all;
  if (n->list() == nullptr) fail(*n, fmt::format("'{}': expected a list of strings, got {}", key, n->kind()));
  for (const TomlNode& element : *n->list()) {
    if (element.text() == nullptr)
      fail(element, fmt::format("'{}': expected a string, got {}", key, element.kind()));
    all.push_back(*element.text());
  }
  return all;
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

void TableReader::expected_tables(const TomlNode& at, const std::string& form) const {
  fail(at, fmt::format("expected tables, {}, got {}", form, at.kind()));
}

void TableReader::no_table(const TomlMember& m, const std::string& kind) const {
  throw Error(source_.place(m.line, m.column), fmt::format("'{}' is no name of a {}", printable(m.key), kind),
              fmt::format("a {} has a table with its name: [{}.a]", kind, kind));
}

}  // namespace heddle::config
