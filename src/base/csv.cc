#include "base/csv.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

#include "base/error.h"

namespace heddle {

std::optional<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  if (quoted) return std::nullopt;
  return fields;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<CsvRow> parse_csv(std::string_view text, std::string_view file) {
  std::vector<std::string> heading;
  std::vector<CsvRow> rows;
  for (std::uint32_t n = 1; !text.empty(); ++n) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#') continue;
    const auto fail = [&](const std::string& message) {
      throw Error({std::string(file), n, 0, std::string(line)}, message);
    };
    std::optional<std::vector<std::string>> values = csv_fields(line);
    if (!values) fail("a quote is not closed");
    if (heading.empty()) {
      heading = std::move(*values);
      continue;
    }
    if (values->size() != heading.size())
      fail(fmt::format("{} values; the heading has {} columns", values->size(), heading.size()));
    CsvRow row;
    for (std::size_t i = 0; i < heading.size(); ++i) row[heading[i]] = std::move((*values)[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::string& csv_text(const CsvRow& row, const std::string& column) {
  const auto at = row.find(column);
  if (at == row.end()) throw Error(fmt::format("the table has no column '{}'", column));
  return at->second;
}

double csv_number(const CsvRow& row, const std::string& column) {
  const std::string& value = csv_text(row, column);
  char* end = nullptr;
  const double x = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0')
    throw Error(fmt::format("column '{}' holds '{}', which is no number", column, value));
  return x;
}

}  // namespace heddle
