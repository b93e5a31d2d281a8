#include "validation/csv.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::validation {
namespace {

std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, std::string_view file) {
  std::vector<std::string> heading;
  std::vector<CsvRow> rows;
  for (std::uint32_t n = 1; !text.empty(); ++n) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> values = fields(line);
    if (heading.empty()) {
      heading = std::move(values);
      continue;
    }
    if (values.size() != heading.size())
      throw Error({std::string(file), n, 0, std::string(line)},
                  fmt::format("{} values; the heading has {} columns", values.size(), heading.size()));
    CsvRow row;
    for (std::size_t i = 0; i < values.size(); ++i) row[heading[i]] = std::move(values[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::string& text(const CsvRow& row, const std::string& column) {
  const auto at = row.find(column);
  if (at == row.end()) throw Error(fmt::format("the table has no column '{}'", column));
  return at->second;
}

double number(const CsvRow& row, const std::string& column) {
  const std::string& value = text(row, column);
  char* end = nullptr;
  const double x = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0')
    throw Error(fmt::format("column '{}' holds '{}', which is no number", column, value));
  return x;
}

}  // namespace heddle::validation
