#include "base/version.h"

#include <fmt/format.h>

#include "heddle_version.h"

namespace heddle {

const BuildInfo& build_info() {
  static constexpr BuildInfo kInfo{HEDDLE_RELEASE, HEDDLE_SOURCE_HASH, HEDDLE_COMPILER, HEDDLE_BUILD_TYPE,
                                   HEDDLE_TARGET};
  return kInfo;
}

std::string version_line() {
  const BuildInfo& b = build_info();
  return fmt::format("heddle {} (source {}, {}, {}, {})", b.release, b.source_hash.substr(0, 12), b.compiler,
                     b.build_type, b.target);
}

}  // namespace heddle
