// dxtc: the CUDA SDK's compression of pictures to DXT1.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/dxtc/best_fit.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;
using dxtc::Range;

constexpr std::uint32_t threads = 64, pixels = 16;
constexpr std::size_t few_divisions = 160, divisions = 992;

struct Size {
  std::uint32_t width, height;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {32, 16};
    case Scale::Small:
      return {128, 128};
    case Scale::Paper:
      return {512, 512};  // the SDK's picture
  }
  return {};
}

// Pixels by blocks of 4 x 4: stripes of a slope of its own per colour, with noise; every 16th block has one
// colour. By integers, so that it is the same on every host.
std::vector<std::uint32_t> make_image(Size size, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> image;
  for (std::uint32_t block = 0; block < size.width * size.height / pixels; ++block) {
    for (std::uint32_t pixel = 0; pixel < pixels; ++pixel) {
      const std::uint32_t across = size.width / 4;
      const int x = static_cast<int>(block % across * 4 + pixel % 4),
                y = static_cast<int>(block / across * 4 + pixel / 4);
      const int stripe[3] = {std::abs((13 * x + 7 * y) % 448 - 224), std::abs((5 * x + 11 * y) % 448 - 224),
                             std::abs((9 * x - 3 * y + 4480) % 448 - 224)};
      std::uint32_t word = 0;
      for (int c = 0; c < 3; ++c)
        word |= (static_cast<std::uint32_t>(stripe[c]) + random.below(32)) << (8 * c);
      image.push_back(block % 16 == 15 && pixel > 0 ? image.back() : word);
    }
  }
  return image;
}

// The ways to divide 16 colours in order into groups with codes 0, 2, 3 and 1, two bits each, the first
// colour's lowest. Those without code 3 come first; both parts are filled up with their last one.
std::vector<std::uint32_t> make_divisions() {
  std::vector<std::uint32_t> table;
  const auto add = [&](std::uint32_t zeros, std::uint32_t twos, std::uint32_t threes) {
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < pixels; ++i) {
      const std::uint32_t code = i < zeros ? 0 : i < zeros + twos ? 2 : i < zeros + twos + threes ? 3 : 1;
      word |= code << (2 * i);
    }
    table.push_back(word);
  };
  const auto add_all = [&](std::uint32_t threes) {
    for (std::uint32_t zeros = 0; zeros + threes <= pixels; ++zeros)
      for (std::uint32_t twos = 0; zeros + twos + threes <= pixels; ++twos) add(zeros, twos, threes);
  };
  add_all(0);
  table.resize(few_divisions, table.back());
  for (std::uint32_t threes = 1; threes <= pixels; ++threes) add_all(threes);
  table.resize(divisions, table.back());
  return table;
}

class Dxtc : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"image", fmt::format("{} x {}, a CTA per 4 x 4 pixels", size.width, size.height)},
            {"values",
             "stripes of 0 to 224 per colour plus uniform integers below 32, every 16th block of one colour"},
            {"divisions tried", "969 with four colours, 153 with three; 992 and 160 with repeated ones"},
            {"threads per CTA", std::to_string(threads)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::vector<std::uint32_t> image = make_image(size_of(options.scale), options.seed);
    const auto blocks = static_cast<std::uint32_t>(image.size() / pixels);

    load_embedded(device, info_.name);
    const DevicePtr d_divisions = device.upload(make_divisions(), "divisions"),
                    d_image = device.upload(image, "image"),
                    d_result = device.allocate(std::uint64_t{blocks} * 8, "result");
    device.launch({.kernel = "compress",
                   .grid = {blocks},
                   .block = {threads},
                   .args = args(d_divisions, d_image, d_result)});
    const std::vector<std::uint32_t> result =
        device.download<std::uint32_t>(d_result, std::size_t{blocks} * 2);

    // Divisions may fit equally well, so words are not compared but how well they fit.
    std::vector<float> got, want;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const dxtc::Block colours = dxtc::colours_of(&image[std::size_t{b} * pixels]);
      const double error = dxtc::error_of(colours, result[2 * b], result[2 * b + 1]);
      const Range best = dxtc::best_error(colours);
      got.push_back(static_cast<float>(error));
      want.push_back(static_cast<float>(std::clamp(error, best.low, best.high)));
    }
    // The kernel's error is what is left of sums of up to 48 in single precision.
    return compare_close(got, want, 1e-4, 1, "squared errors");
  }

 private:
  WorkloadInfo info_{
      .name = "dxtc",
      .suite = "CUDA SDK",
      .abbreviation = "DXT",
      .summary = "compression of 4 x 4 pixels to DXT1: a CTA tries all divisions of their colours",
      .order_reason = {},
      .kernels = {{"compress", ""}}};
};

}  // namespace

const Workload& dxtc_workload() {
  static const Dxtc workload;
  return workload;
}

}  // namespace heddle::workloads
