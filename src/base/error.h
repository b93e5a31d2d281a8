// Errors that tell a person where, what was expected, and what to do.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace heddle {

// A place in a text the user wrote. Line and column count from 1; 0 means "unknown".
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string text;  // the line itself, for the caret; may be empty
};

// The one exception type for bad input (PTX, TOML, command line, launch). `message` says what is wrong
// and what was expected; `advice` says what to do about it and may be empty.
class Error : public std::exception {
 public:
  explicit Error(std::string message, std::string advice = {});
  Error(SourcePlace place, std::string message, std::string advice = {});

  const SourcePlace& place() const { return place_; }
  const std::string& message() const { return message_; }
  const std::string& advice() const { return advice_; }

  // "file:line:column: message", the source line with a caret, and the advice.
  const char* what() const noexcept override { return rendered_.c_str(); }

 private:
  SourcePlace place_;
  std::string message_;
  std::string advice_;
  std::string rendered_;
};

}  // namespace heddle
