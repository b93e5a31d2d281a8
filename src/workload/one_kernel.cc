#include "workload/one_kernel.h"

#include <fmt/format.h>

#include "base/error.h"
#include "workload/forwarding_device.h"

namespace heddle::workload {
namespace {

// The device that the host program of one kernel sees.
class OneKernelDevice final : public ForwardingDevice {
 public:
  OneKernelDevice(Device& device, std::string_view kernel) : ForwardingDevice(device), kernel_(kernel) {}

  void launch(const Launch& launch) override {
    if (launch.kernel != kernel_) {
      to_.execute(launch);
      return;
    }
    launched_ = true;
    to_.launch(launch);
  }
  bool launched() const { return launched_; }

 private:
  std::string_view kernel_;
  bool launched_ = false;
};

}  // namespace

OneKernel::OneKernel(const Workload& program, std::size_t number) : program_(program), info_(program.info()) {
  const WorkloadInfo& of = program.info();
  const KernelInfo& kernel = of.kernels.at(number - 1);
  info_.name = fmt::format("{}.{}", of.name, number);
  info_.abbreviation = kernel.label.empty() ? fmt::format("{}_{}", of.abbreviation, number) : kernel.label;
  info_.summary = fmt::format("kernel {} of {}: {}", kernel.function, of.name, of.summary);
  info_.kernels = {kernel};
  info_.also.clear();
}

Verification OneKernel::run(Device& device, const RunOptions& options) const {
  OneKernelDevice one(device, info_.kernels.front().function);
  const Verification result = program_.run(one, options);
  if (!one.launched())
    throw Error(fmt::format("{} does not launch the kernel '{}' at scale {}", program_.info().name,
                            info_.kernels.front().function, name(options.scale)));
  return result;
}

}  // namespace heddle::workload
