// From a tree to PTX text: a statement per line, indented by block, each token as it was written.
// parse_module makes the same of it as of the text that the tree was read from, but for lines and columns.
#pragma once

#include <string>

#include "ptx/rewrite/tree.h"

namespace heddle::ptx::tree {

std::string print(const Module& module);
// Without indentation and line's end, for messages: "@%p bra $L1;". Of a function only its heading.
std::string print(const Statement& statement);
std::string print(const Pieces& pieces);

}  // namespace heddle::ptx::tree
