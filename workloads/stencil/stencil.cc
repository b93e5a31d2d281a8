// stencil: Parboil's seven-point stencil in three dimensions.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block_x = 32, block_y = 4;
constexpr float c0 = 1.0f / 6.0f, c1 = 1.0f / 6.0f / 6.0f;

struct Size {
  std::int32_t nx, ny, nz, steps;
  std::size_t points() const { return std::size_t(nx) * ny * nz; }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {64, 32, 8, 2};
    case Scale::Small:
      return {128, 128, 32, 2};
    case Scale::Paper:
      return {512, 512, 64, 10};
  }
  return {};
}

std::vector<float> reference(const Size& s, std::vector<float> from) {
  std::vector<float> to = from;
  const std::size_t row = s.nx, plane = row * s.ny;
  for (std::int32_t step = 0; step < s.steps; ++step) {
    for (std::int32_t k = 1; k < s.nz - 1; ++k)
      for (std::int32_t j = 1; j < s.ny - 1; ++j)
        for (std::int32_t i = 1; i < s.nx - 1; ++i) {
          const std::size_t p = i + j * row + k * plane;
          const double sum = double(from[p - 1]) + from[p + 1] + from[p - row] + from[p + row] +
                             from[p - plane] + from[p + plane];
          to[p] = float(sum * c1 - double(from[p]) * c0);
        }
    std::swap(from, to);
  }
  return from;
}

class Stencil : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"points", fmt::format("{} x {} x {}", size.nx, size.ny, size.nz)},
            {"values", "uniform in 0..1"},
            {"steps", std::to_string(size.steps)},
            {"threads per CTA", fmt::format("{} x {}, two points each", block_x, block_y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> values(size.points());
    for (float& v : values) v = random.uniform();

    load_embedded(device, info_.name);
    DevicePtr from = device.upload(values, "values 0"), to = device.upload(values, "values 1");
    for (std::int32_t step = 0; step < size.steps; ++step) {
      device.launch({.kernel = "stencil_7pt",
                     .grid = {(size.nx + block_x * 2 - 1) / (block_x * 2), (size.ny + block_y - 1) / block_y},
                     .block = {block_x, block_y},
                     .dynamic_shared = block_x * 2 * block_y * sizeof(float),
                     .args = args(c0, c1, from, to, size.nx, size.ny, size.nz)});
      std::swap(from, to);
    }
    // Single precision against double: the sum of six values near 1, once per step.
    return compare_close(device.download<float>(from, values.size()), reference(size, values), 1e-5, 0.1,
                         "values");
  }

 private:
  WorkloadInfo info_{.name = "stencil",
                     .suite = "Parboil",
                     .abbreviation = "stencil",
                     .summary = "seven-point stencil in three dimensions",
                     .order_reason = {},
                     .kernels = {{"stencil_7pt", "stencil"}}};
};

}  // namespace

const Workload& stencil_workload() {
  static const Stencil workload;
  return workload;
}

}  // namespace heddle::workloads
