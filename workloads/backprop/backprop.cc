// backprop: Rodinia's training step of a two-layer perceptron. The large first layer runs on the device, the
// 16 hidden units and the output on the host.
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

constexpr std::int32_t hidden = 16, height = 16;
constexpr double target = 0.1, learning_rate = 0.3, momentum = 0.3;

std::int32_t inputs_of(Scale scale) {  // a multiple of `height`
  switch (scale) {
    case Scale::Tiny:
      return 2'048;
    case Scale::Small:
      return 49'152;
    case Scale::Paper:
      return 131'072;
  }
  return 0;
}

// e^x by its series. The host's exp may differ in the last bit from one machine to the next, and inputs may
// not.
double portable_exp(double x) {
  constexpr int halvings = 10;
  x /= 1 << halvings;
  double sum = 1, term = 1;
  for (int i = 1; i < 16; ++i) sum += term *= x / i;
  for (int i = 0; i < halvings; ++i) sum *= sum;
  return sum;
}
double squash(double x) {
  return 1 / (1 + portable_exp(-x));
}

struct Net {
  std::vector<float> input;        // [0] is the bias
  std::vector<float> weights;      // (inputs + 1) x (hidden + 1)
  std::vector<float> old_weights;  // the changes of the step before
  std::vector<float> output_weights;
};

Net make_net(std::int32_t inputs, std::uint64_t seed) {
  Random random(seed);
  Net net;
  net.input.resize(inputs + 1);
  for (float& v : net.input) v = random.uniform();
  net.input[0] = 1;
  const std::size_t count = std::size_t(inputs + 1) * (hidden + 1);
  // Small enough that no hidden unit saturates: its derivative, and with it every change, would vanish.
  const float range = 64.0f / static_cast<float>(inputs);
  for (std::size_t i = 0; i < count; ++i) net.weights.push_back(random.uniform(-range, range));
  for (std::size_t i = 0; i < count; ++i) net.old_weights.push_back(random.uniform(-range, range));
  for (std::int32_t i = 0; i <= hidden; ++i) net.output_weights.push_back(random.uniform(-1.0f, 1.0f));
  return net;
}

// From the weighted sums of the hidden units to the error terms that their weights are adjusted by.
std::vector<float> hidden_deltas(const Net& net, const std::vector<double>& sums) {
  std::vector<double> units(hidden + 1, 1.0);
  double sum = net.output_weights[0];
  for (std::int32_t j = 1; j <= hidden; ++j) {
    units[j] = squash(sums[j] + net.weights[j]);  // row 0 holds the bias weights
    sum += net.output_weights[j] * units[j];
  }
  const double out = squash(sum);
  const double out_delta = out * (1 - out) * (target - out);
  std::vector<float> deltas(hidden + 1);
  for (std::int32_t j = 1; j <= hidden; ++j)
    deltas[j] = static_cast<float>(units[j] * (1 - units[j]) * out_delta * net.output_weights[j]);
  return deltas;
}

struct Result {
  std::vector<float> sums, weights, changes;
};

Result reference(const Net& net) {
  const std::size_t inputs = net.input.size() - 1;
  std::vector<double> sums(hidden + 1);
  for (std::size_t i = 1; i <= inputs; ++i)
    for (std::int32_t j = 1; j <= hidden; ++j)
      sums[j] += double{net.input[i]} * net.weights[i * (hidden + 1) + j];
  const std::vector<float> deltas = hidden_deltas(net, sums);
  Result r{{sums.begin(), sums.end()}, net.weights, net.old_weights};
  for (std::size_t i = 0; i <= inputs; ++i) {
    for (std::int32_t j = 1; j <= hidden; ++j) {
      const std::size_t at = i * (hidden + 1) + j;
      const double change = learning_rate * deltas[j] * net.input[i] + momentum * net.old_weights[at];
      r.weights[at] = static_cast<float>(net.weights[at] + change);
      r.changes[at] = static_cast<float>(change);
    }
  }
  return r;
}

class Backprop : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"inputs", std::to_string(inputs_of(options.scale))},
            {"hidden units", std::to_string(hidden)},
            {"input values", "uniform in [0, 1)"},
            {"weights and last changes", "uniform in +-64 / inputs"},
            {"threads per CTA", "16 x 16"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Net net = make_net(inputs_of(options.scale), options.seed);
    load_embedded(device, info_.name);
    const DevicePtr input = device.upload(net.input, "input");
    const DevicePtr weights = device.upload(net.weights, "weights");
    const Result got = train(device, net, input, weights);
    const Result want = reference(net);
    const double range = 64.0 / static_cast<double>(net.input.size());
    // Sums: 16-input trees in float, then double; values near zero are held against one unit's typical size.
    // Weights depend on the sums only through the smooth deltas.
    return combine(compare_close(got.sums, want.sums, 1e-5, 1e-2, "hidden sums"),
                   combine(compare_close(got.weights, want.weights, 1e-4, range, "weights"),
                           compare_close(got.changes, want.changes, 1e-4, range, "changes")));
  }

 private:
  static Result train(Device& device, const Net& net, DevicePtr input, DevicePtr weights) {
    const std::size_t ctas = (net.input.size() - 1) / height;
    const Dim3 grid{1, std::uint32_t(ctas)}, block{hidden, height};
    const DevicePtr partial = device.allocate(ctas * hidden * sizeof(float), "partial sums");
    device.launch({.kernel = "layerforward",
                   .grid = grid,
                   .block = block,
                   .args = args(input, weights, partial, hidden)});
    const std::vector<float> parts = device.download<float>(partial, ctas * hidden);
    std::vector<double> sums(hidden + 1);
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i % hidden + 1] += parts[i];

    const DevicePtr delta = device.upload(hidden_deltas(net, sums), "delta");
    const DevicePtr old_weights = device.upload(net.old_weights, "old weights");
    device.copy_in(weights, net.weights.data(), net.weights.size() * sizeof(float));
    device.launch({.kernel = "adjust_weights",
                   .grid = grid,
                   .block = block,
                   .args = args(delta, hidden, input, weights, old_weights)});
    return {{sums.begin(), sums.end()},
            device.download<float>(weights, net.weights.size()),
            device.download<float>(old_weights, net.weights.size())};
  }

  WorkloadInfo info_{.name = "backprop",
                     .suite = "Rodinia",
                     .abbreviation = "BP",
                     .summary = "training step of a perceptron: tree reduction and weight update",
                     .order_reason = {},
                     .kernels = {{"layerforward", "BKP"}, {"adjust_weights", ""}}};
};

}  // namespace

const Workload& backprop_workload() {
  static const Backprop workload;
  return workload;
}

}  // namespace heddle::workloads
