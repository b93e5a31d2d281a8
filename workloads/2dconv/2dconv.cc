// 2dconv: 3 x 3 convolution from global memory. Nine loads per output, most of them to lines that a
// neighbouring thread, warp or CTA has just asked for.
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

constexpr std::uint32_t block_x = 32;
constexpr std::uint32_t block_y = 8;

std::uint32_t side(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 250;  // the last CTAs of a row and of a column are partly empty
    case Scale::Small:
      return 1536;
    case Scale::Paper:
      return 4096;  // PolyBench's own size
  }
  return 0;
}

std::vector<float> reference(const std::vector<float>& a, std::size_t n) {
  static constexpr double weight[3][3] = {{0.2, -0.3, 0.4}, {0.5, 0.6, 0.7}, {-0.8, -0.9, 0.1}};
  std::vector<float> b(a.size());  // the edge stays zero
  for (std::size_t i = 1; i + 1 < n; ++i) {
    for (std::size_t j = 1; j + 1 < n; ++j) {
      double sum = 0;
      for (std::size_t di = 0; di < 3; ++di) {
        for (std::size_t dj = 0; dj < 3; ++dj) sum += weight[di][dj] * a[(i + di - 1) * n + (j + dj - 1)];
      }
      b[i * n + j] = static_cast<float>(sum);
    }
  }
  return b;
}

class Conv2d : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const std::string n = std::to_string(side(options.scale));
    return {{"matrix", n + " x " + n},
            {"values", "uniform in [0, 1)"},
            {"threads per CTA", std::to_string(block_x) + " x " + std::to_string(block_y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::uint32_t n = side(options.scale);
    Random random(options.seed);
    std::vector<float> a(std::size_t{n} * n);
    for (float& v : a) v = random.uniform();

    load_embedded(device, info_.name);
    const DevicePtr da = device.upload(a, "a");
    const DevicePtr db = device.allocate(a.size() * sizeof(float), "b");
    const auto extent = static_cast<std::int32_t>(n);
    device.launch({.kernel = "convolution2d",
                   .grid = {(n + block_x - 1) / block_x, (n + block_y - 1) / block_y},
                   .block = {block_x, block_y},
                   .args = args(da, db, extent, extent)});
    // Nine products of at most 0.9 in single precision: a few units of 2^-24, and sums near zero keep them.
    return compare_close(device.download<float>(db, a.size()), reference(a, n), 2e-6, 1, "b");
  }

 private:
  WorkloadInfo info_{.name = "2dconv",
                     .suite = "PolyBench",
                     .abbreviation = "2DCONV",
                     .summary = "3 x 3 convolution without shared memory: neighbouring CTAs share lines",
                     .order_reason = {},
                     .kernels = {{"convolution2d", ""}}};
};

}  // namespace

const Workload& conv2d_workload() {
  static const Conv2d workload;
  return workload;
}

}  // namespace heddle::workloads
