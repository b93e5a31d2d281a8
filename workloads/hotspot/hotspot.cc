// hotspot: Rodinia's chip temperature model. Each launch advances `pyramid height` steps; neighbouring CTAs
// read overlapping halos of both arrays, which is the sharing that ICC removes.
#include <algorithm>
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

constexpr std::int32_t block_size = 16;
constexpr std::int32_t pyramid_height = 2;  // steps per launch: the halo's width
constexpr float ambient = 80.0f;

struct Size {
  std::int32_t rows, cols, steps;  // steps need not be a multiple of pyramid_height
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {60, 75, 3};
    case Scale::Small:
      return {512, 512, 4};
    case Scale::Paper:
      return {1024, 1024, 8};
  }
  return {};
}

// Constants of the model, as Rodinia has them: a chip of 16 x 16 x 0.5 mm of silicon.
struct Chip {
  float cap, rx, ry, rz, step;
};

Chip chip_of(const Size& size) {
  constexpr float thickness = 0.0005f, side = 0.016f, specific_heat = 1.75e6f, conductivity = 100.0f;
  constexpr float max_power_density = 3.0e6f, precision = 0.001f, factor = 0.5f;
  const float height = side / static_cast<float>(size.rows), width = side / static_cast<float>(size.cols);
  const float max_slope = max_power_density / (factor * thickness * specific_heat);
  return {.cap = factor * specific_heat * thickness * width * height,
          .rx = width / (2.0f * conductivity * thickness * height),
          .ry = height / (2.0f * conductivity * thickness * width),
          .rz = thickness / (conductivity * height * width),
          .step = precision / max_slope};
}

// One step over the whole chip at a time, in double precision.
std::vector<float> reference(const Size& size, const Chip& chip, const std::vector<float>& temp,
                             const std::vector<float>& power) {
  std::vector<double> now(temp.begin(), temp.end()), next(temp.size());
  const double gain = double{chip.step} / chip.cap;
  for (std::int32_t s = 0; s < size.steps; ++s) {
    for (std::int32_t y = 0; y < size.rows; ++y) {
      for (std::int32_t x = 0; x < size.cols; ++x) {
        const auto at = [&](std::int32_t yy, std::int32_t xx) {
          yy = std::clamp(yy, 0, size.rows - 1);
          xx = std::clamp(xx, 0, size.cols - 1);
          return now[std::size_t(yy) * size.cols + xx];
        };
        const double here = at(y, x);
        const std::size_t i = std::size_t(y) * size.cols + x;
        next[i] =
            here + gain * (power[i] + (at(y + 1, x) + at(y - 1, x) - 2 * here) / chip.ry +
                           (at(y, x + 1) + at(y, x - 1) - 2 * here) / chip.rx + (ambient - here) / chip.rz);
      }
    }
    std::swap(now, next);
  }
  return {now.begin(), now.end()};
}

class Hotspot : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"grid", fmt::format("{} x {} cells", size.rows, size.cols)},
            {"steps", std::to_string(size.steps)},
            {"pyramid height", std::to_string(pyramid_height)},
            {"temperature", "uniform in [323, 343) kelvin"},
            {"power", "uniform in [0, 0.02) watt per cell"},
            {"threads per CTA", "16 x 16"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const Chip chip = chip_of(size);
    Random random(options.seed);
    std::vector<float> temp(std::size_t(size.rows) * size.cols), power(temp.size());
    for (float& v : temp) v = random.uniform(323.0f, 343.0f);
    for (float& v : power) v = random.uniform(0.0f, 0.02f);

    load_embedded(device, info_.name);
    const DevicePtr d_power = device.upload(power, "power");
    DevicePtr source = device.upload(temp, "temp 0");
    DevicePtr target = device.allocate(temp.size() * sizeof(float), "temp 1");
    const std::int32_t border = pyramid_height;  // grid and border stay, whatever the last launch's steps
    const std::int32_t small_block = block_size - 2 * pyramid_height;
    const Dim3 grid{std::uint32_t((size.cols + small_block - 1) / small_block),
                    std::uint32_t((size.rows + small_block - 1) / small_block)};
    for (std::int32_t done = 0; done < size.steps; done += pyramid_height) {
      launch_steps(device, size, chip, grid, border, std::min(pyramid_height, size.steps - done), d_power,
                   source, target);
      std::swap(source, target);
    }
    // Single precision against double: rounding of some 10 operations on values near 330, once per step.
    return compare_close(device.download<float>(source, temp.size()), reference(size, chip, temp, power),
                         1e-6, 1, "temp");
  }

 private:
  static void launch_steps(Device& device, const Size& size, const Chip& chip, Dim3 grid, std::int32_t border,
                           std::int32_t steps, DevicePtr power, DevicePtr source, DevicePtr target) {
    device.launch({.kernel = "calculate_temp",
                   .grid = grid,
                   .block = {block_size, block_size},
                   .args = args(steps, power, source, target, size.cols, size.rows, border, border, chip.cap,
                                chip.rx, chip.ry, chip.rz, chip.step)});
  }

  WorkloadInfo info_{.name = "hotspot",
                     .suite = "Rodinia",
                     .abbreviation = "HS",
                     .summary = "chip temperature: five-point stencil on tiles with halos",
                     .order_reason = {},
                     .kernels = {{"calculate_temp", ""}}};
};

}  // namespace

const Workload& hotspot_workload() {
  static const Hotspot workload;
  return workload;
}

}  // namespace heddle::workloads
