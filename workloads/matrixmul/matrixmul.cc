// matrixmul: C = A * B by shared-memory tiles. All CTAs of a grid row read the same rows of A, all of a grid
// column the same columns of B.
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

constexpr std::uint32_t tile = 32;

struct Sizes {
  std::uint32_t height;  // of A and C
  std::uint32_t inner;   // width of A, height of B
  std::uint32_t width;   // of B and C
};

Sizes sizes(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {96, 64, 128};
    case Scale::Small:
      return {320, 320, 640};  // the SDK program's own
    case Scale::Paper:
      return {1024, 1024, 1024};
  }
  return {};
}

// One row of C at a time, in double precision.
std::vector<float> reference(const std::vector<float>& a, const std::vector<float>& b, const Sizes& s) {
  std::vector<float> c(std::size_t{s.height} * s.width);
  std::vector<double> row(s.width);
  for (std::size_t i = 0; i < s.height; ++i) {
    row.assign(s.width, 0);
    for (std::size_t k = 0; k < s.inner; ++k) {
      const double factor = a[i * s.inner + k];
      for (std::size_t j = 0; j < s.width; ++j) row[j] += factor * b[k * s.width + j];
    }
    for (std::size_t j = 0; j < s.width; ++j) c[i * s.width + j] = static_cast<float>(row[j]);
  }
  return c;
}

class MatrixMul : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Sizes s = sizes(options.scale);
    return {{"A", std::to_string(s.height) + " x " + std::to_string(s.inner)},
            {"B", std::to_string(s.inner) + " x " + std::to_string(s.width)},
            {"tile", std::to_string(tile) + " x " + std::to_string(tile)},
            {"values", "uniform in [0, 1)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Sizes s = sizes(options.scale);
    Random random(options.seed);
    std::vector<float> a(std::size_t{s.height} * s.inner), b(std::size_t{s.inner} * s.width);
    for (float& v : a) v = random.uniform();
    for (float& v : b) v = random.uniform();

    load_embedded(device, info_.name);
    const DevicePtr da = device.upload(a, "A");
    const DevicePtr db = device.upload(b, "B");
    const std::size_t elements = std::size_t{s.height} * s.width;
    const DevicePtr dc = device.allocate(elements * sizeof(float), "C");
    device.launch(
        {.kernel = "matrixmul",
         .grid = {s.width / tile, s.height / tile},
         .block = {tile, tile},
         .args = args(dc, da, db, static_cast<std::int32_t>(s.inner), static_cast<std::int32_t>(s.width))});
    // All terms are positive, so k roundings to single precision make at most k * 2^-24.
    return compare_close(device.download<float>(dc, elements), reference(a, b, s), s.inner * 0x1p-24, 1, "C");
  }

 private:
  WorkloadInfo info_{.name = "matrixmul",
                     .suite = "CUDA SDK",
                     .abbreviation = "MM",
                     .summary = "dense matrix multiplication by 32 x 32 tiles: CTAs share tiles of A and B",
                     .order_reason = {},
                     .kernels = {{"matrixmul", ""}}};
};

}  // namespace

const Workload& matrixmul_workload() {
  static const MatrixMul workload;
  return workload;
}

}  // namespace heddle::workloads
