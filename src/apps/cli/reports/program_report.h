// `heddle ptx` of a CUDA executable, library, object or .fatbin: its modules, and the PTX in each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/inspect/ptx_facts.h"
#include "fatbin/fatbin.h"

namespace heddle::cli {

struct ProgramModuleFacts {
  ProgramModuleFacts() = default;
  ProgramModuleFacts(ProgramModuleFacts&&) = default;  // a copy's `chosen` would point into the original
  ProgramModuleFacts& operator=(ProgramModuleFacts&&) = default;

  std::vector<fatbin::Entry> entries;
  const fatbin::Entry* chosen = nullptr;  // the PTX that Heddle takes
  std::optional<exec::PtxFacts> ptx;      // of it; none for CUDA's own device runtime
  bool device_runtime = false;
  std::map<std::string, std::uint32_t> registers;  // by kernel, from machine code
  // Kernels are there as machine code only.
  bool unusable() const { return chosen == nullptr && !registers.empty(); }
};

struct ProgramFacts {
  std::string file;
  fatbin::Program program;
  std::vector<fatbin::Obstacle> obstacles;
  std::vector<ProgramModuleFacts> modules;  // entries point into `program`
  bool supported() const;
};

// Error: the file cannot be read, is none of these or damaged; or has no PTX to look at.
ProgramFacts collect_program_facts(const std::filesystem::path& file);

std::string program_report_text(const ProgramFacts& facts);
std::string program_report_json(const ProgramFacts& facts);

}  // namespace heddle::cli
