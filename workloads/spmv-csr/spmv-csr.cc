// spmv-csr: SHOC's sparse matrix times vector in the CSR format, by a thread and by a warp per row.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 128, warp = 32;
constexpr std::uint32_t sparsity = 100;  // one element in so many is stored
constexpr float largest = 10;

struct Size {
  std::int32_t rows;
  std::uint32_t launches;  // of each kernel
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {512, 1};
    case Scale::Small:
      return {4096, 2};
    case Scale::Paper:
      return {16384, 4};
  }
  return {};
}

struct Matrix {
  std::vector<std::int32_t> row_start, columns;
  std::vector<float> values;
};

// Exactly one element in `sparsity`, at random places: each place is taken with the share that is still
// missing.
Matrix make_matrix(std::int32_t rows, Random& random) {
  Matrix m;
  std::uint64_t places = std::uint64_t(rows) * rows, missing = places / sparsity;
  for (std::int32_t row = 0; row < rows; ++row) {
    m.row_start.push_back(std::int32_t(m.columns.size()));
    for (std::int32_t column = 0; column < rows; ++column, --places) {
      if (random.below(std::uint32_t(places)) >= missing) continue;
      --missing;
      m.columns.push_back(column);
      m.values.push_back(random.uniform(0, largest));
    }
  }
  m.row_start.push_back(std::int32_t(m.columns.size()));
  return m;
}

std::vector<float> reference(const Matrix& m, const std::vector<float>& x) {
  std::vector<float> product;
  for (std::size_t row = 0; row + 1 < m.row_start.size(); ++row) {
    double sum = 0;
    for (std::int32_t i = m.row_start[row]; i < m.row_start[row + 1]; ++i)
      sum += double(m.values[i]) * x[m.columns[i]];
    product.push_back(static_cast<float>(sum));
  }
  return product;
}

class SpmvCsr : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {
        {"rows", std::to_string(size.rows)},
        {"elements", fmt::format("{}, at random places", std::uint64_t(size.rows) * size.rows / sparsity)},
        {"values", fmt::format("uniform in 0..{}", largest)},
        {"launches", fmt::format("{} of each kernel", size.launches)},
        {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const Matrix m = make_matrix(size.rows, random);
    std::vector<float> x(size.rows);
    for (float& v : x) v = random.uniform(0, largest);

    load_embedded(device, info_.name);
    const DevicePtr d_values = device.upload(m.values, "values"),
                    d_columns = device.upload(m.columns, "columns"),
                    d_start = device.upload(m.row_start, "row starts"), d_x = device.upload(x, "x"),
                    d_product = device.allocate(x.size() * sizeof(float), "product");
    const KernelArgs arguments = args(d_values, d_columns, d_start, size.rows, d_product,
                                      device.float_texture(d_x, std::uint32_t(x.size())));
    const std::vector<float> want = reference(m, x);
    const std::uint32_t scalar_ctas = (size.rows + block - 1) / block, rows_per_cta = block / warp;
    // Positive terms, rounded one after the other: up to some hundred.
    constexpr double tolerance = 1e-5;

    for (std::uint32_t i = 0; i < size.launches; ++i)
      device.launch(
          {.kernel = "spmv_csr_scalar", .grid = {scalar_ctas}, .block = {block}, .args = arguments});
    const Verification scalar =
        compare_close(device.download<float>(d_product, x.size()), want, tolerance, 1, "product by threads");
    device.launch(
        {.kernel = "spmv_zero", .grid = {scalar_ctas}, .block = {block}, .args = args(d_product, size.rows)});
    for (std::uint32_t i = 0; i < size.launches; ++i)
      device.launch({.kernel = "spmv_csr_vector",
                     .grid = {(size.rows + rows_per_cta - 1) / rows_per_cta},
                     .block = {block},
                     .args = arguments});
    return combine(scalar, compare_close(device.download<float>(d_product, x.size()), want, tolerance, 1,
                                         "product by warps"));
  }

 private:
  WorkloadInfo info_{.name = "spmv-csr",
                     .suite = "SHOC",
                     .abbreviation = "S-SPMV",
                     .summary = "sparse matrix in CSR format times a vector: a thread, then a warp per row",
                     .order_reason = {},
                     .kernels = {{"spmv_csr_scalar", ""}, {"spmv_zero", ""}, {"spmv_csr_vector", ""}}};
};

}  // namespace

const Workload& spmv_csr_workload() {
  static const SpmvCsr workload;
  return workload;
}

}  // namespace heddle::workloads
