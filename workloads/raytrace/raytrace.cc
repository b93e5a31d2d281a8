// raytrace: spheres above a plane with shadows and reflections, in the manner of GPGPU-Sim's RAY.
#include <algorithm>
#include <array>
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

constexpr Dim3 block{16, 8};
constexpr std::size_t objects = 9, most_rays = 5;
constexpr float far_away = 10000, nudge = 0.0001f;
constexpr float depth = 1.5f, shift_of_frame = 0.05f;

struct Size {
  std::uint32_t side, frames;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {32, 1};
    case Scale::Small:
      return {128, 1};
    case Scale::Paper:
      return {256, 4};
  }
  return {};
}

struct Vector {
  float x, y, z;
  Vector operator-(const Vector& b) const { return {x - b.x, y - b.y, z - b.z}; }
  Vector operator+(const Vector& b) const { return {x + b.x, y + b.y, z + b.z}; }
  Vector operator*(float f) const { return {x * f, y * f, z * f}; }
};

// As the kernels have them in constant memory.
struct Object {
  Vector centre;
  float radius;
  alignas(16) std::array<float, 4> colour;
  std::int32_t plane;
  std::array<std::int32_t, 3> unused{};  // named, so that what is uploaded is the same in every run
};
static_assert(sizeof(Object) == 48);
struct View {
  Vector eye, ahead, up, right;
};

std::vector<Object> make_scene(Random& random) {
  std::vector<Object> scene{{{0, -1.5f, 0}, 0, {0.6f, 0.6f, 0.6f, 1}, 1}};
  while (scene.size() < objects) {
    const float radius = random.uniform(0.3f, 0.9f);
    Object sphere{{random.uniform(-3, 3), random.uniform(-0.6f, 2), random.uniform(-3, 3)}, radius, {}, 0};
    for (std::size_t i = 0; i < 3; ++i) sphere.colour[i] = random.uniform(0.2f, 1);
    sphere.colour[3] = 1;
    scene.push_back(sphere);
  }
  return scene;
}

constexpr View view{{-7, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr Vector light{10, 10, 10};

// The reference: the kernel's operations in its order, for all of IEEE 754's that it names.
float dot(const Vector& a, const Vector& b) {
  return std::fma(a.z, b.z, std::fma(a.y, b.y, a.x * b.x));
}
Vector along(const Vector& a, const Vector& b, float f) {
  return {std::fma(b.x, f, a.x), std::fma(b.y, f, a.y), std::fma(b.z, f, a.z)};
}
Vector unit(const Vector& a) {
  return a * (1.0f / std::sqrt(dot(a, a)));
}

struct Ray {
  Vector from, to;
};

class Tracer {
 public:
  Tracer(const std::vector<Object>& scene, float shift) : scene_(scene) {
    for (Object& o : scene_) o.centre.x += shift;
  }

  std::uint32_t pixel(std::uint32_t x, std::uint32_t y, std::uint32_t side) const {
    const float size = 2.0f / static_cast<float>(side), middle = static_cast<float>(side) * 0.5f;
    const Vector right = along(view.ahead * depth, view.right, (static_cast<float>(x) - middle) * size);
    Ray ray{view.eye, unit(along(right, view.up, (static_cast<float>(y) - middle) * size))};
    std::vector<std::array<float, 4>> colours;
    while (colours.size() < most_rays) {
      float nearest = far_away;
      const Object* met = nullptr;
      for (const Object& o : scene_)
        if (const float distance = meet(ray, o); distance > 0 && distance < nearest) {
          nearest = distance;
          met = &o;
        }
      if (met == nullptr) break;
      colours.push_back(shade(ray, nearest, *met));
    }
    if (colours.empty()) return packed({0, 0, 0, 1});
    for (std::size_t i = colours.size() - 1; i > 0; --i)
      for (std::size_t c = 0; c < 4; ++c)
        colours[i - 1][c] = std::fma(0.8f, colours[i][c], colours[i - 1][c]);
    return packed(colours.front());
  }

 private:
  static float meet(const Ray& ray, const Object& o) {
    if (o.plane != 0) {
      if (std::fabs(ray.to.y) < 0.0001f) return 0;
      return std::max((o.centre.y - ray.from.y) / ray.to.y, 0.0f);
    }
    const Vector way = o.centre - ray.from;
    const float ahead = dot(way, ray.to), distance = dot(way, way), squared = o.radius * o.radius;
    if (ahead < 0 && distance > squared) return 0;
    const float beside = std::fma(-ahead, ahead, distance);
    if (beside > squared) return 0;
    const float inside = std::sqrt(std::fma(o.radius, o.radius, -beside));
    return distance > squared ? ahead - inside : ahead + inside;
  }

  bool in_light(const Vector& point, const Vector& to_light) const {
    const Ray ray{along(point, to_light, nudge), to_light};
    const Vector way = light - point;
    const float limit = dot(way, way);
    return std::none_of(scene_.begin(), scene_.end(), [&](const Object& o) {
      const float distance = meet(ray, o);
      return distance > 0 && distance * distance < limit;
    });
  }

  std::array<float, 4> shade(Ray& ray, float distance, const Object& met) const {
    const Vector point = along(ray.from, ray.to, distance);
    const Vector to_light = unit(light - point), to_eye = unit(ray.from - point);
    const Vector normal = met.plane != 0 ? Vector{0, 1, 0} : unit(point - met.centre);
    const Vector facing = normal * (dot(to_eye, normal) < 0 ? -1.0f : 1.0f);
    std::array<float, 4> colour;
    for (std::size_t c = 0; c < 4; ++c) colour[c] = 0.05f * met.colour[c];
    if (const float brightness = dot(facing, to_light); brightness > 0 && in_light(point, to_light)) {
      const float diffuse = 0.3f * std::min(1.0f, brightness);
      const float a = std::max(0.0f, std::min(1.0f, dot(facing, unit(to_light + to_eye))));
      const float a2 = a * a, a4 = a2 * a2, a8 = a4 * a4, a16 = a8 * a8;
      const float gloss = a16 * a16 * a16 * a2;
      for (std::size_t c = 0; c < 4; ++c) colour[c] = std::fma(met.colour[c], diffuse, colour[c]);
      for (std::size_t c = 0; c < 3; ++c) colour[c] = std::fma(0.8f, gloss, colour[c]);
    }
    const float twice = 2.0f * dot(normal, to_eye);
    ray.to = unit({std::fma(normal.x, twice, -to_eye.x), std::fma(normal.y, twice, -to_eye.y),
                   std::fma(normal.z, twice, -to_eye.z)});
    ray.from = along(point, ray.to, nudge);
    return colour;
  }

  static std::uint32_t packed(const std::array<float, 4>& colour) {
    std::uint32_t bits = 0;
    for (std::size_t c = 0; c < 4; ++c)
      bits |= static_cast<std::uint32_t>(std::clamp(colour[c], 0.0f, 1.0f) * 255.0f) << (8 * c);
    return bits;
  }

  std::vector<Object> scene_;
};

class Raytrace : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"image", fmt::format("{0} x {0}", size.side)},
            {"scene", fmt::format("{} spheres at random above a plane, one light", objects - 1)},
            {"rays", fmt::format("up to {} of a pixel, and one to the light from each point", most_rays)},
            {"frames", fmt::format("{}, the scene moves between them", size.frames)},
            {"CTA", fmt::format("{} x {}", block.x, block.y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const std::vector<Object> scene = make_scene(random);
    const std::size_t pixels = std::size_t(size.side) * size.side;

    load_embedded(device, info_.name);
    device.copy_in(device.symbol("scene"), scene.data(), scene.size() * sizeof(Object));
    device.copy_in(device.symbol("view"), &view, sizeof(view));
    const DevicePtr image = device.allocate(pixels * sizeof(std::uint32_t), "image");
    Verification v;
    for (std::uint32_t frame = 0; frame < size.frames; ++frame) {
      const float shift = static_cast<float>(frame) * shift_of_frame;
      device.launch({.kernel = "render",
                     .grid = {size.side / block.x, size.side / block.y},
                     .block = block,
                     .args = args(image, size.side, size.side, shift, depth)});
      const Tracer tracer(scene, shift);
      std::vector<std::int32_t> want;
      for (std::uint32_t y = 0; y < size.side; ++y)
        for (std::uint32_t x = 0; x < size.side; ++x)
          want.push_back(static_cast<std::int32_t>(tracer.pixel(x, y, size.side)));
      const Verification of_frame =
          compare_equal(device.download<std::int32_t>(image, pixels), want, "image");
      v = frame == 0 ? of_frame : combine(v, of_frame);
    }
    return v;
  }

 private:
  WorkloadInfo info_{.name = "raytrace",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "C-RAY",
                     .summary = "ray tracer: spheres in constant memory, reflections, one thread per pixel",
                     .order_reason = {},
                     .kernels = {{"render", ""}},
                     .also = {"RAY"}};
};

}  // namespace

const Workload& raytrace_workload() {
  static const Raytrace workload;
  return workload;
}

}  // namespace heddle::workloads
