// syrk: C = alpha A A^T + beta C. Lanes read rows of their own of A (32 lines per load), and all warps of a
// column of CTAs read the same ones.
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
  std::size_t n, m;
};

constexpr double alpha = 12435, beta = 4546;  // as in the kernel

class Syrk : public Program<Sizes> {
 public:
  Syrk()
      : Program({.name = "syrk",
                 .suite = "PolyBench",
                 .abbreviation = "SYRK",
                 .summary = "A A^T from global memory: lanes read A one row apart, warps read the same rows",
                 .order_reason = {},
                 .kernels = {{"syrk_kernel", "SYRK"}}},
                {50, 60}, {160, 160}, {512, 1024}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [n, m] = sizes(options.scale);
    return {{"A", extent(n, m)}, {"C", extent(n, n)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [n, m] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, n * m), c = random_values(random, n * n);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), dc = device.upload(c, "C");
    device.launch({.kernel = "syrk_kernel",
                   .grid = grid_2d(n, n),
                   .block = block_2d,
                   .args = args(da, dc, dim(n), dim(m))});
    const Doubles wide = widen(a);
    const Doubles want = sum(alpha, product(wide, transposed(wide, n, m), n, m, n), beta, widen(c));
    // Positive terms, summed one after the other in single precision.
    return compare_close(device.download<float>(dc, c.size()), narrow(want), 1e-5, 1, "C");
  }
};

}  // namespace

const Workload& syrk_workload() {
  static const Syrk workload;
  return workload;
}

}  // namespace heddle::workloads
