#include "study/clustering/graph_order.h"

#include <fmt/format.h>

#include "base/error.h"
#include "exec/functional/functional_device.h"
#include "workload/forwarding_device.h"

namespace heddle::study {
namespace {

struct Found {
  workload::Dim3 grid;
  workload::CtaReads reads;
};

// Ends the program when the kernel is launched.
class Until final : public workload::ForwardingDevice {
 public:
  Until(exec::FunctionalDevice& device, const std::string& kernel, std::uint32_t line_bytes)
      : ForwardingDevice(device), device_(device), kernel_(kernel), line_bytes_(line_bytes) {}
  void launch(const workload::Launch& launch) override {
    if (launch.kernel == kernel_) throw Found{launch.grid, device_.reads(launch, line_bytes_)};
    to_.launch(launch);
  }

 private:
  exec::FunctionalDevice& device_;
  const std::string& kernel_;
  std::uint32_t line_bytes_;
};

}  // namespace

GraphOrder graph_order(const workload::Workload& workload, const workload::RunOptions& options,
                       const std::string& kernel, std::uint32_t clusters, std::uint32_t line_bytes) {
  exec::FunctionalOptions functional;
  functional.count_accesses = false;
  exec::FunctionalDevice device(functional);
  Until until(device, kernel, line_bytes);
  try {
    static_cast<void>(workload.run(until, options));
  } catch (const Found& found) {
    cta_clustering::CutOptions cut;
    cut.clusters = clusters;
    return {found.grid, clusters, cta_clustering::order_by_reuse(found.reads, cut)};
  }
  throw Error(fmt::format("'{}' is never launched", kernel));
}

std::string order_header(const std::string& kernel, const GraphOrder& o) {
  std::string text = fmt::format(
      "// Which CTA (x fastest) of a grid of {} x {} x {} each task is, for {} clusters.\n"
      "#pragma once\n"
      "static const unsigned {}_order[{}] = {{",
      o.grid.x, o.grid.y, o.grid.z, o.clusters, kernel, o.tasks.size());
  for (std::size_t i = 0; i < o.tasks.size(); ++i)
    text += fmt::format("{}{},", i % 16 == 0 ? "\n  " : " ", o.tasks[i]);
  return text + fmt::format(R"(
}};

struct {0}_by_order {{  // an order for hc::launch; `table`: the array in device memory
  const unsigned* table;
  __device__ heddle::clustering::Index3 operator()(unsigned task, const heddle::clustering::Index3& grid) const {{
    return heddle::clustering::RowMajor()(table[task], grid);
  }}
}};
)",
                            kernel);
}

}  // namespace heddle::study
