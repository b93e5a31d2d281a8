// A configuration: every value by its dotted path, with the place it came from.
//
// Values come from TOML files (a file may inherit from another, or from a preset by name), then from
// `--set path=value`, in that order; later ones replace earlier ones. Components read their values through
// config::Reader (reader.h). What nobody read is an error: a misspelt key must not silently do nothing.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "config/value.h"

namespace heddle::config {

// A configuration that the program carries inside (gpu/presets.h).
using BuiltIn = EmbeddedFile;

// Where presets are found: DIR/NAME.toml, first folder first, then what is built in (which must outlive
// this).
class Presets {
 public:
  Presets() = default;
  explicit Presets(std::vector<std::filesystem::path> folders, std::span<const BuiltIn> built_in = {})
      : folders_(std::move(folders)), built_in_(built_in) {}
  // Null when there is none. Throws Error when its file cannot be read.
  std::shared_ptr<const SourceText> find(std::string_view name) const;
  std::vector<std::string> names() const;  // sorted

 private:
  std::vector<std::filesystem::path> folders_;
  std::span<const BuiltIn> built_in_;
};

// Orders paths so that tables stay together and list elements count: a.b < a.c < a[2].x < a[10].x < ab.
struct PathLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

struct Entry {
  Value value;
  Origin origin;
  bool read = false;
  std::string unused = {};  // why it does nothing in this configuration; empty when it does something
};

class Config {
 public:
  // Largest file, deepest nesting, longest key: input is untrusted, and no real configuration comes close.
  static constexpr std::size_t kLargestFile = 1 << 20;
  static constexpr std::size_t kDeepest = 16;
  static constexpr std::size_t kLongestKey = 64;
  static constexpr std::size_t kLongestChain = 16;  // of `inherits`

  Config() = default;

  // `what` is a file (when it contains '/' or ends in .toml) or the name of a preset. Throws Error.
  static Config load(std::string_view what, const Presets& presets);
  // The same for a text already at hand; `file` is for messages and as the place that `inherits` counts from.
  static Config parse(std::string_view text, std::string_view file, const Presets& presets = {});

  // Values of `other` replace those here, or are added; lists are replaced whole.
  void overlay(Config other) { replace_by(std::move(other)); }
  // "l1.size=64KiB". The value is TOML (true, 64, 0.5, "text", [1, 2]) or, if it is none, plain text.
  void set(std::string_view assignment);

  const Entry* find(std::string_view path) const;
  // Number of elements of a list of tables ([[path]]).
  std::size_t list_size(std::string_view path) const;
  const std::map<std::string, Entry, PathLess>& entries() const { return entries_; }

  // What Reader does: looks up a value and counts it as read, and as a known path even when it is absent.
  const Entry* take(std::string_view path);
  // Writes the value in its normal form ("48KiB" for 49152), or adds the default, so that a dump is complete.
  void settle(std::string_view path, Value value);

  // Throws one Error that names every value nobody read, its place and the nearest known path.
  // `others`: parameters that exist but that nothing in this configuration uses.
  void check_all_read(std::span<const std::string> others = {}) const;

  // What Reader::unused does: `path`, or everything below it when it ends in '.', does nothing here.
  void note_unused(std::string_view path, std::string_view why);
  // Throws one Error that names a value given by set() that does nothing, and why. Values in files may: a
  // file can hold parameters of parts that are chosen elsewhere.
  void check_all_used() const;

  // The configuration as TOML that loads to the same values; with a comment beside each that tells its
  // source, and what is remarked there.
  std::string dump(bool with_sources = true) const;

 private:
  void insert(const std::string& path, Value value, const Origin& origin);
  void replace_by(Config&& derived);
  void read_toml(std::shared_ptr<const SourceText> source);
  static Config load_chain(std::shared_ptr<const SourceText> source, const Presets& presets,
                           std::vector<std::string>& chain);
  friend class TomlReader;

  std::map<std::string, Entry, PathLess> entries_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace heddle::config
