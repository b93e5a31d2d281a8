// kmeans: Rodinia's k-means clustering of points of 34 features.
#include <cmath>
#include <cstdint>
#include <limits>
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

constexpr std::uint32_t block = 256;
constexpr std::int32_t features = 34, clusters = 5;
constexpr std::int32_t always_zero = 14;  // features that hardly any connection of the KDD Cup has

struct Size {
  std::int32_t points;
  std::int32_t rounds;  // at most
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {2'000, 2};
    case Scale::Small:
      return {20'000, 2};
    case Scale::Paper:
      return {494'020, 10};
  }
  return {};
}

// Point after point. Every point is drawn around one of some kinds; the last features are counts that are
// nearly always zero.
std::vector<float> make_points(std::int32_t count, std::uint64_t seed) {
  constexpr std::int32_t kinds = 23;  // the attacks and normal traffic of the KDD Cup
  Random random(seed);
  std::vector<float> middle(kinds * features);
  for (float& v : middle) v = random.uniform(0.0f, 255.0f);
  std::vector<float> points;
  points.reserve(std::size_t(count) * features);
  for (std::int32_t p = 0; p < count; ++p) {
    const std::int32_t kind = std::int32_t(random.below(kinds));
    for (std::int32_t f = 0; f < features; ++f) {
      const bool zero = f >= features - always_zero && random.below(16) != 0;
      points.push_back(zero ? 0.0f : middle[kind * features + f] + random.uniform(0.0f, 32.0f));
    }
  }
  return points;
}

// The first centres: points picked at random.
std::vector<float> first_centres(const std::vector<float>& points, std::uint64_t seed) {
  Random random(seed + 1);
  std::vector<float> centres;
  for (std::int32_t c = 0; c < clusters; ++c) {
    const std::size_t p = random.below(std::uint32_t(points.size() / features));
    centres.insert(centres.end(), points.begin() + std::ptrdiff_t(p * features),
                   points.begin() + std::ptrdiff_t((p + 1) * features));
  }
  return centres;
}

// The kernel's arithmetic in its order, so that the result is the same to the bit.
std::int32_t nearest(const float* point, const std::vector<float>& centres) {
  std::int32_t best = -1;
  float least = std::numeric_limits<float>::max();
  for (std::int32_t c = 0; c < clusters; ++c) {
    float distance = 0;
    for (std::int32_t f = 0; f < features; ++f) {
      const float diff = point[f] - centres[c * features + f];
      distance = std::fma(diff, diff, distance);
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

std::vector<float> new_centres(const std::vector<float>& points, const std::vector<std::int32_t>& membership,
                               std::vector<float> centres) {
  std::vector<double> sums(clusters * features);
  std::vector<std::int32_t> members(clusters);
  for (std::size_t p = 0; p < membership.size(); ++p) {
    ++members[membership[p]];
    for (std::int32_t f = 0; f < features; ++f)
      sums[membership[p] * features + f] += points[p * features + f];
  }
  for (std::int32_t c = 0; c < clusters; ++c)
    for (std::int32_t f = 0; f < features && members[c] > 0; ++f)
      centres[c * features + f] = float(sums[c * features + f] / members[c]);
  return centres;
}

class Kmeans : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"points", std::to_string(size.points)},
            {"features", fmt::format("{}, {} of them nearly always zero", features, always_zero)},
            {"clusters", std::to_string(clusters)},
            {"rounds", fmt::format("until no point moves, at most {}", size.rounds)},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::vector<float> points = make_points(size.points, options.seed);
    std::vector<float> centres = first_centres(points, options.seed);

    load_embedded(device, info_.name);
    const DevicePtr by_point = device.upload(points, "points");
    const DevicePtr by_feature = device.allocate(points.size() * sizeof(float), "points by feature");
    const DevicePtr d_membership = device.allocate(size.points * sizeof(std::int32_t), "membership");
    const std::uint64_t texture = device.float_texture(by_feature, std::uint32_t(points.size()));
    // A square of CTAs that holds all points.
    const std::uint32_t ctas = (size.points + block - 1) / block;
    std::uint32_t side = 1;
    while (side * side < ctas) ++side;
    device.launch({.kernel = "invert_mapping",
                   .grid = {side * side},
                   .block = {block},
                   .args = args(by_point, by_feature, size.points, features)});

    Verification v;
    std::vector<std::int32_t> before(size.points, -1);
    for (std::int32_t round = 0; round < size.rounds; ++round) {
      device.copy_in(device.symbol("centres"), centres.data(), centres.size() * sizeof(float));
      device.launch({.kernel = "kmeans_point",
                     .grid = {side, side},
                     .block = {block},
                     .args = args(texture, features, size.points, clusters, d_membership)});
      const auto membership = device.download<std::int32_t>(d_membership, size.points);
      const Verification this_round = check(points, centres, membership, round);
      v = round == 0 ? this_round : combine(v, this_round);
      if (!v.ok || membership == before) break;
      centres = new_centres(points, membership, centres);
      before = membership;
    }
    return v;
  }

 private:
  static Verification check(const std::vector<float>& points, const std::vector<float>& centres,
                            const std::vector<std::int32_t>& membership, std::int32_t round) {
    std::vector<std::int32_t> want;
    for (std::size_t p = 0; p < membership.size(); ++p)
      want.push_back(nearest(&points[p * features], centres));
    return compare_equal(membership, want, fmt::format("membership in round {}", round + 1));
  }

  WorkloadInfo info_{.name = "kmeans",
                     .suite = "Rodinia",
                     .abbreviation = "KM",
                     .summary = "k-means clustering: nearest centre of points read by texture",
                     .order_reason = {},
                     .kernels = {{"invert_mapping", "kmeans_1"}, {"kmeans_point", "kmeans_2"}}};
};

}  // namespace

const Workload& kmeans_workload() {
  static const Kmeans workload;
  return workload;
}

}  // namespace heddle::workloads
