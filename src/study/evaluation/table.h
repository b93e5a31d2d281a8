// A table of texts, and its three forms.
#pragma once

#include <string>
#include <vector>

namespace heddle::study {

struct Column {
  std::string name;
  bool number = false;  // right-aligned
};

struct Table {
  std::string id;                         // names its CSV file
  std::string title;                      // one line
  std::vector<std::string> above, below;  // lines around it
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// A text that repeats the one above it in the first column is left out there (text form only).
std::string as_text(Table t);
std::string as_markdown(const Table& t);
std::string as_csv(const Table& t);

}  // namespace heddle::study
