// Kernels by the names that people type, and signatures as people read them.
#pragma once

#include <string>

#include "base/error.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

// The kernel that `wanted` means: its full name, its demangled name, its base name with or without the
// namespace, or a part that only one kernel has. Throws Error at `place` with the list of kernels.
const Function& find_kernel(const Module& module, const std::string& wanted, const SourcePlace& place);

// "stencil(.u64 [8 bytes], ...)", for messages about arguments.
std::string signature(const Function& kernel);

}  // namespace heddle::ptx
