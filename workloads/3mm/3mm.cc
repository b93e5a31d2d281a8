// 3mm: G = (A B) (C D), three products from global memory with the sums kept there: two loads per store.
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
  std::size_t ni, nj, nk, nl, nm;
};

class ThreeProducts : public Program<Sizes> {
 public:
  ThreeProducts()
      : Program({.name = "3mm",
                 .suite = "PolyBench",
                 .abbreviation = "3MM",
                 .summary = "three matrix products without tiles, sums kept in memory",
                 .order_reason = {},
                 .kernels = {{"mm3_kernel1", "3MM_1"}, {"mm3_kernel2", "3MM_2"}, {"mm3_kernel3", "3MM_3"}}},
                {40, 50, 60, 36, 44}, {128, 128, 128, 128, 128}, {512, 512, 512, 512, 512}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [ni, nj, nk, nl, nm] = sizes(options.scale);
    return {{"A", extent(ni, nk)},
            {"B", extent(nk, nj)},
            {"C", extent(nj, nm)},
            {"D", extent(nm, nl)},
            {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [ni, nj, nk, nl, nm] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, ni * nk);
    const std::vector<float> b = random_values(random, nk * nj);
    const std::vector<float> c = random_values(random, nj * nm);
    const std::vector<float> d = random_values(random, nm * nl);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A"), db = device.upload(b, "B");
    const DevicePtr dc = device.upload(c, "C"), dd = device.upload(d, "D");
    const DevicePtr de = device.allocate(ni * nj * sizeof(float), "E");
    const DevicePtr df = device.allocate(nj * nl * sizeof(float), "F");
    const DevicePtr dg = device.allocate(ni * nl * sizeof(float), "G");
    device.launch({.kernel = "mm3_kernel1",
                   .grid = grid_2d(nj, ni),
                   .block = block_2d,
                   .args = args(da, db, de, dim(ni), dim(nj), dim(nk))});
    device.launch({.kernel = "mm3_kernel2",
                   .grid = grid_2d(nl, nj),
                   .block = block_2d,
                   .args = args(dc, dd, df, dim(nj), dim(nl), dim(nm))});
    device.launch({.kernel = "mm3_kernel3",
                   .grid = grid_2d(nl, ni),
                   .block = block_2d,
                   .args = args(de, df, dg, dim(ni), dim(nl), dim(nj))});
    const Doubles e = product(widen(a), widen(b), ni, nk, nj);
    const Doubles f = product(widen(c), widen(d), nj, nm, nl);
    // Positive terms, summed one after the other in single precision, twice.
    return combine(
        combine(compare_close(device.download<float>(de, ni * nj), narrow(e), 1e-5, 1, "E"),
                compare_close(device.download<float>(df, nj * nl), narrow(f), 1e-5, 1, "F")),
        compare_close(device.download<float>(dg, ni * nl), narrow(product(e, f, ni, nj, nl)), 1e-5, 1, "G"));
  }
};

}  // namespace

const Workload& mm3_workload() {
  static const ThreeProducts workload;
  return workload;
}

}  // namespace heddle::workloads
