// syr2k: C = alpha (A B^T + B A^T) + beta C. Lanes read rows of their own of two matrices (32 lines per
// load), and all warps of a column of CTAs read the same ones.
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

class Syr2k : public Program<Sizes> {
 public:
  Syr2k()
      : Program({.name = "syr2k",
                 .suite = "PolyBench",
                 .abbreviation = "SYR2K",
                 .summary = "A B^T + B A^T from global memory: lanes read both matrices one row apart",
                 .order_reason = {},
                 .kernels = {{"syr2k_kernel", "SYR2K"}}},
                {50, 60}, {128, 128}, {256, 2048}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [n, m] = sizes(options.scale);
    return {{"A, B", extent(n, m)}, {"C", extent(n, n)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [n, m] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, n * m), b = random_values(random, n * m);
    const std::vector<float> c = random_values(random, n * n);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), db = device.upload(b, "B"), dc = device.upload(c, "C");
    device.launch({.kernel = "syr2k_kernel",
                   .grid = grid_2d(n, n),
                   .block = block_2d,
                   .args = args(da, db, dc, dim(n), dim(m))});
    const Doubles half = product(widen(a), transposed(widen(b), n, m), n, m, n);
    const Doubles both = sum(1, half, 1, transposed(half, n, n));
    // Positive terms, summed one after the other in single precision.
    return compare_close(device.download<float>(dc, c.size()), narrow(sum(alpha, both, beta, widen(c))), 1e-5,
                         1, "C");
  }
};

}  // namespace

const Workload& syr2k_workload() {
  static const Syr2k workload;
  return workload;
}

}  // namespace heddle::workloads
