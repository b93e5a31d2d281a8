// Reads the tables of a launch file or a study key by key.
//
// config::Config keeps values by path and one place per key; such files mix values of several kinds in one
// list (args = ["a", 1024, { f32 = 0.5 }]) and an error must point at the element, so they are read from the
// tree itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "config/toml_tree.h"

namespace heddle::config {

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
  std::optional<bool> flag(std::string_view key);
  // A list of strings; empty when not given.
  std::vector<std::string> texts(std::string_view key);
  // One of `names`; its index.
  std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string>& names);

  // [kind.NAME] ...: calls read(TableReader&, name) for each, in the order of the text.
  template <class F>
  void named_tables(const std::string& kind, F&& read) {
    const TomlNode* all = find(kind);
    if (all == nullptr) return;
    if (all->table() == nullptr) expected_tables(*all, fmt::format("[{}.NAME]", kind));
    for (const TomlMember& m : *all->table()) {
      if (m.node.table() == nullptr) no_table(m, kind);
      TableReader r(source_, m.node, fmt::format("[{}.{}]", kind, printable(m.key)));
      read(r, m.key);
      r.finish();
    }
  }
  // [[kind]] ...: calls read(TableReader&) for each.
  template <class F>
  void listed_tables(const std::string& kind, F&& read) {
    const TomlNode* all = find(kind);
    if (all == nullptr) return;
    if (all->list() == nullptr) expected_tables(*all, fmt::format("[[{}]]", kind));
    std::size_t i = 0;
    for (const TomlNode& n : *all->list()) {
      TableReader r(source_, n, fmt::format("[[{}]] number {}", kind, ++i));
      read(r);
      r.finish();
    }
  }

  // Throws for every key that nobody asked for.
  void finish() const;

  [[noreturn]] void fail(const TomlNode& at, const std::string& message,
                         const std::string& advice = {}) const;
  [[noreturn]] void fail(const std::string& message, const std::string& advice = {}) const;  // at the table
  const TomlSource& source() const { return source_; }
  const TomlNode& node() const { return table_; }
  const std::string& name() const { return name_; }

 private:
  [[noreturn]] void expected_tables(const TomlNode& at, const std::string& form) const;
  [[noreturn]] void no_table(const TomlMember& m, const std::string& kind) const;

  const TomlSource& source_;
  const TomlNode& table_;
  std::string name_;
  std::vector<std::string> known_;
};

}  // namespace heddle::config
