// TOML as a tree in which every value knows its line and column. config::Config and the launch files of the
// command line are both read from it; only toml_tree.cc sees the TOML library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "config/value.h"

namespace heddle::config {

struct TomlMember;

struct TomlNode {
  using List = std::vector<TomlNode>;
  using Table = std::vector<TomlMember>;  // in the order of the text
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
  std::uint32_t line = 0;  // of the key
  std::uint32_t column = 0;
  TomlNode node;
};

// The text with its name; makes the places of errors.
class TomlSource {
 public:
  TomlSource(std::string file, std::string text);
  explicit TomlSource(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}
  const std::string& file() const { return source_->file; }
  const std::string& text() const { return source_->text; }
  SourcePlace place(std::uint32_t line, std::uint32_t column) const;
  SourcePlace place(const TomlNode& n) const { return place(n.line, n.column); }

 private:
  std::shared_ptr<const SourceText> source_;
};

// Input is untrusted; every kind of file says how much it may ask for.
struct TomlLimits {
  std::string_view what;            // "configuration", for messages
  std::size_t bytes = 1u << 20;     // of the text
  std::size_t nesting = 16;         // of brackets, and of tables
  std::size_t key_parts = 16;       // a.b.c has three
  std::string_view if_larger = {};  // advice when the text has more bytes
};

// Throws Error with its place when the text is no TOML, beyond the limits, or has dates or times: nothing
// here uses them.
TomlNode parse_toml(const TomlSource& source, const TomlLimits& limits);

namespace detail {
// Refuses what the TOML library does not survive (toml_check.cc).
void check_toml(const TomlSource& source, const TomlLimits& limits);
// parse_toml without check_toml: for the tests of what remains when a check is missing.
TomlNode parse_unchecked(const TomlSource& source, const TomlLimits& limits);
}  // namespace detail

}  // namespace heddle::config
