// imagedenoising: the CUDA SDK's filter of a noisy picture by nearest neighbours (KNN), source by texture.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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

constexpr std::uint32_t side = 8;  // of a CTA
constexpr int radius = 3, window = (2 * radius + 1) * (2 * radius + 1);
constexpr float noise = 1.0f / (0.32f * 0.32f), keep = 0.2f;
constexpr double near_weight = 0.02;  // as in imagedenoising.cu, like the next
constexpr double near_share = 0.79;

struct Size {
  std::int32_t width, height;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {64, 44};  // the last row of CTAs is half empty
    case Scale::Small:
      return {320, 408};  // the SDK's picture
    case Scale::Paper:
      return {1024, 1024};
  }
  return {};
}

using Colour = std::array<double, 3>;

// Bytes of red, green, blue and nothing: stripes, whose edges are sharp in green, with noise. By integers, so
// that it is the same on every host.
std::vector<std::uint32_t> make_image(Size size, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> image;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int stripe[3] = {std::abs((3 * x + 5 * y) % 384 - 192), (x / 16 + y / 24) % 2 * 128 + 32,
                             std::abs((2 * x - y + 4096) % 256 - 128)};
      std::uint32_t pixel = 0;
      for (int c = 0; c < 3; ++c)
        pixel |= (static_cast<std::uint32_t>(stripe[c]) + random.below(64)) << (8 * c);
      image.push_back(pixel);
    }
  }
  return image;
}

Colour colour_of(std::uint32_t pixel) {
  return {(pixel & 0xff) / 255.0, (pixel >> 8 & 0xff) / 255.0, (pixel >> 16 & 0xff) / 255.0};
}

struct Filtered {
  Colour mean{}, own{};
  int near = 0;   // of the window
  int close = 0;  // of the window, for which single precision may decide either way
};

Filtered filter(const std::vector<std::uint32_t>& image, Size size, int x, int y) {
  const auto at = [&](int column, int row) {
    return colour_of(image[static_cast<std::size_t>(std::clamp(row, 0, size.height - 1)) * size.width +
                           std::clamp(column, 0, size.width - 1)]);
  };
  Filtered f;
  f.own = at(x, y);
  double weights = 0;
  for (int i = -radius; i <= radius; ++i) {
    for (int j = -radius; j <= radius; ++j) {
      const Colour other = at(x + j, y + i);
      double distance = 0;
      for (int c = 0; c < 3; ++c) distance += (other[c] - f.own[c]) * (other[c] - f.own[c]);
      const double weight = std::exp(-(distance * noise + static_cast<double>(i * i + j * j) / window));
      for (int c = 0; c < 3; ++c) f.mean[c] += weight * other[c];
      weights += weight;
      f.close += std::abs(weight - near_weight) < 1e-5 * near_weight;
      f.near += weight > near_weight;
    }
  }
  for (double& m : f.mean) m /= weights;
  return f;
}

// The byte that the kernel may give for `value`: the whole part of 255 times it, of which the kernel's last
// bits decide where it is within 1e-3 of a whole number.
bool may_be(std::uint32_t byte, double value) {
  const double steps = value * 255;
  return byte == std::floor(steps - 1e-3) || byte == std::floor(steps + 1e-3);
}

// What the kernel should have written; where rounding may decide in two ways, what it wrote if it is one of
// them.
std::uint32_t expected(const Filtered& f, std::uint32_t got) {
  std::uint32_t word = 0;
  const int least = f.near - f.close, most = f.near + f.close;
  for (const int near : {f.near, least, most}) {
    const double share = near > near_share * window ? keep : 1.0 - keep;
    std::uint32_t want = 0;
    for (int c = 0; c < 3; ++c) {
      const double value = f.mean[c] + (f.own[c] - f.mean[c]) * share;
      const std::uint32_t byte = got >> (8 * c) & 0xff;
      want |= (may_be(byte, value) ? byte : static_cast<std::uint32_t>(value * 255)) << (8 * c);
    }
    if (want == got) return got;
    if (near == f.near) word = want;
  }
  return word;
}

class ImageDenoising : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"image", fmt::format("{} x {}, a thread per pixel", size.width, size.height)},
            {"values", "stripes of 0 to 192 per colour plus uniform integers below 64"},
            {"filter", "KNN, windows of 7 x 7, noise 0.32, 0.2 of a smooth pixel kept"},
            {"threads per CTA", fmt::format("{} x {}", side, side)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::vector<std::uint32_t> image = make_image(size, options.seed);
    const auto width = static_cast<std::uint32_t>(size.width),
               height = static_cast<std::uint32_t>(size.height);

    load_embedded(device, info_.name);
    const std::uint64_t texture = device.texture({.texels = device.upload(image, "image"),
                                                  .kind = TexelKind::Unsigned,
                                                  .channel_bits = 8,
                                                  .channels = 4,
                                                  .width = width,
                                                  .height = height,
                                                  .normalized = true});
    const DevicePtr out = device.allocate(image.size() * sizeof(std::uint32_t), "result");
    device.launch({.kernel = "knn",
                   .grid = {(width + side - 1) / side, (height + side - 1) / side},
                   .block = {side, side},
                   .args = args(out, texture, size.width, size.height, noise, keep)});

    const std::vector<std::int32_t> got = device.download<std::int32_t>(out, image.size());
    std::vector<std::int32_t> want;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        want.push_back(static_cast<std::int32_t>(
            expected(filter(image, size, x, y), static_cast<std::uint32_t>(got[want.size()]))));
    return compare_equal(got, want, "pixels");
  }

 private:
  WorkloadInfo info_{.name = "imagedenoising",
                     .suite = "CUDA SDK",
                     .abbreviation = "IMD",
                     .summary = "filter of a noisy picture, windows by texture: CTAs share their edges",
                     .order_reason = {},
                     .kernels = {{"knn", ""}}};
};

}  // namespace

const Workload& imagedenoising_workload() {
  static const ImageDenoising workload;
  return workload;
}

}  // namespace heddle::workloads
