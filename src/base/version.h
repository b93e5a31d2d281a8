// Which program this is. Every result names the source it came from.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

struct BuildInfo {
  std::string_view release;      // "0.1.0"
  std::string_view source_hash;  // SHA-256 over the sources that decide what the program computes
  std::string_view compiler;     // "GNU 12.2.0"
  std::string_view build_type;   // "Release"
  std::string_view target;       // "aarch64"
};

const BuildInfo& build_info();
// "heddle 0.1.0 (source 0123456789ab, GNU 12.2.0, Release, aarch64)"
std::string version_line();

}  // namespace heddle
