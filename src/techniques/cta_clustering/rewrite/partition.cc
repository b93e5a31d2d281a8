#include "techniques/cta_clustering/rewrite/partition.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::cta_clustering {

void check(const Partition& p) {
  if (p.order == Order::Tile && (p.tile_width == 0 || p.tile_height == 0))
    throw Error(fmt::format("tiles of {} x {} CTAs", p.tile_width, p.tile_height),
                "Give at least one in each direction.");
}

// factor = ceil(2^(31 + shift) / d) with 2^shift >= d: what is added by rounding up stays below one part of
// 2^31.
Divisor divisor(std::uint32_t d) {
  Divisor result;
  result.shift = static_cast<std::uint32_t>(std::bit_width(d - 1));
  result.factor = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + result.shift)) + d - 1) / d);
  return result;
}

std::uint64_t Clusters::first(std::uint32_t cluster) const {
  return cluster * (tasks / clusters) + std::min<std::uint64_t>(cluster, tasks % clusters);
}

std::uint64_t redirected_task(std::uint64_t u, const Clusters& c) {
  return c.first(static_cast<std::uint32_t>(u % c.clusters)) + u / c.clusters;
}

workload::Dim3 cta_of_task(std::uint64_t v, const workload::Dim3& grid, const Partition& p) {
  const std::uint64_t plane = std::uint64_t{grid.x} * grid.y, in_plane = v % plane;
  std::uint64_t x = 0, y = 0;
  switch (p.order) {
    case Order::Row:
    case Order::Table:
      x = in_plane % grid.x;
      y = in_plane / grid.x;
      break;
    case Order::Column:
      x = in_plane / grid.y;
      y = in_plane % grid.y;
      break;
    case Order::Tile: {
      const std::uint64_t width = std::min(p.tile_width, grid.x), height = std::min(p.tile_height, grid.y);
      const std::uint64_t band = in_plane / (grid.x * height), in_band = in_plane % (grid.x * height);
      const std::uint64_t rows = std::min(height, grid.y - band * height);
      const std::uint64_t tile = in_band / (width * rows), in_tile = in_band % (width * rows);
      const std::uint64_t columns = std::min(width, grid.x - tile * width);
      x = tile * width + in_tile % columns;
      y = band * height + in_tile / columns;
      break;
    }
  }
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
          static_cast<std::uint32_t>(v / plane)};
}

}  // namespace heddle::cta_clustering
