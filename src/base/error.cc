#include "base/error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {
namespace {

std::string render(const SourcePlace& place, const std::string& message, const std::string& advice) {
  std::string out;
  if (!place.file.empty()) {
    out += visible(place.file) + ":";
    if (place.line != 0) out += fmt::format("{}:", place.line);
    if (place.column != 0) out += fmt::format("{}:", place.column);
    out += " ";
  }
  out += message;
  if (!place.text.empty()) {
    out += fmt::format("\n  {:>5} | {}", place.line, place.text);
    if (place.column != 0) {
      out += "\n        | ";
      for (std::uint32_t i = 1; i < place.column && i <= place.text.size(); ++i)
        out += place.text[i - 1] == '\t' ? '\t' : ' ';
      out += '^';
    }
  }
  if (!advice.empty()) out += "\n  " + advice;
  return visible(out, true);  // names and texts of the user may hold anything
}

}  // namespace

Error::Error(std::string message, std::string advice)
    : Error(SourcePlace{}, std::move(message), std::move(advice)) {}

Error::Error(SourcePlace place, std::string message, std::string advice)
    : place_(std::move(place)),
      message_(std::move(message)),
      advice_(std::move(advice)),
      rendered_(render(place_, message_, advice_)) {}

}  // namespace heddle
