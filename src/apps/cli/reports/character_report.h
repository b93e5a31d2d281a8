// What `heddle characterise` found, as tables for people, as CSV and as JSON (docs/characterise.md).
#pragma once

#include <ostream>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/characterise.h"

namespace heddle::cli {

// Three tables, at most 120 characters wide.
void print_character(std::span<const analysis::KernelCharacter> kernels, std::ostream& out);
// One line per kernel, one column per number.
std::string character_csv(std::span<const analysis::KernelCharacter> kernels);
// One object per kernel, with the members of the CSV and all windows.
nlohmann::ordered_json character_json(std::span<const analysis::KernelCharacter> kernels);

}  // namespace heddle::cli
