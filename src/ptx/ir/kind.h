// What kind of work an instruction is.
#pragma once

#include <cstdint>

#include "ptx/ir/instr.h"

namespace heddle::ptx {

enum class Kind : std::uint8_t {
  Integer,  // arithmetic
  Logic,    // bitwise logic, shifts, bit fields
  Float16,  // f16 and bf16, single or paired
  Float32,
  Float64,
  Tensor,   // matrix products
  Special,  // reciprocal, root, sine, logarithm, ...
  Convert,
  Move,     // moves, packing, address-space conversions
  Compare,  // comparisons and selections
  Control,  // branches, calls, returns
  Memory,   // loads, stores, asynchronous copies, prefetches
  Atomic,
  Texture,
  Barrier,     // barriers and fences
  Collective,  // shuffles, votes, matches, warp reductions
  Other,
};

Kind kind(const Instr& instr);

}  // namespace heddle::ptx
