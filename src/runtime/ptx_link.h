// Separate compilation (nvcc -rdc=true): the PTX of several files as one module.
#pragma once

#include <span>
#include <string>

namespace heddle::runtime {

// One text after another under the first one's heading, with the highest version of PTX. What one file
// declares
// `.extern` and another defines is then in the same module; names of one file alone are made unlike by the
// compiler.
std::string link_ptx(std::span<const std::string> texts);

}  // namespace heddle::runtime
