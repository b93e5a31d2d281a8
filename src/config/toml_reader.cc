// TOML into a Config. The only file that sees the TOML library.
#include <fmt/format.h>

#include "base/text.h"
#include "config/config.h"

namespace heddle::config {
[[noreturn]] static void fail_in_library(const char* what) {
  throw Error(fmt::format("not valid TOML, in a way that the TOML library does not explain ({})", what));
}
}  // namespace heddle::config

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
// The library asserts on some inputs instead of reporting them; input must not be able to end the program.
#define TOML_ASSERT(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::heddle::config::fail_in_library(#condition))
#include <toml++/toml.h>

namespace heddle::config {
namespace {

// What the library does not survive is refused before it sees the text. It builds tables for dotted keys
// without a limit and frees them by recursion: a key of 100,000 dots would overflow the stack. And it asserts
// on malformed times, which no configuration needs: only they have a colon outside of strings. Its tables of
// Unicode letters have undefined entries; TOML allows such letters in strings and comments only.
class PreCheck {
 public:
  explicit PreCheck(const std::shared_ptr<const SourceText>& source) : source_(source), text_(source->text) {}

  void run() {
    if (!is_utf8(text_)) fail("expected valid UTF-8 text");
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) >= 0x80) fail("letters other than ASCII may only stand in quotes");
      if (c == '"' || c == '\'') {
        // Elsewhere the library would not take it for the beginning of a string.
        constexpr std::string_view kBefore = " \t\r\n=,.[{";
        if (at_ > 0 && kBefore.find(text_[at_ - 1]) == std::string_view::npos)
          fail("a quote in the middle of a word");
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.') {
        if (++dots_ > Config::kDeepest) fail("a key may have at most {} parts");
      } else if (c == '[' || c == '{') {
        dots_ = 0;
        if (++open_ > Config::kDeepest) fail("values may be nested at most {} deep");
      } else if (c == ']' || c == '}') {
        dots_ = 0;
        if (open_ > 0) --open_;
      } else if (c == ':') {
        fail("expected no ':' here: dates and times are not used in a configuration; text stands in quotes");
      } else if (c == '=' || c == ',' || c == '\n') {
        dots_ = 0;
      }
      if (c == '\n') ++line_;
      ++at_;
    }
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool long_form = text_.substr(at_, 3) == three;
    at_ += long_form ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        at_ = std::min(at_ + 1, text_.size());
        skip_escaped();
        continue;
      }
      if (c == '\n') {
        if (!long_form) return;  // unterminated; the library reports it
        ++line_;
      }
      if (long_form ? text_.substr(at_, 3) == three : c == quote) {
        at_ += long_form ? 3 : 1;
        // Up to two more quotes at the end belong to a long string.
        for (int i = 0; long_form && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
      ++at_;
    }
  }

  // After a backslash: one character, or all the white space that a line's end brings with it.
  void skip_escaped() {
    if (at_ == text_.size()) return;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos;
         ++at_)
      if (text_[at_] == '\n') ++line_;
    if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80)
      fail("after a backslash only ASCII letters may stand");
    if (at_ == begin) ++at_;
  }

  [[noreturn]] void fail(std::string_view message) const {
    const Origin origin{Origin::Kind::File, source_, line_, 0, 0};
    throw Error(origin.place(), fmt::format(fmt::runtime(message), Config::kDeepest));
  }

  const std::shared_ptr<const SourceText>& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t open_ = 0, dots_ = 0;
  std::uint32_t line_ = 1;
};

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
    if (source_->text.size() > Config::kLargestFile)
      throw Error(SourcePlace{source_->file, 0, 0, {}}, "the configuration is larger than 1MiB");
    PreCheck(source_).run();
    const toml::parse_result result = toml::parse(source_->text);
    if (!result) {
      const toml::parse_error& e = result.error();
      Origin origin{kind_, source_, e.source().begin.line, 0, e.source().begin.column};
      throw Error(origin.place(), fmt::format("not valid TOML: {}", printable(e.description(), 300)));
    }
    table(result.table(), "", 0);
  }

 private:
  void table(const toml::table& t, const std::string& prefix, std::size_t depth) {
    for (const auto& [key, node] : t) {
      const Origin origin = origin_of(key.source(), node.source());
      if (!is_plain_key(key.str()))
        throw Error(origin.key_place(),
                    fmt::format("the key '{}' is not of 1 to {} letters, digits, '_' and '-'",
                                printable(key.str()), Config::kLongestKey));
      if (depth >= Config::kDeepest)
        throw Error(origin.key_place(),
                    fmt::format("tables may be nested at most {} deep", Config::kDeepest));
      const std::string path = prefix + std::string(key.str());
      if (const toml::table* sub = node.as_table())
        table(*sub, path + ".", depth + 1);
      else if (const toml::array* array = node.as_array(); array != nullptr && holds_tables(*array))
        tables(*array, path, origin, depth);
      else
        config_.insert(path, value(node, origin), origin);
    }
  }

  static bool holds_tables(const toml::array& array) {
    for (const toml::node& n : array)
      if (n.is_table()) return true;
    return false;
  }

  void tables(const toml::array& array, const std::string& path, const Origin& origin, std::size_t depth) {
    std::size_t index = 0;
    for (const toml::node& n : array) {
      const toml::table* t = n.as_table();
      if (t == nullptr) throw Error(origin.place(), fmt::format("'{}' mixes tables with other values", path));
      // Values are kept by path, so an element without any could not be told from one that is not there.
      if (!has_values(*t))
        throw Error(origin.place(), fmt::format("element {} of '{}' is empty", index, path));
      table(*t, fmt::format("{}[{}].", path, index++), depth + 1);
    }
  }

  static bool has_values(const toml::table& t) {
    for (const auto& [key, node] : t) {
      const toml::table* sub = node.as_table();
      if (sub == nullptr || has_values(*sub)) return true;
    }
    return false;
  }

  Value value(const toml::node& node, const Origin& origin) const {
    if (const auto* b = node.as_boolean()) return {b->get()};
    if (const auto* i = node.as_integer()) return {i->get()};
    if (const auto* d = node.as_floating_point()) return {d->get()};
    if (const auto* s = node.as_string()) return {s->get()};
    if (const auto* a = node.as_array()) {
      Value::List list;
      for (const toml::node& n : *a) {
        if (n.is_table()) throw Error(origin.place(), "a list inside a list cannot hold tables");
        list.push_back(value(n, origin));
      }
      return {std::move(list)};
    }
    throw Error(origin.place(), "dates and times are not used in a configuration; write a string");
  }

  Origin origin_of(const toml::source_region& key, const toml::source_region& node) const {
    // A table made by a dotted key has no place of its own; its key has.
    const toml::source_position at = node.begin ? node.begin : key.begin;
    const bool same_line = key.begin.line == at.line;
    return {kind_, source_, at.line, same_line ? key.begin.column : at.column, at.column};
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
