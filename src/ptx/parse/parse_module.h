// From PTX text to a module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/text/parse_limits.h"

namespace heddle::ptx {

struct Unsupported {
  std::string instruction;  // as written: "wmma.load.a.sync..."
  std::string function;
  std::string reason;
  std::uint32_t line = 0, column = 0;
};

// Parses and decodes the whole module. Throws Error (with place) on the first thing that is not PTX, or
// that Heddle does not support. With `unsupported` given, unsupported instructions are collected there
// (and become Op::Trap) instead of stopping at the first.
Module parse_module(std::string text, std::string file, const ParseLimits& limits = {},
                    std::vector<Unsupported>* unsupported = nullptr);

}  // namespace heddle::ptx
