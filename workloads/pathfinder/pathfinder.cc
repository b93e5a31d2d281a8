// pathfinder: Rodinia's cheapest way through a grid.
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

constexpr std::int32_t block_size = 256, halo = 1;
constexpr std::int32_t pyramid_height = 20;  // rows per launch

struct Size {
  std::int32_t columns, rows;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {2'000, 30};
    case Scale::Small:
      return {20'000, 60};
    case Scale::Paper:
      return {100'000, 100};
  }
  return {};
}

std::vector<std::int32_t> reference(const Size& s, const std::vector<std::int32_t>& grid) {
  std::vector<std::int32_t> cost(grid.begin(), grid.begin() + s.columns), next(s.columns);
  for (std::int32_t row = 1; row < s.rows; ++row) {
    for (std::int32_t c = 0; c < s.columns; ++c) {
      const std::int32_t west = cost[std::max(c - 1, 0)], east = cost[std::min(c + 1, s.columns - 1)];
      next[c] = grid[std::size_t(row) * s.columns + c] + std::min({west, cost[c], east});
    }
    std::swap(cost, next);
  }
  return cost;
}

class Pathfinder : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"grid", fmt::format("{} columns, {} rows", size.columns, size.rows)},
            {"costs", "uniform in 0..9"},
            {"rows per launch", std::to_string(pyramid_height)},
            {"threads per CTA", std::to_string(block_size)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<std::int32_t> grid(std::size_t(size.columns) * size.rows);
    for (std::int32_t& v : grid) v = std::int32_t(random.below(10));

    load_embedded(device, info_.name);
    const std::vector<std::int32_t> first_row(grid.begin(), grid.begin() + size.columns);
    const DevicePtr wall =
        device.upload(std::vector<std::int32_t>(grid.begin() + size.columns, grid.end()), "wall");
    DevicePtr from = device.upload(first_row, "costs 0");
    DevicePtr to = device.allocate(size.columns * sizeof(std::int32_t), "costs 1");
    constexpr std::int32_t border = pyramid_height * halo, owned = block_size - 2 * border;
    for (std::int32_t row = 0; row < size.rows - 1; row += pyramid_height) {
      const std::int32_t steps = std::min(pyramid_height, size.rows - row - 1);
      device.launch({.kernel = "dynproc",
                     .grid = {std::uint32_t((size.columns + owned - 1) / owned)},
                     .block = {block_size},
                     .args = args(steps, wall, from, to, size.columns, row, border)});
      std::swap(from, to);
    }
    return compare_equal(device.download<std::int32_t>(from, size.columns), reference(size, grid), "cost");
  }

 private:
  WorkloadInfo info_{.name = "pathfinder",
                     .suite = "Rodinia",
                     .abbreviation = "PATH",
                     .summary = "cheapest way through a grid: dynamic programming with halos",
                     .order_reason = {},
                     .kernels = {{"dynproc", "pathfinder"}}};
};

}  // namespace

const Workload& pathfinder_workload() {
  static const Pathfinder workload;
  return workload;
}

}  // namespace heddle::workloads
