// scan: SHOC's prefix sum of a vector, reduce then scan.
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
  std::int32_t elements;
  std::uint32_t rounds;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {64 << 10, 1};
    case Scale::Small:
      return {256 << 10, 4};
    case Scale::Paper:
      return {2 << 20, 32};
  }
  return {};
}

class Scan : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"elements", std::to_string(size.elements)},
            {"values", "0 or 1"},
            {"rounds", fmt::format("{}, all of the same input", size.rounds)},
            {"grid", fmt::format("{} CTAs of {} threads; 1 for the sums of CTAs", ctas, block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> in(size.elements), want;
    float sum = 0;
    for (float& v : in) {
      v = static_cast<float>(random.below(2));
      want.push_back(sum += v);
    }

    load_embedded(device, info_.name);
    const DevicePtr d_in = device.upload(in, "input");
    const DevicePtr d_out = device.allocate(in.size() * sizeof(float), "output"),
                    d_sums = device.allocate(ctas * sizeof(float), "sums of CTAs");
    constexpr std::uint32_t shared = block * sizeof(float);
    for (std::uint32_t round = 0; round < size.rounds; ++round) {
      device.launch({.kernel = "scan_reduce",
                     .grid = {ctas},
                     .block = {block},
                     .dynamic_shared = shared,
                     .args = args(d_in, d_sums, size.elements)});
      device.launch({.kernel = "scan_top",
                     .grid = {1},
                     .block = {block},
                     .dynamic_shared = 2 * shared,
                     .args = args(d_sums, std::int32_t(ctas))});
      device.launch({.kernel = "scan_bottom",
                     .grid = {ctas},
                     .block = {block},
                     .dynamic_shared = 2 * shared,
                     .args = args(d_in, d_out, d_sums, size.elements)});
    }
    // Sums of small integers are exact in any order.
    return compare_close(device.download<float>(d_out, in.size()), want, 0, 1, "output");
  }

 private:
  WorkloadInfo info_{.name = "scan",
                     .suite = "SHOC",
                     .abbreviation = "S-Scan",
                     .summary = "prefix sum of a vector: reduce, scan the sums, scan the parts",
                     .order_reason = {},
                     .kernels = {{"scan_reduce", ""}, {"scan_top", ""}, {"scan_bottom", ""}}};
};

}  // namespace

const Workload& scan_workload() {
  static const Scan workload;
  return workload;
}

}  // namespace heddle::workloads
