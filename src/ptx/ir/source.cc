#include "ptx/ir/source.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace heddle::ptx {

std::string shown_line(std::string_view text, std::uint32_t line, std::uint32_t column) {
  constexpr std::size_t kMaxShown = 400;
  if (line == 0 || column > kMaxShown) return {};
  std::size_t start = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    start = text.find('\n', start);
    if (start == std::string_view::npos) return {};
    ++start;
  }
  std::string_view rest = text.substr(start);
  rest = rest.substr(0, std::min(rest.find('\n'), kMaxShown));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return std::string(rest);
}

void Source::fail(Spot at, std::string message, std::string advice) const {
  constexpr std::size_t kMaxMessage = 2000;  // names may be as long as the file
  if (message.size() > kMaxMessage) message = message.substr(0, kMaxMessage) + "...";
  throw Error(SourcePlace{file, at.line, at.column, shown_line(text, at.line, at.column)}, std::move(message),
              std::move(advice));
}

}  // namespace heddle::ptx
