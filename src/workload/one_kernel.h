// One kernel of a program as a workload of its own: the host program runs as it is, this kernel's launches
// are simulated (or counted), all others only executed. Results are verified as those of the program.
#pragma once

#include <cstddef>

#include "workload/workload.h"

namespace heddle::workload {

class OneKernel final : public Workload {
 public:
  // `number`: from 1 to the number of the program's kernels. `program` outlives this.
  OneKernel(const Workload& program, std::size_t number);

  const WorkloadInfo& info() const override { return info_; }  // name: "lud.2"; kernels: this one
  Parameters parameters(const RunOptions& options) const override { return program_.parameters(options); }
  // Throws Error when the program does not launch the kernel.
  Verification run(Device& device, const RunOptions& options) const override;

 private:
  const Workload& program_;
  WorkloadInfo info_;
};

}  // namespace heddle::workload
