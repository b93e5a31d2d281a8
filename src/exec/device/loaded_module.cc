#include "exec/device/loaded_module.h"

#include <fmt/format.h>

#include "ptx/assemble/assemble.h"

namespace heddle::exec {

using ptx::Space;
using ptx::Symbol;
using ptx::Variable;

LoadedModule::LoadedModule(std::string text, std::string file, mem::DeviceMemory& memory,
                           const std::vector<std::unique_ptr<LoadedModule>>& others, CodeOrder order,
                           Linking linking)
    : module_(ptx::parse_module(std::move(text), std::move(file), {},
                                linking == Linking::AtLaunch ? &unsupported_ : nullptr)) {
  if (order != CodeOrder::AsWritten) ptx::assemble(module_, order == CodeOrder::AsMachineCode);
  place_variables(memory, others);
  relocate(memory);
  if (linking == Linking::AtLaunch) return;
  for (std::uint32_t i = 0; i < module_.functions.size(); ++i)
    if (module_.functions[i].entry && !module_.functions[i].external)
      kernels_.push_back(make_kernel_image(module_, i, addresses_));
}

void LoadedModule::place_variables(mem::DeviceMemory& memory,
                                   const std::vector<std::unique_ptr<LoadedModule>>& others) {
  addresses_.assign(module_.variables.size(), 0);
  for (std::size_t i = 0; i < module_.variables.size(); ++i) {
    const Variable& v = module_.variables[i];
    if (v.texture || (v.space != Space::Global && v.space != Space::Const)) continue;
    if (v.external) {
      for (const auto& other : others)
        if (addresses_[i] == 0) addresses_[i] = other->find_variable(v.name, nullptr);
      continue;
    }
    addresses_[i] = memory.allocate(v.size, v.name, v.align, v.space == Space::Global);
    if (!v.init.empty())
      memory.write(addresses_[i], v.init.data(), std::min<std::uint64_t>(v.init.size(), v.size));
  }
}

void LoadedModule::relocate(mem::DeviceMemory& memory) {
  for (std::size_t i = 0; i < module_.variables.size(); ++i) {
    const Variable& v = module_.variables[i];
    for (const ptx::Relocation& r : v.relocations) {
      const Symbol& s = module_.symbols[r.symbol];
      std::uint64_t value = 0;
      if (s.kind == Symbol::Kind::Function)
        value = function_address(s.index);
      else if (s.kind == Symbol::Kind::Variable && addresses_[s.index] != 0)
        value = addresses_[s.index];
      else
        throw Error(
            module_.place(v.line),
            fmt::format("the initialiser of '{}' needs the address of '{}', which has none in device memory",
                        v.name, s.name));
      value = (value + static_cast<std::uint64_t>(r.addend)) >> r.shift;
      if (addresses_[i] != 0) memory.write(addresses_[i] + r.offset, &value, r.size);
    }
  }
}

const KernelImage* LoadedModule::find_kernel(std::string_view name) {
  for (const auto& k : kernels_)
    if (k->name == name) return k.get();
  return link(name);
}

const KernelImage* LoadedModule::link(std::string_view name) {
  for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
    const ptx::Function& f = module_.functions[i];
    if (!f.entry || f.external || f.name != name) continue;
    std::unique_ptr<KernelImage> image = make_kernel_image(module_, i, addresses_);
    refuse_unsupported(*image);
    return kernels_.emplace_back(std::move(image)).get();
  }
  return nullptr;
}

void LoadedModule::refuse_unsupported(const KernelImage& image) const {
  for (const ptx::Unsupported& u : unsupported_)
    for (const FunctionImage& f : image.functions)
      if (f.source->name == u.function)
        throw Error(module_.place(u.line, u.column),
                    fmt::format("kernel '{}' uses '{}': {}", image.name, u.instruction, u.reason));
}

mem::Address LoadedModule::find_variable(std::string_view name, std::uint64_t* bytes) const {
  for (std::size_t i = 0; i < module_.variables.size(); ++i)
    if (module_.variables[i].name == name && addresses_[i] != 0) {
      if (bytes != nullptr) *bytes = module_.variables[i].size;
      return addresses_[i];
    }
  return 0;
}

}  // namespace heddle::exec
