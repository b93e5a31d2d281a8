// What is in a PTX module, and what of it Heddle cannot execute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/parse/parse_module.h"

namespace heddle::exec {

struct FunctionFacts {
  std::string name, readable;
  std::vector<std::pair<std::string, std::uint64_t>> parameters;  // type, bytes
  std::uint32_t line = 0;
  std::uint64_t instructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> mix;  // kind, count; most frequent first
  std::uint32_t blocks = 0, loops = 0, branches = 0, conditional_branches = 0, calls = 0, barriers = 0;
  std::uint32_t virtual_registers = 0;
  std::optional<std::uint32_t> max_threads, required_threads;
  // Kernels only; none when the kernel cannot be linked at all.
  std::optional<std::uint32_t> registers, static_shared, local;
  std::optional<std::uint32_t> machine_registers;  // of the machine code beside the PTX, where there is some
  bool dynamic_shared = false, recursive = false;
};

struct VariableFacts {
  std::string name, space, type;
  std::uint64_t bytes = 0;
  bool external = false, initialised = false;
};

struct ExternalFacts {
  std::string name;
  bool provided = false;  // by Heddle, as the driver would
};

struct PtxFacts {
  std::string file, version, target;
  unsigned address_size = 64;
  std::vector<FunctionFacts> kernels, functions;
  std::vector<VariableFacts> variables;
  std::vector<ExternalFacts> externals;
  std::vector<ptx::Unsupported> unsupported;  // by line
};

// Throws Error when the text is no PTX.
PtxFacts collect_ptx_facts(std::string text, std::string file);

}  // namespace heddle::exec
