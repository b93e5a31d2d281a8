// Names of C++ functions as people read them.
#pragma once

#include <string>

namespace heddle {

// "_Z7stencilPKfS0_Pfi" as "stencil(float const*, float const*, float*, int)"; other names stay as they are.
std::string demangle(const std::string& name);

}  // namespace heddle
