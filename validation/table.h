// A table as text in columns or as Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::validation {

class Table {
 public:
  explicit Table(std::vector<std::string> heading) { lines_.push_back(std::move(heading)); }
  void add(std::vector<std::string> line) { lines_.push_back(std::move(line)); }

  // The first `left` columns are text, the others numbers.
  std::string render(bool markdown, std::size_t left) const;

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace heddle::validation
