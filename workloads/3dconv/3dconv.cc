// 3dconv: convolution of a volume from global memory, one launch per plane: each plane is read by three
// launches.
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
  std::size_t ni, nj, nk;  // planes, rows, columns
};

// The nonzero weights by plane, row and column of the neighbourhood; where the original names a neighbour
// several times, the sum.
struct Tap {
  std::ptrdiff_t plane, row, column;
  double weight;
};
constexpr Tap taps[] = {
    {-1, -1, -1, 2.0 + 5.0 - 8.0},
    {1, -1, -1, 4.0 + 7.0 + 10.0},
    {0, -1, 0, -3},
    {0, 0, 0, 6},
    {0, 1, 0, -9},
    {-1, -1, 1, 2},
    {1, -1, 1, 4},
    {-1, 0, 1, 5},
    {1, 0, 1, 7},
    {-1, 1, 1, -8},
    {1, 1, 1, 10},
};

std::vector<float> reference(const std::vector<float>& a, std::size_t ni, std::size_t nj, std::size_t nk) {
  std::vector<float> b(a.size());  // the faces stay zero
  const auto row = static_cast<std::ptrdiff_t>(nk), plane = static_cast<std::ptrdiff_t>(nj * nk);
  for (std::size_t i = 1; i + 1 < ni; ++i) {
    for (std::size_t j = 1; j + 1 < nj; ++j) {
      for (std::size_t k = 1; k + 1 < nk; ++k) {
        const auto at = static_cast<std::ptrdiff_t>((i * nj + j) * nk + k);
        double sum = 0;
        for (const Tap& t : taps)
          sum += t.weight * a[static_cast<std::size_t>(at + t.plane * plane + t.row * row + t.column)];
        b[static_cast<std::size_t>(at)] = static_cast<float>(sum);
      }
    }
  }
  return b;
}

class Conv3d : public Program<Sizes> {
 public:
  Conv3d()
      : Program({.name = "3dconv",
                 .suite = "PolyBench",
                 .abbreviation = "3DCONV",
                 .summary = "convolution of a volume without shared memory, one launch per plane",
                 .order_reason = {},
                 .kernels = {{"convolution3d", "3DCONV"}}},
                {5, 50, 60}, {12, 256, 256}, {256, 256, 256}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [ni, nj, nk] = sizes(options.scale);
    return {{"volume", std::to_string(ni) + " x " + extent(nj, nk)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [ni, nj, nk] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> a = random_values(random, ni * nj * nk);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A");
    const DevicePtr db = device.allocate(a.size() * sizeof(float), "B");
    for (std::size_t i = 1; i + 1 < ni; ++i) {
      device.launch({.kernel = "convolution3d",
                     .grid = grid_2d(nk, nj),
                     .block = block_2d,
                     .args = args(da, db, dim(i), dim(ni), dim(nj), dim(nk))});
    }
    // Terms of up to 21, of either sign, in single precision.
    return compare_close(device.download<float>(db, a.size()), reference(a, ni, nj, nk), 1e-6, 20, "B");
  }
};

}  // namespace

const Workload& conv3d_workload() {
  static const Conv3d workload;
  return workload;
}

}  // namespace heddle::workloads
