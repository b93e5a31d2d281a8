// mvt: x1 += A y1 and x2 += A^T y2. The first kernel's lanes walk along rows of their own: 32 lines per load.
#include <string>
#include <vector>

#include "workload/compare.h"
#include "workloads/polybench/polybench.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;
using namespace polybench;

struct Sizes {
  std::size_t n;
};

class Mvt : public Program<Sizes> {
 public:
  Mvt()
      : Program(
            {.name = "mvt",
             .suite = "PolyBench",
             .abbreviation = "MVT",
             .summary =
                 "A y1 with one row per thread (32 lines per load), then A^T y2 with one column per thread",
             .order_reason = {},
             .kernels = {{"mvt_kernel1", "MVT_1"}, {"mvt_kernel2", "MVT_2"}}},
            {290}, {1024}, {4096}) {}

  Parameters parameters(const RunOptions& options) const override {
    const std::size_t n = sizes(options.scale).n;
    return {{"A", extent(n, n)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::size_t n = sizes(options.scale).n;
    Random random(options.seed);
    const std::vector<float> a = random_values(random, n * n);
    const std::vector<float> x1 = random_values(random, n), x2 = random_values(random, n);
    const std::vector<float> y1 = random_values(random, n), y2 = random_values(random, n);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A");
    const DevicePtr dx1 = device.upload(x1, "x1"), dx2 = device.upload(x2, "x2");
    const DevicePtr dy1 = device.upload(y1, "y1"), dy2 = device.upload(y2, "y2");
    device.launch(
        {.kernel = "mvt_kernel1", .grid = grid_1d(n), .block = block_1d, .args = args(da, dx1, dy1, dim(n))});
    device.launch(
        {.kernel = "mvt_kernel2", .grid = grid_1d(n), .block = block_1d, .args = args(da, dx2, dy2, dim(n))});
    const Doubles wide = widen(a);
    const Doubles want1 = sum(1, widen(x1), 1, times_vector(wide, widen(y1), n));
    const Doubles want2 = sum(1, widen(x2), 1, transposed_times_vector(wide, widen(y2), n));
    // Positive terms, summed one after the other in single precision.
    return combine(compare_close(device.download<float>(dx1, n), narrow(want1), 1e-5, 1, "x1"),
                   compare_close(device.download<float>(dx2, n), narrow(want2), 1e-5, 1, "x2"));
  }
};

}  // namespace

const Workload& mvt_workload() {
  static const Mvt workload;
  return workload;
}

}  // namespace heddle::workloads
