// Which handler computes an arithmetic, logic, comparison, selection, move or conversion instruction.
#pragma once

#include "exec/image/code.h"
#include "ptx/ir/instr.h"

namespace heddle::exec {

// Returns nullptr when the form (operation, types, modifiers) is not one that Heddle computes; the loader
// then refuses the module. Covers Op::Add ... Op::Vabsdiff2 except Mov of special registers that change
// (clock), Pack/Unpack operands beyond a, b, c, and Isspacep/Cvta (memory windows).
//
// How operands are laid out for the returned handler: d = dst[0]; a, b, c = src[0..2] lane vectors
// (4-byte lanes for types up to 32 bits, 8-byte lanes for 64 bits); a fourth source (bfi, pack of four) is in
// `imm` as Place bits; predicate sources in p/p_flip (selp, setp and set with a boolean operand); pd, pq =
// setp's results. Further:
//   unpack: destinations in d, b, c and (fourth) imm as Place bits; those that are Kind::Sink are not
//   written. and, or, xor, not, mov of type Pred: p/p_flip = src[0]; src[1] in imm: slot in bits 0..15, bit
//   16 = negated;
//     the result in pd.
//   testp: the result in pd.
// `code.instr` must be set: rare forms read their modifiers from it (lop3's table, boolean operators, ...).
// A destination's lane vector may be one of the sources', never a partly overlapping one.
//
// Lanes of types narrower than 32 bits: sources are cut to their type, whatever is above; results are
// zero-extended, except that cvt to s8 and s16 sign-extends to 32 bits (the register may be a wider one).
Handler bind_alu(const ptx::Instr& instr);

// Bits of source `index` and of the result as the handler reads and writes them: 64 means 8-byte lanes. They
// differ from instr.type for shift amounts, bit fields, wide products, conversions and the like.
unsigned alu_source_bits(const ptx::Instr& instr, unsigned index);
unsigned alu_result_bits(const ptx::Instr& instr);

}  // namespace heddle::exec
