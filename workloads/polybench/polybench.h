// What the host programs of the PolyBench family share: the suite's CTA shapes, inputs, references.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/random.h"
#include "workload/workload.h"

namespace heddle::workloads::polybench {

// The suite's CTAs: 256 threads, in a row for kernels over vectors, 32 x 8 for those over matrices.
inline constexpr workload::Dim3 block_1d{256};
inline constexpr workload::Dim3 block_2d{32, 8};
workload::Dim3 grid_1d(std::size_t threads);
workload::Dim3 grid_2d(std::size_t columns, std::size_t rows);

// A program whose description and sizes are data. `Sizes` holds what differs between the scales.
template <class Sizes>
class Program : public workload::Workload {
 public:
  Program(workload::WorkloadInfo info, Sizes tiny, Sizes small, Sizes paper)
      : info_(std::move(info)), tiny_(tiny), small_(small), paper_(paper) {}
  const workload::WorkloadInfo& info() const override { return info_; }

 protected:
  const Sizes& sizes(workload::Scale scale) const {
    return scale == workload::Scale::Tiny ? tiny_ : scale == workload::Scale::Small ? small_ : paper_;
  }

 private:
  workload::WorkloadInfo info_;
  Sizes tiny_, small_, paper_;
};

std::string extent(std::size_t rows, std::size_t columns);  // "512 x 512"
std::vector<float> random_values(workload::Random& random, std::size_t count, float lo = 0, float hi = 1);

// Dimensions as kernels take them.
inline std::int32_t dim(std::size_t n) {
  return static_cast<std::int32_t>(n);
}

// References: plain linear algebra in double precision. Matrices are stored row by row.
using Doubles = std::vector<double>;
Doubles widen(const std::vector<float>& values);
std::vector<float> narrow(const Doubles& values);
Doubles product(const Doubles& a, const Doubles& b, std::size_t rows, std::size_t inner, std::size_t columns);
Doubles transposed(const Doubles& a, std::size_t rows, std::size_t columns);
Doubles times_vector(const Doubles& a, const Doubles& x, std::size_t rows);             // A x
Doubles transposed_times_vector(const Doubles& a, const Doubles& x, std::size_t rows);  // A^T x
Doubles sum(double factor_a, const Doubles& a, double factor_b, const Doubles& b);
// The means of the columns; `a` is left without them.
Doubles take_column_means(Doubles& a, std::size_t rows);

// corr and covar number rows and columns from 1: a row and a column 0 that nobody uses stand in front.
std::vector<float> with_border(const std::vector<float>& a, std::size_t rows, std::size_t columns);
std::vector<float> without_border(const std::vector<float>& a, std::size_t rows, std::size_t columns);

}  // namespace heddle::workloads::polybench
