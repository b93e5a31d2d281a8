// Names of kernels as people type them, and signatures as people read them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "ptx/module.h"

namespace heddle::cli {

// "_Z7stencilPKfS0_Pfi" as "stencil(float const*, float const*, float*, int)"; other names stay as they are.
std::string demangle(const std::string& name);
// The demangled name without arguments, template arguments and namespaces' return types: "ns::stencil".
std::string base_name(const std::string& name);
// The same with template arguments: "ns::reduce<int, 32u>".
std::string instance_name(const std::string& name);

// The kernel that `wanted` means: its full name, its demangled name, its base name with or without the
// namespace, or a part that only one kernel has. Throws Error at `place` with the list of kernels.
const ptx::Function& find_kernel(const ptx::Module& module, const std::string& wanted,
                                 const SourcePlace& place);

// ".u64", ".b8[24]"
std::string parameter_type(const ptx::Variable& parameter);
// "stencil(.u64 [8 bytes], ...)", for messages about arguments.
std::string signature(const ptx::Function& kernel);

}  // namespace heddle::cli
