// covar: covariance matrix. Two quick kernels (means, centred data), then one variable per thread: its sums
// with itself and all later variables, columns of a matrix whose rows begin at any place within a line.
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
  std::size_t m, n;  // variables (columns), observations (rows)
};

class Covar : public Program<Sizes> {
 public:
  Covar()
      : Program({.name = "covar",
                 .suite = "PolyBench",
                 .abbreviation = "COVAR",
                 .summary = "covariance matrix, one variable per thread: few CTAs, long sums kept in memory",
                 .order_reason = {},
                 .kernels = {{"covar_mean", "COVAR_1"},
                             {"covar_reduce", "COVAR_2"},
                             {"covar_kernel", "COVAR_3"}}},
                {40, 50}, {128, 96}, {2048, 256}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [m, n] = sizes(options.scale);
    return {{"variables", std::to_string(m)},
            {"observations", std::to_string(n)},
            {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [m, n] = sizes(options.scale);
    Random random(options.seed);
    const std::vector<float> values = random_values(random, n * m);

    load_embedded(device, info().name);
    const DevicePtr data = device.upload(with_border(values, n, m), "data");
    const DevicePtr symmat = device.allocate((m + 1) * (m + 1) * sizeof(float), "symmat");
    const DevicePtr mean = device.allocate((m + 1) * sizeof(float), "mean");
    device.launch({.kernel = "covar_mean",
                   .grid = grid_1d(m),
                   .block = block_1d,
                   .args = args(mean, data, static_cast<float>(n), dim(m), dim(n))});
    device.launch({.kernel = "covar_reduce",
                   .grid = grid_2d(m, n),
                   .block = block_2d,
                   .args = args(mean, data, dim(m), dim(n))});
    device.launch({.kernel = "covar_kernel",
                   .grid = grid_1d(m),
                   .block = block_1d,
                   .args = args(symmat, data, dim(m), dim(n))});

    Doubles centred = widen(values);
    take_column_means(centred, n);
    const Doubles want = product(transposed(centred, n, m), centred, m, n, m);
    const auto matrix = [&](DevicePtr p, std::size_t rows) {
      return without_border(device.download<float>(p, (rows + 1) * (m + 1)), rows, m);
    };
    // Centred values are of order 1, variances (times n) of order n / 12; all are sums in single precision.
    return combine(
        compare_close(matrix(data, n), narrow(centred), 1e-5, 1, "data"),
        compare_close(matrix(symmat, m), narrow(want), 1e-5, static_cast<double>(n) / 12, "symmat"));
  }
};

}  // namespace

const Workload& covar_workload() {
  static const Covar workload;
  return workload;
}

}  // namespace heddle::workloads
