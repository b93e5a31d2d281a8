// The families of bind_alu. Each returns nullptr for what it does not know.
#pragma once

#include "exec/image/code.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::alu {

Handler bind_f32(const ptx::Instr& instr);      // add sub mul fma mad div rcp sqrt of f32
Handler bind_f64(const ptx::Instr& instr);      // the same of f64
Handler bind_sign(const ptx::Instr& instr);     // abs neg min max copysign of f32 and f64
Handler bind_half(const ptx::Instr& instr);     // everything of f16, bf16 and their pairs but comparisons
Handler bind_approx(const ptx::Instr& instr);   // .approx and .full forms
Handler bind_integer(const ptx::Instr& instr);  // integer arithmetic, video
Handler bind_carry(const ptx::Instr& instr);    // add.cc addc sub.cc subc mad.cc madc
Handler bind_bits(const ptx::Instr& instr);     // logic, shifts, bit fields
Handler bind_compare(const ptx::Instr& instr);  // setp set testp
Handler bind_move(const ptx::Instr& instr);     // mov pack unpack selp slct, predicate logic
Handler bind_convert(const ptx::Instr& instr);  // cvt
Handler bind_format_change(const ptx::Instr& instr);  // its common forms from float to float

}  // namespace heddle::exec::alu
