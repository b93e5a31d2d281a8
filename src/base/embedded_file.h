// A file that the build put inside the program (cmake/HeddleEmbed.cmake).
#pragma once

#include <string_view>

namespace heddle {

struct EmbeddedFile {
  std::string_view name;  // without folder and extension
  std::string_view file;  // where it lies among the sources, for messages
  std::string_view text;
};

}  // namespace heddle
