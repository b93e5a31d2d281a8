// `heddle ptx FILE`: what a module contains and whether Heddle can run it.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "apps/cli/compile_cu.h"
#include "apps/cli/ptx_facts.h"

namespace heddle::cli {

inline constexpr int kUnsupportedStatus = 3;

std::string ptx_report_text(const PtxFacts& facts);
std::string ptx_report_json(const PtxFacts& facts);

// Writes the report of a .ptx file (or of what a .cu file compiles to). Returns 0 when all of it can be run,
// kUnsupportedStatus when something cannot. Throws Error when it is no PTX at all.
int report_ptx(const std::filesystem::path& path, bool json, std::ostream& out,
               const CompileOptions& compile = {});

}  // namespace heddle::cli
