// Parameters lie in a constant bank that machine instructions of Hopper cannot read as operands: ptxas keeps few of
// them in registers across a loop and reads them again in each block that needs them (LDC for addresses, ULDC
// for words; machine code in validation/training/sass*.tar.gz).
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

void reload_parameters(Function& function);

}  // namespace heddle::ptx
