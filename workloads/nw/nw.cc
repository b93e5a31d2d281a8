// nw: Rodinia's alignment of two sequences after Needleman and Wunsch.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::int32_t block_size = 16;
constexpr std::int32_t penalty = 10;
constexpr std::int32_t letters = 24;

std::int32_t length_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 96;
    case Scale::Small:
      return 320;
    case Scale::Paper:
      return 2048;
  }
  return 0;
}

// What two letters score: like a substitution matrix of proteins, symmetric, with high values for equal ones.
std::vector<std::int32_t> make_scores(Random& random) {
  std::vector<std::int32_t> scores(letters * letters);
  for (std::int32_t a = 0; a < letters; ++a)
    for (std::int32_t b = 0; b <= a; ++b) {
      const std::int32_t score =
          a == b ? 4 + std::int32_t(random.below(8)) : 3 - std::int32_t(random.below(8));
      scores[a * letters + b] = scores[b * letters + a] = score;
    }
  return scores;
}

class Nw : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"letters in a sequence", std::to_string(length_of(options.scale))},
            {"alphabet", std::to_string(letters)},
            {"penalty of a gap", std::to_string(penalty)},
            {"threads per CTA", std::to_string(block_size)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    Random random(options.seed);
    const std::int32_t length = length_of(options.scale), columns = length + 1;
    const std::vector<std::int32_t> scores = make_scores(random);
    std::vector<std::int32_t> first(columns), second(columns);
    for (std::int32_t& v : first) v = std::int32_t(random.below(letters));
    for (std::int32_t& v : second) v = std::int32_t(random.below(letters));
    // Both have a row and a column more than letters: where one sequence has not begun.
    std::vector<std::int32_t> similarity(std::size_t(columns) * columns), matrix(similarity.size());
    for (std::int32_t i = 1; i < columns; ++i) {
      matrix[i] = matrix[std::size_t(i) * columns] = -i * penalty;
      for (std::int32_t j = 1; j < columns; ++j)
        similarity[std::size_t(i) * columns + j] = scores[first[i] * letters + second[j]];
    }

    load_embedded(device, info_.name);
    const DevicePtr d_similarity = device.upload(similarity, "similarity"),
                    d_matrix = device.upload(matrix, "matrix");
    const std::int32_t tiles = length / block_size;
    for (std::int32_t i = 1; i <= tiles; ++i)
      device.launch({.kernel = "needle_1",
                     .grid = {std::uint32_t(i)},
                     .block = {block_size},
                     .args = args(d_similarity, d_matrix, columns, penalty, i)});
    for (std::int32_t i = tiles - 1; i >= 1; --i)
      device.launch({.kernel = "needle_2",
                     .grid = {std::uint32_t(i)},
                     .block = {block_size},
                     .args = args(d_similarity, d_matrix, columns, penalty, i, tiles)});

    for (std::int32_t i = 1; i < columns; ++i)
      for (std::int32_t j = 1; j < columns; ++j) {
        const std::size_t at = std::size_t(i) * columns + j;
        matrix[at] = std::max({matrix[at - columns - 1] + similarity[at], matrix[at - 1] - penalty,
                               matrix[at - columns] - penalty});
      }
    return compare_equal(device.download<std::int32_t>(d_matrix, matrix.size()), matrix, "matrix");
  }

 private:
  WorkloadInfo info_{.name = "nw",
                     .suite = "Rodinia",
                     .abbreviation = "NW",
                     .summary = "alignment of two sequences along antidiagonals",
                     .order_reason = {},
                     .kernels = {{"needle_1", "nw_1"}, {"needle_2", "nw_2"}}};
};

}  // namespace

const Workload& nw_workload() {
  static const Nw workload;
  return workload;
}

}  // namespace heddle::workloads
