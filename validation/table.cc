#include "validation/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::validation {

std::string Table::render(bool markdown, std::size_t left) const {
  std::vector<std::size_t> width(lines_[0].size());
  for (const auto& line : lines_)
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  std::string out;
  for (std::size_t n = 0; n < lines_.size(); ++n) {
    std::string text = markdown ? "|" : "";
    for (std::size_t i = 0; i < lines_[n].size(); ++i) {
      const std::size_t wide = markdown ? 0 : width[i];
      const std::string cell =
          i < left ? fmt::format("{:<{}}", lines_[n][i], wide) : fmt::format("{:>{}}", lines_[n][i], wide);
      text += markdown ? " " + cell + " |" : cell + "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
    if (n == 0 && markdown) {
      out += "|";
      for (std::size_t i = 0; i < lines_[0].size(); ++i) out += i < left ? "---|" : "---:|";
      out += "\n";
    }
  }
  return out;
}

}  // namespace heddle::validation
