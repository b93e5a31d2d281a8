// alexnet: Tango's AlexNet, an image through five convolutions and three fully connected layers.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workloads/networks/networks.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;
using namespace networks;

constexpr Window first_window{11, 4, 0}, pool_window{3, 2, 0};
constexpr std::int32_t local_size = 5;
constexpr float alpha = 1e-4f, beta = 0.75f;

struct Size {
  std::int32_t image;                   // side
  std::int32_t cta;                     // side of the largest CTA of the first layer
  std::array<std::int32_t, 5> maps;     // of the convolutions
  std::array<std::int32_t, 3> neurons;  // of the fully connected layers
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {67, 8, {8, 16, 24, 24, 16}, {24, 24, 10}};
    case Scale::Small:
      return {83, 16, {48, 96, 128, 128, 96}, {256, 256, 125}};
    case Scale::Paper:
      return {227, 32, {96, 256, 384, 384, 256}, {4096, 4096, 1000}};
  }
  return {};
}

class Network {
 public:
  Network(Device& device, const Size& size, Scale scale, std::uint64_t seed)
      : size_(size), sampled_(scale == Scale::Paper), run_(device, seed) {}

  Verification run() {
    Maps maps = first_layer();
    maps = pool(normalise(maps, true));
    maps = pool(normalise(convolve(maps, size_.maps[1], {5, 1, 2}, 2), false));
    maps = convolve(maps, size_.maps[2], {3, 1, 1}, 1);
    maps = convolve(maps, size_.maps[3], {3, 1, 1}, 2);
    maps = pool(convolve(maps, size_.maps[4], {3, 1, 1}, 2));
    for (std::size_t layer = 0; layer < size_.neurons.size(); ++layer) {
      const bool last = layer + 1 == size_.neurons.size();
      run_.simulate(last || !sampled_);
      maps = fully_connect(maps, size_.neurons[layer], !last);
    }
    return run_.verification();
  }

 private:
  // Calls do(first row, first column, CTA) for the CTAs that cover a plane together.
  template <class Do>
  void in_tiles(std::int32_t side, Do launch) {
    for (std::int32_t row = 0; row < side; row += size_.cta)
      for (std::int32_t column = 0; column < side; column += size_.cta)
        launch(row, column, per_neuron(std::min(size_.cta, side - row), std::min(size_.cta, side - column)));
  }

  Maps first_layer() {
    const std::int32_t side = size_.image, maps = size_.maps[0];
    const std::vector<float> image = run_.uniform(3 * std::size_t(side) * side, 0, 1);
    const std::size_t inputs = 3 * std::size_t(first_window.kernel) * first_window.kernel;
    const std::vector<float> filters = run_.weights(maps * inputs, inputs),
                             bias = run_.uniform(maps, 0, 0.2f);
    const DevicePtr d_image = run_.upload(image, "image"), d_filters = run_.upload(filters, "filters"),
                    d_bias = run_.upload(bias, "bias");
    Maps out = run_.allocate(maps, first_window.outputs(side), "maps");
    in_tiles(out.side, [&](std::int32_t row, std::int32_t column, Dim3 cta) {
      run_.launch({.kernel = "alexnet_conv1",
                   .grid = per_map(maps),
                   .block = cta,
                   .args = args(d_bias, d_image, d_filters, out.data, side, out.side, row, column)});
    });
    out.want = convolution(planes(image, side), 3, side, widen(filters), maps, first_window);
    add_bias(out.want, widen(bias));
    relu(out.want);
    run_.check(out, "conv1");
    return out;
  }

  Maps normalise(const Maps& in, bool split) {
    Maps out = run_.allocate(in.count, in.side, "normalised maps");
    if (split)
      in_tiles(in.side, [&](std::int32_t row, std::int32_t column, Dim3 cta) {
        run_.launch({.kernel = "alexnet_lrn_split",
                     .grid = per_map(in.count),
                     .block = cta,
                     .args = args(in.data, alpha, beta, local_size, in.side, out.data, row, column)});
      });
    else
      run_.launch({.kernel = "alexnet_lrn",
                   .grid = per_map(in.count),
                   .block = per_neuron(in.side, in.side),
                   .args = args(in.data, alpha, beta, local_size, in.side, out.data)});
    const std::size_t plane = std::size_t(in.side) * in.side;
    for (std::size_t i = 0; i < in.want.size(); ++i) {
      double sum = 0;
      for (std::size_t back = 0; back <= std::min<std::size_t>(3, i / plane); ++back)
        sum += in.want[i - back * plane] * in.want[i - back * plane];
      out.want.push_back(in.want[i] / std::pow(1 + double(alpha) / local_size * sum, double(beta)));
    }
    run_.check(out, "normalised maps");
    return out;
  }

  Maps pool(const Maps& in) {
    Maps out = run_.allocate(in.count, pool_window.outputs(in.side), "pooled maps");
    run_.launch({.kernel = "alexnet_pool",
                 .grid = per_map(in.count),
                 .block = per_neuron(out.side, out.side),
                 .args = args(in.data, out.data, out.side, pool_window.kernel, pool_window.stride, in.side)});
    out.want = max_pool(in.want, in.count, in.side, pool_window);
    run_.check(out, "pooled maps");
    return out;
  }

  Maps convolve(const Maps& in, std::int32_t maps, const Window& window, std::int32_t groups) {
    const std::int32_t features = in.count / groups, group_maps = maps / groups;
    const std::size_t inputs = std::size_t(features) * window.kernel * window.kernel;
    const std::vector<float> filters = run_.weights(maps * inputs, inputs),
                             bias = run_.uniform(maps, 0, 0.2f);
    const DevicePtr d_filters = run_.upload(filters, "filters"), d_bias = run_.upload(bias, "bias");
    Maps out = run_.allocate(maps, in.side, "maps");
    const Dim3 cta = per_neuron(in.side, in.side);
    run_.launch(
        {.kernel = "alexnet_conv",
         .grid = per_map(group_maps),
         .block = cta,
         .args = args(d_bias, in.data, d_filters, out.data, in.side, window.kernel, window.pad, features)});
    if (groups == 2)
      run_.launch({.kernel = "alexnet_conv_group2",
                   .grid = per_map(group_maps),
                   .block = cta,
                   .args = args(d_bias, in.data, d_filters, out.data, group_maps, in.side, window.kernel,
                                window.pad, features)});
    out.want = convolution(in.want, in.count, in.side, widen(filters), maps, window, groups);
    add_bias(out.want, widen(bias));
    relu(out.want);
    run_.check(out, "convolution");
    return out;
  }

  Maps fully_connect(const Maps& in, std::int32_t neurons, bool with_relu) {
    const std::vector<float> weights = run_.weights(in.size() * neurons, in.size());
    const std::vector<float> bias = run_.uniform(neurons, 0, 0.2f);
    const DevicePtr d_weights = run_.upload(weights, "weights"), d_bias = run_.upload(bias, "bias");
    Maps out = run_.allocate(neurons, 1, "neurons");
    run_.launch({.kernel = "alexnet_fc",
                 .grid = per_map(neurons),
                 .block = {1},
                 .args = args(d_bias, in.data, d_weights, out.data, std::int32_t(in.size()),
                              std::int32_t(with_relu))});
    out.want = fully_connected(in.want, weights, neurons);
    add_bias(out.want, widen(bias));
    if (with_relu) relu(out.want);
    run_.check(out, "fully connected");
    return out;
  }

  Size size_;
  bool sampled_;
  Runner run_;
};

class AlexNet : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::int32_t side = first_window.outputs(size.image);
    Parameters all = {{"image", fmt::format("{0} x {0}, three colours, uniform in 0..1", size.image)},
                      {"first layer", fmt::format("{0} maps of {1} x {1} in CTAs of at most {2} x {2}",
                                                  size.maps[0], side, size.cta)},
                      {"convolutions", fmt::format("{} maps", fmt::join(size.maps, ", "))},
                      {"fully connected", fmt::format("{} neurons", fmt::join(size.neurons, ", "))},
                      {"weights", "uniform, variance 2 / inputs"}};
    if (options.scale == Scale::Paper)
      all.emplace_back("simulated", "all layers but the first two fully connected ones, which are executed");
    return all;
  }

  Verification run(Device& device, const RunOptions& options) const override {
    load_embedded(device, info_.name);
    return Network(device, size_of(options.scale), options.scale, options.seed).run();
  }

 private:
  WorkloadInfo info_{.name = "alexnet",
                     .suite = "Tango",
                     .abbreviation = "T-AlexNet",
                     .summary = "AlexNet without tiles: every CTA of a layer reads all of its input",
                     .order_reason = {},
                     .kernels = {{"alexnet_conv1", ""},
                                 {"alexnet_lrn_split", ""},
                                 {"alexnet_pool", ""},
                                 {"alexnet_conv", ""},
                                 {"alexnet_conv_group2", ""},
                                 {"alexnet_lrn", ""},
                                 {"alexnet_fc", ""}}};
};

}  // namespace

const Workload& alexnet_workload() {
  static const AlexNet workload;
  return workload;
}

}  // namespace heddle::workloads
