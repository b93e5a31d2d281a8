// How each instruction gets its handler and operands when a kernel is linked. Arithmetic: alu/bind_alu.h,
// textures and surfaces: texture/bind.h.
#pragma once

#include "exec/image/binder.h"
#include "exec/image/code.h"
#include "ptx/ir/instr.h"

namespace heddle::exec {

// Each fills handler and operands of `code` (guard and instr are set already); false: not its instruction.
bool bind_memory(const ptx::Instr& instr, Binder& binder, Code& code);  // ld, st
bool bind_copy(const ptx::Instr& instr, Binder& binder, Code& code);    // cp.async, prefetch, fences
bool bind_atomic(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_address(const ptx::Instr& instr, Binder& binder, Code& code);  // cvta, isspacep, mov of an address
bool bind_control(const ptx::Instr& instr, Binder& binder, Code& code);
// A bound branch of a loop that lanes may leave: KernelImage::loop_branches[index].
void bind_loop_branch(std::uint32_t index, Code& code);
bool bind_collective(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_wide_convert(const ptx::Instr& instr, Binder& binder, Code& code);  // cvt, wider registers
bool bind_mma(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_fragment(const ptx::Instr& instr, Binder& binder, Code& code);  // wmma.load, wmma.store
bool bind_matrix(const ptx::Instr& instr, Binder& binder, Code& code);    // ldmatrix and its like
bool bind_barrier(const ptx::Instr& instr, Binder& binder, Code& code);
bool bind_bulk(const ptx::Instr& instr, Binder& binder, Code& code);  // cp.async.bulk
bool bind_mbarrier(const ptx::Instr& instr, Binder& binder, Code& code);

}  // namespace heddle::exec
