// particlefilter: Rodinia's tracking of an object in a noisy video.
//
// Every frame is checked by itself: the reference begins with what the device had left of the frame before,
// so that a last place of a weight cannot grow to another choice of particles.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
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
constexpr std::int32_t radius = 5;  // of the object
constexpr double background = 100, object = 228;

struct Size {
  std::int32_t side, frames, particles;
  std::int32_t pixels() const { return side * side * frames; }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {32, 3, 600};  // two CTAs
    case Scale::Small:
      return {128, 5, 1'000};
    case Scale::Paper:
      return {128, 10, 10'000};
  }
  return {};
}

// Offsets (y, x) of the pixels of a disk around its middle.
std::vector<std::int32_t> make_disk() {
  std::vector<std::int32_t> offsets;
  for (std::int32_t x = 1 - radius; x < radius; ++x)
    for (std::int32_t y = 1 - radius; y < radius; ++y)
      if (x * x + y * y < radius * radius) {
        offsets.push_back(y);
        offsets.push_back(x);
      }
  return offsets;
}

double normal(double u, double v) {
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

// Frames innermost. A disk starts in the middle and moves by one pixel in x and two in y from frame to frame.
std::vector<std::uint8_t> make_video(const Size& size, Random& random) {
  std::vector<std::uint8_t> video(size.pixels());
  for (std::int32_t x = 0; x < size.side; ++x)
    for (std::int32_t y = 0; y < size.side; ++y)
      for (std::int32_t k = 0; k < size.frames; ++k) {
        const std::int32_t moved = std::max(k - 1, 0);
        const std::int32_t dx = x - std::abs(size.side / 2 + moved);
        const std::int32_t dy = y - std::abs(size.side / 2 - 2 * moved);
        const double level = dx * dx + dy * dy < radius * radius ? object : background;
        const double u = 1.0 - random.uniform();  // one after the other: arguments have no order
        const double noise = 5 * normal(u, random.uniform());
        video[(x * size.side + y) * size.frames + k] = std::uint8_t(level + std::trunc(noise));
      }
  return video;
}

// As the kernel's.
double random_uniform(std::int32_t& seed) {
  constexpr std::int32_t modulus = 0x7fffffff;
  seed = std::int32_t(1103515245u * std::uint32_t(seed) + 12345u) % modulus;
  return std::fabs(seed / double(modulus));
}
double random_normal(std::int32_t& seed) {
  const double u = random_uniform(seed);
  return normal(u, random_uniform(seed));
}

struct Particles {
  std::vector<double> x, y;
};

Particles move(const Particles& from, std::vector<std::int32_t>& seeds) {
  Particles to = from;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    to.x[i] = from.x[i] + 1.0 + 5.0 * random_normal(seeds[i]);
    to.y[i] = from.y[i] - 2.0 + 2.0 * random_normal(seeds[i]);
  }
  return to;
}

std::vector<double> weigh(const Size& size, const std::vector<std::uint8_t>& video, std::int32_t frame,
                          const std::vector<std::int32_t>& disk, const Particles& at) {
  std::vector<double> weights;
  double total = 0;
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < disk.size(); p += 2) {
      const std::int32_t x = std::int32_t(at.x[i]) + disk[p + 1], y = std::int32_t(at.y[i]) + disk[p];
      const std::int32_t index = std::abs((x * size.side + y) * size.frames + frame);
      const double pixel = video[index >= size.pixels() ? 0 : index];
      sum += ((pixel - background) * (pixel - background) - (pixel - object) * (pixel - object)) / 50.0;
    }
    weights.push_back(std::exp(sum / double(disk.size() / 2)) / double(at.x.size()));
    total += weights.back();
  }
  for (double& w : weights) w /= total;
  return weights;
}

Particles resample(const Particles& from, const std::vector<double>& cdf, const std::vector<double>& u) {
  Particles to;
  for (const double value : u) {
    std::size_t index = 0;
    while (index + 1 < cdf.size() && cdf[index] < value) ++index;
    to.x.push_back(from.x[index]);
    to.y.push_back(from.y[index]);
  }
  return to;
}

class ParticleFilter : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"particles", std::to_string(size.particles)},
            {"video", fmt::format("{0} x {0}, {1} frames", size.side, size.frames)},
            {"object", fmt::format("disk of radius {}, normal noise", radius)},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const std::vector<std::uint8_t> video = make_video(size, random);
    const std::vector<std::int32_t> disk = make_disk();
    std::vector<std::int32_t> seeds(size.particles);
    for (std::int32_t& s : seeds) s = std::int32_t(random.next() >> 33);
    const std::vector<double> middle(size.particles, size.side / 2);
    Particles chosen{middle, middle};

    load_embedded(device, info_.name);
    const Buffers b = make_buffers(device, size, video, disk, seeds, chosen);
    Verification v;
    for (std::int32_t frame = 1; frame < size.frames; ++frame) {
      track(device, b, size, std::int32_t(disk.size() / 2), frame);
      const Particles at = read(device, b.x, b.y, size);
      const auto weights = device.download<double>(b.weights, size.particles);
      const auto cdf = device.download<double>(b.cdf, size.particles);
      const auto u = device.download<double>(b.u, size.particles);

      const Particles moved = move(chosen, seeds);
      std::vector<double> sums, points;
      for (const double w : weights) sums.push_back((sums.empty() ? 0 : sums.back()) + w);
      const double first = random_uniform(seeds[0]) / size.particles;
      for (std::int32_t i = 0; i < size.particles; ++i) points.push_back(first + i / double(size.particles));
      chosen = read(device, b.chosen_x, b.chosen_y, size);
      const Particles picked = resample(at, cdf, u);
      v = frame == 1 ? compare(at.x, moved.x, "x") : combine(v, compare(at.x, moved.x, "x"));
      v = combine(v, compare(at.y, moved.y, "y"));
      v = combine(v, compare(weights, weigh(size, video, frame, disk, at), "weights"));
      v = combine(v, compare(cdf, sums, "cdf"));
      v = combine(v, compare(u, points, "u"));
      v = combine(v, compare(chosen.x, picked.x, "chosen x"));
      v = combine(v, compare(chosen.y, picked.y, "chosen y"));
    }
    return v;
  }

 private:
  struct Buffers {
    DevicePtr x, y, chosen_x, chosen_y, pixels, disk, likelihoods, video, weights, seeds, partial_sums, cdf,
        u, first;
  };

  static Buffers make_buffers(Device& device, const Size& size, const std::vector<std::uint8_t>& video,
                              const std::vector<std::int32_t>& disk, const std::vector<std::int32_t>& seeds,
                              const Particles& chosen) {
    const auto doubles = [&](const char* label) {
      return device.allocate(size.particles * sizeof(double), label);
    };
    return {.x = doubles("x"),
            .y = doubles("y"),
            .chosen_x = device.upload(chosen.x, "chosen x"),
            .chosen_y = device.upload(chosen.y, "chosen y"),
            .pixels = device.allocate(size.particles * disk.size() / 2 * sizeof(std::int32_t), "pixels"),
            .disk = device.upload(disk, "disk"),
            .likelihoods = doubles("likelihoods"),
            .video = device.upload(video, "video"),
            .weights = doubles("weights"),
            .seeds = device.upload(seeds, "seeds"),
            .partial_sums = doubles("partial sums"),
            .cdf = doubles("cdf"),
            .u = doubles("u"),
            .first = device.allocate(sizeof(double), "first sampling point")};
  }

  static void track(Device& device, const Buffers& b, const Size& size, std::int32_t disk_pixels,
                    std::int32_t frame) {
    const std::int32_t n = size.particles;
    const auto launch = [&](const char* kernel, KernelArgs arguments) {
      device.launch({.kernel = kernel,
                     .grid = {(n + block - 1) / block},
                     .block = {block},
                     .args = std::move(arguments)});
    };
    launch("likelihood",
           args(b.x, b.y, b.chosen_x, b.chosen_y, b.pixels, b.disk, b.likelihoods, b.video, b.weights, n,
                disk_pixels, size.pixels(), frame, size.side, size.frames, b.seeds, b.partial_sums));
    launch("sum", args(b.partial_sums, n));
    launch("normalize_weights", args(b.weights, n, b.partial_sums));
    launch("cumulate", args(b.cdf, b.weights, b.first, b.seeds, n));
    launch("spread", args(b.first, b.u, n));
    launch("find_index", args(b.x, b.y, b.cdf, b.u, b.chosen_x, b.chosen_y, n));
  }

  static Particles read(Device& device, DevicePtr x, DevicePtr y, const Size& size) {
    return {device.download<double>(x, size.particles), device.download<double>(y, size.particles)};
  }

  // The device's log, cos and exp differ from the host's in the last places of double precision; single
  // precision is left of it here. Weights below 1e-6 never decide.
  static Verification compare(const std::vector<double>& got, const std::vector<double>& want,
                              std::string_view what) {
    return compare_close(std::vector<float>(got.begin(), got.end()),
                         std::vector<float>(want.begin(), want.end()), 1e-6, 1e-6, what);
  }

  WorkloadInfo info_{.name = "particlefilter",
                     .suite = "Rodinia",
                     .abbreviation = "PF",
                     .summary = "particle filter: tracks an object in a noisy video",
                     .order_reason = {},
                     .kernels = {{"likelihood", "pf_1"},
                                 {"sum", "pf_2"},
                                 {"normalize_weights", "pf_3"},
                                 {"cumulate", ""},
                                 {"spread", ""},
                                 {"find_index", "pf_4"}}};
};

}  // namespace

const Workload& particlefilter_workload() {
  static const ParticleFilter workload;
  return workload;
}

}  // namespace heddle::workloads
