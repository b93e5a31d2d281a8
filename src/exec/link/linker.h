// From a decoded kernel to one that is ready to run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/image/kernel_image.h"
#include "mem/device_memory.h"
#include "ptx/ir/module.h"

namespace heddle::exec {

// Addresses of a module's .global and .const variables.
using VariableAddresses = std::vector<mem::Address>;  // by Module::variables; 0: not in device memory

// Links a kernel with every function it can reach, and gives each instruction its handler and operands.
// Throws Error with place for anything Heddle cannot execute.
std::unique_ptr<KernelImage> make_kernel_image(const ptx::Module& module, std::uint32_t kernel,
                                               const VariableAddresses& variables);

}  // namespace heddle::exec
