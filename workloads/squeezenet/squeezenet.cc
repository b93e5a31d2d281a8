// squeezenet: Tango's SqueezeNet 1.0, an image through eight modules that squeeze and expand.
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

constexpr Window first_window{7, 2, 0};
constexpr std::size_t modules = 8;  // called fire2 to fire9
constexpr std::array<std::int32_t, modules> squeezed{16, 16, 32, 32, 48, 48, 64, 64};
constexpr std::int32_t expansion = 4;  // of the squeezed maps, by 1 x 1 and again by 3 x 3

struct Size {
  std::int32_t image;    // side
  std::int32_t maps;     // of the first layer
  std::int32_t divisor;  // of the maps of modules
  std::int32_t classes;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {35, 6, 8, 12};
    case Scale::Small:
      return {83, 8, 8, 24};
    case Scale::Paper:
      return {227, 96, 1, 1000};
  }
  return {};
}

// At `paper`, one module of each side of maps is simulated: fire2 (55), fire5 (27), fire9 (13).
bool in_sample(std::size_t module) {
  return module == 0 || module == 3 || module == 7;
}

class Network {
 public:
  Network(Device& device, const Size& size, Scale scale, std::uint64_t seed)
      : size_(size), sampled_(scale == Scale::Paper), run_(device, seed) {}

  Verification run() {
    Maps maps = pool(first_layer());
    for (std::size_t module = 0; module < modules; ++module) {
      run_.simulate(in_sample(module) || !sampled_);
      maps = fire(maps, squeezed[module] / size_.divisor);
      run_.simulate(true);
      if (module == 2 || module == 6) maps = pool(maps);
    }
    classify(maps);
    return run_.verification();
  }

 private:
  Maps allocate(std::int32_t count, std::int32_t side, std::string_view label) {
    Maps maps{.count = count, .side = side};
    maps.data = run_.device().allocate(maps.size() * sizeof(double), label);
    return maps;
  }
  void check(const Maps& maps, std::string_view what) {
    const std::vector<double> got = run_.device().download<double>(maps.data, maps.size());
    run_.check(std::vector<float>(got.begin(), got.end()), maps.want, what);
  }
  Doubles weights(std::size_t count, std::size_t inputs) { return widen(run_.weights(count, inputs)); }
  DevicePtr upload(const Doubles& values, std::string_view label) {
    return run_.device().upload(values, label);
  }

  Maps first_layer() {
    const std::int32_t side = size_.image, maps = size_.maps;
    const std::size_t pixels = std::size_t(side) * side;
    const std::size_t inputs = 3 * std::size_t(first_window.kernel) * first_window.kernel;
    std::array<std::vector<std::int32_t>, 3> colours;
    Doubles image;
    for (std::vector<std::int32_t>& colour : colours)
      for (std::size_t p = 0; p < pixels; ++p) {
        colour.push_back(std::int32_t(run_.random().below(256)));
        image.push_back(colour.back());
      }
    Doubles filters = weights(maps * inputs, inputs);
    for (double& w : filters) w /= 128;  // pixels reach 255
    const DevicePtr red = run_.device().upload(colours[0], "red"),
                    green = run_.device().upload(colours[1], "green"),
                    blue = run_.device().upload(colours[2], "blue");
    Maps out = allocate(maps, first_window.outputs(side), "maps");
    run_.launch({.kernel = "squeezenet_conv1",
                 .grid = per_map(out.side),
                 .block = per_neuron(out.side, 1),
                 .args = args(upload(filters, "filters"), red, green, blue, out.data, maps, side, out.side)});
    out.want = convolution(image, 3, side, filters, maps, first_window);
    relu(out.want);
    check(out, "conv1");
    return out;
  }

  Maps pool(const Maps& in) {
    Maps out = allocate(in.count, in.side / 2, "pooled maps");
    run_.launch({.kernel = "squeezenet_pool",
                 .grid = per_map(in.side),
                 .block = per_neuron(in.side, 1),
                 .args = args(in.data, out.data, in.count, in.side, out.side)});
    // An even side leaves a window without its last row; windows begin at even positions either way.
    out.want = max_pool(in.want, in.count, in.side, {3, 2, 0});
    if (in.side % 2 == 0) out.want = clipped_pool(in);
    check(out, "pooled maps");
    return out;
  }

  static Doubles clipped_pool(const Maps& in) {
    // One more row and column of zeros changes no maximum.
    const std::int32_t side = in.side + 1;
    Doubles padded(std::size_t(in.count) * side * side);
    for (std::size_t i = 0; i < in.want.size(); ++i) {
      const std::size_t row = i / in.side, map = row / in.side;
      padded[(map * side + row % in.side) * side + i % in.side] = in.want[i];
    }
    return max_pool(padded, in.count, side, {3, 2, 0});
  }

  // Launches one of the convolutions of a module: `count` maps, which begin at `first` of `out`.
  Doubles convolve(std::string_view kernel, const Maps& in, const Maps& out, std::int32_t first,
                   std::int32_t count, std::int32_t width) {
    const std::size_t inputs = std::size_t(in.count) * width * width;
    const Doubles filters = weights(count * inputs, inputs);
    const std::uint64_t offset = std::uint64_t(first) * in.side * in.side * sizeof(double);
    run_.launch(
        {.kernel = std::string(kernel),
         .grid = per_map(in.side),
         .block = per_neuron(in.side, 1),
         .args = args(upload(filters, "filters"), out.data + offset, in.data, count, in.count, in.side)});
    Doubles want = convolution(in.want, in.count, in.side, filters, count, {width, 1, width / 2});
    relu(want);
    return want;
  }

  Maps fire(const Maps& in, std::int32_t squeeze) {
    Maps small = allocate(squeeze, in.side, "squeezed maps");
    small.want = convolve("squeezenet_squeeze", in, small, 0, squeeze, 1);
    check(small, "squeezed maps");
    const std::int32_t half = expansion * squeeze;
    Maps out = allocate(2 * half, in.side, "expanded maps");
    out.want = convolve("squeezenet_expand1", small, out, 0, half, 1);
    const Doubles second = convolve("squeezenet_expand3", small, out, half, half, 3);
    out.want.insert(out.want.end(), second.begin(), second.end());
    check(out, "expanded maps");
    return out;
  }

  void classify(const Maps& in) {
    const Doubles filters = weights(std::size_t(in.count) * size_.classes, std::size_t(in.count));
    Maps maps = allocate(size_.classes, in.side + 2, "maps of classes");
    run_.launch(
        {.kernel = "squeezenet_conv10",
         .grid = per_map(maps.side),
         .block = per_neuron(maps.side, 1),
         .args = args(upload(filters, "filters"), in.data, maps.data, maps.count, in.count, in.side)});
    maps.want = convolution(in.want, in.count, in.side, filters, maps.count, {1, 1, 1});
    relu(maps.want);
    check(maps, "maps of classes");

    Maps out = allocate(size_.classes, 1, "classes");
    run_.launch({.kernel = "squeezenet_average",
                 .grid = {1},
                 .block = per_neuron(size_.classes, 1),
                 .args = args(maps.data, out.data, maps.side)});
    const std::size_t plane = std::size_t(maps.side) * maps.side;
    out.want.resize(size_.classes);
    for (std::size_t i = 0; i < maps.want.size(); ++i) out.want[i / plane] += maps.want[i] / double(plane);
    check(out, "classes");
  }

  Size size_;
  bool sampled_;
  Runner run_;
};

class SqueezeNet : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const std::int32_t side = first_window.outputs(size.image);
    Parameters all = {
        {"image", fmt::format("{0} x {0}, three colours, integers in 0..255", size.image)},
        {"first layer", fmt::format("{0} maps of {1} x {1}: {1} CTAs of {1} threads", size.maps, side)},
        {"modules", fmt::format("{} with {} to {} squeezed maps", modules, squeezed.front() / size.divisor,
                                squeezed.back() / size.divisor)},
        {"sides of maps in modules", fmt::format("{}, {}, {}", side / 2, side / 4, side / 8)},
        {"classes", std::to_string(size.classes)},
        {"weights", "uniform, variance 2 / inputs; double precision"}};
    if (options.scale == Scale::Paper)
      all.emplace_back("simulated",
                       "all layers but fire3, fire4, fire6, fire7 and fire8, which are executed");
    return all;
  }

  Verification run(Device& device, const RunOptions& options) const override {
    load_embedded(device, info_.name);
    return Network(device, size_of(options.scale), options.scale, options.seed).run();
  }

 private:
  WorkloadInfo info_{.name = "squeezenet",
                     .suite = "Tango",
                     .abbreviation = "T-SqueezeNet",
                     .summary = "SqueezeNet without tiles: a CTA per column computes all maps, few warps",
                     .order_reason = {},
                     .kernels = {{"squeezenet_conv1", ""},
                                 {"squeezenet_pool", ""},
                                 {"squeezenet_squeeze", ""},
                                 {"squeezenet_expand1", ""},
                                 {"squeezenet_expand3", ""},
                                 {"squeezenet_conv10", ""},
                                 {"squeezenet_average", ""}}};
};

}  // namespace

const Workload& squeezenet_workload() {
  static const SqueezeNet workload;
  return workload;
}

}  // namespace heddle::workloads
