// srad: Rodinia's speckle-reducing anisotropic diffusion, version 2. Statistics of a corner of the image are
// computed on the host before each iteration, as in the original.
#include <algorithm>
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

constexpr std::int32_t block_size = 16;
constexpr float lambda = 0.5f;

struct Size {
  std::int32_t rows, cols;  // multiples of block_size
  std::int32_t iterations;
  std::int32_t speckle;  // side of the square at the origin that the speckle statistics come from
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {96, 64, 2, 32};
    case Scale::Small:
      return {512, 384, 2, 128};
    case Scale::Paper:
      return {1024, 1024, 2, 128};
  }
  return {};
}

// A bright disc on a dark ground, each pixel times its own speckle. No library function decides a bit of it.
std::vector<float> make_image(const Size& size, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> image;
  const std::int32_t radius = std::min(size.rows, size.cols) / 3;
  for (std::int32_t y = 0; y < size.rows; ++y) {
    for (std::int32_t x = 0; x < size.cols; ++x) {
      const std::int32_t dy = y - size.rows / 2, dx = x - size.cols / 2;
      const float level = dy * dy + dx * dx < radius * radius ? 2.0f : 1.2f;
      image.push_back(level * random.uniform(0.7f, 1.3f));
    }
  }
  return image;
}

// Squared coefficient of variation of the speckle region.
template <class T>
double speckle_scale(const Size& size, const std::vector<T>& image) {
  double sum = 0, sum2 = 0;
  for (std::int32_t y = 0; y < size.speckle; ++y) {
    for (std::int32_t x = 0; x < size.speckle; ++x) {
      const double v = image[std::size_t(y) * size.cols + x];
      sum += v;
      sum2 += v * v;
    }
  }
  const double count = double(size.speckle) * size.speckle;
  const double mean = sum / count;
  return (sum2 / count - mean * mean) / (mean * mean);
}

// One iteration over the whole image in double precision.
void diffuse(const Size& size, std::vector<double>& image) {
  const double q0sqr = speckle_scale(size, image);
  const auto at = [&](const std::vector<double>& v, std::int32_t y, std::int32_t x) {
    return v[std::size_t(std::clamp(y, 0, size.rows - 1)) * size.cols + std::clamp(x, 0, size.cols - 1)];
  };
  std::vector<double> c(image.size());
  for (std::int32_t y = 0; y < size.rows; ++y) {
    for (std::int32_t x = 0; x < size.cols; ++x) {
      const double j = at(image, y, x);
      const double n = at(image, y - 1, x) - j, s = at(image, y + 1, x) - j;
      const double w = at(image, y, x - 1) - j, e = at(image, y, x + 1) - j;
      const double g2 = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
      const double den = 1 + 0.25 * l;
      const double qsqr = (0.5 * g2 - l * l / 16) / (den * den);
      c[std::size_t(y) * size.cols + x] =
          std::clamp(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))), 0.0, 1.0);
    }
  }
  const std::vector<double> before = image;
  for (std::int32_t y = 0; y < size.rows; ++y) {
    for (std::int32_t x = 0; x < size.cols; ++x) {
      const double j = at(before, y, x), here = at(c, y, x);
      const double divergence =
          here * (at(before, y - 1, x) - j) + at(c, y + 1, x) * (at(before, y + 1, x) - j) +
          here * (at(before, y, x - 1) - j) + at(c, y, x + 1) * (at(before, y, x + 1) - j);
      image[std::size_t(y) * size.cols + x] = j + 0.25 * lambda * divergence;
    }
  }
}

class Srad : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"image", fmt::format("{} x {} pixels", size.rows, size.cols)},
            {"iterations", std::to_string(size.iterations)},
            {"lambda", fmt::format("{}", lambda)},
            {"pixels", "disc of 2.0 on 1.2, each times uniform in [0.7, 1.3)"},
            {"speckle region", fmt::format("{} x {} at the origin", size.speckle, size.speckle)},
            {"threads per CTA", "16 x 16"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    std::vector<float> image = make_image(size, options.seed);
    std::vector<double> want(image.begin(), image.end());
    for (std::int32_t i = 0; i < size.iterations; ++i) diffuse(size, want);

    load_embedded(device, info_.name);
    despeckle(device, size, image);
    const std::vector<float> want_float(want.begin(), want.end());
    // Single precision against double. Where the coefficient's denominator is small its relative error grows,
    // but the image sees at most an eighth of the coefficient times a difference of neighbours.
    return compare_close(image, want_float, 1e-5, 1e-2, "image");
  }

 private:
  static void despeckle(Device& device, const Size& size, std::vector<float>& image) {
    const std::uint64_t bytes = image.size() * sizeof(float);
    const DevicePtr j = device.allocate(bytes, "image"), c = device.allocate(bytes, "coefficient");
    const DevicePtr e = device.allocate(bytes, "east"), w = device.allocate(bytes, "west");
    const DevicePtr n = device.allocate(bytes, "north"), s = device.allocate(bytes, "south");
    const Dim3 grid{std::uint32_t(size.cols / block_size), std::uint32_t(size.rows / block_size)};
    const Dim3 block{block_size, block_size};
    for (std::int32_t i = 0; i < size.iterations; ++i) {
      const float q0sqr = static_cast<float>(speckle_scale(size, image));
      device.copy_in(j, image.data(), bytes);
      device.launch({.kernel = "srad_cuda_1",
                     .grid = grid,
                     .block = block,
                     .args = args(e, w, n, s, j, c, size.cols, size.rows, q0sqr)});
      device.launch({.kernel = "srad_cuda_2",
                     .grid = grid,
                     .block = block,
                     .args = args(e, w, n, s, j, c, size.cols, size.rows, lambda)});
      device.copy_out(image.data(), j, bytes);
    }
  }

  WorkloadInfo info_{.name = "srad",
                     .suite = "Rodinia",
                     .abbreviation = "SRAD",
                     .summary = "speckle-reducing anisotropic diffusion of an image",
                     .order_reason = {},
                     .kernels = {{"srad_cuda_1", ""}, {"srad_cuda_2", ""}}};
};

}  // namespace

const Workload& srad_workload() {
  static const Srad workload;
  return workload;
}

}  // namespace heddle::workloads
