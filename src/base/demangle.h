// Names of C++ functions as people read them.
#pragma once

#include <string>

namespace heddle {

// "_Z7stencilPKfS0_Pfi" as "stencil(float const*, float const*, float*, int)"; other names stay as they are.
std::string demangle(const std::string& name);

// The demangled name without arguments, template arguments and namespaces' return types: "ns::stencil".
std::string base_name(const std::string& name);
// The same with template arguments: "ns::reduce<int, 32u>".
std::string instance_name(const std::string& name);

}  // namespace heddle
