// One value of a configuration, and where it came from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace heddle::config {

struct Value {
  using List = std::vector<Value>;
  std::variant<bool, std::int64_t, double, std::string, List> data;

  // As TOML writes it: true, 64, 0.5, "48KiB", [1, 2].
  std::string toml() const;
  // "a string", "an integer", ... for messages.
  std::string_view kind() const;
  friend bool operator==(const Value&, const Value&) = default;
};

// The text that values were read from; kept to show the line in an error.
struct SourceText {
  std::string file;
  std::string text;
};

// Where a value came from. Small, because every value has one; `place` makes the readable form.
struct Origin {
  enum class Kind : std::uint8_t { Default, File, Set };
  Kind kind = Kind::Default;
  std::shared_ptr<const SourceText> source;  // File: the file; Set: the option as typed
  std::uint32_t line = 0;
  std::uint32_t key_column = 0;
  std::uint32_t column = 0;  // of the value

  SourcePlace place() const;      // pointing at the value
  SourcePlace key_place() const;  // pointing at the key
  std::string brief() const;      // "v100.toml:12", "--set", "default"
  std::string remark() const;     // File: the comment at the end of the value's line
};

}  // namespace heddle::config
