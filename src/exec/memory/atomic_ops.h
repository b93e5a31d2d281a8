// What an atomic makes of a memory cell.
#pragma once

#include <cstdint>

#include "ptx/ir/instr.h"

namespace heddle::exec {

// The new value. `U` is the cell's type, zero-extended to 4 bytes where it is narrower. Global and shared
// memory differ in subnormal sums and NaNs.
std::uint32_t apply_atomic(const ptx::Instr& instr, std::uint32_t old, std::uint32_t b, std::uint32_t c,
                           bool global);
std::uint64_t apply_atomic(const ptx::Instr& instr, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                           bool global);

}  // namespace heddle::exec
