// atax: y = A^T (A x). The first kernel's lanes walk along rows of their own: 32 lines per load, each used 32
// times if the L1 keeps it that long.
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
  std::size_t nx, ny;
};

class Atax : public Program<Sizes> {
 public:
  Atax()
      : Program({.name = "atax",
                 .suite = "PolyBench",
                 .abbreviation = "ATAX",
                 .summary = "A^T A x: one row per thread (32 lines per load), then one column per thread",
                 .order_reason = {},
                 .kernels = {{"atax_kernel1", "ATAX_1"}, {"atax_kernel2", "ATAX_2"}}},
                {300, 280}, {1024, 1024}, {4096, 4096}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [nx, ny] = sizes(options.scale);
    return {{"A", extent(nx, ny)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [nx, ny] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, nx * ny);
    const std::vector<float> x = random_values(random, ny);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), dx = device.upload(x, "x");
    const DevicePtr dy = device.allocate(ny * sizeof(float), "y");
    const DevicePtr dtmp = device.allocate(nx * sizeof(float), "tmp");
    device.launch({.kernel = "atax_kernel1",
                   .grid = grid_1d(nx),
                   .block = block_1d,
                   .args = args(da, dx, dtmp, dim(nx), dim(ny))});
    device.launch({.kernel = "atax_kernel2",
                   .grid = grid_1d(ny),
                   .block = block_1d,
                   .args = args(da, dy, dtmp, dim(nx), dim(ny))});
    const Doubles wide = widen(a);
    const Doubles tmp = times_vector(wide, widen(x), nx);
    // Positive terms, summed one after the other in single precision, twice.
    return combine(compare_close(device.download<float>(dtmp, nx), narrow(tmp), 1e-5, 1, "tmp"),
                   compare_close(device.download<float>(dy, ny),
                                 narrow(transposed_times_vector(wide, tmp, nx)), 1e-5, 1, "y"));
  }
};

}  // namespace

const Workload& atax_workload() {
  static const Atax workload;
  return workload;
}

}  // namespace heddle::workloads
