// `heddle ptx FILE`: what a module contains and whether Heddle can run it.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "exec/inspect/ptx_facts.h"
#include "launch/compile_cu.h"

namespace heddle::cli {

inline constexpr int kUnsupportedStatus = 3;

std::string ptx_report_text(const exec::PtxFacts& facts);
std::string ptx_report_json(const exec::PtxFacts& facts);
nlohmann::ordered_json ptx_facts_json(const exec::PtxFacts& facts);

// Writes the report of a .ptx file, of what a .cu file compiles to, or of a CUDA program, library, object or
// .fatbin. Returns 0 when all of it can be run,
// kUnsupportedStatus when something cannot. Throws Error when there is no PTX at all.
int report_ptx(const std::filesystem::path& path, bool json, std::ostream& out,
               const launch::CompileOptions& compile = {});

}  // namespace heddle::cli
