// corr: correlation matrix. Three quick kernels (means, deviations, normalised data), then one variable per
// thread: its sums with all later variables, columns of a matrix whose rows begin at any place within a line.
#include <algorithm>
#include <cmath>
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

struct Reference {
  Doubles mean, deviation, normalised, symmat;
};

Reference reference(const std::vector<float>& values, std::size_t m, std::size_t n) {
  Reference r;
  r.normalised = widen(values);
  r.mean = take_column_means(r.normalised, n);
  r.deviation.resize(m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) r.deviation[j] += r.normalised[i * m + j] * r.normalised[i * m + j];
  const double count = static_cast<double>(n);
  for (double& d : r.deviation) {
    d = std::sqrt(d / count);
    if (d <= 0.005) d = 1;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) r.normalised[i * m + j] /= std::sqrt(count) * r.deviation[j];
  r.symmat = product(transposed(r.normalised, n, m), r.normalised, m, n, m);
  for (std::size_t j = 0; j < m; ++j) r.symmat[j * m + j] = 1;
  return r;
}

class Corr : public Program<Sizes> {
 public:
  Corr()
      : Program({.name = "corr",
                 .suite = "PolyBench",
                 .abbreviation = "CORR",
                 .summary = "correlation matrix, one variable per thread: few CTAs, long sums kept in memory",
                 .order_reason = {},
                 .kernels = {{"corr_mean", "CORR_1"},
                             {"corr_deviation", "CORR_2"},
                             {"corr_reduce", "CORR_3"},
                             {"corr_kernel", "CORR_4"}}},
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
    const DevicePtr deviation = device.allocate((m + 1) * sizeof(float), "deviation");
    const auto count = static_cast<float>(n);
    device.launch({.kernel = "corr_mean",
                   .grid = grid_1d(m),
                   .block = block_1d,
                   .args = args(mean, data, count, dim(m), dim(n))});
    device.launch({.kernel = "corr_deviation",
                   .grid = grid_1d(m),
                   .block = block_1d,
                   .args = args(mean, deviation, data, count, dim(m), dim(n))});
    device.launch({.kernel = "corr_reduce",
                   .grid = grid_2d(m, n),
                   .block = block_2d,
                   .args = args(mean, deviation, data, std::sqrt(count), dim(m), dim(n))});
    device.launch({.kernel = "corr_kernel",
                   .grid = grid_1d(m),
                   .block = block_1d,
                   .args = args(symmat, data, dim(m), dim(n))});
    const float last = 1;  // the kernel leaves the last diagonal element to the host
    device.copy_in(symmat + (m * (m + 1) + m) * sizeof(float), &last, sizeof(float));

    const Reference want = reference(values, m, n);
    const auto matrix = [&](DevicePtr p, std::size_t rows) {
      return without_border(device.download<float>(p, (rows + 1) * (m + 1)), rows, m);
    };
    // Means and deviations are of order 1, normalised values of order 1 / sqrt(n), correlations at most 1;
    // all are sums in single precision.
    return combine(
        compare_close(matrix(data, n), narrow(want.normalised), 2e-5, 1 / std::sqrt(count), "data"),
        compare_close(matrix(symmat, m), narrow(want.symmat), 1e-5, 1, "symmat"));
  }
};

}  // namespace

const Workload& corr_workload() {
  static const Corr workload;
  return workload;
}

}  // namespace heddle::workloads
