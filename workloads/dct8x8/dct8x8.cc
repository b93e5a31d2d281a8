// dct8x8: cosine transform of 8 x 8 blocks, quantisation and back, by the SDK's two shared-memory variants.
// Rows of a block are 32 bytes: four CTAs of the first variant share every line, and each writes its part.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t side = 8;
using Block = std::array<double, side * side>;

std::uint32_t image_side(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 128;
    case Scale::Small:
      return 512;  // the size of the SDK's picture
    case Scale::Paper:
      return 2048;
  }
  return 0;
}

// Stripes with noise, in the 8-bit range less 128; by integers, so that it is the same on every host.
std::vector<float> make_image(std::uint32_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> image(std::size_t{n} * n);
  for (std::uint32_t y = 0; y < n; ++y) {
    for (std::uint32_t x = 0; x < n; ++x) {
      const int stripe = std::abs(static_cast<int>((3 * x + 5 * y) % 384) - 192);
      image[std::size_t{y} * n + x] = static_cast<float>(stripe + static_cast<int>(random.below(64)) - 128);
    }
  }
  return image;
}

// JPEG's table for luminance (ITU-T T.81, table K.1).
constexpr Block quantum = {16, 11, 10, 16, 24,  40,  51,  61,   //
                           12, 12, 14, 19, 26,  58,  60,  55,   //
                           14, 13, 16, 24, 40,  57,  69,  56,   //
                           14, 17, 22, 29, 51,  87,  80,  62,   //
                           18, 22, 37, 56, 68,  109, 103, 77,   //
                           24, 35, 55, 64, 81,  104, 113, 92,   //
                           49, 64, 78, 87, 103, 121, 120, 101,  //
                           72, 92, 95, 98, 112, 100, 103, 99};

// basis[u * 8 + i]: sample i of function u. The matrix is orthogonal, its transpose the inverse.
Block make_basis() {
  const double pi = std::acos(-1.0);
  Block basis;
  for (std::uint32_t u = 0; u < side; ++u) {
    const double scale = u == 0 ? std::sqrt(1.0 / side) : std::sqrt(2.0 / side);
    for (std::uint32_t i = 0; i < side; ++i)
      basis[u * side + i] = scale * std::cos((2 * i + 1) * u * pi / 16);
  }
  return basis;
}

Block transposed(const Block& m) {
  Block t;
  for (std::uint32_t i = 0; i < side * side; ++i) t[i % side * side + i / side] = m[i];
  return t;
}

Block product(const Block& a, const Block& b) {
  Block c{};
  for (std::uint32_t i = 0; i < side; ++i) {
    for (std::uint32_t k = 0; k < side; ++k) {
      for (std::uint32_t j = 0; j < side; ++j) c[i * side + j] += a[i * side + k] * b[k * side + j];
    }
  }
  return c;
}

// left * block * transposed(left) for every 8 x 8 block of the image.
std::vector<float> transform(const std::vector<float>& in, std::size_t n, const Block& left) {
  const Block right = transposed(left);
  std::vector<float> out(in.size());
  for (std::size_t y = 0; y < n; y += side) {
    for (std::size_t x = 0; x < n; x += side) {
      Block block;
      for (std::size_t i = 0; i < side * side; ++i) block[i] = in[(y + i / side) * n + x + i % side];
      block = product(product(left, block), right);
      for (std::size_t i = 0; i < side * side; ++i) {
        out[(y + i / side) * n + x + i % side] = static_cast<float>(block[i]);
      }
    }
  }
  return out;
}

// Rounds to multiples of the table's steps. A value within 1e-4 steps of the middle between two multiples
// may go either way in single precision: there, what the kernel chose is taken over if it is one of the two.
std::vector<float> quantise(const std::vector<float>& coefficients, std::size_t n,
                            const std::vector<float>& got) {
  std::vector<float> out(coefficients.size());
  for (std::size_t at = 0; at < out.size(); ++at) {
    const double q = quantum[at / n % side * side + at % n % side];
    const double exact = coefficients[at] / q;
    const double nearest = std::rint(exact);
    const double other = exact > nearest ? nearest + 1 : nearest - 1;
    const bool either = std::abs(exact - nearest) > 0.5 - 1e-4;
    out[at] = static_cast<float>((either && got[at] == other * q ? other : nearest) * q);
  }
  return out;
}

struct Variant {
  std::string_view number;
  Dim3 tile;  // pixels per CTA
  Dim3 block;
};
constexpr Variant variants[] = {{"1", {8, 8}, {8, 8}}, {"2", {32, 16}, {8, 4, 2}}};

class Dct8x8 : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const std::string n = std::to_string(image_side(options.scale));
    return {{"image", n + " x " + n},
            {"values", "diagonal stripes of 0 to 192 plus uniform integers below 64, less 128"},
            {"kernels", "forward, quantise, inverse; 8 x 8 pixels per CTA, then 32 x 16 pixels per CTA"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::uint32_t n = image_side(options.scale);
    const std::vector<float> image = make_image(n, options.seed);
    load_embedded(device, info_.name);
    const DevicePtr in = device.upload(image, "image");
    const std::vector<float> coefficients = transform(image, n, make_basis());
    // One after the other: arguments of a call are evaluated in an order that differs between compilers.
    const Verification first = run_variant(device, variants[0], n, in, coefficients);
    return combine(first, run_variant(device, variants[1], n, in, coefficients));
  }

 private:
  // `coefficients` is what the forward transform should give.
  static Verification run_variant(Device& device, const Variant& v, std::uint32_t n, DevicePtr image,
                                  const std::vector<float>& coefficients) {
    const std::string prefix = "dct" + std::string(v.number);
    const auto width = static_cast<std::int32_t>(n);
    const Dim3 grid{n / v.tile.x, n / v.tile.y};
    const std::size_t count = coefficients.size();
    const DevicePtr plane = device.allocate(count * sizeof(float), prefix + " coefficients");
    const DevicePtr back = device.allocate(count * sizeof(float), prefix + " result");

    device.launch(
        {.kernel = prefix + "_forward", .grid = grid, .block = v.block, .args = args(plane, image, width)});
    const std::vector<float> got_forward = device.download<float>(plane, count);
    device.launch({.kernel = "dct_quantise",
                   .grid = {n / side, n / side},
                   .block = {side, side},
                   .args = args(plane, width)});
    const std::vector<float> got_quantised = device.download<float>(plane, count);
    device.launch(
        {.kernel = prefix + "_inverse", .grid = grid, .block = v.block, .args = args(back, plane, width)});
    const std::vector<float> got_back = device.download<float>(back, count);

    const std::vector<float> want_quantised = quantise(coefficients, n, got_quantised);
    const std::vector<float> want_back = transform(want_quantised, n, transposed(make_basis()));
    // Sums of 64 terms of up to 128 (1000 for the inverse) in single precision: the floor is their scale.
    return combine(combine(compare_close(got_forward, coefficients, 2e-6, 100, prefix + " forward"),
                           compare_close(got_quantised, want_quantised, 0, 1, prefix + " quantised")),
                   compare_close(got_back, want_back, 2e-6, 100, prefix + " inverse"));
  }

  WorkloadInfo info_{.name = "dct8x8",
                     .suite = "CUDA SDK",
                     .abbreviation = "DCT",
                     .summary = "cosine transform of 8 x 8 blocks, quantised, and back: CTAs share lines",
                     .order_reason = {},
                     .kernels = {{"dct1_forward", ""},
                                 {"dct_quantise", ""},
                                 {"dct1_inverse", ""},
                                 {"dct2_forward", ""},
                                 {"dct2_inverse", ""}}};
};

}  // namespace

const Workload& dct8x8_workload() {
  static const Dct8x8 workload;
  return workload;
}

}  // namespace heddle::workloads
