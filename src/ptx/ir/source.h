// The text of a module, and places in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::ptx {

// A place in the text: line and column count from 1.
struct Spot {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// The text with its name, for whoever must report a place in it.
struct Source {
  std::string_view text;
  const std::string& file;

  [[noreturn]] void fail(Spot at, std::string message, std::string advice = {}) const;
};

// The text of one line, clipped when it is unreasonably long (text from fat binaries has no line breaks).
std::string shown_line(std::string_view text, std::uint32_t line, std::uint32_t column);

}  // namespace heddle::ptx
