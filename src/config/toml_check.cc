// What the TOML library does not survive is refused before it sees the text.
//
// It builds tables for dotted keys without a limit and frees them by recursion: a key of 100,000 dots would
// overflow the stack. It asserts on malformed times, which nothing here needs (only they have a colon outside
// of strings), on a bracket closed by one of the other kind, and on a header without a name. Its tables of
// Unicode letters have undefined entries; TOML allows such letters in strings and comments only.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/toml_tree.h"

namespace heddle::config {
namespace {

class Check {
 public:
  Check(const TomlSource& source, const TomlLimits& limits)
      : source_(source), limits_(limits), text_(source.text()) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) >= 0x80) fail("letters other than ASCII may only stand in quotes");
      if (c == '"' || c == '\'') {
        // Elsewhere the library would not take it for the beginning of a string.
        constexpr std::string_view kBefore = " \t\r\n=,.[{";
        if (at_ > 0 && kBefore.find(text_[at_ - 1]) == std::string_view::npos)
          fail("a quote in the middle of a word");
        skip_string(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        punctuation(c);
        ++at_;
        if (c == '\n') next_line();
      }
    }
  }

 private:
  struct Bracket {
    char kind;
    std::uint32_t line;
  };

  void punctuation(char c) {
    if (c == '.') {
      if (++dots_ >= limits_.key_parts)
        fail(fmt::format("a key may have at most {} parts between its dots", limits_.key_parts));
      return;
    }
    if (c == ':')
      fail(fmt::format("expected no ':' here: dates and times are not used in a {}; text stands in quotes",
                       limits_.what));
    if (c == '[' || c == '{') {
      if (open_.size() >= limits_.nesting)
        fail(fmt::format("values may be nested at most {} deep", limits_.nesting));
      if (c == '[' && open_.empty() && trim(text_.substr(line_begin_, at_ - line_begin_)).empty()) header();
      open_.push_back({c, line_});
    } else if (c == ']' || c == '}') {
      close(c);
    } else if (c != '=' && c != ',' && c != '\n') {
      return;  // part of a key or a value
    }
    dots_ = 0;
  }

  // At the '[' that begins a line: [a.b] or [[a.b]].
  void header() {
    std::size_t name = at_ + (text_.substr(at_, 2) == "[[" ? 2 : 1);
    while (name < text_.size() && (text_[name] == ' ' || text_[name] == '\t')) ++name;
    if (name == text_.size()) return;  // the library reports it
    const char c = text_[name];
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    std::string_view("_-\"']").find(c) != std::string_view::npos;
    if (ok) return;
    at_ = name;
    fail("not valid TOML: expected the name of a table after '['");
  }

  void close(char c) {
    if (open_.empty()) return;  // the library reports it
    const Bracket last = open_.back();
    const char wanted = last.kind == '[' ? ']' : '}';
    if (c != wanted)
      fail(fmt::format("not valid TOML: expected '{}' before '{}', to close the '{}' {}", wanted, c,
                       last.kind, last.line == line_ ? "before it" : fmt::format("of line {}", last.line)));
    open_.pop_back();
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool long_form = text_.substr(at_, 3) == three;
    at_ += long_form ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        ++at_;
        skip_escaped();
        continue;
      }
      if (c == '\n' && !long_form) return;  // unterminated; the library reports it
      if (long_form ? text_.substr(at_, 3) == three : c == quote) {
        at_ += long_form ? 3 : 1;
        // Up to two more quotes at the end belong to a long string.
        for (int i = 0; long_form && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
      ++at_;
      if (c == '\n') next_line();
    }
  }

  // After a backslash: one character, or all the white space that a line's end brings with it.
  void skip_escaped() {
    if (at_ == text_.size()) return;
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      if (text_[at_++] == '\n') next_line();
    if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80)
      fail("after a backslash only ASCII letters may stand");
    if (at_ == begin) ++at_;
  }

  void next_line() {
    ++line_;
    line_begin_ = at_;
  }

  [[noreturn]] void fail(std::string message) const {
    // Columns count letters, not bytes.
    const std::string_view before = text_.substr(line_begin_, at_ - line_begin_);
    const auto letters = std::count_if(before.begin(), before.end(),
                                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    throw Error(source_.place(line_, static_cast<std::uint32_t>(letters + 1)), std::move(message));
  }

  const TomlSource& source_;
  const TomlLimits& limits_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t dots_ = 0;
  std::vector<Bracket> open_;
  std::uint32_t line_ = 1;
  std::size_t line_begin_ = 0;
};

// The first line that is no UTF-8: a line's end is never part of a longer letter.
std::uint32_t bad_line(std::string_view text) {
  std::uint32_t number = 1;
  for (const std::string_view line : split(text, '\n')) {
    if (!is_utf8(line)) return number;
    ++number;
  }
  return 0;
}

}  // namespace

void detail::check_toml(const TomlSource& source, const TomlLimits& limits) {
  if (!is_utf8(source.text()))
    throw Error(source.place(bad_line(source.text()), 0), "expected valid UTF-8 text");
  Check(source, limits).run();
}

}  // namespace heddle::config
