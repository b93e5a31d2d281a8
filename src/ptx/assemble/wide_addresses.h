// 64-bit addresses in one instruction: `mul.wide` and an `add.s64` of its result become `mad.wide`, as the
// assembler makes one IMAD.WIDE of them. A 64-bit addition by itself takes the machine two instructions.
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Results are the same. A product that an addition adds in several places, or in each round of a loop, is
// computed with every addition: that costs nothing.
void fuse_wide_addresses(Function& function);

}  // namespace heddle::ptx
