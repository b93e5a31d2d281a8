// Separate compilation (nvcc -rdc=true): the PTX of several files as one module.
#pragma once

#include <span>
#include <string>

namespace heddle::fatbin {

// One text after another under the first one's heading, with the highest version of PTX. What one file
// declares
// `.extern` and another defines is then in the same module. Names that belong to one file alone (string
// constants, shared variables of kernels) are made unlike where two files have the same.
std::string link_ptx(std::span<const std::string> texts);

}  // namespace heddle::fatbin
