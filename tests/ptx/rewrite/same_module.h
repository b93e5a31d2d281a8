// Whether two modules mean the same: all that the parser makes of them, but for lines, columns and the text.
#pragma once

#include <string>

#include "ptx/ir/module.h"

namespace heddle::ptx {

// Empty: the same. Otherwise the first difference.
std::string difference(const Module& a, const Module& b);

}  // namespace heddle::ptx
