// How large a module may be.
#pragma once

#include <cstdint>

namespace heddle::ptx {

// Refuse modules that would need unreasonable memory (also what the fuzzer relies on).
struct ParseLimits {
  std::uint64_t max_text_bytes = 256u << 20;
  std::uint64_t max_variable_bytes = 4ull << 30;  // sum of all variables
  std::uint64_t max_initializer_bytes = 256u << 20;
  std::uint32_t max_registers_per_function = 1u << 20;
  std::uint32_t max_nesting = 64;
  std::uint64_t max_instructions = 16u << 20;  // of the whole module; each takes several hundred bytes
};

}  // namespace heddle::ptx
