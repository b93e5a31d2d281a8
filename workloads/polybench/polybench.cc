#include "workloads/polybench/polybench.h"

#include <algorithm>

namespace heddle::workloads::polybench {

workload::Dim3 grid_1d(std::size_t threads) {
  return {static_cast<std::uint32_t>((threads + block_1d.x - 1) / block_1d.x)};
}

workload::Dim3 grid_2d(std::size_t columns, std::size_t rows) {
  return {static_cast<std::uint32_t>((columns + block_2d.x - 1) / block_2d.x),
          static_cast<std::uint32_t>((rows + block_2d.y - 1) / block_2d.y)};
}

std::string extent(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

std::vector<float> random_values(workload::Random& random, std::size_t count, float lo, float hi) {
  std::vector<float> values(count);
  for (float& v : values) v = random.uniform(lo, hi);
  return values;
}

Doubles widen(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::vector<float> narrow(const Doubles& values) {
  return {values.begin(), values.end()};
}

// Tiles of B stay in the host's L2 while all rows of A pass; the innermost loop runs along rows of B and of
// the result.
Doubles product(const Doubles& a, const Doubles& b, std::size_t rows, std::size_t inner,
                std::size_t columns) {
  constexpr std::size_t tile_rows = 64, tile_columns = 512;
  Doubles c(rows * columns);
  for (std::size_t j0 = 0; j0 < columns; j0 += tile_columns) {
    const std::size_t j1 = std::min(columns, j0 + tile_columns);
    for (std::size_t k0 = 0; k0 < inner; k0 += tile_rows) {
      const std::size_t k1 = std::min(inner, k0 + tile_rows);
      for (std::size_t i = 0; i < rows; ++i) {
        double* const out = &c[i * columns];
        for (std::size_t k = k0; k < k1; ++k) {
          const double factor = a[i * inner + k];
          const double* const row = &b[k * columns];
          for (std::size_t j = j0; j < j1; ++j) out[j] += factor * row[j];
        }
      }
    }
  }
  return c;
}

Doubles transposed(const Doubles& a, std::size_t rows, std::size_t columns) {
  Doubles t(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) t[j * rows + i] = a[i * columns + j];
  return t;
}

Doubles times_vector(const Doubles& a, const Doubles& x, std::size_t rows) {
  Doubles y(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i * x.size() + j] * x[j];
  return y;
}

Doubles transposed_times_vector(const Doubles& a, const Doubles& x, std::size_t rows) {
  const std::size_t columns = a.size() / rows;
  Doubles y(columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) y[j] += a[i * columns + j] * x[i];
  return y;
}

Doubles sum(double factor_a, const Doubles& a, double factor_b, const Doubles& b) {
  Doubles c(a.size());
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = factor_a * a[i] + factor_b * b[i];
  return c;
}

Doubles take_column_means(Doubles& a, std::size_t rows) {
  const std::size_t columns = a.size() / rows;
  Doubles mean = transposed_times_vector(a, Doubles(rows, 1.0 / static_cast<double>(rows)), rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) a[i * columns + j] -= mean[j];
  return mean;
}

std::vector<float> with_border(const std::vector<float>& a, std::size_t rows, std::size_t columns) {
  std::vector<float> out((rows + 1) * (columns + 1));
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(&a[i * columns], columns, &out[(i + 1) * (columns + 1) + 1]);
  return out;
}

std::vector<float> without_border(const std::vector<float>& a, std::size_t rows, std::size_t columns) {
  std::vector<float> out(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy_n(&a[(i + 1) * (columns + 1) + 1], columns, &out[i * columns]);
  return out;
}

}  // namespace heddle::workloads::polybench
