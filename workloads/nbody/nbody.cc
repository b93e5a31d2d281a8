// nbody: the CUDA SDK's gravity between all pairs of bodies.
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

constexpr float softening_squared = 0.01f, time_step = 0.016f, damping = 0.995f;

struct Size {
  std::uint32_t bodies, block, steps;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {512, 64, 2};
    case Scale::Small:
      return {2048, 64, 1};
    case Scale::Paper:
      return {16384, 256, 1};
  }
  return {};
}

template <class T>
struct Body {
  T x, y, z, w;  // w: the mass of a position
};

// In a ball of radius one, slow; every body the same mass.
std::vector<Body<float>> in_ball(std::uint32_t count, float radius, float w, Random& random) {
  std::vector<Body<float>> bodies;
  while (bodies.size() < count) {
    std::array<float, 3> p;
    for (float& v : p) v = random.uniform(-1, 1);
    if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] < 1)
      bodies.push_back({p[0] * radius, p[1] * radius, p[2] * radius, w});
  }
  return bodies;
}

template <class To, class From>
std::vector<Body<To>> convert(const std::vector<Body<From>>& bodies) {
  std::vector<Body<To>> out;
  for (const Body<From>& b : bodies) out.push_back({To(b.x), To(b.y), To(b.z), To(b.w)});
  return out;
}

void step(std::vector<Body<double>>& positions, std::vector<Body<double>>& velocities) {
  std::vector<Body<double>> moved = positions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    double ax = 0, ay = 0, az = 0;
    for (const Body<double>& other : positions) {
      const double x = other.x - positions[i].x, y = other.y - positions[i].y, z = other.z - positions[i].z;
      const double squared = x * x + y * y + z * z + double(softening_squared);
      const double strength = other.w / (squared * std::sqrt(squared));
      ax += x * strength;
      ay += y * strength;
      az += z * strength;
    }
    Body<double>& v = velocities[i];
    v.x = (v.x + ax * time_step) * damping;
    v.y = (v.y + ay * time_step) * damping;
    v.z = (v.z + az * time_step) * damping;
    moved[i].x += v.x * time_step;
    moved[i].y += v.y * time_step;
    moved[i].z += v.z * time_step;
  }
  positions = std::move(moved);
}

std::vector<float> flat(const std::vector<Body<float>>& bodies) {
  std::vector<float> values;
  for (const Body<float>& b : bodies) values.insert(values.end(), {b.x, b.y, b.z, b.w});
  return values;
}

class NBody : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"bodies", fmt::format("{}, uniform in a ball", size.bodies)},
            {"steps", std::to_string(size.steps)},
            {"threads per CTA", fmt::format("{}, bodies of a tile", size.block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const auto positions = in_ball(size.bodies, 1, 1.0f / static_cast<float>(size.bodies), random);
    const auto velocities = in_ball(size.bodies, 0.1f, 1, random);

    load_embedded(device, info_.name);
    std::array<DevicePtr, 2> d_positions{
        device.upload(positions, "positions"),
        device.allocate(positions.size() * sizeof(Body<float>), "new positions")};
    const DevicePtr d_velocities = device.upload(velocities, "velocities");
    auto want = convert<double>(positions), want_velocities = convert<double>(velocities);
    for (std::uint32_t i = 0; i < size.steps; ++i) {
      const std::uint32_t ctas = size.bodies / size.block;
      device.launch({.kernel = "integrate_bodies",
                     .grid = {ctas},
                     .block = {size.block},
                     .dynamic_shared = std::uint32_t(size.block * sizeof(Body<float>)),
                     .args = args(d_positions[1], d_positions[0], d_velocities, softening_squared, time_step,
                                  damping, std::int32_t(ctas))});
      std::swap(d_positions[0], d_positions[1]);
      step(want, want_velocities);
    }
    // Sums of thousands of small terms; positions and velocities are near one.
    return combine(compare_close(flat(device.download<Body<float>>(d_positions[0], want.size())),
                                 flat(convert<float>(want)), 1e-5, 1, "positions"),
                   compare_close(flat(device.download<Body<float>>(d_velocities, want.size())),
                                 flat(convert<float>(want_velocities)), 1e-5, 1, "velocities"));
  }

 private:
  WorkloadInfo info_{.name = "nbody",
                     .suite = "CUDA SDK",
                     .abbreviation = "C-NBody",
                     .summary = "gravity between all pairs of bodies, tiles in shared memory",
                     .order_reason = {},
                     .kernels = {{"integrate_bodies", ""}}};
};

}  // namespace

const Workload& nbody_workload() {
  static const NBody workload;
  return workload;
}

}  // namespace heddle::workloads
