#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"

namespace heddle::config {
namespace {

namespace fs = std::filesystem;

// Separators sort before letters, so that a table's values stay together.
int rank(char c) {
  if (c == '.') return 0;
  if (c == '[') return 1;
  return 2 + static_cast<unsigned char>(c);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

bool names_a_file(std::string_view what) {
  return what.find('/') != std::string_view::npos || what.ends_with(".toml");
}

// The text of a file or preset. `place` is where its name was given, if in a text.
std::shared_ptr<const SourceText> fetch(std::string_view what, const fs::path& relative_to,
                                        const Presets& presets, const SourcePlace& place) {
  if (what.empty() || !is_utf8(what) || what.find('\0') != std::string_view::npos)
    throw Error(place, "expected the name of a preset or of a .toml file");
  if (names_a_file(what)) {
    const fs::path file = relative_to / fs::path(what);
    return std::make_shared<SourceText>(SourceText{file.string(), read_file(file, Config::kLargestFile)});
  }
  if (auto found = presets.find(what)) return found;
  const std::vector<std::string> names = presets.names();
  std::string advice = did_you_mean(what, names);
  if (advice.empty())
    advice =
        names.empty() ? "no presets were found; give a .toml file" : "known presets: " + join(names, ", ");
  throw Error(place, fmt::format("there is no preset '{}'", printable(what)), advice);
}

// What a file inherits from. A text from outside must not make us read a pipe or a terminal, which may never
// end.
std::shared_ptr<const SourceText> fetch_parent(const std::string& name, const fs::path& relative_to,
                                               const Presets& presets, const SourcePlace& place) {
  std::error_code ignored;
  if (names_a_file(name) && name.find('\0') == std::string::npos) {
    const fs::path file = relative_to / fs::path(name);
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
      throw Error(place, fmt::format("cannot inherit from '{}': it is not a regular file", printable(name)));
  }
  try {
    return fetch(name, relative_to, presets, place);
  } catch (const Error& e) {
    if (e.place().line != 0) throw;  // it already points at the name
    throw Error(place, fmt::format("cannot inherit from '{}': {}", printable(name), e.message()), e.advice());
  }
}

bool is_empty_list(const Value& value) {
  const auto* list = std::get_if<Value::List>(&value.data);
  return list != nullptr && list->empty();
}

std::string identity(const std::string& file) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(file, ignored);
  return ignored ? file : real.string();
}

}  // namespace

bool PathLess::operator()(std::string_view a, std::string_view b) const {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (i > 0 && a[i - 1] == '[' && j > 0 && b[j - 1] == '[') {
      const std::size_t m = digits_at(a, i), n = digits_at(b, j);
      if (m != n) return m < n;  // indices have no leading zeros
    }
    if (a[i] != b[j]) return rank(a[i]) < rank(b[j]);
    ++i, ++j;
  }
  return a.size() - i < b.size() - j;
}

std::shared_ptr<const SourceText> Presets::find(std::string_view name) const {
  for (const fs::path& folder : folders_) {
    const fs::path file = folder / (std::string(name) + ".toml");
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored))
      return std::make_shared<SourceText>(SourceText{file.string(), read_file(file, Config::kLargestFile)});
  }
  for (const BuiltIn& b : built_in_)
    if (b.name == name)
      return std::make_shared<SourceText>(SourceText{"built-in:" + std::string(b.file), std::string(b.text)});
  return nullptr;
}

std::vector<std::string> Presets::names() const {
  std::set<std::string> found;
  for (const fs::path& folder : folders_) {
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(folder, ignored))
      if (file.path().extension() == ".toml") found.insert(file.path().stem().string());
  }
  for (const BuiltIn& b : built_in_) found.emplace(b.name);
  return {found.begin(), found.end()};
}

Config Config::load(std::string_view what, const Presets& presets) {
  auto source = fetch(what, {}, presets, {});
  std::vector<std::string> chain;
  return load_chain(std::move(source), presets, chain);
}

Config Config::parse(std::string_view text, std::string_view file, const Presets& presets) {
  auto source = std::make_shared<SourceText>(SourceText{std::string(file), std::string(text)});
  std::vector<std::string> chain;
  return load_chain(std::move(source), presets, chain);
}

Config Config::load_chain(std::shared_ptr<const SourceText> source, const Presets& presets,
                          std::vector<std::string>& chain) {
  Config config;
  config.read_toml(source);
  const auto at = config.entries_.find(std::string_view("inherits"));
  if (at == config.entries_.end()) return config;

  const Entry parent = at->second;
  config.entries_.erase(at);
  const auto* name = std::get_if<std::string>(&parent.value.data);
  const SourcePlace place = parent.origin.place();
  if (name == nullptr)
    throw Error(place, "'inherits' must be a string: the name of a preset or of a .toml file");
  chain.push_back(identity(source->file));
  auto text = fetch_parent(*name, fs::path(source->file).parent_path(), presets, place);
  const std::string self = identity(text->file);
  if (std::find(chain.begin(), chain.end(), self) != chain.end()) {
    chain.push_back(self);
    throw Error(place, "a configuration may not inherit from itself", join(chain, "\n  inherits "));
  }
  if (chain.size() >= kLongestChain)
    throw Error(place, fmt::format("more than {} files inherit from each other", kLongestChain));
  Config base = load_chain(std::move(text), presets, chain);
  base.replace_by(std::move(config));
  return base;
}

const Entry* Config::find(std::string_view path) const {
  const auto at = entries_.find(path);
  return at == entries_.end() ? nullptr : &at->second;
}

std::size_t Config::list_size(std::string_view path) const {
  for (std::size_t n = 0;; ++n) {
    const std::string element = fmt::format("{}[{}].", path, n);
    const auto at = entries_.lower_bound(element);
    if (at == entries_.end() || !at->first.starts_with(element)) return n;
  }
}

// Adds or replaces. A path cannot be a value and a table at once, or a dump would not load.
void Config::insert(const std::string& path, Value value, const Origin& origin) {
  const auto clash = [&](const std::string& other, const Entry& entry) {
    throw Error(origin.key_place(), fmt::format("'{}' and '{}' cannot both have a value", path, other),
                fmt::format("'{}' was given at {}", other, entry.origin.brief()));
  };
  for (std::size_t i = path.find_first_of(".["); i != std::string::npos; i = path.find_first_of(".[", i + 1))
    if (const auto at = entries_.find(std::string_view(path).substr(0, i)); at != entries_.end())
      clash(at->first, at->second);
  for (const char separator : {'.', '['}) {
    const std::string inside = path + separator;
    const auto at = entries_.lower_bound(inside);
    if (at != entries_.end() && at->first.starts_with(inside)) clash(at->first, at->second);
  }
  entries_.insert_or_assign(path, Entry{std::move(value), origin, false});
}

// A list of tables in the derived file replaces the inherited list: merging them by index would surprise.
void Config::replace_by(Config&& derived) {
  std::set<std::string> lists;
  for (const auto& [path, entry] : derived.entries_) {
    if (const std::size_t at = path.find('['); at != std::string::npos) lists.insert(path.substr(0, at));
    if (is_empty_list(entry.value)) lists.insert(path);
  }
  for (const std::string& list : lists) {
    const std::string element = list + "[";
    for (auto at = entries_.lower_bound(element); at != entries_.end() && at->first.starts_with(element);)
      at = entries_.erase(at);
    if (const auto at = entries_.find(list); at != entries_.end() && is_empty_list(at->second.value))
      entries_.erase(at);
  }
  for (auto& [path, entry] : derived.entries_) insert(path, std::move(entry.value), entry.origin);
}

const Entry* Config::take(std::string_view path) {
  known_.emplace(path);
  const auto at = entries_.find(path);
  if (at == entries_.end()) return nullptr;
  at->second.read = true;
  return &at->second;
}

void Config::settle(std::string_view path, Value value) {
  const auto at = entries_.find(path);
  if (at != entries_.end()) {
    at->second.value = std::move(value);
    return;
  }
  insert(std::string(path), std::move(value), Origin{});
  entries_.find(path)->second.read = true;
}

void Config::note_unused(std::string_view path, std::string_view why) {
  const bool all_below = path.ends_with('.');
  for (auto at = entries_.lower_bound(path); at != entries_.end(); ++at) {
    if (all_below ? !at->first.starts_with(path) : at->first != path) break;
    at->second.unused = why;
  }
}

void Config::check_all_used() const {
  for (const auto& [path, entry] : entries_)
    if (entry.origin.kind == Origin::Kind::Set && !entry.unused.empty())
      throw Error(entry.origin.key_place(), fmt::format("'{}' has no effect on this machine", path),
                  entry.unused);
}

void Config::check_all_read(std::span<const std::string> others) const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  const Entry* first = nullptr;
  std::string message, advice;
  std::size_t unread = 0;
  for (const auto& [path, entry] : entries_) {
    if (entry.read) continue;
    if (++unread > 20) continue;
    const bool exists = std::find(others.begin(), others.end(), path) != others.end();
    std::string text = exists ? fmt::format("nothing in this configuration uses the parameter '{}'", path)
                              : fmt::format("unknown parameter '{}'", path);
    std::string hint = exists ? "" : did_you_mean(path, known);
    if (hint.empty() && !exists) hint = did_you_mean(path, others);
    if (first == nullptr) {
      first = &entry;
      message = std::move(text);
      advice = std::move(hint);
    } else {
      advice += fmt::format("{}{}: {}{}", advice.empty() ? "" : "\n  ", entry.origin.brief(), text,
                            hint.empty() ? "" : "; " + hint);
    }
  }
  if (unread > 20) advice += fmt::format("\n  and {} more", unread - 20);
  if (first != nullptr) throw Error(first->origin.key_place(), message, advice);
}

}  // namespace heddle::config
