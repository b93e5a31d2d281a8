// nqu: counting the solutions of N queens, stacks in shared memory.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 96;
constexpr std::int32_t first_rows = 2;  // that the host places; more only where 10 rows would not be enough

struct Size {
  std::int32_t queens;
  std::uint32_t ctas;  // of a launch
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {8, 4};
    case Scale::Small:
      return {9, 64};
    case Scale::Paper:
      return {10, 223};
  }
  return {};
}

// Columns and diagonals in use, as bits of the row that comes next.
struct Beginning {
  std::uint32_t columns = 0, left = 0, right = 0;

  Beginning with(std::uint32_t place) const {
    return {columns | place, (left | place) << 1, (right | place) >> 1};
  }
  bool free(std::uint32_t place) const { return ((columns | left | right) & place) == 0; }
};

// With the first queen in column `first`.
std::vector<Beginning> beginnings(std::int32_t queens, std::int32_t first) {
  static_assert(first_rows == 2);
  const Beginning one = Beginning{}.with(1u << first);
  std::vector<Beginning> all;
  for (std::int32_t c = 0; c < queens; ++c)
    if (one.free(1u << c)) all.push_back(one.with(1u << c));
  return all;
}

// Solutions of the whole board, by permutations of columns: no two queens on a diagonal.
std::vector<std::int32_t> solutions(std::int32_t queens) {
  std::vector<std::int32_t> order, count(1);
  for (std::int32_t i = 0; i < queens; ++i) order.push_back(i);
  do {
    bool apart = true;
    for (std::int32_t i = 0; i < queens && apart; ++i)
      for (std::int32_t j = i + 1; j < queens && apart; ++j) {
        const std::int32_t d = order[i] - order[j];
        apart = d != j - i && d != i - j;
      }
    count[0] += apart ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  return count;
}

class Nqu : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"queens", std::to_string(size.queens)},
            {"beginnings",
             fmt::format("queens of the first {} rows, the first one in half of the columns; one of a thread",
                         first_rows)},
            {"grid", fmt::format("{} CTAs of {} threads", size.ctas, block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    load_embedded(device, info_.name);
    // Boards with the first queen in the right half mirror those with it in the left.
    std::vector<Beginning> half;
    for (std::int32_t first = 0; first < size.queens / 2; ++first)
      for (const Beginning& b : beginnings(size.queens, first)) half.push_back(b);
    std::int32_t found = 2 * count(device, size, half);
    if (size.queens % 2 == 1) found += count(device, size, beginnings(size.queens, size.queens / 2));
    return compare_equal(std::vector<std::int32_t>{found}, solutions(size.queens), "solutions");
  }

 private:
  static std::int32_t count(Device& device, const Size& size, const std::vector<Beginning>& from) {
    const std::size_t at_once = std::size_t{size.ctas} * block;
    std::int32_t found = 0;
    for (std::size_t first = 0; first < from.size(); first += at_once) {
      const std::size_t some = std::min(at_once, from.size() - first);
      std::vector<std::uint32_t> columns(at_once), left(at_once), right(at_once);
      for (std::size_t i = 0; i < some; ++i) {
        columns[i] = from[first + i].columns;
        left[i] = from[first + i].left;
        right[i] = from[first + i].right;
      }
      const DevicePtr d_columns = device.upload(columns, "columns"), d_left = device.upload(left, "left"),
                      d_right = device.upload(right, "right"),
                      d_counts = device.allocate(size.ctas * sizeof(std::uint32_t), "counts");
      device.launch({.kernel = "count_queens",
                     .grid = {size.ctas},
                     .block = {block},
                     .args = args(size.queens, size.queens - first_rows, d_columns, d_left, d_right, d_counts,
                                  static_cast<std::int32_t>(some))});
      for (const std::int32_t n : device.download<std::int32_t>(d_counts, size.ctas)) found += n;
    }
    return found;
  }

  WorkloadInfo info_{.name = "nqu",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "NQU",
                     .summary = "N queens: few threads search long, with stacks in shared memory",
                     .order_reason = {},
                     .kernels = {{"count_queens", ""}}};
};

}  // namespace

const Workload& nqu_workload() {
  static const Nqu workload;
  return workload;
}

}  // namespace heddle::workloads
