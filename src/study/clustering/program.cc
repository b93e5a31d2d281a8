#include "study/clustering/program.h"

#include <algorithm>

#include "exec/functional/functional_device.h"
#include "workload/forwarding_device.h"

namespace heddle::study {
namespace {

class Notes final : public workload::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  void load_module(std::string_view text, std::string_view file) override {
    code.modules.push_back({std::string(text), std::string(file)});
    to_.load_module(text, file);
  }
  void launch(const workload::Launch& launch) override {
    note(launch);
    to_.launch(launch);
  }

  ProgramCode code;

 private:
  void note(const workload::Launch& launch) {
    const auto known = std::find_if(code.kernels.begin(), code.kernels.end(),
                                    [&](const LaunchedKernel& k) { return k.function == launch.kernel; });
    LaunchedKernel& k = known != code.kernels.end() ? *known : code.kernels.emplace_back();
    if (k.launches++ == 0) {
      k.function = launch.kernel;
      k.module = module_of(launch);
      k.first = launch;
    }
    k.ctas += launch.grid.count();
  }
  // Without a number it is the last that has the kernel.
  std::size_t module_of(const workload::Launch& launch) const {
    for (std::size_t i = code.modules.size(); i-- > 0;)
      if (code.modules[i].text.find(launch.kernel) != std::string::npos) return i;
    return 0;
  }
};

}  // namespace

ProgramCode program_code(const workload::Workload& workload, const workload::RunOptions& options) {
  exec::FunctionalOptions functional;
  functional.count_accesses = false;
  exec::FunctionalDevice device(functional);
  Notes notes(device);
  static_cast<void>(workload.run(notes, options));
  return std::move(notes.code);
}

}  // namespace heddle::study
