// lps: Giles' 3D Laplace solver, planes of shared memory.
#include <bit>
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

constexpr Dim3 block{32, 4};
constexpr std::uint32_t pitch_unit =
    64;  // floats: rows begin at multiples of 256 bytes, as cudaMallocPitch has them

struct Size {
  std::int32_t nx, ny, nz;
  std::uint32_t iterations;

  std::int32_t pitch() const { return (nx + pitch_unit - 1) / pitch_unit * pitch_unit; }
  std::size_t count() const { return std::size_t(pitch()) * ny * nz; }
  std::size_t at(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (std::size_t(k) * ny + j) * pitch() + i;
  }
  bool boundary(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1;
  }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {50, 22, 10, 2};
    case Scale::Small:
      return {100, 100, 20, 1};
    case Scale::Paper:
      return {100, 100, 100, 1};
  }
  return {};
}

template <class F>
void each_node(const Size& size, F f) {
  for (std::int32_t k = 0; k < size.nz; ++k)
    for (std::int32_t j = 0; j < size.ny; ++j)
      for (std::int32_t i = 0; i < size.nx; ++i) f(i, j, k);
}

std::vector<float> jacobi(const Size& size, const std::vector<float>& u) {
  std::vector<float> next(u);
  each_node(size, [&](std::int32_t i, std::int32_t j, std::int32_t k) {
    if (size.boundary(i, j, k)) return;
    next[size.at(i, j, k)] = (u[size.at(i - 1, j, k)] + u[size.at(i + 1, j, k)] + u[size.at(i, j - 1, k)] +
                              u[size.at(i, j + 1, k)] + u[size.at(i, j, k - 1)] + u[size.at(i, j, k + 1)]) *
                             (1.0f / 6.0f);
  });
  return next;
}

class Lps : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"grid points",
             fmt::format("{} x {} x {}, rows {} floats apart", size.nx, size.ny, size.nz, size.pitch())},
            {"values", "1 at the boundary, uniform in [0, 1) within"},
            {"iterations", std::to_string(size.iterations)},
            {"grid", fmt::format("{} x {} CTAs of {} x {}", grid(size).x, grid(size).y, block.x, block.y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> u(size.count());
    each_node(size, [&](std::int32_t i, std::int32_t j, std::int32_t k) {
      u[size.at(i, j, k)] = size.boundary(i, j, k) ? 1.0f : random.uniform();
    });

    load_embedded(device, info_.name);
    DevicePtr from = device.upload(u, "u1"), to = device.allocate(size.count() * sizeof(float), "u2");
    for (std::uint32_t i = 0; i < size.iterations; ++i) {
      device.launch({.kernel = "laplace3d",
                     .grid = grid(size),
                     .block = block,
                     .args = args(size.nx, size.ny, size.nz, size.pitch(), from, to)});
      std::swap(from, to);
      u = jacobi(size, u);
    }

    const auto result = device.download<float>(from, size.count());
    std::vector<std::int32_t> got, want;
    each_node(size, [&](std::int32_t i, std::int32_t j, std::int32_t k) {
      got.push_back(std::bit_cast<std::int32_t>(result[size.at(i, j, k)]));
      want.push_back(std::bit_cast<std::int32_t>(u[size.at(i, j, k)]));
    });
    return compare_equal(got, want, "bits of u");
  }

 private:
  static Dim3 grid(const Size& size) { return {1 + (size.nx - 1) / block.x, 1 + (size.ny - 1) / block.y}; }

  WorkloadInfo info_{
      .name = "lps",
      .suite = "GPGPU-Sim",
      .abbreviation = "LPS",
      .summary = "3D Laplace solver: CTAs march through planes that they keep in shared memory",
      .order_reason = {},
      .kernels = {{"laplace3d", ""}}};
};

}  // namespace

const Workload& lps_workload() {
  static const Lps workload;
  return workload;
}

}  // namespace heddle::workloads
