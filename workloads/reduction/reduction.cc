// reduction: SHOC's sum of a vector, launched again and again on the same input.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t ctas = 64, block = 256;

struct Size {
  std::uint32_t elements, launches;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {64 << 10, 2};
    case Scale::Small:
      return {256 << 10, 8};
    case Scale::Paper:
      return {256 << 10, 256};
  }
  return {};
}

class Reduction : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"elements", std::to_string(size.elements)},
            {"values", "0, 1 or 2"},
            {"launches", fmt::format("{}, all of the same input", size.launches)},
            {"grid", fmt::format("{} CTAs of {} threads", ctas, block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> in(size.elements);
    for (float& v : in) v = static_cast<float>(random.below(3));

    load_embedded(device, info_.name);
    const DevicePtr d_in = device.upload(in, "input"), d_out = device.allocate(ctas * sizeof(float), "sums");
    std::vector<float> want(ctas);
    for (std::size_t i = 0; i < in.size(); ++i) want[i / (2 * block) % ctas] += in[i];
    for (std::uint32_t launch = 0; launch < size.launches; ++launch)
      device.launch({.kernel = "reduce",
                     .grid = {ctas},
                     .block = {block},
                     .dynamic_shared = block * sizeof(float),
                     .args = args(d_in, d_out, size.elements)});
    // Sums of small integers are exact in any order.
    return compare_close(device.download<float>(d_out, ctas), want, 0, 1, "sums");
  }

 private:
  WorkloadInfo info_{.name = "reduction",
                     .suite = "SHOC",
                     .abbreviation = "S-Reduction",
                     .summary = "sum of a vector, every launch reads the same input again",
                     .order_reason = {},
                     .kernels = {{"reduce", ""}}};
};

}  // namespace

const Workload& reduction_workload() {
  static const Reduction workload;
  return workload;
}

}  // namespace heddle::workloads
