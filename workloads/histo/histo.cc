// histo: Parboil's histogram with bins that saturate.
//
// Counts are added in any order, but sums do not depend on it; counters outside of the main ranges may pass
// 255 by what races, and are cut to it at the end.
#include <algorithm>
#include <cmath>
#include <cstdint>
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

constexpr std::uint32_t prescan_threads = 512, main_ctas = 14, main_threads = 768, final_threads = 512;
constexpr std::uint32_t rows_per_cta = 16, bins_per_range = 24 * 1024;
constexpr std::uint32_t outside_share = 64;  // one value in so many lies anywhere

struct Size {
  std::uint32_t width, height;  // of the image
  std::uint32_t bins, prescan_ctas, rounds;
  std::uint32_t spread;  // standard deviation of the values
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {128, 128, 4 * bins_per_range, 4, 1, 500};
    case Scale::Small:
      return {256, 256, 8 * bins_per_range, 16, 1, 1'500};
    case Scale::Paper:
      return {996, 1040, 256 * 4096, 64, 4, 2'000};
  }
  return {};
}

std::vector<std::uint32_t> make_image(const Size& size, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> image;
  for (std::uint32_t i = 0; i < size.width * size.height; ++i) {
    if (random.below(outside_share) == 0) {
      image.push_back(random.below(size.bins));
      continue;
    }
    const double radius = std::sqrt(-2 * std::log(1.0 - random.uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
    // Values of an image come in steps: some bins overflow.
    const double value = size.bins / 2.0 + std::round(normal * 16) / 16 * size.spread;
    image.push_back(std::uint32_t(std::clamp(value, 0.0, size.bins - 1.0)));
  }
  return image;
}

class Histo : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"image", fmt::format("{} x {}", size.width, size.height)},
            {"bins", std::to_string(size.bins)},
            {"values", fmt::format("normal in steps, standard deviation {}; one in {} anywhere", size.spread,
                                   outside_share)},
            {"rounds", std::to_string(size.rounds)},
            {"threads per CTA",
             fmt::format("{}, half the width, {}, {}", prescan_threads, main_threads, final_threads)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::vector<std::uint32_t> image = make_image(size, options.seed);
    // Ranges are whole, and so are the rows that a CTA takes.
    const std::uint32_t bins = (size.bins + bins_per_range - 1) / bins_per_range * bins_per_range;
    const std::uint32_t rows = (size.height + rows_per_cta - 1) / rows_per_cta * rows_per_cta;

    load_embedded(device, info_.name);
    const Buffers b{device.upload(image, "image"),
                    device.allocate(2 * sizeof(std::uint32_t), "ranges"),
                    device.allocate(std::uint64_t{size.width} * rows * 4, "places"),
                    device.allocate(bins * sizeof(std::uint32_t), "inside"),
                    device.allocate(bins * sizeof(std::uint16_t), "outside"),
                    device.allocate(bins * sizeof(std::uint32_t), "overflow"),
                    device.allocate(bins, "histogram")};
    for (std::uint32_t i = 0; i < size.rounds; ++i) count(device, b, size, bins);

    std::vector<std::int32_t> want(bins);
    for (const std::uint32_t v : image) want[v] = std::min(want[v] + 1, 255);
    const auto got = device.download<std::uint8_t>(b.histogram, bins);
    return compare_equal(std::vector<std::int32_t>(got.begin(), got.end()), want, "histogram");
  }

 private:
  struct Buffers {
    DevicePtr image, ranges, places, inside, outside, overflow, histogram;
  };

  static void count(Device& device, const Buffers& b, const Size& size, std::uint32_t bins) {
    const std::uint32_t pixels = size.width * size.height;
    std::uint32_t ranges[2] = {~0u, 0};
    device.copy_in(b.ranges, ranges, sizeof ranges);
    device.launch({.kernel = "histo_prescan",
                   .grid = {size.prescan_ctas},
                   .block = {prescan_threads},
                   .args = args(b.image, pixels, b.ranges)});
    device.copy_out(ranges, b.ranges, sizeof ranges);
    device.launch({.kernel = "histo_intermediates",
                   .grid = {(size.height + rows_per_cta - 1) / rows_per_cta},
                   .block = {(size.width + 1) / 2},
                   .args = args(b.image, size.width, (size.width + 1) / 2, b.places)});
    device.launch({.kernel = "histo_main",
                   .grid = {main_ctas, ranges[1] - ranges[0] + 1},
                   .block = {main_threads},
                   .args = args(b.places, pixels, ranges[0], ranges[1], b.inside, b.outside, b.overflow)});
    device.launch({.kernel = "histo_final",
                   .grid = {main_ctas * 3},
                   .block = {final_threads},
                   .args = args(ranges[0], ranges[1], bins, b.inside, b.outside, b.overflow, b.histogram)});
  }

  WorkloadInfo info_{.name = "histo",
                     .suite = "Parboil",
                     .abbreviation = "histo",
                     .summary = "histogram with saturating bins, in shared memory where most values fall",
                     .order_reason = {},
                     .kernels = {{"histo_prescan", "histo_1"},
                                 {"histo_intermediates", "histo_2"},
                                 {"histo_main", "histo_3"},
                                 {"histo_final", "histo_4"}}};
};

}  // namespace

const Workload& histo_workload() {
  static const Histo workload;
  return workload;
}

}  // namespace heddle::workloads
