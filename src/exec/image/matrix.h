// Tensor-core instructions as they are executed: the places of their fragments, which Code has no room for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exec/image/code.h"
#include "ptx/ir/matrix.h"

namespace heddle::exec {

// One access of wmma.load or wmma.store: what the assembler makes a load or store of its own. Lane i accesses
// `bytes` at the element `at[i]` of the line (row or column, whichever lies together in memory) `line[i]`.
struct FragmentAccess {
  std::array<std::uint8_t, kLanes> line{};
  std::array<std::uint8_t, kLanes> at{};
};

// How what lanes access becomes registers.
enum class FragmentForm : std::uint8_t {
  Register,    // one register
  Pair,        // two registers of 4 bytes
  Half,        // half of a register; accesses 2r and 2r + 1 make register r
  Transposed,  // a register of several elements that lie in different lines: lanes exchange them
};

struct MatrixCode {
  const ptx::MatrixInstr* instr = nullptr;
  std::array<Place, 8> d{}, a{}, b{}, c{};
  // wmma.load and wmma.store:
  std::uint32_t bytes = 0;  // of a lane in one access
  FragmentForm form = FragmentForm::Register;
  std::vector<FragmentAccess> accesses;  // at most 8
  std::uint32_t distinct = 0;            // registers; those behind them repeat them
};

}  // namespace heddle::exec
