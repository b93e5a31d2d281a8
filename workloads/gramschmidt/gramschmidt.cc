// gramschmidt: A = Q R, three kernels per column: a sum by one thread, a column of Q with lanes one row
// apart, and the other columns of A, one per thread.
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
  std::size_t m, n;     // rows, columns
  std::size_t columns;  // how many of the columns are done
};

// A random matrix with a heavy diagonal: its condition number is about 4, so that no digits are lost.
std::vector<float> make_matrix(std::size_t m, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> a = random_values(random, m * n, -1, 1);
  const float heavy = 2 * std::sqrt(static_cast<float>(n));
  for (std::size_t k = 0; k < n; ++k) a[k * n + k] += heavy;
  return a;
}

struct Factors {
  Doubles a, q, r;  // what is left of A; m x n, m x n, n x n
};

Factors reference(const std::vector<float>& matrix, const Sizes& s) {
  Factors f{widen(matrix), Doubles(s.m * s.n), Doubles(s.n * s.n)};
  Doubles column(s.m), along(s.n);
  for (std::size_t k = 0; k < s.columns; ++k) {
    double norm = 0;
    for (std::size_t i = 0; i < s.m; ++i) norm += f.a[i * s.n + k] * f.a[i * s.n + k];
    norm = std::sqrt(norm);
    for (std::size_t i = 0; i < s.m; ++i) f.q[i * s.n + k] = column[i] = f.a[i * s.n + k] / norm;
    along = transposed_times_vector(f.a, column, s.m);
    f.r[k * s.n + k] = norm;
    for (std::size_t j = k + 1; j < s.n; ++j) f.r[k * s.n + j] = along[j];
    for (std::size_t i = 0; i < s.m; ++i)
      for (std::size_t j = k + 1; j < s.n; ++j) f.a[i * s.n + j] -= column[i] * along[j];
  }
  return f;
}

class Gramschmidt : public Program<Sizes> {
 public:
  Gramschmidt()
      : Program(
            {.name = "gramschmidt",
             .suite = "PolyBench",
             .abbreviation = "GRAMSCHM",
             .summary = "QR decomposition column by column: one thread, then strided stores, then columns",
             .order_reason = {},
             .kernels = {{"gramschmidt_kernel1", "GRAMSCHM_1"},
                         {"gramschmidt_kernel2", "GRAMSCHM_2"},
                         {"gramschmidt_kernel3", "GRAMSCHM_3"}}},
            {260, 6, 6}, {512, 512, 4}, {2048, 2048, 16}) {}

  Parameters parameters(const RunOptions& options) const override {
    const auto [m, n, columns] = sizes(options.scale);
    return {{"A", extent(m, n)},
            {"columns done", std::to_string(columns)},
            {"values", "uniform in [-1, 1); 2 sqrt(columns) more on the diagonal"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const auto [m, n, columns] = sizes(options.scale);
    const std::vector<float> a = make_matrix(m, n, options.seed);

    load_embedded(device, info().name);
    const DevicePtr da = device.upload(a, "A");
    const DevicePtr dq = device.allocate(m * n * sizeof(float), "Q");
    const DevicePtr dr = device.allocate(n * n * sizeof(float), "R");
    for (std::size_t k = 0; k < columns; ++k) {
      device.launch({.kernel = "gramschmidt_kernel1",
                     .grid = {1},
                     .block = block_1d,
                     .args = args(da, dr, dim(k), dim(m), dim(n))});
      device.launch({.kernel = "gramschmidt_kernel2",
                     .grid = grid_1d(m),
                     .block = block_1d,
                     .args = args(da, dr, dq, dim(k), dim(m), dim(n))});
      device.launch({.kernel = "gramschmidt_kernel3",
                     .grid = grid_1d(n),
                     .block = block_1d,
                     .args = args(da, dr, dq, dim(k), dim(m), dim(n))});
    }

    const Factors want = reference(a, sizes(options.scale));
    // Columns have a norm of order sqrt(n), and so have sums along them; entries of A and Q are of order 1.
    const double norm = std::sqrt(static_cast<double>(n));
    return combine(combine(compare_close(device.download<float>(da, m * n), narrow(want.a), 1e-5, 1, "A"),
                           compare_close(device.download<float>(dq, m * n), narrow(want.q), 1e-5, 1, "Q")),
                   compare_close(device.download<float>(dr, n * n), narrow(want.r), 1e-5, norm, "R"));
  }
};

}  // namespace

const Workload& gramschmidt_workload() {
  static const Gramschmidt workload;
  return workload;
}

}  // namespace heddle::workloads
