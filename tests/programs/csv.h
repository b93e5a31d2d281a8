// Recorded tables in tests/data.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace heddle::exec {

// One line of comma-separated values; commas inside quotes do not separate.
inline std::vector<std::string> fields(const std::string& line) {
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

using Row = std::map<std::string, std::string>;

inline std::vector<Row> read_csv(const std::string& file) {
  std::istringstream in(read_file(HEDDLE_SOURCE_DIR "/" + file));
  std::vector<std::string> heading;
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto f = fields(line);
    if (heading.empty()) {
      heading = f;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < std::min(f.size(), heading.size()); ++i) row[heading[i]] = f[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace heddle::exec
