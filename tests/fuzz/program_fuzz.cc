// Any bytes as a program, library or object: an Error, or what the file says about itself; as machine code of
// a GPU: an Error or registers. Never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "fatbin/fatbin.h"

namespace {

using namespace heddle;

void read_as_program(std::span<const std::byte> file) {
  try {
    const fatbin::Program program = fatbin::parse_program(file);
    // Sections may overlap, but nothing is larger than the file.
    for (const auto& module : program.modules)
      if (module.size() > file.size()) std::abort();
    if (program.cudart == fatbin::Program::Cudart::Shared && program.cudart_name.empty()) std::abort();
    fatbin::obstacles(program);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  read_as_program(file);
  try {
    fatbin::registers(file);
  } catch (const Error&) {
  }
  return 0;
}
