// A launch file's TOML as a tree in which every value knows its line and column.
//
// config::Config keeps values by path and one place per key; a launch file mixes values of several kinds in
// one list (args = ["a", 1024, { f32 = 0.5 }]) and an error must point at the element, so it has its own
// tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "config/value.h"

namespace heddle::cli {

struct TomlMember;

struct TomlNode {
  using List = std::vector<TomlNode>;
  using Table = std::vector<TomlMember>;  // in the order of the file
  std::variant<bool, std::int64_t, double, std::string, List, Table> data;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  const std::string* text() const { return std::get_if<std::string>(&data); }
  const List* list() const { return std::get_if<List>(&data); }
  const Table* table() const { return std::get_if<Table>(&data); }
  std::string_view kind() const;  // "an integer", "a table", ...
};

struct TomlMember {
  std::string key;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  TomlNode node;
};

// The text with its name; makes the places of errors.
class TomlSource {
 public:
  TomlSource(std::string file, std::string text);
  const std::string& file() const { return source_->file; }
  SourcePlace place(std::uint32_t line, std::uint32_t column) const;
  SourcePlace place(const TomlNode& n) const { return place(n.line, n.column); }

 private:
  friend TomlNode parse_toml(const TomlSource& source);
  std::shared_ptr<const config::SourceText> source_;
};

// Throws Error with place when the text is no TOML, too large or too deeply nested.
TomlNode parse_toml(const TomlSource& source);

// Reads one table key by key. What was never asked for is an error: a misspelt key must not do nothing.
class TableReader {
 public:
  // `name` as people write it: "[buffer.a]"; `at` is where the table starts.
  TableReader(const TomlSource& source, const TomlNode& table, std::string name);

  const TomlNode* find(std::string_view key);  // nullptr: not given
  const TomlNode& require(std::string_view key, std::string_view what);
  std::optional<std::string> text(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view key);
  // One of `names`; its index.
  std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string>& names);

  // Throws for every key that nobody asked for.
  void finish() const;

  [[noreturn]] void fail(const TomlNode& at, const std::string& message,
                         const std::string& advice = {}) const;
  [[noreturn]] void fail(const std::string& message, const std::string& advice = {}) const;  // at the table
  const TomlSource& source() const { return source_; }
  const TomlNode& node() const { return table_; }
  const std::string& name() const { return name_; }

 private:
  const TomlSource& source_;
  const TomlNode& table_;
  std::string name_;
  std::vector<std::string> known_;
};

}  // namespace heddle::cli
