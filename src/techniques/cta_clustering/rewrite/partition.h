// Which CTA is which task: the grid's CTAs in an order, cut into clusters (rules 3 to 7 of the paper, with
// its equations 4 and 5 corrected). The code that passes write into kernels computes the same.
#pragma once

#include <cstdint>

#include "workload/launch.h"

namespace heddle::cta_clustering {

// Neighbours in the order share a cluster. In grids of three dimensions one plane of z follows the other.
enum class Order : std::uint8_t {
  Row,     // v = y X + x: neighbours of a row, the paper's Y-partition
  Column,  // v = x Y + y: neighbours of a column, its X-partition
  Tile,    // tiles, one row of them after the other; those at the edges may be smaller
  Table,   // as a table in device memory says, which the launch has; agents only
};

struct Partition {
  Order order = Order::Row;
  std::uint32_t tile_width = 2, tile_height = 2;
};

// Throws Error: a tile without CTAs.
void check(const Partition& partition);

// Division by a number that is known before a kernel runs, as its code does it: by a multiplication.
// v / d is (upper half of 2 v * factor) >> shift, for v and d below 2^31.
struct Divisor {
  std::uint32_t factor = 1u << 31, shift = 0;
};
Divisor divisor(std::uint32_t d);

// V tasks in M clusters: the first V mod M have one more than the others.
struct Clusters {
  std::uint64_t tasks = 0;
  std::uint32_t clusters = 1;

  std::uint64_t size(std::uint32_t cluster) const {
    return tasks / clusters + (cluster < tasks % clusters ? 1 : 0);
  }
  std::uint64_t first(std::uint32_t cluster) const;
};

// The CTA that is number v of the order; Table: that is number v of the grid, x fastest.
workload::Dim3 cta_of_task(std::uint64_t v, const workload::Dim3& grid, const Partition& partition);

// What CTA number u (x fastest) of a redirected grid runs: position u / M of cluster u mod M.
std::uint64_t redirected_task(std::uint64_t u, const Clusters& clusters);

}  // namespace heddle::cta_clustering
