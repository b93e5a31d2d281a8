#include "exec/image/kernel_image.h"

#include <algorithm>

namespace heddle::exec {

std::uint32_t KernelImage::function_of(std::uint32_t pc) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (pc >= functions[i].entry_pc && pc < functions[i].end_pc) return i;
  return 0;
}

SourcePlace KernelImage::place(std::uint32_t pc) const {
  const ptx::Instr* in = code[std::min<std::size_t>(pc, code.size() - 1)].instr;
  return module->place(in->line, in->column);
}

std::uint32_t KernelImage::function_at(std::uint64_t address) const {
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (function_address(functions[i].module_index) == address) return i;
  return kNone;
}

}  // namespace heddle::exec
