// CTA clustering: which CTAs of a grid belong together.
//
// An order numbers the CTAs of a grid: order(task, grid) gives the CTA of task 0, 1, 2, ... Clusters cuts the
// tasks into equal pieces of neighbours, one for each SM. Plain C++14: also for tests on a host.
#pragma once

#include <cstdint>

#if defined(__CUDACC__) || defined(__CUDA__)
#define HEDDLE_CLUSTERING_BOTH __host__ __device__
#define HEDDLE_CLUSTERING_DEVICE __device__
#else
#define HEDDLE_CLUSTERING_BOTH
#define HEDDLE_CLUSTERING_DEVICE
#endif

namespace heddle {
namespace clustering {

// A place in a grid, or the size of one.
struct Index3 {
  std::uint32_t x, y, z;
};

HEDDLE_CLUSTERING_BOTH constexpr bool operator==(const Index3& a, const Index3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

HEDDLE_CLUSTERING_BOTH constexpr std::uint32_t least_of(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}

// The numbers of a launch are 32 bits wide, and agents may count past the last task.
constexpr std::uint64_t kMostTasks = 0x7fffffff;

HEDDLE_CLUSTERING_BOTH constexpr std::uint64_t tasks_of(const Index3& grid) {
  // Two dimensions fit 64 bits; a third that does not is more than enough in any case.
  return std::uint64_t{grid.x} * grid.y > kMostTasks ? kMostTasks + 1
                                                     : std::uint64_t{grid.x} * grid.y * grid.z;
}

// Row-major, the paper's Y-partition: CTAs with the same blockIdx.y are neighbours. What the hardware counts,
// too.
struct RowMajor {
  HEDDLE_CLUSTERING_BOTH Index3 operator()(std::uint32_t task, const Index3& grid) const {
    const std::uint32_t row = task / grid.x;
    return {task % grid.x, row % grid.y, row / grid.y};
  }
  HEDDLE_CLUSTERING_BOTH std::uint32_t task(const Index3& cta, const Index3& grid) const {
    return (cta.z * grid.y + cta.y) * grid.x + cta.x;
  }
};

// Column-major, the X-partition: CTAs with the same blockIdx.x are neighbours. Planes (blockIdx.z) stay
// apart.
struct ColumnMajor {
  HEDDLE_CLUSTERING_BOTH Index3 operator()(std::uint32_t task, const Index3& grid) const {
    const std::uint32_t column = task / grid.y;
    return {column % grid.x, task % grid.y, column / grid.x};
  }
  HEDDLE_CLUSTERING_BOTH std::uint32_t task(const Index3& cta, const Index3& grid) const {
    return (cta.z * grid.x + cta.x) * grid.y + cta.y;
  }
};

// Tiles, row by row, and row by row inside a tile. Those at the far edges are cut to what the grid has left.
// 0 as a size means the whole dimension.
struct Tiles {
  Index3 tile;

  HEDDLE_CLUSTERING_BOTH constexpr Tiles(std::uint32_t x, std::uint32_t y, std::uint32_t z = 1)
      : tile{x, y, z} {}

  HEDDLE_CLUSTERING_BOTH Index3 operator()(std::uint32_t task, const Index3& grid) const {
    const Index3 full = fitting(grid);
    const Piece slab = Piece::holding(task, grid.x * grid.y, full.z, grid.z);
    task -= slab.begin * grid.x * grid.y;
    const Piece band = Piece::holding(task, grid.x * slab.length, full.y, grid.y);
    task -= band.begin * grid.x * slab.length;
    const Piece part = Piece::holding(task, band.length * slab.length, full.x, grid.x);
    task -= part.begin * band.length * slab.length;
    const std::uint32_t row = task / part.length;
    return {part.begin + task % part.length, band.begin + row % band.length, slab.begin + row / band.length};
  }
  HEDDLE_CLUSTERING_BOTH std::uint32_t task(const Index3& cta, const Index3& grid) const {
    const Index3 full = fitting(grid);
    const Piece slab = Piece::around(cta.z, full.z, grid.z);
    const Piece band = Piece::around(cta.y, full.y, grid.y);
    const Piece part = Piece::around(cta.x, full.x, grid.x);
    const std::uint32_t inside =
        ((cta.z - slab.begin) * band.length + (cta.y - band.begin)) * part.length + (cta.x - part.begin);
    return slab.begin * grid.x * grid.y + band.begin * grid.x * slab.length +
           part.begin * band.length * slab.length + inside;
  }

 private:
  // A tile's extent along one dimension.
  struct Piece {
    std::uint32_t begin, length;
    // Along a dimension of `size` with `weight` tasks for each step, the piece that holds a task.
    HEDDLE_CLUSTERING_BOTH static Piece holding(std::uint32_t task, std::uint32_t weight, std::uint32_t full,
                                                std::uint32_t size) {
      return around(task / weight, full, size);
    }
    HEDDLE_CLUSTERING_BOTH static Piece around(std::uint32_t position, std::uint32_t full,
                                               std::uint32_t size) {
      const std::uint32_t begin = position / full * full;
      return {begin, least_of(full, size - begin)};
    }
  };

  // No larger than the grid, so that products stay below its number of CTAs.
  HEDDLE_CLUSTERING_BOTH Index3 fitting(const Index3& grid) const {
    return {fitting(tile.x, grid.x), fitting(tile.y, grid.y), fitting(tile.z, grid.z)};
  }
  HEDDLE_CLUSTERING_BOTH static std::uint32_t fitting(std::uint32_t wanted, std::uint32_t size) {
    return wanted == 0 ? size : least_of(wanted, size);
  }
};

// `tasks` in `count` pieces of neighbours whose sizes differ by at most one: q = tasks / count each, and one
// more for the first r = tasks % count.
struct Clusters {
  std::uint32_t tasks, count;

  HEDDLE_CLUSTERING_BOTH std::uint32_t size(std::uint32_t cluster) const {
    return tasks / count + (cluster < tasks % count ? 1 : 0);
  }
  // The paper's equation 7 (invert) for position 0: i * (q + 1) + min(r - i, 0).
  HEDDLE_CLUSTERING_BOTH std::uint32_t first(std::uint32_t cluster) const {
    return cluster * (tasks / count) + least_of(cluster, tasks % count);
  }
  // Equations 4 and 5 (partition), with the condition and the divisor that make them the inverse of 7.
  HEDDLE_CLUSTERING_BOTH std::uint32_t cluster_of(std::uint32_t task) const {
    const std::uint32_t q = tasks / count, r = tasks % count;
    return task < r * (q + 1) ? task / (q + 1) : (task - r) / q;
  }
  HEDDLE_CLUSTERING_BOTH std::uint32_t position_of(std::uint32_t task) const {
    const std::uint32_t q = tasks / count, r = tasks % count;
    return task < r * (q + 1) ? task % (q + 1) : (task - r) % q;
  }
  // Redirection: the task of CTA u, if CTAs went to SMs in turn (equation 8, then 7).
  HEDDLE_CLUSTERING_BOTH std::uint32_t redirected(std::uint32_t u) const {
    return first(u % count) + u / count;
  }
};

}  // namespace clustering
}  // namespace heddle
