// Recorded tables: comma-separated values, the first line that is no comment being the heading.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::validation {

using CsvRow = std::map<std::string, std::string>;  // by column

// Lines that begin with '#' are comments; commas inside quotes do not separate. `file` is for messages:
// throws Error where a line has more or fewer values than the heading.
std::vector<CsvRow> parse_csv(std::string_view text, std::string_view file);

// Throws Error when the row has no such column, or no number in it.
double number(const CsvRow& row, const std::string& column);
const std::string& text(const CsvRow& row, const std::string& column);

}  // namespace heddle::validation
