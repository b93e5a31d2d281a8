#include "runtime/session/modules.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "fatbin/ptx_link.h"

namespace heddle::runtime {
namespace {

// The PTX to simulate, and what machine code knows of registers.
void read_container(DeviceModule& module, const void* container, std::uint32_t architecture,
                    std::vector<std::string>& texts) {
  const std::vector<fatbin::Entry> all = fatbin::entries_in_memory(container);
  const fatbin::Entry* ptx = fatbin::choose_ptx(all, architecture);
  const fatbin::Entry* cubin = nullptr;
  for (const fatbin::Entry& e : all)
    if (e.kind == fatbin::Kind::Cubin && (cubin == nullptr || e.architecture >= cubin->architecture))
      cubin = &e;
  if (ptx != nullptr) {
    std::string text = fatbin::unpack(*ptx);
    if (fatbin::is_device_runtime(text)) return;  // Heddle has its own
    module.architecture = std::max(module.architecture, ptx->architecture);
    texts.push_back(std::move(text));
    if (!ptx->source.empty()) module.name = ptx->source;
  }
  if (cubin == nullptr) return;
  const std::string code = fatbin::unpack(*cubin);
  module.registers.merge(fatbin::registers(std::as_bytes(std::span(code))));
}

void read_wrapper(DeviceModule& module, const FatBinaryWrapper& wrapper, std::uint32_t architecture) {
  constexpr std::uint32_t kLinked = 2;
  std::vector<std::string> texts;
  read_container(module, wrapper.data, architecture, texts);
  if (wrapper.version == kLinked && wrapper.aux != nullptr && texts.empty())
    for (auto* const* part = static_cast<const void* const*>(wrapper.aux); *part != nullptr; ++part)
      read_container(module, *part, architecture, texts);
  if (texts.empty())
    module.problem =
        "it has no PTX, and Heddle executes PTX; compile with -gencode arch=compute_75,code=compute_75";
  else
    module.ptx = texts.size() == 1 ? std::move(texts.front()) : fatbin::link_ptx(texts);
}

}  // namespace

DeviceModule& Modules::add_fatbin(const FatBinaryWrapper& wrapper) {
  DeviceModule& module = modules_.emplace_back();
  module.unread = wrapper;
  return module;
}

void Modules::read(DeviceModule& module) {
  if (!module.unread) return;
  const FatBinaryWrapper wrapper = *module.unread;
  module.unread.reset();
  const auto at =
      std::find_if(modules_.begin(), modules_.end(), [&](const auto& m) { return &m == &module; });
  module.name = fmt::format("module {}", std::distance(modules_.begin(), at) + 1);
  try {
    read_wrapper(module, wrapper, wanted_ != 0 ? wanted_ : fatbin::kUsualArchitecture);
  } catch (const Error& e) {
    module.problem = e.what();
    module.problem_code = cudaErrorInvalidKernelImage;
  }
}

void Modules::forget(DeviceModule& module) {
  if (!module.unread) return;
  module.unread.reset();
  module.name = "a module";
  module.problem = "the program has taken it away (__cudaUnregisterFatBinary) before it was used";
}

DeviceModule& Modules::add_text(std::string ptx, std::string name) {
  DeviceModule& module = modules_.emplace_back();
  module.name = std::move(name);
  module.ptx = std::move(ptx);
  return module;
}

void Modules::add_kernel(DeviceModule& module, const void* host, std::string name) {
  Kernel& k = kernels_.emplace_back();
  k.module = &module;
  k.name = std::move(name);
  by_host_[host] = &k;
  by_host_[&k] = &k;
}

void Modules::add_variable(DeviceModule& module, const void* host, std::string name) {
  variables_[host] = {&module, std::move(name)};
}

Kernel& Modules::kernel(const void* host_or_handle, cudaError_t otherwise) {
  const auto at = by_host_.find(host_or_handle);
  if (at == by_host_.end()) throw Failure{otherwise, {}};
  return *at->second;
}

const DeviceVariable& Modules::variable(const void* host) const {
  const auto at = variables_.find(host);
  if (at == variables_.end()) throw Failure{cudaErrorInvalidSymbol, {}};
  return at->second;
}

Kernel* Modules::kernel_named(DeviceModule& module, const std::string& name, Simulator& simulator) {
  load(module, simulator);
  for (Kernel& k : kernels_)
    if (k.module == &module && k.name == name) return &k;
  const ptx::Function* f = simulator.module(module.number).module().find_function(name);
  if (f == nullptr || !f->entry) return nullptr;
  add_kernel(module, nullptr, name);
  by_host_.erase(nullptr);
  return &kernels_.back();
}

void Modules::load(DeviceModule& module, Simulator& simulator) {
  if (module.loaded) return;
  read(module);
  if (!module.problem.empty())
    throw Failure{module.problem_code, fmt::format("{}: {}", module.name, module.problem)};
  try {
    module.number = simulator.load(module.ptx, module.name);
  } catch (const Error& e) {
    module.problem = e.what();
    module.problem_code = cudaErrorInvalidPtx;
    throw Failure{module.problem_code, module.problem};
  }
  module.loaded = true;
  std::uint64_t bytes = 0;
  for (const DeviceModule::Managed& m : module.managed)
    if (const Address a = simulator.module(module.number).find_variable(m.name, &bytes); a != 0) {
      *m.host = reinterpret_cast<void*>(a);
      simulator.share(a, bytes);
    }
}

Address Modules::address(const DeviceVariable& variable, Simulator& simulator, std::uint64_t* bytes) {
  return address(*variable.module, variable.name, simulator, bytes);
}

Address Modules::address(DeviceModule& module, const std::string& name, Simulator& simulator,
                         std::uint64_t* bytes) {
  load(module, simulator);
  const Address a = simulator.module(module.number).find_variable(name, bytes);
  if (a == 0) throw Failure{cudaErrorInvalidSymbol, {}};
  return a;
}

std::uint32_t Modules::architecture() {
  std::uint32_t highest = 0;
  for (DeviceModule& m : modules_) {
    read(m);
    highest = std::max(highest, m.architecture);
  }
  return highest;
}

void Modules::unload_all() {
  for (DeviceModule& m : modules_) m.loaded = false;
}

}  // namespace heddle::runtime
