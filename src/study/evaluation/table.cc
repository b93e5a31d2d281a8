#include "study/evaluation/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/text.h"

namespace heddle::study {
namespace {

// Letters, not bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

std::string without_end_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string as_text(Table t) {
  for (Column& c : t.columns) c.name = visible(c.name);
  for (auto& row : t.rows)
    for (std::string& field : row) field = visible(field);
  std::vector<std::size_t> widths;
  for (const Column& c : t.columns) widths.push_back(width(c.name));
  for (const auto& row : t.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string out = visible(t.title) + "\n";
  for (const std::string& line : t.above) out += wrapped(visible(line), 100, 0);
  std::string head;
  for (std::size_t i = 0; i < t.columns.size(); ++i)
    head += padded(t.columns[i].name, widths[i], t.columns[i].number) + "  ";
  if (!t.rows.empty()) out += without_end_spaces(head) + "\n";
  std::string last;
  for (const auto& row : t.rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool again = i == 0 && &row != &t.rows.front() && row[0] == last;
      line += padded(again ? "" : row[i], widths[i], t.columns[i].number) + "  ";
    }
    last = row.front();
    out += without_end_spaces(line) + "\n";
  }
  for (const std::string& line : t.below) out += wrapped(visible(line), 100, 0);
  return out;
}

std::string as_markdown(const Table& t) {
  std::string out = fmt::format("### {}\n\n", t.title);
  for (const std::string& line : t.above) out += line + "\n\n";
  if (!t.rows.empty()) {
    out += "|";
    for (const Column& c : t.columns) out += fmt::format(" {} |", c.name);
    out += "\n|";
    for (const Column& c : t.columns) out += c.number ? "--:|" : "---|";
    out += "\n";
    for (const auto& row : t.rows) {
      out += "|";
      for (const std::string& field : row) out += fmt::format(" {} |", field);
      out += "\n";
    }
    out += "\n";
  }
  for (const std::string& line : t.below) out += line + "\n\n";
  return out;
}

std::string as_csv(const Table& t) {
  std::vector<std::string> fields;
  for (const Column& c : t.columns) fields.push_back(csv_field(c.name));
  std::string out = join(fields, ",") + "\n";
  for (const auto& row : t.rows) {
    fields.clear();
    for (const std::string& field : row) fields.push_back(csv_field(field));
    out += join(fields, ",") + "\n";
  }
  return out;
}

}  // namespace heddle::study
