// Parameters lie in a constant bank that machine instructions of Hopper cannot read as operands. ptxas keeps
// them in registers in an innermost loop, but few of them across one: what loops around others need of them
// it reads again in each block (LDC for addresses, ULDC for words; machine code in
// validation/training/sass*.tar.gz).
#pragma once

#include "ptx/ir/module.h"

namespace heddle::ptx {

void reload_parameters(Function& function);

}  // namespace heddle::ptx
