// fdtd2d: electromagnetic field in two dimensions, three stencil kernels per time step: each reads the fields
// that the last one wrote.
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
  std::size_t nx, ny, steps;
};

struct Fields {
  Doubles ex, ey, hz;  // nx x (ny + 1), (nx + 1) x ny, nx x ny
};

void advance(Fields& f, double source, std::size_t nx, std::size_t ny) {
  for (std::size_t j = 0; j < ny; ++j) f.ey[j] = source;
  for (std::size_t e = ny; e < nx * ny; ++e) f.ey[e] -= 0.5 * (f.hz[e] - f.hz[e - ny]);
  for (std::size_t i = 0; i < nx; ++i)
    for (std::size_t j = 1; j < ny; ++j)
      f.ex[i * (ny + 1) + j] -= 0.5 * (f.hz[i * ny + j] - f.hz[i * ny + j - 1]);
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t j = 0; j < ny; ++j) {
      const double along_x = f.ey[(i + 1) * ny + j] - f.ey[i * ny + j];
      const double along_y = f.ex[i * (ny + 1) + j + 1] - f.ex[i * (ny + 1) + j];
      f.hz[i * ny + j] -= 0.7 * (along_x + along_y);
    }
  }
}

class Fdtd2d : public Program<Sizes> {
 public:
  Fdtd2d()
      : Program({.name = "fdtd2d",
                 .suite = "PolyBench",
                 .abbreviation = "FDTD-2D",
                 .summary = "two-dimensional field, three streaming stencil kernels per time step",
                 .order_reason = {},
                 .kernels = {{"fdtd_step1", "FDTD_1"}, {"fdtd_step2", "FDTD_2"}, {"fdtd_step3", "FDTD_3"}}},
                {50, 90, 2}, {512, 512, 2}, {2048, 2048, 10}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [nx, ny, steps] = sizes(options.scale);
    return {
        {"field", extent(nx, ny)}, {"time steps", std::to_string(steps)}, {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [nx, ny, steps] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> source = random_values(random, steps);
    const std::vector<float> ex = random_values(random, nx * (ny + 1));
    const std::vector<float> ey = random_values(random, (nx + 1) * ny);
    const std::vector<float> hz = random_values(random, nx * ny);

    load_embedded(device, info().name);
    const DevicePtr dsource = device.upload(source, "source");
    const DevicePtr dex = device.upload(ex, "ex"), dey = device.upload(ey, "ey"),
                    dhz = device.upload(hz, "hz");
    for (std::size_t t = 0; t < steps; ++t) {
      const Dim3 grid = grid_2d(ny, nx);
      device.launch({.kernel = "fdtd_step1",
                     .grid = grid,
                     .block = block_2d,
                     .args = args(dsource, dey, dhz, dim(t), dim(nx), dim(ny))});
      device.launch({.kernel = "fdtd_step2",
                     .grid = grid,
                     .block = block_2d,
                     .args = args(dex, dhz, dim(nx), dim(ny))});
      device.launch({.kernel = "fdtd_step3",
                     .grid = grid,
                     .block = block_2d,
                     .args = args(dex, dey, dhz, dim(nx), dim(ny))});
    }

    Fields want{widen(ex), widen(ey), widen(hz)};
    for (const float value : source) advance(want, value, nx, ny);
    // Fields stay of order 1; every step adds a few roundings of single precision.
    return combine(
        combine(compare_close(device.download<float>(dex, ex.size()), narrow(want.ex), 2e-6, 1, "ex"),
                compare_close(device.download<float>(dey, ey.size()), narrow(want.ey), 2e-6, 1, "ey")),
        compare_close(device.download<float>(dhz, hz.size()), narrow(want.hz), 2e-6, 1, "hz"));
  }
};

}  // namespace

const Workload& fdtd2d_workload() {
  static const Fdtd2d workload;
  return workload;
}

}  // namespace heddle::workloads
