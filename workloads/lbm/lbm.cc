// lbm: Parboil's lattice Boltzmann flow in a lid-driven cavity.
#include <array>
#include <bit>
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

constexpr std::int32_t directions = 19, arrays = 20;  // and the flags
constexpr std::int32_t pad_x = 8, pad_z = 4;
constexpr std::uint32_t obstacle = 1, accelerated = 2;
constexpr double omega = 1.95;

struct Step {
  std::int32_t x, y, z;
};
// As in lbm.cu.
constexpr std::array<Step, directions> steps_of{{{0, 0, 0},
                                                 {0, 1, 0},
                                                 {0, -1, 0},
                                                 {1, 0, 0},
                                                 {-1, 0, 0},
                                                 {0, 0, 1},
                                                 {0, 0, -1},
                                                 {1, 1, 0},
                                                 {-1, 1, 0},
                                                 {1, -1, 0},
                                                 {-1, -1, 0},
                                                 {0, 1, 1},
                                                 {0, 1, -1},
                                                 {0, -1, 1},
                                                 {0, -1, -1},
                                                 {1, 0, 1},
                                                 {1, 0, -1},
                                                 {-1, 0, 1},
                                                 {-1, 0, -1}}};

double share(std::int32_t direction) {
  return direction == 0 ? 1.0 / 3.0 : direction < 7 ? 1.0 / 18.0 : 1.0 / 36.0;
}
std::int32_t opposite(std::int32_t direction) {
  for (std::int32_t d = 0; d < directions; ++d)
    if (steps_of[d].x == -steps_of[direction].x && steps_of[d].y == -steps_of[direction].y &&
        steps_of[d].z == -steps_of[direction].z)
      return d;
  return 0;
}

struct Size {
  std::int32_t x, y, z, steps;
  std::int32_t row() const { return x + pad_x; }
  std::int32_t plane() const { return row() * y; }
  std::int32_t array() const { return plane() * (z + pad_z); }
  std::int32_t margin() const { return 2 * plane(); }  // what cells at the faces scatter outside
  std::size_t floats() const { return std::size_t(array()) * arrays + 2 * margin(); }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {24, 8, 8, 2};
    case Scale::Small:
      return {120, 24, 16, 2};
    case Scale::Paper:
      return {120, 120, 150, 5};
  }
  return {};
}

// Walls around; the fluid next to the lower and upper wall is moved.
std::uint32_t kind_of(const Size& s, std::int32_t x, std::int32_t y, std::int32_t z) {
  if (x == 0 || x == s.x - 1 || y == 0 || y == s.y - 1 || z == 0 || z == s.z - 1) return obstacle;
  const bool lid = (z == 1 || z == s.z - 2) && x > 1 && x < s.x - 2 && y > 1 && y < s.y - 2;
  return lid ? accelerated : 0;
}

std::vector<float> make_grid(const Size& s, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> grid(s.floats());
  for (std::int32_t d = 0; d < directions; ++d)
    for (std::int32_t i = 0; i < s.array(); ++i)
      grid[s.margin() + std::size_t(d) * s.array() + i] = float(share(d)) * random.uniform(0.99f, 1.01f);
  for (std::int32_t z = 0; z < s.z; ++z)
    for (std::int32_t y = 0; y < s.y; ++y)
      for (std::int32_t x = 0; x < s.x; ++x)
        grid[s.margin() + std::size_t(directions) * s.array() + x + y * s.row() + z * s.plane()] =
            std::bit_cast<float>(kind_of(s, x, y, z));
  return grid;
}

// What leaves a cell.
std::array<double, directions> collide(const std::array<double, directions>& in, std::uint32_t kind) {
  std::array<double, directions> out{};
  if (kind & obstacle) {
    for (std::int32_t d = 0; d < directions; ++d) out[d] = in[opposite(d)];
    return out;
  }
  double density = 0, ux = 0, uy = 0, uz = 0;
  for (std::int32_t d = 0; d < directions; ++d) {
    density += in[d];
    ux += steps_of[d].x * in[d];
    uy += steps_of[d].y * in[d];
    uz += steps_of[d].z * in[d];
  }
  ux = kind & accelerated ? 0.005 : ux / density;
  uy = kind & accelerated ? 0.002 : uy / density;
  uz = kind & accelerated ? 0.0 : uz / density;
  const double u2 = 1.5 * (ux * ux + uy * uy + uz * uz) - 1.0;
  for (std::int32_t d = 0; d < directions; ++d) {
    const double along = steps_of[d].x * ux + steps_of[d].y * uy + steps_of[d].z * uz;
    out[d] = (1 - omega) * in[d] + share(d) * omega * density * (along * (4.5 * along + 3) - u2);
  }
  return out;
}

std::vector<float> reference(const Size& s, std::vector<float> from) {
  std::vector<float> to = from;
  for (std::int32_t step = 0; step < s.steps; ++step) {
    for (std::int32_t z = 0; z < s.z; ++z)
      for (std::int32_t y = 0; y < s.y; ++y)
        for (std::int32_t x = 0; x < s.x; ++x) {
          const std::size_t cell = s.margin() + x + y * s.row() + z * s.plane();
          std::array<double, directions> in{};
          for (std::int32_t d = 0; d < directions; ++d) in[d] = from[cell + std::size_t(d) * s.array()];
          const auto out = collide(in, kind_of(s, x, y, z));
          for (std::int32_t d = 0; d < directions; ++d) {
            const std::int32_t move = steps_of[d].x + steps_of[d].y * s.row() + steps_of[d].z * s.plane();
            to[cell + std::size_t(d) * s.array() + move] = float(out[d]);
          }
        }
    std::swap(from, to);
  }
  return from;
}

class Lbm : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"cells", fmt::format("{} x {} x {}", size.x, size.y, size.z)},
            {"flow", "lid-driven cavity"},
            {"steps", std::to_string(size.steps)},
            {"threads per CTA", std::to_string(size.x)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::vector<float> grid = make_grid(size, options.seed);
    load_embedded(device, info_.name);
    DevicePtr from = device.upload(grid, "grid 0"), to = device.upload(grid, "grid 1");
    for (std::int32_t step = 0; step < size.steps; ++step) {
      const std::uint64_t margin = size.margin() * sizeof(float);
      device.launch({.kernel = "stream_collide",
                     .grid = {std::uint32_t(size.y), std::uint32_t(size.z)},
                     .block = {std::uint32_t(size.x)},
                     .args = args(from + margin, to + margin, size.row(), size.plane(), size.array())});
      std::swap(from, to);
    }
    // Single precision against double: some 60 operations on values below 1/3, once per step.
    return compare_close(device.download<float>(from, grid.size()), reference(size, grid), 1e-4, 0.02,
                         "grid");
  }

 private:
  WorkloadInfo info_{.name = "lbm",
                     .suite = "Parboil",
                     .abbreviation = "lbm",
                     .summary = "lattice Boltzmann flow, 19 directions",
                     .order_reason = {},
                     .kernels = {{"stream_collide", "lbm"}}};
};

}  // namespace

const Workload& lbm_workload() {
  static const Lbm workload;
  return workload;
}

}  // namespace heddle::workloads
