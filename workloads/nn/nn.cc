// nn: a network of four layers that reads digits, a CTA per feature map (or neuron) and image. All images
// use the same weights, all maps of an image the same inputs; CTAs are one warp, mostly of one thread.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::size_t input_side = 29, window = 5;
constexpr std::size_t maps1 = 6, side1 = 13;
constexpr std::size_t maps2 = 50, side2 = 5;
constexpr std::size_t neurons3 = 100, neurons4 = 10;
constexpr std::size_t inputs1 = window * window, inputs2 = maps1 * window * window;
constexpr std::size_t inputs3 = maps2 * side2 * side2, inputs4 = neurons3;

std::uint32_t images(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 1;
    case Scale::Small:
      return 8;
    case Scale::Paper:
      return 112;  // 5600 CTAs in layer 2, 11200 in layer 3
  }
  return 0;
}

struct Network {
  std::vector<float> weights1, weights2, weights3, weights4;  // per map or neuron: bias, then inputs
};

// Uniform in +-2 / sqrt(inputs): sums are of order 1, where the activation is neither linear nor saturated.
std::vector<float> make_weights(std::size_t units, std::size_t inputs, Random& random) {
  const float limit = 2.0f / std::sqrt(static_cast<float>(inputs));
  std::vector<float> weights(units * (inputs + 1));
  for (float& w : weights) w = random.uniform(-limit, limit);
  return weights;
}

Network make_network(Random& random) {
  Network net;
  net.weights1 = make_weights(maps1, inputs1, random);
  net.weights2 = make_weights(maps2, inputs2, random);
  net.weights3 = make_weights(neurons3, inputs3, random);
  net.weights4 = make_weights(neurons4, inputs4, random);
  return net;
}

float activation(double x) {
  return static_cast<float>(1.7159 * std::tanh(2.0 / 3.0 * x));
}

// Maps of `side` x `side` from `from_maps` maps of `from_side` x `from_side`: 5 x 5 windows, two apart. The
// weights of a window's position are those of all input maps in turn.
std::vector<float> convolve(const std::vector<float>& in, std::size_t from_maps, std::size_t from_side,
                            const std::vector<float>& weights, std::size_t maps, std::size_t side) {
  const std::size_t unit = from_maps * window * window + 1;
  std::vector<float> out;
  for (std::size_t first = 0; first < in.size(); first += from_maps * from_side * from_side) {
    for (std::size_t map = 0; map < maps; ++map) {
      for (std::size_t at = 0; at < side * side; ++at) {
        const std::size_t y = at / side * 2, x = at % side * 2;
        const float* w = &weights[map * unit];
        double sum = *w++;
        for (std::size_t dy = 0; dy < window; ++dy) {
          for (std::size_t dx = 0; dx < window; ++dx) {
            for (std::size_t from = 0; from < from_maps; ++from) {
              sum += double{*w++} * in[first + (from * from_side + y + dy) * from_side + x + dx];
            }
          }
        }
        out.push_back(activation(sum));
      }
    }
  }
  return out;
}

std::vector<float> connect(const std::vector<float>& in, std::size_t inputs,
                           const std::vector<float>& weights, std::size_t neurons) {
  std::vector<float> out;
  for (std::size_t first = 0; first < in.size(); first += inputs) {
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      const float* const w = &weights[neuron * (inputs + 1)];
      double sum = w[0];
      for (std::size_t i = 0; i < inputs; ++i) sum += double{w[i + 1]} * in[first + i];
      out.push_back(activation(sum));
    }
  }
  return out;
}

class Nn : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"images", std::to_string(images(options.scale)) + " of 29 x 29"},
            {"layers", "6 maps of 13 x 13, 50 maps of 5 x 5, 100 neurons, 10 outputs"},
            {"values", "images uniform in [-1, 1), weights uniform in [-2, 2) / sqrt(inputs of the neuron)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::uint32_t count = images(options.scale);
    Random random(options.seed);
    const Network net = make_network(random);
    std::vector<float> input(count * input_side * input_side);
    for (float& v : input) v = random.uniform(-1, 1);

    load_embedded(device, info_.name);
    const DevicePtr image = device.upload(input, "images");
    const DevicePtr first = layer(device, "nn_layer1", image, net.weights1, maps1, side1, count);
    const DevicePtr second = layer(device, "nn_layer2", first, net.weights2, maps2, side2, count);
    const DevicePtr third = layer(device, "nn_layer3", second, net.weights3, neurons3, 1, count);
    const DevicePtr fourth = layer(device, "nn_layer4", third, net.weights4, neurons4, 1, count);

    const auto want1 = convolve(input, 1, input_side, net.weights1, maps1, side1);
    const auto want2 = convolve(want1, maps1, side1, net.weights2, maps2, side2);
    const auto want3 = connect(want2, inputs3, net.weights3, neurons3);
    const auto want4 = connect(want3, inputs4, net.weights4, neurons4);
    // Values lie in +-1.7159. 1250 terms in single precision, an approximate exponential, and the errors of
    // the layers before.
    const auto check = [&](DevicePtr got, const std::vector<float>& want, std::string_view what) {
      return compare_close(device.download<float>(got, want.size()), want, 1e-5, 1, what);
    };
    return combine(combine(check(first, want1, "layer 1"), check(second, want2, "layer 2")),
                   combine(check(third, want3, "layer 3"), check(fourth, want4, "layer 4")));
  }

 private:
  // Runs one layer of `units` maps of `side` x `side` for all images; returns where its values are.
  static DevicePtr layer(Device& device, const std::string& kernel, DevicePtr in,
                         const std::vector<float>& weights, std::uint32_t units, std::uint32_t side,
                         std::uint32_t image_count) {
    const DevicePtr w = device.upload(weights, kernel + " weights");
    const std::uint64_t bytes = std::uint64_t{image_count} * units * side * side * sizeof(float);
    const DevicePtr out = device.allocate(bytes, kernel + " values");
    device.launch(
        {.kernel = kernel, .grid = {units, image_count}, .block = {side, side}, .args = args(in, w, out)});
    return out;
  }

  WorkloadInfo info_{.name = "nn",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "NN",
                     .summary = "digit-recognition network: one-warp CTAs that share weights and inputs",
                     .order_reason = {},
                     .kernels = {{"nn_layer1", ""}, {"nn_layer2", ""}, {"nn_layer3", ""}, {"nn_layer4", ""}}};
};

}  // namespace

const Workload& nn_workload() {
  static const Nn workload;
  return workload;
}

}  // namespace heddle::workloads
