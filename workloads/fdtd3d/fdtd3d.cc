// fdtd3d: time steps of a radius-4 stencil in three dimensions, CTAs marching along z. CTAs share the halo
// of every plane with their neighbours in x and y.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block_x = 32;
constexpr std::uint32_t block_y = 16;
constexpr std::uint32_t radius = 4;
// Floats before the volume, which put the first inner element on a line of 128 bytes. x sizes that are 8
// short of a multiple of 32 (as the SDK's 376) keep all rows so.
constexpr std::uint32_t padding = 32 - radius;
// The SDK's weights: the same for all distances.
constexpr std::array<float, radius + 1> stencil = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f};

struct Volume {
  std::uint32_t x, y, z;  // without the pad
  std::uint32_t steps;
  std::size_t stride_y() const { return x + 2 * radius; }
  std::size_t stride_z() const { return stride_y() * (y + 2 * radius); }
  std::size_t padded() const { return stride_z() * (z + 2 * radius); }
};

Volume volume(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {56, 56, 8, 2};
    case Scale::Small:
      return {184, 120, 32, 2};
    case Scale::Paper:
      return {760, 632, 32, 2};  // 24 x 40 CTAs of 16 warps: an SM holds at most three or four
  }
  return {};
}

void step(const Volume& v, const std::vector<float>& in, std::vector<float>& out) {
  std::vector<double> sum(v.x);
  for (std::size_t z = radius; z < v.z + radius; ++z) {
    for (std::size_t y = radius; y < v.y + radius; ++y) {
      const std::size_t row = z * v.stride_z() + y * v.stride_y() + radius;
      for (std::size_t x = 0; x < v.x; ++x) sum[x] = double{stencil[0]} * in[row + x];
      for (std::size_t d = 1; d <= radius; ++d) {
        const double weight = stencil[d];
        const std::size_t dy = d * v.stride_y(), dz = d * v.stride_z();
        for (std::size_t x = 0; x < v.x; ++x) {
          const float* const at = &in[row + x];
          sum[x] +=
              weight * (double{*(at - d)} + *(at + d) + *(at - dy) + *(at + dy) + *(at - dz) + *(at + dz));
        }
      }
      for (std::size_t x = 0; x < v.x; ++x) out[row + x] = static_cast<float>(sum[x]);
    }
  }
}

class Fdtd3d : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Volume v = volume(options.scale);
    return {{"volume", std::to_string(v.x) + " x " + std::to_string(v.y) + " x " + std::to_string(v.z)},
            {"time steps", std::to_string(v.steps)},
            {"radius", std::to_string(radius)},
            {"values", "uniform in [0, 1), pad included; all weights 0.1"},
            {"threads per CTA", std::to_string(block_x) + " x " + std::to_string(block_y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Volume v = volume(options.scale);
    Random random(options.seed);
    std::vector<float> values(v.padded());
    for (float& f : values) f = random.uniform();

    load_embedded(device, info_.name);
    device.copy_in(device.symbol("stencil"), stencil.data(), stencil.size() * sizeof(float));
    const DevicePtr result = simulate(device, v, values);
    const std::vector<float> got = device.download<float>(result, values.size());

    // Both buffers start with the same values, so that the pad is there in every step.
    std::vector<float> next = values;
    for (std::uint32_t i = 0; i < v.steps; ++i) {
      step(v, values, next);
      std::swap(values, next);
    }
    // All terms are positive: 25 of them per step, each rounded to single precision.
    return compare_close(got, values, v.steps * 30 * 0x1p-24, 0.1, "volume");
  }

 private:
  // Returns where the last step's volume is.
  static DevicePtr simulate(Device& device, const Volume& v, const std::vector<float>& values) {
    const std::uint64_t bytes = values.size() * sizeof(float);
    DevicePtr buffers[2];
    for (DevicePtr& buffer : buffers) {
      buffer = device.allocate(padding * sizeof(float) + bytes, "volume") + padding * sizeof(float);
      device.copy_in(buffer, values.data(), bytes);
    }
    const auto extent = [](std::uint32_t n) { return static_cast<std::int32_t>(n); };
    for (std::uint32_t i = 0; i < v.steps; ++i) {
      device.launch({.kernel = "fdtd3d",
                     .grid = {(v.x + block_x - 1) / block_x, (v.y + block_y - 1) / block_y},
                     .block = {block_x, block_y},
                     .args = args(buffers[1], buffers[0], extent(v.x), extent(v.y), extent(v.z))});
      std::swap(buffers[0], buffers[1]);
    }
    return buffers[0];
  }

  WorkloadInfo info_{.name = "fdtd3d",
                     .suite = "CUDA SDK",
                     .abbreviation = "FDTD",
                     .summary = "finite differences in three dimensions: CTAs share the halo of each plane",
                     .order_reason = {},
                     .kernels = {{"fdtd3d", ""}}};
};

}  // namespace

const Workload& fdtd3d_workload() {
  static const Fdtd3d workload;
  return workload;
}

}  // namespace heddle::workloads
