// Reads the tables of a launch file key by key.
//
// config::Config keeps values by path and one place per key; a launch file mixes values of several kinds in
// one list (args = ["a", 1024, { f32 = 0.5 }]) and an error must point at the element, so launch files are
// read from the tree itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml_tree.h"

namespace heddle::cli {

using config::TomlMember;
using config::TomlNode;
using config::TomlSource;

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
