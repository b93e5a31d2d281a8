// Writes a Config as TOML.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/config.h"

namespace heddle::config {
namespace {

struct Line {
  std::string key;  // within its table
  const Entry* entry;
};
// Values directly in a table, by the table's path; "" is the top. Ordered so that a table comes before the
// tables within it and the elements of a list follow each other.
using Tables = std::map<std::string, std::vector<Line>, PathLess>;

Tables by_table(const std::map<std::string, Entry, PathLess>& entries) {
  Tables tables;
  for (const auto& [path, entry] : entries) {
    const std::size_t dot = path.rfind('.');
    const std::string table = dot == std::string::npos ? "" : path.substr(0, dot);
    tables[table].push_back({dot == std::string::npos ? path : path.substr(dot + 1), &entry});
  }
  return tables;
}

// "a[3].b" as a TOML header writes it: a.b
std::string without_indices(std::string_view path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) out += c;
    if (c == ']') inside = false;
  }
  return out;
}

// Opens every list element on the way to `table` that has not been opened yet, then the table itself.
void write_headers(const std::string& table, std::set<std::string>& opened, std::string& out) {
  for (std::size_t end = table.find(']'); end != std::string::npos; end = table.find(']', end + 1)) {
    const std::string element = table.substr(0, end + 1);
    if (opened.insert(element).second) out += fmt::format("\n[[{}]]\n", without_indices(element));
  }
  if (!table.ends_with(']')) out += fmt::format("\n[{}]\n", without_indices(table));
}

}  // namespace

std::string Config::dump(bool with_sources) const {
  std::string out;
  std::set<std::string> opened;
  for (const auto& [table, lines] : by_table(entries_)) {
    if (!table.empty()) write_headers(table, opened, out);
    std::size_t width = 0;
    std::vector<std::string> texts;
    for (const Line& line : lines) {
      texts.push_back(fmt::format("{} = {}", line.key, line.entry->value.toml()));
      if (texts.back().size() <= 60) width = std::max(width, texts.back().size());
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!with_sources) {
        out += texts[i] + "\n";
        continue;
      }
      const Origin& origin = lines[i].entry->origin;
      const std::string remark = origin.remark();
      out += fmt::format("{:<{}}  # {}{}{}\n", texts[i], width, origin.brief(), remark.empty() ? "" : "  ",
                         remark);
    }
  }
  return out;
}

}  // namespace heddle::config
