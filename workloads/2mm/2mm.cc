// 2mm: E = (A B) D, two products from global memory with the sums kept there: two loads per store.
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
  std::size_t ni, nj, nk, nl;
};

class TwoProducts : public Program<Sizes> {
 public:
  TwoProducts()
      : Program({.name = "2mm",
                 .suite = "PolyBench",
                 .abbreviation = "2MM",
                 .summary = "two matrix products without tiles, sums kept in memory",
                 .order_reason = {},
                 .kernels = {{"mm2_kernel1", "2MM_1"}, {"mm2_kernel2", "2MM_2"}}},
                {40, 50, 60, 36}, {144, 144, 144, 144}, {1024, 1024, 1024, 1024}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [ni, nj, nk, nl] = sizes(options.scale);
    return {
        {"A", extent(ni, nk)}, {"B", extent(nk, nj)}, {"D", extent(nj, nl)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [ni, nj, nk, nl] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, ni * nk);
    const std::vector<float> b = random_values(random, nk * nj);
    const std::vector<float> d = random_values(random, nj * nl);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), db = device.upload(b, "B"), dd = device.upload(d, "D");
    const DevicePtr dc = device.allocate(ni * nj * sizeof(float), "C");
    const DevicePtr de = device.allocate(ni * nl * sizeof(float), "E");
    device.launch({.kernel = "mm2_kernel1",
                   .grid = grid_2d(nj, ni),
                   .block = block_2d,
                   .args = args(da, db, dc, dim(ni), dim(nj), dim(nk))});
    device.launch({.kernel = "mm2_kernel2",
                   .grid = grid_2d(nl, ni),
                   .block = block_2d,
                   .args = args(dc, dd, de, dim(ni), dim(nj), dim(nl))});
    const Doubles c = product(widen(a), widen(b), ni, nk, nj);
    // Positive terms, summed one after the other in single precision, twice.
    return combine(compare_close(device.download<float>(dc, ni * nj), narrow(c), 1e-5, 1, "C"),
                   compare_close(device.download<float>(de, ni * nl),
                                 narrow(product(c, widen(d), ni, nj, nl)), 1e-5, 1, "E"));
  }
};

}  // namespace

const Workload& mm2_workload() {
  static const TwoProducts workload;
  return workload;
}

}  // namespace heddle::workloads
