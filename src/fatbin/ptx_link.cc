#include "fatbin/ptx_link.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::fatbin {
namespace {

constexpr std::string_view kVersion = ".version", kTarget = ".target", kAddressSize = ".address_size";

// Calls f for every line, without its end.
template <class F>
void each_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
}

// "9.0" before "10.0".
bool later(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool continues_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9');
}

// Gives every piece of a text to the handler: names, words with a dot before them, single characters, and the
// others (comments, strings, numbers).
template <class Handler>
void scan(std::string_view text, Handler&& handler) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    const auto until = [&](std::string_view what) {
      const std::size_t at = text.find(what, i + 1);
      return at == std::string_view::npos ? text.size() : at + what.size();
    };
    const char c = text[i];
    const bool comment = c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*');
    const auto word = [&] {
      while (end < text.size() && continues_name(text[end])) ++end;
      return text.substr(i, end - i);
    };
    if (comment || c == '"') {
      end = c == '"' ? until("\"") : text[i + 1] == '/' ? until("\n") : until("*/");
      handler.other(text.substr(i, end - i));
    } else if (c == '.') {
      handler.dot(word());
    } else if (begins_name(c)) {
      handler.name(word());
    } else if (c >= '0' && c <= '9') {
      handler.other(word());
    } else {
      handler.mark(c);
    }
    i = end;
  }
}

// The names that a text declares outside of functions, and whether other files may mean them.
class Declarations {
 public:
  explicit Declarations(std::string_view text) { scan(text, *this); }
  std::set<std::string, std::less<>> local, global;

  void other(std::string_view) {}
  void dot(std::string_view word) {
    if (braces_ != 0 || parentheses_ != 0) return;
    if (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") linked_ = true;
    if (word == ".global" || word == ".const" || word == ".shared" || word == ".func" || word == ".entry")
      declares_ = true;
  }
  void name(std::string_view word) {
    if (braces_ != 0 || parentheses_ != 0 || !declares_ || word.starts_with('%')) return;
    (linked_ ? global : local).emplace(word);
    declares_ = false;  // one name per statement, as compilers write it
  }
  void mark(char c) {
    if (c == '(') ++parentheses_;
    if (c == ')' && parentheses_ > 0) --parentheses_;
    if (c == '{') ++braces_;
    if (c == '}' && braces_ > 0) --braces_;
    if (braces_ == 0 && parentheses_ == 0 && (c == ';' || c == '}')) declares_ = linked_ = false;
  }

 private:
  unsigned braces_ = 0, parentheses_ = 0;
  bool linked_ = false, declares_ = false;
};

// Appends `suffix` to the names in `which`.
class Renaming {
 public:
  Renaming(const std::set<std::string, std::less<>>& which, std::string suffix)
      : which_(which), suffix_(std::move(suffix)) {}
  std::string of(std::string_view text) {
    scan(text, *this);
    return std::move(out_);
  }
  void other(std::string_view piece) { out_ += piece; }
  void dot(std::string_view word) { out_ += word; }
  void mark(char c) { out_ += c; }
  void name(std::string_view word) {
    out_ += word;
    if (which_.contains(word)) out_ += suffix_;
  }

 private:
  const std::set<std::string, std::less<>>& which_;
  std::string suffix_, out_;
};

// Every text with names of its own that no text before it has.
std::vector<std::string> made_unlike(std::span<const std::string> texts) {
  std::vector<std::string> out;
  std::set<std::string, std::less<>> taken;
  for (const std::string& text : texts) {
    const Declarations names(text);
    std::set<std::string, std::less<>> clashing;
    for (const std::string& n : names.local)
      if (taken.contains(n)) clashing.insert(n);
    out.push_back(clashing.empty() ? text
                                   : Renaming(clashing, "$" + std::to_string(out.size() + 1)).of(text));
    taken.insert(names.local.begin(), names.local.end());
    taken.insert(names.global.begin(), names.global.end());
  }
  return out;
}

}  // namespace

std::string link_ptx(std::span<const std::string> texts) {
  std::string version, target, body;
  for (const std::string& text : made_unlike(texts))
    each_line(text, [&](std::string_view line) {
      const std::string_view words = trimmed(line);
      if (words.starts_with(kVersion)) {
        if (version.empty() || later(std::string(words), version)) version = words;
      } else if (words.starts_with(kTarget)) {
        if (target.empty()) target = words;
      } else if (!words.starts_with(kAddressSize)) {
        body.append(line).append("\n");
      }
    });
  return version + "\n" + target + "\n" + std::string(kAddressSize) + " 64\n" + body;
}

}  // namespace heddle::fatbin
