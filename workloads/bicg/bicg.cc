// bicg: s = A^T r and q = A p, the two products of the BiCG method. The second kernel's lanes walk along rows
// of their own: 32 lines per load.
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

class Bicg : public Program<Sizes> {
 public:
  Bicg()
      : Program({.name = "bicg",
                 .suite = "PolyBench",
                 .abbreviation = "BICG",
                 .summary =
                     "A^T r with one column per thread, then A p with one row per thread (32 lines per load)",
                 .order_reason = {},
                 .kernels = {{"bicg_kernel1", "BICG_1"}, {"bicg_kernel2", "BICG_2"}}},
                {300, 280}, {1024, 1024}, {4096, 4096}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [nx, ny] = sizes(options.scale);
    return {{"A", extent(nx, ny)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [nx, ny] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, nx * ny);
    const std::vector<float> r = random_values(random, nx);
    const std::vector<float> p = random_values(random, ny);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), dr = device.upload(r, "r"), dp = device.upload(p, "p");
    const DevicePtr ds = device.allocate(ny * sizeof(float), "s");
    const DevicePtr dq = device.allocate(nx * sizeof(float), "q");
    device.launch({.kernel = "bicg_kernel1",
                   .grid = grid_1d(ny),
                   .block = block_1d,
                   .args = args(da, dr, ds, dim(nx), dim(ny))});
    device.launch({.kernel = "bicg_kernel2",
                   .grid = grid_1d(nx),
                   .block = block_1d,
                   .args = args(da, dp, dq, dim(nx), dim(ny))});
    const Doubles wide = widen(a);
    // Positive terms, summed one after the other in single precision.
    return combine(compare_close(device.download<float>(ds, ny),
                                 narrow(transposed_times_vector(wide, widen(r), nx)), 1e-5, 1, "s"),
                   compare_close(device.download<float>(dq, nx), narrow(times_vector(wide, widen(p), nx)),
                                 1e-5, 1, "q"));
  }
};

}  // namespace

const Workload& bicg_workload() {
  static const Bicg workload;
  return workload;
}

}  // namespace heddle::workloads
