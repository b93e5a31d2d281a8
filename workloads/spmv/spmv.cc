// spmv: Parboil's sparse matrix times vector, on the pattern of its large input.
#include <algorithm>
#include <cstdint>
#include <numeric>
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

constexpr std::uint32_t warp = 32;
constexpr std::int32_t degree = 3;  // of the finite elements

struct Size {
  std::int32_t elements;  // along a side of the mesh
  std::int32_t launches;
  std::int32_t side() const { return degree * elements - 1; }  // unknowns
  std::int32_t rows() const { return side() * side(); }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {8, 2};
    case Scale::Small:
      return {64, 2};
    case Scale::Paper:
      return {128, 50};
  }
  return {};
}

struct Matrix {  // by rows
  std::vector<std::vector<std::int32_t>> columns;
  std::vector<std::vector<float>> values;
};

// The unknowns along one direction that share an element with unknown i: first and last. Unknown i is point
// i + 1 of the mesh, whose points at multiples of the degree belong to two elements; those on the boundary
// are no unknowns.
std::pair<std::int32_t, std::int32_t> neighbours(std::int32_t i, std::int32_t side) {
  const std::int32_t point = i + 1, element = point / degree;
  const std::int32_t first = (point % degree == 0 ? element - 1 : element) * degree;
  return {std::max(first - 1, 0), std::min((element + 1) * degree - 1, side - 1)};
}

// The pattern of Dubcova3: cubic elements on a square mesh.
Matrix make_matrix(const Size& size, std::uint64_t seed) {
  Random random(seed);
  const std::int32_t side = size.side();
  Matrix m;
  for (std::int32_t row = 0; row < size.rows(); ++row) {
    const auto [first_y, last_y] = neighbours(row / side, side);
    const auto [first_x, last_x] = neighbours(row % side, side);
    std::vector<std::int32_t> columns;
    std::vector<float> values;
    for (std::int32_t y = first_y; y <= last_y; ++y)
      for (std::int32_t x = first_x; x <= last_x; ++x) {
        columns.push_back(y * side + x);
        values.push_back(random.uniform(-1.0f, 1.0f));
      }
    m.columns.push_back(std::move(columns));
    m.values.push_back(std::move(values));
  }
  return m;
}

struct Jds {
  std::vector<std::int32_t> row_of;        // sorted by length, longest first
  std::vector<std::int32_t> start;         // of the k-th entries
  std::vector<std::int32_t> warp_entries;  // of each 32 rows
  std::vector<std::int32_t> columns;
  std::vector<float> values;
};

Jds to_jds(const Matrix& m) {
  const std::size_t rows = m.columns.size();
  Jds j;
  j.row_of.resize(rows);
  std::iota(j.row_of.begin(), j.row_of.end(), 0);
  std::stable_sort(j.row_of.begin(), j.row_of.end(),
                   [&](std::int32_t a, std::int32_t b) { return m.columns[a].size() > m.columns[b].size(); });
  for (std::size_t row = 0; row < rows; row += warp)
    j.warp_entries.push_back(std::int32_t(m.columns[j.row_of[row]].size()));
  for (std::size_t k = 0; k < m.columns[j.row_of[0]].size(); ++k) {
    j.start.push_back(std::int32_t(j.values.size()));
    for (std::size_t row = 0; row < rows && std::size_t(j.warp_entries[row / warp]) > k; ++row) {
      const std::int32_t original = j.row_of[row];
      const bool padding = k >= m.columns[original].size();
      j.columns.push_back(padding ? 0 : m.columns[original][k]);
      j.values.push_back(padding ? 0.0f : m.values[original][k]);
    }
  }
  return j;
}

std::vector<float> reference(const Matrix& m, const std::vector<float>& x) {
  std::vector<float> product;
  for (std::size_t row = 0; row < m.columns.size(); ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < m.columns[row].size(); ++k)
      sum += double(m.values[row][k]) * x[m.columns[row][k]];
    product.push_back(float(sum));
  }
  return product;
}

// Parboil's rule for a card of 15 SMs with 1536 threads and 8 CTAs each: an eighth of the threads, or one
// warp where the rows do not fill the card.
std::uint32_t threads_per_cta(std::int32_t rows) {
  constexpr std::uint32_t sms = 15, sm_threads = 1536, sm_ctas = 8;
  const std::uint32_t padded = (rows + warp - 1) / warp * warp;
  return padded > sms * sm_threads ? sm_threads / sm_ctas : warp;
}

class Spmv : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {
        {"rows", std::to_string(size.rows())},
        {"pattern", fmt::format("cubic finite elements on a mesh of {0} x {0}: rows of 49, 28 and 16 entries",
                                size.elements)},
        {"values", "uniform in -1..1"},
        {"format", "JDS, rows padded to the longest of their warp"},
        {"launches", std::to_string(size.launches)},
        {"threads per CTA", std::to_string(threads_per_cta(size.rows()))}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const Matrix matrix = make_matrix(size, options.seed);
    const Jds jds = to_jds(matrix);
    Random random(options.seed + 1);
    std::vector<float> x(size.rows());
    for (float& v : x) v = random.uniform();

    load_embedded(device, info_.name);
    const DevicePtr values = device.upload(jds.values, "values"),
                    columns = device.upload(jds.columns, "columns");
    const DevicePtr row_of = device.upload(jds.row_of, "row_of"), d_x = device.upload(x, "x");
    const DevicePtr product = device.allocate(x.size() * sizeof(float), "product");
    device.copy_in(device.symbol("jds_start"), jds.start.data(), jds.start.size() * sizeof(std::int32_t));
    device.copy_in(device.symbol("warp_entries"), jds.warp_entries.data(),
                   jds.warp_entries.size() * sizeof(std::int32_t));
    const std::uint32_t block = threads_per_cta(size.rows());
    for (std::int32_t i = 0; i < size.launches; ++i)
      device.launch({.kernel = "spmv_jds",
                     .grid = {(size.rows() + block - 1) / block},
                     .block = {block},
                     .args = args(product, values, columns, row_of, d_x, size.rows())});
    // Single precision against double: up to 49 products of size 1.
    return compare_close(device.download<float>(product, x.size()), reference(matrix, x), 1e-6, 10,
                         "product");
  }

 private:
  WorkloadInfo info_{.name = "spmv",
                     .suite = "Parboil",
                     .abbreviation = "spmv",
                     .summary = "sparse matrix in JDS format times a vector",
                     .order_reason = {},
                     .kernels = {{"spmv_jds", "spmv"}}};
};

}  // namespace

const Workload& spmv_workload() {
  static const Spmv workload;
  return workload;
}

}  // namespace heddle::workloads
