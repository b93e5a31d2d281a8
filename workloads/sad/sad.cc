// sad: Parboil's sums of absolute differences for motion estimation.
#include <algorithm>
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

constexpr std::int32_t range = 16, side = 2 * range + 1, positions = side * side;
constexpr std::int32_t padded_positions = (positions + 7) / 8 * 8;
constexpr std::uint32_t positions_per_thread = 18;
constexpr std::uint32_t threads = (positions + positions_per_thread - 1) / positions_per_thread;
constexpr std::int32_t blocks_per_macroblock = 41;  // of all seven sizes

struct Size {
  std::int32_t width, height;  // in macroblocks of 16 x 16
  std::int32_t macroblocks() const { return width * height; }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {2, 1};
    case Scale::Small:
      return {5, 4};
    case Scale::Paper:
      return {11, 9};
  }
  return {};
}

using Frame = std::vector<std::uint16_t>;

// Waves and noise; the second frame is the first, moved by some pixels, with noise of its own.
Frame make_frame(const Size& s, std::int32_t moved, Random& random) {
  Frame f;
  for (std::int32_t y = 0; y < s.height * 16; ++y)
    for (std::int32_t x = 0; x < s.width * 16; ++x) {
      const double wave = std::sin((x + moved) * 0.23) + std::cos((y - moved) * 0.31);
      f.push_back(std::uint16_t(128 + 50 * wave + random.uniform(-20.0f, 20.0f)));
    }
  return f;
}

// Sums of a block of `width` x `height` pixels at (x, y), by position.
void add_sums(const Size& s, const Frame& frame, const Frame& reference, std::int32_t x0, std::int32_t y0,
              std::int32_t width, std::int32_t height, std::int32_t* to) {
  const std::int32_t row = s.width * 16, rows = s.height * 16;
  for (std::int32_t p = 0; p < positions; ++p) {
    std::int32_t sum = 0;
    for (std::int32_t y = y0; y < y0 + height; ++y)
      for (std::int32_t x = x0; x < x0 + width; ++x) {
        const std::int32_t rx = std::clamp(x - range + p % side, 0, row - 1);
        const std::int32_t ry = std::clamp(y - range + p / side, 0, rows - 1);
        sum += std::abs(frame[y * row + x] - reference[ry * row + rx]);
      }
    to[p] = sum & 0xffff;
  }
}

// As the kernels leave them: all blocks of one size after those of the size before, by macroblock.
std::vector<std::int32_t> reference_sads(const Size& s, const Frame& frame, const Frame& reference) {
  struct Kind {
    std::int32_t width, height;
  };
  std::vector<std::int32_t> sads;
  for (const Kind k : {Kind{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}})
    for (std::int32_t m = 0; m < s.macroblocks(); ++m)
      for (std::int32_t y = 0; y < 16; y += k.height)
        for (std::int32_t x = 0; x < 16; x += k.width) {
          sads.resize(sads.size() + positions);
          add_sums(s, frame, reference, m % s.width * 16 + x, m / s.width * 16 + y, k.width, k.height,
                   &sads[sads.size() - positions]);
        }
  return sads;
}

class Sad : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"frame", fmt::format("{} x {} pixels", size.width * 16, size.height * 16)},
            {"displacements", fmt::format("{0} x {0}", side)},
            {"threads per CTA", fmt::format("{}, 32 x 4, 32", threads)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const Frame reference = make_frame(size, 0, random), frame = make_frame(size, 3, random);
    load_embedded(device, info_.name);
    const DevicePtr d_frame = device.upload(frame, "frame"),
                    d_reference = device.upload(reference, "reference");
    const std::size_t blocks = std::size_t(size.macroblocks()) * blocks_per_macroblock;
    const std::size_t count = blocks * padded_positions;
    const DevicePtr sads = device.allocate(count * sizeof(std::uint16_t), "sads");
    const Dim3 grid{std::uint32_t(size.width), std::uint32_t(size.height)};
    device.launch({.kernel = "sad_4x4",
                   .grid = {grid.x * 4, grid.y * 4},
                   .block = {threads},
                   .dynamic_shared = padded_positions * sizeof(std::uint16_t),
                   .args = args(sads, d_frame, d_reference, size.width, size.height)});
    device.launch(
        {.kernel = "sad_8", .grid = grid, .block = {32, 4}, .args = args(sads, size.width, size.height)});
    device.launch(
        {.kernel = "sad_16", .grid = grid, .block = {32}, .args = args(sads, size.width, size.height)});

    const auto all = device.download<std::uint16_t>(sads, count);
    std::vector<std::int32_t> got;
    for (std::size_t i = 0; i < count; ++i)
      if (i % padded_positions < positions) got.push_back(all[i]);
    return compare_equal(got, reference_sads(size, frame, reference), "sads");
  }

 private:
  WorkloadInfo info_{.name = "sad",
                     .suite = "Parboil",
                     .abbreviation = "sad",
                     .summary = "motion estimation: sums of absolute differences",
                     .order_reason = {},
                     .kernels = {{"sad_4x4", "sad_1"}, {"sad_8", "sad_2"}, {"sad_16", "sad_3"}}};
};

}  // namespace

const Workload& sad_workload() {
  static const Sad workload;
  return workload;
}

}  // namespace heddle::workloads
