// Recorded tables of the repository.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "validation/csv.h"

namespace heddle::exec {

using Row = validation::CsvRow;

inline std::vector<Row> read_csv(const std::string& file) {
  return validation::parse_csv(read_file(HEDDLE_SOURCE_DIR "/" + file), file);
}

}  // namespace heddle::exec
