// Comma-separated values: fields of a line, whole tables, and fields as they are written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// Commas inside "quotes" do not separate, "" inside of them stands for one quote. None: a quote is not
// closed.
std::optional<std::vector<std::string>> csv_fields(std::string_view line);

// A field that csv_fields() reads as `text`.
std::string csv_field(std::string_view text);

using CsvRow = std::map<std::string, std::string>;  // by column

// The first line that is no comment is the heading; lines that begin with '#' are comments. `file` is for
// messages: throws Error where a quote is not closed, or a line has more or fewer values than the heading.
std::vector<CsvRow> parse_csv(std::string_view text, std::string_view file);

// Throw Error when the row has no such column, or no number in it.
const std::string& csv_text(const CsvRow& row, const std::string& column);
double csv_number(const CsvRow& row, const std::string& column);

}  // namespace heddle
