// streamcluster: the search for centres of Rodinia's streamcluster, whose gain of opening one is computed on
// the device.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 512;
constexpr std::int32_t least_centres = 10, most_centres = 20;

struct Size {
  std::int32_t points, dimensions;
  std::int32_t gains;  // candidates tried, each a launch
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {1024, 32, 3};
    case Scale::Small:
      return {8192, 64, 4};
    case Scale::Paper:
      return {65536, 256, 16};
  }
  return {};
}

struct Point {  // as in streamcluster.cu, with its gaps: they are part of the input
  float weight = 0;
  std::uint32_t gap = 0;
  std::uint64_t coordinates = 0;
  std::int64_t assign = 0;
  float cost = 0;
  std::uint32_t end = 0;
};
static_assert(sizeof(Point) == 32);

struct Search {
  Size size;
  Random random;
  std::vector<float> coordinates;  // dimension after dimension
  std::vector<Point> points;
  std::vector<bool> is_centre;
  float open_cost = 0;
};

// With the kernel's arithmetic in its order.
float distance(const Search& s, std::int32_t a, std::int32_t b) {
  float sum = 0;
  for (std::int32_t i = 0; i < s.size.dimensions; ++i) {
    const float* row = &s.coordinates[std::size_t(i) * s.size.points];
    const float diff = row[a] - row[b];
    sum = std::fma(diff, diff, sum);
  }
  return sum;
}
// From all points to one.
std::vector<float> distances(const Search& s, std::int32_t to) {
  std::vector<float> sums(s.size.points);
  for (std::int32_t i = 0; i < s.size.dimensions; ++i) {
    const float* row = &s.coordinates[std::size_t(i) * s.size.points];
    for (std::int32_t p = 0; p < s.size.points; ++p) {
      const float diff = row[p] - row[to];
      sums[p] = std::fma(diff, diff, sums[p]);
    }
  }
  return sums;
}

std::int32_t centres(const Search& s) {
  return std::int32_t(std::count(s.is_centre.begin(), s.is_centre.end(), true));
}

// Opens centres at random, a point with a chance of its cost over that of a centre.
void open_at_random(Search& s) {
  s.is_centre.assign(s.points.size(), false);
  for (std::int32_t i = 0; i < s.size.points; ++i) {
    if (i > 0 && s.random.uniform() >= s.points[i].cost / s.open_cost) continue;
    s.is_centre[i] = true;
    const std::vector<float> cost = distances(s, i);
    for (std::int32_t p = 0; p < s.size.points; ++p)
      if (i == 0 || cost[p] < s.points[p].cost) {
        s.points[p].cost = cost[p];
        s.points[p].assign = i;
      }
  }
}

// Halves the price of a centre until there are enough.
Search start(const Size& size, std::uint64_t seed) {
  Search s{size, Random(seed), {}, {}, {}};
  s.coordinates.resize(std::size_t(size.points) * size.dimensions);
  for (std::int32_t p = 0; p < size.points; ++p)
    for (std::int32_t d = 0; d < size.dimensions; ++d)
      s.coordinates[std::size_t(d) * size.points + p] = s.random.uniform();
  s.points.assign(size.points, Point{.weight = 1});
  for (const float d : distances(s, 0)) s.open_cost += d;
  do {
    s.open_cost /= 2;
    open_at_random(s);
  } while (centres(s) < least_centres);
  return s;
}

struct Gain {                       // what the kernel says of a candidate
  std::vector<float> lower;         // a row for each point
  std::vector<std::uint8_t> moves;  // points that would change to it
};

std::vector<std::int32_t> number_centres(const Search& s) {
  std::vector<std::int32_t> numbers(s.points.size());
  std::int32_t next = 0;
  for (std::size_t i = 0; i < s.points.size(); ++i)
    if (s.is_centre[i]) numbers[i] = next++;
  return numbers;
}

Gain reference(const Search& s, std::int32_t x, const std::vector<std::int32_t>& numbers) {
  const std::int32_t k = centres(s), row = k + 1;
  Gain g{std::vector<float>(s.points.size() * row), std::vector<std::uint8_t>(s.points.size())};
  const std::vector<float> cost = distances(s, x);
  for (std::size_t p = 0; p < s.points.size(); ++p) {
    g.moves[p] = cost[p] < s.points[p].cost;
    if (g.moves[p])
      g.lower[p * row + k] = cost[p] - s.points[p].cost;
    else
      g.lower[p * row + numbers[s.points[p].assign]] = s.points[p].cost - cost[p];
  }
  return g;
}

// Opens x if that is cheaper, and closes the centres that are then not worth their price.
void decide(Search& s, std::int32_t x, const std::vector<std::int32_t>& numbers, const Gain& g) {
  const std::int32_t k = centres(s), row = k + 1;
  std::vector<float> closing(k, s.open_cost);
  float change = s.open_cost;
  for (std::size_t p = 0; p < s.points.size(); ++p) {
    for (std::int32_t c = 0; c < k; ++c) closing[c] += g.lower[p * row + c];
    change += g.lower[p * row + k];
  }
  for (const float c : closing)
    if (c > 0) change -= c;
  if (change >= 0) return;
  for (std::size_t p = 0; p < s.points.size(); ++p)
    if (g.moves[p] || closing[numbers[s.points[p].assign]] > 0) {
      s.points[p].cost = distance(s, std::int32_t(p), x);
      s.points[p].assign = x;
    }
  for (std::size_t p = 0; p < s.points.size(); ++p)
    if (s.is_centre[p] && closing[numbers[p]] > 0) s.is_centre[p] = false;
  s.is_centre[x] = true;
}

class Streamcluster : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"points", std::to_string(size.points)},
            {"dimensions", std::to_string(size.dimensions)},
            {"coordinates", "uniform in 0..1"},
            {"centres", fmt::format("{} to {}", least_centres, most_centres)},
            {"candidates tried", std::to_string(size.gains)},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    Search s = start(size_of(options.scale), options.seed);
    load_embedded(device, info_.name);
    const Buffers buffers{device.upload(s.coordinates, "coordinates"),
                          device.allocate(s.points.size() * sizeof(Point), "points"),
                          device.allocate(s.points.size() * sizeof(std::int32_t), "centre numbers"),
                          device.allocate(s.points.size(), "switches")};
    Verification values, flags;
    for (std::int32_t i = 0; i < s.size.gains; ++i) {
      const std::int32_t x = std::int32_t(s.random.below(s.size.points));
      const std::vector<std::int32_t> numbers = number_centres(s);
      const Gain got = compute(device, buffers, s, x, numbers);
      const Gain want = reference(s, x, numbers);
      // The reference has the kernel's order of sums.
      const Verification v = compare_close(got.lower, want.lower, 1e-6, s.size.dimensions, "lower");
      const Verification f =
          compare_equal(std::vector<std::int32_t>(got.moves.begin(), got.moves.end()),
                        std::vector<std::int32_t>(want.moves.begin(), want.moves.end()), "switches");
      values = i == 0 ? v : combine(values, v);
      flags = i == 0 ? f : combine(flags, f);
      decide(s, x, numbers, got);
    }
    return combine(values, flags);
  }

 private:
  struct Buffers {
    DevicePtr coordinates, points, numbers, switches;
  };

  static Gain compute(Device& device, const Buffers& b, const Search& s, std::int32_t x,
                      const std::vector<std::int32_t>& numbers) {
    const std::int32_t k = centres(s), row = k + 1, count = s.size.points;
    device.copy_in(b.points, s.points.data(), s.points.size() * sizeof(Point));
    device.copy_in(b.numbers, numbers.data(), numbers.size() * sizeof(std::int32_t));
    device.fill(b.switches, 0, count);
    const std::size_t lower_size = std::size_t(count) * row;
    const DevicePtr lower = device.allocate(lower_size * sizeof(float), "lower");
    device.launch({.kernel = "compute_cost",
                   .grid = {(count + block - 1) / block},
                   .block = {block},
                   .args = args(count, s.size.dimensions, std::int64_t{x}, b.points, k, row, b.coordinates,
                                lower, b.numbers, b.switches)});
    Gain g{device.download<float>(lower, lower_size), device.download<std::uint8_t>(b.switches, count)};
    device.release(lower);
    return g;
  }

  WorkloadInfo info_{.name = "streamcluster",
                     .suite = "Rodinia",
                     .abbreviation = "SC",
                     .summary = "online clustering: what opening a centre would gain",
                     .order_reason = {},
                     .kernels = {{"compute_cost", "sc"}}};
};

}  // namespace

const Workload& streamcluster_workload() {
  static const Streamcluster workload;
  return workload;
}

}  // namespace heddle::workloads
