// gesummv: y = alpha A x + beta B x. Lanes walk along rows of their own in two matrices: 32 lines per load,
// twice as many to keep as in atax.
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

constexpr double alpha = 43532, beta = 12313;  // as in the kernel

class Gesummv : public Program<Sizes> {
 public:
  Gesummv()
      : Program({.name = "gesummv",
                 .suite = "PolyBench",
                 .abbreviation = "GESUMMV",
                 .summary = "two matrices times one vector, one row of both per thread: 32 lines per load",
                 .order_reason = {},
                 .kernels = {{"gesummv_kernel", "GESUMMV"}}},
                {270}, {768}, {4096}) {}

  Parameters parameters(const RunOptions& options) const override {
    const std::size_t n = sizes(options.scale).n;
    return {{"A, B", extent(n, n)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::size_t n = sizes(options.scale).n;
    Random random(options.seed);
    const std::vector<float> a = random_values(random, n * n), b = random_values(random, n * n);
    const std::vector<float> x = random_values(random, n);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), db = device.upload(b, "B"), dx = device.upload(x, "x");
    const DevicePtr dy = device.allocate(n * sizeof(float), "y");
    const DevicePtr dtmp = device.allocate(n * sizeof(float), "tmp");
    device.launch({.kernel = "gesummv_kernel",
                   .grid = grid_1d(n),
                   .block = block_1d,
                   .args = args(da, db, dx, dy, dtmp, dim(n))});
    const Doubles wide = widen(x);
    const Doubles want = sum(alpha, times_vector(widen(a), wide, n), beta, times_vector(widen(b), wide, n));
    // Positive terms, summed one after the other in single precision.
    return compare_close(device.download<float>(dy, n), narrow(want), 1e-5, 1, "y");
  }
};

}  // namespace

const Workload& gesummv_workload() {
  static const Gesummv workload;
  return workload;
}

}  // namespace heddle::workloads
