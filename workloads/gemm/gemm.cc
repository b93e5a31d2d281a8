// gemm: C = alpha A B + beta C from global memory. A warp reads one element of A and one line of B per step
// and stores its line of C: two loads per store, and warps of different rows read the same lines of B.
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
  std::size_t ni, nj, nk;
};

constexpr double alpha = 32412, beta = 2123;  // as in the kernel

class Gemm : public Program<Sizes> {
 public:
  Gemm()
      : Program({.name = "gemm",
                 .suite = "PolyBench",
                 .abbreviation = "GEMM",
                 .summary = "matrix product without tiles, the sum kept in memory: two loads per store",
                 .order_reason = {},
                 .kernels = {{"gemm_kernel", "GEMM"}}},
                {40, 50, 60}, {192, 192, 192}, {512, 512, 512}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [ni, nj, nk] = sizes(options.scale);
    return {
        {"A", extent(ni, nk)}, {"B", extent(nk, nj)}, {"C", extent(ni, nj)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [ni, nj, nk] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, ni * nk);
    const std::vector<float> b = random_values(random, nk * nj);
    const std::vector<float> c = random_values(random, ni * nj);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), db = device.upload(b, "B"), dc = device.upload(c, "C");
    device.launch({.kernel = "gemm_kernel",
                   .grid = grid_2d(nj, ni),
                   .block = block_2d,
                   .args = args(da, db, dc, dim(ni), dim(nj), dim(nk))});
    const Doubles want = sum(alpha, product(widen(a), widen(b), ni, nk, nj), beta, widen(c));
    // Positive terms, summed one after the other in single precision.
    return compare_close(device.download<float>(dc, c.size()), narrow(want), 1e-5, 1, "C");
  }
};

}  // namespace

const Workload& gemm_workload() {
  static const Gemm workload;
  return workload;
}

}  // namespace heddle::workloads
