// From PTX text to its tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/rewrite/tree.h"
#include "ptx/text/parse_limits.h"

namespace heddle::ptx::tree {

// Takes whatever parse_module takes, and more: instructions are not looked into. Throws Error with file and
// line where a statement has no end, brackets do not match, or something stands where no statement can.
Module read_module(std::string text, std::string file, const ParseLimits& limits = {});

// Statements of a body, for passes that add some. Their place is unknown (line 0): they are in no file.
std::vector<Statement> read_statements(std::string_view text);

// Statements of module level, in the same way: variables, functions.
std::vector<Statement> read_module_statements(std::string_view text);

}  // namespace heddle::ptx::tree
