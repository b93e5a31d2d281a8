// Operations that one machine instruction does together (Volta and later): LOP3 is any function of three
// values, IADD3 adds three, LEA shifts and adds, signs and predicates are part of what reads them. All but
// one of them are marked (Instr::folded); they are executed where they stand and take no place in the order
// of issue.
#pragma once

#include "ptx/analysis/control_flow.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

void fold_operations(Function& function, const ControlFlow& flow);

}  // namespace heddle::ptx
