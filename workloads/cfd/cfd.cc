// cfd: Rodinia's euler3d on a generated mesh of tetrahedra.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
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

constexpr std::int32_t block = 192;
constexpr std::int32_t faces = 4, variables_count = 5, runge_kutta = 3;
constexpr std::int32_t wing = -1, far_field = -2;
constexpr double gas = 1.4, mach = 1.2, smoothing = 0.2;
// In place of an element's area: its square root bounds the step, which stays well within what is stable.
constexpr float element_area = 6.0f;

struct Size {
  std::int32_t x, y, z;  // cubes, each of six tetrahedra
  std::int32_t iterations;
  std::int32_t elements() const { return 6 * x * y * z; }
  std::int32_t padded() const { return (elements() + block - 1) / block * block; }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {3, 4, 4, 1};
    case Scale::Small:
      return {10, 12, 12, 1};
    case Scale::Paper:
      return {25, 25, 26, 10};
  }
  return {};
}

struct Vector {
  double x = 0, y = 0, z = 0;
};
Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(double f, const Vector& a) {
  return {f * a.x, f * a.y, f * a.z};
}
Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct Mesh {
  std::vector<std::int32_t> surrounding;  // face after face, as the kernels want it
  std::vector<float> normals;             // into the element, as long as the face is large
};

using Corners = std::array<std::int32_t, 4>;

// The wing: a bump in the floor, which the flow along x must go around.
double wing_height(double x, double y) {
  const double wave = std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * y);
  return 0.4 * wave * wave;
}

std::vector<Vector> make_points(const Size& s, Random& random) {
  std::vector<Vector> points;
  for (std::int32_t z = 0; z <= s.z; ++z)
    for (std::int32_t y = 0; y <= s.y; ++y)
      for (std::int32_t x = 0; x <= s.x; ++x) {
        const auto near = [&](std::int32_t v, std::int32_t last) {
          return v == 0 || v == last ? double(v) : v + double(random.uniform(-0.15f, 0.15f));
        };
        const double px = near(x, s.x), py = near(y, s.y), pz = near(z, s.z);
        points.push_back({px, py, z == 0 ? wing_height(px / s.x, py / s.y) : pz});
      }
  return points;
}

// Each cube is cut along its diagonal: one tetrahedron for each way from corner to corner along three edges.
std::vector<Corners> make_elements(const Size& s) {
  const std::array<std::int32_t, 3> stride{1, s.x + 1, (s.x + 1) * (s.y + 1)};
  std::vector<Corners> elements;
  for (std::int32_t z = 0; z < s.z; ++z)
    for (std::int32_t y = 0; y < s.y; ++y)
      for (std::int32_t x = 0; x < s.x; ++x) {
        const std::int32_t first = x + y * stride[1] + z * stride[2];
        std::array<std::int32_t, 3> way{0, 1, 2};
        do {
          const std::int32_t second = first + stride[way[0]], third = second + stride[way[1]];
          elements.push_back({first, second, third, third + stride[way[2]]});
        } while (std::next_permutation(way.begin(), way.end()));
      }
  return elements;
}

Mesh make_mesh(const Size& s, std::uint64_t seed) {
  Random random(seed);
  const std::vector<Vector> points = make_points(s, random);
  const std::vector<Corners> elements = make_elements(s);
  struct Face {
    std::array<std::int32_t, 3> corners;
    std::int32_t element, side;
  };
  std::vector<Face> all;
  Mesh m;
  const std::int32_t count = s.padded();
  m.surrounding.resize(std::size_t(count) * faces);
  m.normals.resize(std::size_t(count) * faces * 3);
  for (std::int32_t e = 0; e < s.elements(); ++e)
    for (std::int32_t side = 0; side < faces; ++side) {
      Face f{{}, e, side};
      for (std::int32_t c = 0, at = 0; c < 4; ++c)
        if (c != side) f.corners[at++] = elements[e][c];
      const Vector a = points[f.corners[0]], b = points[f.corners[1]], c = points[f.corners[2]];
      Vector normal = 0.5 * cross(b - a, c - a);
      if (dot(normal, points[elements[e][side]] - a) < 0) normal = -1.0 * normal;
      m.normals[e + std::size_t(side + 0 * faces) * count] = float(normal.x);
      m.normals[e + std::size_t(side + 1 * faces) * count] = float(normal.y);
      m.normals[e + std::size_t(side + 2 * faces) * count] = float(normal.z);
      const bool floor = f.corners[2] < (s.x + 1) * (s.y + 1);  // they are in ascending order
      m.surrounding[e + std::size_t(side) * count] = floor ? wing : far_field;
      std::sort(f.corners.begin(), f.corners.end());
      all.push_back(f);
    }
  std::sort(all.begin(), all.end(), [](const Face& a, const Face& b) {
    return std::pair(a.corners, a.element) < std::pair(b.corners, b.element);
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].corners == all[i - 1].corners) {
      m.surrounding[all[i].element + std::size_t(all[i].side) * count] = all[i - 1].element;
      m.surrounding[all[i - 1].element + std::size_t(all[i - 1].side) * count] = all[i].element;
    }
  // The last element fills up the last CTA.
  for (std::int32_t e = s.elements(); e < count; ++e) {
    for (std::int32_t side = 0; side < faces; ++side)
      m.surrounding[e + std::size_t(side) * count] =
          m.surrounding[s.elements() - 1 + std::size_t(side) * count];
    for (std::int32_t row = 0; row < faces * 3; ++row)
      m.normals[e + std::size_t(row) * count] = m.normals[s.elements() - 1 + std::size_t(row) * count];
  }
  return m;
}

struct State {
  double density, energy, pressure, speed, sound;
  Vector momentum, velocity;
};
using Values = std::array<double, variables_count>;

State state_of(const Values& v) {
  State s{.density = v[0],
          .energy = v[4],
          .pressure = 0,
          .speed = 0,
          .sound = 0,
          .momentum = {v[1], v[2], v[3]},
          .velocity = {}};
  s.velocity = (1 / s.density) * s.momentum;
  s.speed = std::sqrt(dot(s.velocity, s.velocity));
  s.pressure = (gas - 1) * (s.energy - 0.5 * s.density * s.speed * s.speed);
  s.sound = std::sqrt(gas * s.pressure / s.density);
  return s;
}

// What flows through a face with this normal.
Values flow(const State& s, const Vector& normal) {
  const double through = dot(s.velocity, normal);
  return {dot(s.momentum, normal), through * s.momentum.x + s.pressure * normal.x,
          through * s.momentum.y + s.pressure * normal.y, through * s.momentum.z + s.pressure * normal.z,
          through * (s.energy + s.pressure)};
}

Values far_values() {
  const double density = 1.4, pressure = 1.0, speed = mach * std::sqrt(gas * pressure / density);
  return {density, density * speed, 0, 0, density * 0.5 * speed * speed + pressure / (gas - 1)};
}

Values net_flux(const Mesh& m, const std::vector<Values>& values, std::int32_t e) {
  const std::size_t count = values.size();
  const State mine = state_of(values[e]), far = state_of(far_values());
  Values sum{};
  for (std::int32_t side = 0; side < faces; ++side) {
    const std::int32_t other = m.surrounding[e + side * count];
    const Vector normal{m.normals[e + (side + 0 * faces) * count], m.normals[e + (side + 1 * faces) * count],
                        m.normals[e + (side + 2 * faces) * count]};
    if (other == wing) {
      sum[1] += normal.x * mine.pressure;
      sum[2] += normal.y * mine.pressure;
      sum[3] += normal.z * mine.pressure;
      continue;
    }
    const State theirs = other >= 0 ? state_of(values[other]) : far;
    const Values out = flow(mine, normal), in = flow(theirs, normal);
    const double viscosity = -std::sqrt(dot(normal, normal)) * smoothing * 0.5 *
                             (mine.speed + theirs.speed + mine.sound + theirs.sound);
    for (std::int32_t v = 0; v < variables_count; ++v) {
      sum[v] += 0.5 * (out[v] + in[v]);
      if (other >= 0) sum[v] += viscosity * (values[e][v] - values[other][v]);
    }
  }
  return sum;
}

std::vector<float> reference(const Size& s, const Mesh& m) {
  std::vector<Values> values(s.padded(), far_values());
  for (std::int32_t i = 0; i < s.iterations; ++i) {
    const std::vector<Values> before = values;
    std::vector<double> factor;
    for (const Values& v : before) {
      const State state = state_of(v);
      factor.push_back(0.5 / (std::sqrt(double(element_area)) * (state.speed + state.sound)));
    }
    for (std::int32_t j = 0; j < runge_kutta; ++j) {
      std::vector<Values> fluxes;
      for (std::int32_t e = 0; e < s.padded(); ++e) fluxes.push_back(net_flux(m, values, e));
      for (std::int32_t e = 0; e < s.padded(); ++e)
        for (std::int32_t v = 0; v < variables_count; ++v)
          values[e][v] = before[e][v] + factor[e] / (runge_kutta + 1 - j) * fluxes[e][v];
    }
  }
  std::vector<float> flat;
  for (std::int32_t v = 0; v < variables_count; ++v)
    for (const Values& e : values) flat.push_back(float(e[v]));
  return flat;
}

class Cfd : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"elements", fmt::format("{}, padded to {}", size.elements(), size.padded())},
            {"mesh",
             fmt::format("{} x {} x {} cubes of six tetrahedra, corners moved at random, a bump in the floor",
                         size.x, size.y, size.z)},
            {"flow", fmt::format("Mach {}, along x", mach)},
            {"iterations", fmt::format("{}, of {} Runge-Kutta steps", size.iterations, runge_kutta)},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const Mesh mesh = make_mesh(size, options.seed);
    const std::int32_t count = size.padded();
    load_embedded(device, info_.name);
    set_far_field(device);
    const std::size_t values = std::size_t(count) * variables_count;
    const DevicePtr surrounding = device.upload(mesh.surrounding, "surrounding");
    const DevicePtr normals = device.upload(mesh.normals, "normals");
    const DevicePtr areas = device.upload(std::vector<float>(count, element_area), "areas");
    const DevicePtr variables = device.allocate(values * sizeof(float), "variables");
    const DevicePtr before = device.allocate(values * sizeof(float), "old variables");
    const DevicePtr fluxes = device.allocate(values * sizeof(float), "fluxes");
    const DevicePtr factors = device.allocate(count * sizeof(float), "step factors");
    const auto launch = [&](const char* kernel, KernelArgs arguments) {
      device.launch({.kernel = kernel,
                     .grid = {std::uint32_t(count / block)},
                     .block = {block},
                     .args = std::move(arguments)});
    };
    for (const DevicePtr p : {variables, before, fluxes}) launch("initialize_variables", args(count, p));
    for (std::int32_t i = 0; i < size.iterations; ++i) {
      const auto copy = device.download<float>(variables, values);
      device.copy_in(before, copy.data(), values * sizeof(float));
      launch("compute_step_factor", args(count, variables, areas, factors));
      for (std::int32_t j = 0; j < runge_kutta; ++j) {
        launch("compute_flux", args(count, surrounding, normals, variables, fluxes));
        launch("time_step", args(j, count, before, variables, factors, fluxes));
      }
    }
    // Single precision against double: fluxes of size 5 nearly cancel in each of the steps.
    return compare_close(device.download<float>(variables, values), reference(size, mesh), 1e-4, 1,
                         "variables");
  }

 private:
  static void set_far_field(Device& device) {
    const Values far = far_values();
    const std::array<float, variables_count> far_floats{float(far[0]), float(far[1]), float(far[2]),
                                                        float(far[3]), float(far[4])};
    device.copy_in(device.symbol("far_variables"), far_floats.data(), sizeof far_floats);
    const State s = state_of(far);
    const Values x = flow(s, {1, 0, 0}), y = flow(s, {0, 1, 0}), z = flow(s, {0, 0, 1});
    std::array<float, 12> flux{};  // of the momenta along x, y and z and of the energy; each along x, y, z
    for (std::int32_t v = 1; v < variables_count; ++v) {
      flux[3 * (v - 1)] = float(x[v]);
      flux[3 * (v - 1) + 1] = float(y[v]);
      flux[3 * (v - 1) + 2] = float(z[v]);
    }
    device.copy_in(device.symbol("far_flux"), flux.data(), sizeof flux);
  }

  WorkloadInfo info_{.name = "cfd",
                     .suite = "Rodinia",
                     .abbreviation = "CFD",
                     .summary = "compressible flow on an unstructured mesh: finite volumes",
                     .order_reason = {},
                     .kernels = {{"initialize_variables", "cfd_1"},
                                 {"compute_step_factor", "cfd_2"},
                                 {"compute_flux", "cfd_3"},
                                 {"time_step", "cfd_4"}}};
};

}  // namespace

const Workload& cfd_workload() {
  static const Cfd workload;
  return workload;
}

}  // namespace heddle::workloads
