// resnet: Tango's ResNet-50, an image through 53 convolutions with shortcuts.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "workloads/networks/networks.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;
using namespace networks;

constexpr Window first_window{7, 2, 3}, pool_window{3, 2, 1};
constexpr std::int32_t first_span = 4,
                       second_span = 2;  // neurons a side of a thread where a CTA is too small
constexpr std::size_t stages = 4;
// A CTA of 1024 threads fills a register file of 32 Ki (ptxas -maxrregcount 32: one register is spilled).
constexpr std::uint32_t most_registers = 32;

struct Size {
  std::int32_t image;  // side
  std::int32_t cta;    // side of a CTA whose threads compute several neurons
  std::int32_t maps;   // of the first layer; stage s has so many times 2^s, and 4 times that
  std::array<std::int32_t, stages> blocks;  // of each stage
  std::int32_t classes;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {32, 4, 3, {2, 1, 1, 1}, 10};
    case Scale::Small:
      return {64, 8, 16, {2, 1, 1, 1}, 250};
    case Scale::Paper:
      return {224, 32, 64, {3, 4, 6, 3}, 1000};
  }
  return {};
}

// At `paper`, the first blocks of the first and third stage are simulated: of both kinds of CTAs, with and
// without a stride.
bool in_sample(std::size_t stage, std::int32_t block) {
  return block == 0 && stage % 2 == 0;
}

class Network {
 public:
  Network(Device& device, const Size& size, Scale scale, std::uint64_t seed)
      : size_(size), sampled_(scale == Scale::Paper), run_(device, seed) {}

  Verification run() {
    Maps maps = first_layer();
    for (std::size_t stage = 0; stage < stages; ++stage)
      for (std::int32_t block = 0; block < size_.blocks[stage]; ++block) {
        run_.simulate(in_sample(stage, block) || !sampled_);
        maps = bottleneck(maps, size_.maps << stage, block == 0, block == 0 && stage > 0 ? 2 : 1);
      }
    run_.simulate(true);
    classify(maps);
    return run_.verification();
  }

 private:
  // Planes larger than a CTA take the kernels whose threads compute several neurons.
  std::int32_t span(std::int32_t side) const {
    return side <= size_.cta ? 1 : side == first_window.outputs(size_.image) ? first_span : second_span;
  }

  // One of the kernels that go over maps of the form of `maps`: "resnet_relu" or "resnet_relu_split".
  template <class... Ts>
  void over(const Maps& maps, std::string_view kernel, const Ts&... values) {
    if (const std::int32_t n = span(maps.side); n > 1)
      run_.launch({.kernel = fmt::format("{}_split", kernel),
                   .grid = per_map(maps.count),
                   .block = per_neuron(size_.cta, size_.cta),
                   .args = args(values..., maps.side, n)});
    else
      run_.launch({.kernel = std::string(kernel),
                   .grid = per_map(maps.count),
                   .block = per_neuron(maps.side, maps.side),
                   .args = args(values...)});
  }

  // Batch normalisation and scaling of what a convolution left. `gain` is the middle of the scales.
  void normalise(Maps& maps, float gain) {
    const std::vector<float> mean = run_.uniform(maps.count, -0.1f, 0.1f),
                             variance = run_.uniform(maps.count, 0.8f, 1.25f),
                             scale = run_.uniform(maps.count, 0.8f * gain, 1.2f * gain),
                             bias = run_.uniform(maps.count, -0.1f, 0.1f);
    const DevicePtr d_mean = run_.upload(mean, "mean"), d_variance = run_.upload(variance, "variance");
    over(maps, "resnet_norm", maps.data, d_mean, d_variance);
    const DevicePtr d_scale = run_.upload(scale, "scale"), d_bias = run_.upload(bias, "bias");
    over(maps, "resnet_scale", maps.data, d_scale, d_bias);
    const std::size_t plane = std::size_t(maps.side) * maps.side;
    for (std::size_t i = 0; i < maps.want.size(); ++i) {
      const std::size_t map = i / plane;
      const double unit = (maps.want[i] - mean[map]) / std::sqrt(variance[map] + double(1e-5f));
      maps.want[i] = unit * scale[map] + bias[map];
    }
  }

  void rectify(Maps& maps) {
    over(maps, "resnet_relu", maps.data);
    relu(maps.want);
  }

  Maps first_layer() {
    const std::int32_t side = size_.image, maps = size_.maps;
    const std::vector<float> image = run_.uniform(3 * std::size_t(side) * side, -1, 1);
    const std::size_t inputs = 3 * std::size_t(first_window.kernel) * first_window.kernel;
    const std::vector<float> filters = run_.weights(maps * inputs, inputs);
    Maps out = run_.allocate(maps, first_window.outputs(side), "maps");
    const DevicePtr d_image = run_.upload(image, "image"), d_filters = run_.upload(filters, "filters");
    const Dim3 cta = per_neuron(size_.cta, size_.cta);
    run_.launch({.kernel = "resnet_conv1",
                 .grid = per_map(maps),
                 .block = cta,
                 .args = args(d_image, d_filters, out.data, first_window.stride, first_window.pad, side,
                              out.side, first_span),
                 .registers = most_registers});
    out.want = convolution(planes(image, side), 3, side, widen(filters), maps, first_window);
    normalise(out, 1);
    rectify(out);
    run_.check(out, "conv1");

    Maps pooled = run_.allocate(maps, pool_window.outputs(out.side), "pooled maps");
    run_.launch({.kernel = "resnet_pool",
                 .grid = per_map(maps),
                 .block = cta,
                 .args = args(out.data, pooled.data, pooled.side, pool_window.kernel, pool_window.stride,
                              out.side, pool_window.pad, first_span)});
    pooled.want = max_pool(out.want, maps, out.side, pool_window);
    run_.check(pooled, "pooled maps");
    return pooled;
  }

  Maps convolve(const Maps& in, std::int32_t maps, const Window& window, float gain) {
    const std::size_t inputs = std::size_t(in.count) * window.kernel * window.kernel;
    const std::vector<float> filters = run_.weights(maps * inputs, inputs);
    const DevicePtr d_filters = run_.upload(filters, "filters");
    Maps out = run_.allocate(maps, window.outputs(in.side), "maps");
    if (const std::int32_t n = span(out.side); n > 1)
      run_.launch({.kernel = "resnet_conv_split",
                   .grid = per_map(maps),
                   .block = per_neuron(size_.cta, size_.cta),
                   .args = args(in.data, d_filters, out.data, out.side, window.stride, window.kernel,
                                window.pad, in.count, in.side, n),
                   .registers = most_registers});
    else
      run_.launch({.kernel = "resnet_conv",
                   .grid = per_map(maps),
                   .block = per_neuron(out.side, out.side),
                   .args = args(in.data, d_filters, out.data, out.side, window.stride, window.kernel,
                                window.pad, in.count, in.side)});
    out.want = convolution(in.want, in.count, in.side, widen(filters), maps, window);
    normalise(out, gain);
    return out;
  }

  // Three convolutions and a shortcut around them, which is a convolution too where the form changes.
  Maps bottleneck(const Maps& in, std::int32_t maps, bool project, std::int32_t stride) {
    constexpr float branch_gain = 0.3f;  // keeps sums over many blocks near one
    const Maps shortcut = project ? convolve(in, 4 * maps, {1, stride, 0}, 0.7f) : in;
    Maps a = convolve(in, maps, {1, stride, 0}, 1);
    rectify(a);
    run_.check(a, "first of a block");
    Maps b = convolve(a, maps, {3, 1, 1}, 1);
    rectify(b);
    run_.check(b, "second of a block");
    const Maps c = convolve(b, 4 * maps, {1, 1, 0}, branch_gain);
    Maps sum = shortcut;
    over(sum, "resnet_add", shortcut.data, c.data, sum.data);
    for (std::size_t i = 0; i < sum.want.size(); ++i) sum.want[i] += c.want[i];
    rectify(sum);
    run_.check(sum, "block");
    return sum;
  }

  void classify(const Maps& in) {
    Maps means = run_.allocate(in.count, 1, "means");
    run_.launch({.kernel = "resnet_average",
                 .grid = per_map(in.count),
                 .block = {1},
                 .args = args(in.data, means.data, in.side)});
    const std::size_t plane = std::size_t(in.side) * in.side;
    means.want.resize(in.count);
    for (std::size_t i = 0; i < in.want.size(); ++i) means.want[i / plane] += in.want[i] / double(plane);
    run_.check(means, "means");

    const std::vector<float> weights =
        run_.weights(std::size_t(in.count) * size_.classes, std::size_t(in.count));
    Maps out = run_.allocate(size_.classes, 1, "classes");
    run_.launch({.kernel = "resnet_fc",
                 .grid = per_map(size_.classes),
                 .block = {1},
                 .args = args(means.data, run_.upload(weights, "weights"), out.data, in.count)});
    out.want = fully_connected(means.want, weights, size_.classes);
    run_.check(out, "classes");
  }

  Size size_;
  bool sampled_;
  Runner run_;
};

class ResNet : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Parameters all = {
        {"image", fmt::format("{0} x {0}, three colours, uniform in -1..1", size.image)},
        {"CTA", fmt::format("{0} x {0} for planes that are larger, otherwise the plane", size.cta)},
        {"maps", fmt::format("{} in the first layer, {} to {} in blocks", size.maps, size.maps,
                             size.maps * 4 << (stages - 1))},
        {"blocks", fmt::format("{} in the four stages", fmt::join(size.blocks, ", "))},
        {"classes", std::to_string(size.classes)},
        {"weights", "uniform, variance 2 / inputs"}};
    if (options.scale == Scale::Paper)
      all.emplace_back(
          "simulated",
          "first layer, first block of the first and third stage, classification; other blocks are executed");
    return all;
  }

  Verification run(Device& device, const RunOptions& options) const override {
    load_embedded(device, info_.name);
    return Network(device, size_of(options.scale), options.scale, options.seed).run();
  }

 private:
  WorkloadInfo info_{.name = "resnet",
                     .suite = "Tango",
                     .abbreviation = "T-ResNet",
                     .summary = "ResNet-50 without tiles: every CTA of a convolution reads all of its input",
                     .order_reason = {},
                     .kernels = {{"resnet_conv1", ""},
                                 {"resnet_norm_split", ""},
                                 {"resnet_scale_split", ""},
                                 {"resnet_relu_split", ""},
                                 {"resnet_pool", ""},
                                 {"resnet_conv_split", ""},
                                 {"resnet_add_split", ""},
                                 {"resnet_conv", ""},
                                 {"resnet_norm", ""},
                                 {"resnet_scale", ""},
                                 {"resnet_relu", ""},
                                 {"resnet_add", ""},
                                 {"resnet_average", ""},
                                 {"resnet_fc", ""}}};
};

}  // namespace

const Workload& resnet_workload() {
  static const ResNet workload;
  return workload;
}

}  // namespace heddle::workloads
