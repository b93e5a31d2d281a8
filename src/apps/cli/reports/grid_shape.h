// Grids and blocks in words.
#pragma once

#include <string>

#include <fmt/format.h>

#include "workload/launch.h"

namespace heddle::cli {

inline std::string shape(const workload::Dim3& d) {
  return d.z != 1   ? fmt::format("{}x{}x{}", d.x, d.y, d.z)
         : d.y != 1 ? fmt::format("{}x{}", d.x, d.y)
                    : fmt::format("{}", d.x);
}

}  // namespace heddle::cli
