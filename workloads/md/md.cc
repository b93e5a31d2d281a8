// md: SHOC's molecular dynamics, Lennard-Jones forces from lists of neighbours.
#include <algorithm>
#include <array>
#include <cmath>
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

constexpr std::uint32_t block = 256;
constexpr float edge = 20, cutoff_squared = 16, lj1 = 1.5f, lj2 = 2;

struct Size {
  std::int32_t atoms, neighbours;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {512, 64};
    case Scale::Small:
      return {6144, 128};
    case Scale::Paper:
      return {24576, 128};
  }
  return {};
}

struct Position {
  float x, y, z, w;
};

std::vector<Position> make_positions(std::int32_t atoms, std::uint64_t seed) {
  Random random(seed);
  std::vector<Position> positions(atoms);
  for (Position& p : positions) {
    p.x = random.uniform(0, edge);
    p.y = random.uniform(0, edge);
    p.z = random.uniform(0, edge);
    p.w = 0;
  }
  return positions;
}

double squared_distance(const Position& a, const Position& b) {
  const double x = double(a.x) - b.x, y = double(a.y) - b.y, z = double(a.z) - b.z;
  return x * x + y * y + z * z;
}

// The nearest atoms of each, nearest first: all first ones, then all second ones, ...
std::vector<std::int32_t> make_lists(const std::vector<Position>& positions, std::int32_t neighbours) {
  const std::int32_t atoms = std::int32_t(positions.size());
  std::vector<std::int32_t> lists(std::size_t(atoms) * neighbours);
  std::vector<std::pair<double, std::int32_t>> others;
  for (std::int32_t atom = 0; atom < atoms; ++atom) {
    others.clear();
    for (std::int32_t other = 0; other < atoms; ++other)
      if (other != atom) others.emplace_back(squared_distance(positions[atom], positions[other]), other);
    std::nth_element(others.begin(), others.begin() + neighbours, others.end());
    std::sort(others.begin(), others.begin() + neighbours);
    for (std::int32_t k = 0; k < neighbours; ++k) lists[std::size_t(k) * atoms + atom] = others[k].second;
  }
  return lists;
}

struct Forces {
  std::vector<float> values;    // x, y, z of each atom
  std::vector<double> largest;  // the sum of the magnitudes of what was added; at least one
};

Forces reference(const std::vector<Position>& positions, const std::vector<std::int32_t>& lists,
                 std::int32_t neighbours) {
  Forces forces;
  for (std::size_t atom = 0; atom < positions.size(); ++atom) {
    const Position& own = positions[atom];
    std::array<double, 3> sum{}, magnitude{};
    for (std::int32_t k = 0; k < neighbours; ++k) {
      const Position& other = positions[lists[std::size_t(k) * positions.size() + atom]];
      const double squared = squared_distance(own, other);
      if (squared >= cutoff_squared) continue;
      const double sixth = 1 / (squared * squared * squared);
      const double strength = sixth / squared * (lj1 * sixth - lj2);
      const std::array<double, 3> way{double(own.x) - other.x, double(own.y) - other.y,
                                      double(own.z) - other.z};
      for (std::size_t i = 0; i < way.size(); ++i) {
        sum[i] += way[i] * strength;
        magnitude[i] += std::abs(way[i] * strength);
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      forces.values.push_back(static_cast<float>(sum[i]));
      forces.largest.push_back(std::max(magnitude[i], 1.0));
    }
  }
  return forces;
}

class Md : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"atoms", fmt::format("{}, uniform in a cube of edge {}", size.atoms, edge)},
            {"neighbours", fmt::format("the {} nearest", size.neighbours)},
            {"cutoff", fmt::format("{}", std::sqrt(cutoff_squared))},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::vector<Position> positions = make_positions(size.atoms, options.seed);
    const std::vector<std::int32_t> lists = make_lists(positions, size.neighbours);

    load_embedded(device, info_.name);
    const DevicePtr d_positions = device.upload(positions, "positions"),
                    d_lists = device.upload(lists, "lists of neighbours"),
                    d_forces = device.allocate(3 * sizeof(float) * size.atoms, "forces");
    device.launch({.kernel = "compute_lj_force",
                   .grid = {size.atoms / block},
                   .block = {block},
                   .args = args(d_forces, d_positions, size.neighbours, d_lists, cutoff_squared, lj1, lj2,
                                size.atoms)});
    // A pair's force falls with the 13th power of its distance, which multiplies errors, and those of the
    // nearest pairs cancel: forces are compared as parts of what was added.
    Forces want = reference(positions, lists, size.neighbours);
    std::vector<float> got = device.download<float>(d_forces, want.values.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      got[i] = static_cast<float>(got[i] / want.largest[i]);
      want.values[i] = static_cast<float>(want.values[i] / want.largest[i]);
    }
    return compare_close(got, want.values, 1e-5, 1, "forces as parts of their terms");
  }

 private:
  WorkloadInfo info_{.name = "md",
                     .suite = "SHOC",
                     .abbreviation = "S-MD",
                     .summary = "Lennard-Jones forces from lists of neighbours: positions are gathered",
                     .order_reason = {},
                     .kernels = {{"compute_lj_force", ""}}};
};

}  // namespace

const Workload& md_workload() {
  static const Md workload;
  return workload;
}

}  // namespace heddle::workloads
