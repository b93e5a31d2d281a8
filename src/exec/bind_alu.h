// Which handler computes an arithmetic, logic, comparison, selection, move or conversion instruction.
#pragma once

#include "exec/code.h"
#include "ptx/instr.h"

namespace heddle::exec {

// Returns nullptr when the form (operation, types, modifiers) is not one that Heddle computes; the loader
// then refuses the module. Covers Op::Add ... Op::Vabsdiff2 except Mov of special registers that change
// (clock), Pack/Unpack operands beyond a, b, c, and Isspacep/Cvta (memory windows).
//
// How operands are laid out for the returned handler: d = dst[0]; a, b, c = src[0..2] lane vectors
// (4-byte lanes for types up to 32 bits, 8-byte lanes for 64 bits); a fourth source (bfi) is in `imm` as
// Place bits; predicate sources in p/p_flip (selp, setp and set with a boolean operand); pd, pq = setp's
// results; lut (lop3) and prmt mode from `imm`.
Handler bind_alu(const ptx::Instr& instr);

}  // namespace heddle::exec
