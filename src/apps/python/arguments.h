// A kernel's arguments from what Python gives: by the types that its parameters have in PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ptx/ir/module.h"
#include "workload/launch.h"

namespace heddle::python {

struct Address {
  std::uint64_t value = 0;
};
using Bytes = std::vector<std::byte>;  // of a struct, or of anything
// Integers above the largest std::int64_t come as std::uint64_t.
using Argument = std::variant<Address, std::int64_t, std::uint64_t, double, Bytes>;

// Throws Error that names the parameter: a wrong number of arguments, one of a wrong kind or size, a number
// that does not fit.
workload::KernelArgs pack(const ptx::Function& kernel, std::span<const Argument> arguments);

}  // namespace heddle::python
