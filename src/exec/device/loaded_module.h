// A module in the device's memory: its variables have addresses, its kernels are ready to run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/image/kernel_image.h"
#include "exec/link/linker.h"
#include "mem/device_memory.h"
#include "ptx/ir/module.h"
#include "ptx/parse/parse_module.h"

namespace heddle::exec {

// Which code runs.
enum class CodeOrder : std::uint8_t {
  AsWritten,     // as the PTX has them
  AsAssembled,   // as the vendor's assembler makes it (ptx/assemble/)
  AsMachineCode  // likewise, each as the machine instructions of Volta and later
};

// When kernels are made ready, and what cannot be executed is refused.
enum class Linking : std::uint8_t {
  AtLoad,   // all of a module, or none
  AtLaunch  // each when it is first asked for
};

class LoadedModule {
 public:
  // Parses, places variables, links kernels; refuses what cannot be executed. `others`: modules loaded
  // before, in which `.extern` variables are looked up.
  LoadedModule(std::string text, std::string file, mem::DeviceMemory& memory,
               const std::vector<std::unique_ptr<LoadedModule>>& others, CodeOrder order,
               Linking linking = Linking::AtLoad);

  const ptx::Module& module() const { return module_; }
  // nullptr: there is none of this name. With Linking::AtLaunch, throws Error for one that uses what Heddle
  // cannot execute.
  const KernelImage* find_kernel(std::string_view name);
  // Those that are ready.
  const std::vector<std::unique_ptr<KernelImage>>& kernels() const { return kernels_; }
  // Address of a .global or .const variable; 0 when there is none of this name.
  mem::Address find_variable(std::string_view name, std::uint64_t* bytes) const;

 private:
  void place_variables(mem::DeviceMemory& memory, const std::vector<std::unique_ptr<LoadedModule>>& others);
  void relocate(mem::DeviceMemory& memory);
  const KernelImage* link(std::string_view name);
  void refuse_unsupported(const KernelImage& image) const;

  std::vector<ptx::Unsupported> unsupported_;  // with Linking::AtLaunch
  ptx::Module module_;
  VariableAddresses addresses_;
  std::vector<std::unique_ptr<KernelImage>> kernels_;
};

}  // namespace heddle::exec
