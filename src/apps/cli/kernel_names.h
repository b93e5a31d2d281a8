// Names of kernels as people type them, and signatures as people read them.
#pragma once

#include <string>
#include <string_view>

#include "base/demangle.h"
#include "base/error.h"
#include "ptx/ir/module.h"

namespace heddle::cli {

// The demangled name without arguments, template arguments and namespaces' return types: "ns::stencil".
std::string base_name(const std::string& name);
// The same with template arguments: "ns::reduce<int, 32u>".
std::string instance_name(const std::string& name);

// The kernel that `wanted` means: its full name, its demangled name, its base name with or without the
// namespace, or a part that only one kernel has. Throws Error at `place` with the list of kernels.
const ptx::Function& find_kernel(const ptx::Module& module, const std::string& wanted,
                                 const SourcePlace& place);

// "stencil(.u64 [8 bytes], ...)", for messages about arguments.
std::string signature(const ptx::Function& kernel);

}  // namespace heddle::cli
