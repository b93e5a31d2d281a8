// vecadd: c = a + b, the plain streaming kernel. No reuse at any level: what a technique cannot help.
#include <cstdint>
#include <string>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 256;

std::int32_t elements(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 60'000;  // the last CTA is partly empty
    case Scale::Small:
      return 4'000'000;
    case Scale::Paper:
      return 16'000'000;
  }
  return 0;
}

std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(a.size());
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
  return c;
}

class VecAdd : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"elements", std::to_string(elements(options.scale))},
            {"values", "uniform in [0, 1)"},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::int32_t n = elements(options.scale);
    Random random(options.seed);
    std::vector<float> a(n), b(n);
    for (float& v : a) v = random.uniform();
    for (float& v : b) v = random.uniform();

    load_embedded(device, info_.name);
    const DevicePtr da = device.upload(a, "a");
    const DevicePtr db = device.upload(b, "b");
    const DevicePtr dc = device.allocate(a.size() * sizeof(float), "c");
    device.launch({.kernel = "vecadd",
                   .grid = {(n + block - 1) / block},
                   .block = {block},
                   .args = args(da, db, dc, n)});
    // One IEEE addition per element leaves no room for a difference.
    return compare_close(device.download<float>(dc, n), reference(a, b), 0, 1, "c");
  }

 private:
  WorkloadInfo info_{.name = "vecadd",
                     .suite = "CUDA samples",
                     .abbreviation = "VA",
                     .summary = "adds two vectors: pure streaming",
                     .order_reason = {},
                     .kernels = {{"vecadd", ""}}};
};

}  // namespace

const Workload& vecadd_workload() {
  static const VecAdd workload;
  return workload;
}

}  // namespace heddle::workloads
