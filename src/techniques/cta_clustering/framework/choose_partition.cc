#include "techniques/cta_clustering/framework/choose_partition.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cta_clustering {
namespace {

std::string size(double bytes) {
  if (bytes >= 10240) return fmt::format("{:.0f} KiB", bytes / 1024);
  return fmt::format("{:.0f} bytes", bytes);
}

// By the letter: rows where blockIdx.x is the last index of a reference, columns where only blockIdx.y is.
Order as_printed(const ptx::KernelAddresses& addresses) {
  bool y = false;
  for (const ptx::GlobalAccess& a : addresses.accesses) {
    if (ptx::is_fastest(a, ptx::Axis::X)) return Order::Row;
    y |= ptx::is_fastest(a, ptx::Axis::Y);
  }
  return y ? Order::Column : Order::Row;
}

void compare(Partitioning& p, const Numbers& numbers, const Shared& shared, std::string_view what) {
  p.reasons.push_back(fmt::format("of what a CTA reads, neighbours of a row share {}, of a column {}",
                                  size(p.row_bytes), size(p.column_bytes)));
  // Nearly equal: less than a tenth apart.
  const double row = shared.with_row, column = shared.with_column;
  if (std::abs(row - column) > 0.1 * std::max(row, column)) {
    p.order = row > column ? Order::Row : Order::Column;
    p.reasons.push_back(fmt::format("more {} are shared along {}", what, row > column ? "rows" : "columns"));
    return;
  }
  // Rows share what there is once per row, columns once per column: the larger array counts (A.height against
  // B.width in a product of matrices).
  const workload::Dim3& g = numbers.grid();
  p.order = g.y >= g.x ? Order::Row : Order::Column;
  p.reasons.push_back(fmt::format(
      "a CTA shares as much in both directions; there are {} rows and {} columns, so {}", g.y, g.x,
      g.y == g.x  ? "rows, as arrays lie in memory"
      : g.y > g.x ? "rows share more in all"
                  : "columns share more in all"));
}

}  // namespace

Partitioning choose_partition(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                              const Evidence& e, Category category) {
  Partitioning p;
  p.row_bytes = e.bytes.with_row;
  p.column_bytes = e.bytes.with_column;
  const workload::Dim3& g = numbers.grid();
  p.as_printed = as_printed(addresses);
  if (g.x == 1 || g.y == 1) {
    p.order = p.as_printed = Order::Column;
    p.reasons.push_back("the grid has one dimension: X-partition");
  } else if (!exploitable(category)) {
    p.order = Order::Column;
    p.reasons.push_back("no locality to keep together: X-partition, for the order alone");
  } else if (category == Category::Algorithm) {
    compare(p, numbers, e.bytes, "bytes");
  } else {
    compare(p, numbers, e.lines, "lines");
  }
  return p;
}

}  // namespace heddle::cta_clustering
