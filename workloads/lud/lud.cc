// lud: blocked LU decomposition. Rows and columns of blocks are read by whole rows and columns of CTAs, and
// the grid shrinks from step to step.
#include <cstdint>
#include <string>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 16;

std::uint32_t side(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 112;  // first grid 6 x 6 CTAs, as the ICC paper describes it
    case Scale::Small:
      return 384;
    case Scale::Paper:
      return 1280;  // first grid 79 x 79
  }
  return 0;
}

// Strictly diagonally dominant, so that the decomposition needs no pivots and loses no digits.
std::vector<float> make_matrix(std::uint32_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> m(std::size_t{n} * n);
  for (float& v : m) v = random.uniform(-1, 1);
  for (std::size_t i = 0; i < n; ++i) m[i * n + i] = static_cast<float>(n) + random.uniform();
  return m;
}

// Row by row in double precision: row i is reduced by all rows above it while it stays in cache.
std::vector<float> reference(const std::vector<float>& matrix, std::size_t n) {
  std::vector<double> m(matrix.begin(), matrix.end());
  for (std::size_t i = 1; i < n; ++i) {
    double* const row = &m[i * n];
    for (std::size_t k = 0; k < i; ++k) {
      const double* const pivot = &m[k * n];
      const double factor = row[k] / pivot[k];
      row[k] = factor;
      for (std::size_t j = k + 1; j < n; ++j) row[j] -= factor * pivot[j];
    }
  }
  return {m.begin(), m.end()};
}

// L (without its unit diagonal) or U of the combined matrix, the other part zero.
std::vector<float> part(std::vector<float> m, std::size_t n, bool lower) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if ((j < i) != lower) m[i * n + j] = 0;
    }
  }
  return m;
}

class Lud : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const std::uint32_t n = side(options.scale);
    return {{"matrix", std::to_string(n) + " x " + std::to_string(n)},
            {"block", std::to_string(block) + " x " + std::to_string(block)},
            {"values", "uniform in [-1, 1); diagonal uniform in [n, n + 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::uint32_t n = side(options.scale);
    const std::vector<float> matrix = make_matrix(n, options.seed);
    load_embedded(device, info_.name);
    const DevicePtr m = device.upload(matrix, "m");
    decompose(device, m, n);

    const std::vector<float> got = device.download<float>(m, matrix.size());
    const std::vector<float> want = reference(matrix, n);
    // Entries of U are of order 1, those of L of order 1 / n: each part has its own floor.
    return combine(compare_close(part(got, n, false), part(want, n, false), 5e-6, 1, "U"),
                   compare_close(part(got, n, true), part(want, n, true), 5e-6, 1.0 / n, "L"));
  }

 private:
  static void decompose(Device& device, DevicePtr m, std::uint32_t n) {
    std::uint32_t offset = 0;
    for (; offset + block < n; offset += block) {
      const KernelArgs arguments = args(m, static_cast<std::int32_t>(n), static_cast<std::int32_t>(offset));
      const std::uint32_t rest = (n - offset) / block - 1;
      device.launch({.kernel = "lud_diagonal", .grid = {1}, .block = {block}, .args = arguments});
      device.launch({.kernel = "lud_perimeter", .grid = {rest}, .block = {2 * block}, .args = arguments});
      device.launch(
          {.kernel = "lud_internal", .grid = {rest, rest}, .block = {block, block}, .args = arguments});
    }
    device.launch({.kernel = "lud_diagonal",
                   .grid = {1},
                   .block = {block},
                   .args = args(m, static_cast<std::int32_t>(n), static_cast<std::int32_t>(offset))});
  }

  WorkloadInfo info_{.name = "lud",
                     .suite = "Rodinia",
                     .abbreviation = "LUD",
                     .summary = "blocked LU decomposition: CTAs share rows and columns of blocks",
                     .order_reason = {},
                     .kernels = {{"lud_diagonal", ""}, {"lud_perimeter", ""}, {"lud_internal", ""}}};
};

}  // namespace

const Workload& lud_workload() {
  static const Lud workload;
  return workload;
}

}  // namespace heddle::workloads
