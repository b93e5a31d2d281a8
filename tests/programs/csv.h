// Recorded tables of the repository.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "base/file.h"

namespace heddle::exec {

using Row = CsvRow;

inline std::vector<Row> read_csv(const std::string& file) {
  return parse_csv(read_file(HEDDLE_SOURCE_DIR "/" + file), file);
}

}  // namespace heddle::exec
