// What the host programs of the networks share: random weights, references in double precision, and a runner
// that launches layers and compares what they leave.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workload/random.h"
#include "workload/workload.h"

namespace heddle::workloads::networks {

using Doubles = std::vector<double>;

// Feature maps on the device, and what they should hold: map after map, row after row.
struct Maps {
  workload::DevicePtr data = workload::DevicePtr::Null;
  std::int32_t count = 0, side = 0;
  Doubles want = {};

  std::size_t size() const { return std::size_t(count) * side * side; }
};

struct Window {
  std::int32_t kernel, stride, pad;
  std::int32_t outputs(std::int32_t side) const { return (side + 2 * pad - kernel) / stride + 1; }
};

// References.
// Filters: output after output, of all input maps of its group; the outputs and inputs are split in `groups`.
Doubles convolution(const Doubles& in, std::int32_t in_maps, std::int32_t side, const Doubles& filters,
                    std::int32_t out_maps, const Window& window, std::int32_t groups = 1);
// At least zero; positions outside of the maps do not count.
Doubles max_pool(const Doubles& in, std::int32_t maps, std::int32_t side, const Window& window);
Doubles fully_connected(const Doubles& in, const std::vector<float>& weights, std::int32_t outputs);
void add_bias(Doubles& maps, const Doubles& bias);  // one per map
void relu(Doubles& values);
// From pixels with three colours side by side to a map per colour.
Doubles planes(const std::vector<float>& image, std::int32_t side);

template <class T>
Doubles widen(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

// Launches the layers of a network and keeps account of what was compared. Weights are drawn so that
// activations stay near one: uniform, with variance 2 / inputs.
class Runner {
 public:
  Runner(workload::Device& device, std::uint64_t seed) : device_(device), random_(seed) {}

  // Launches that follow are simulated, or only executed for their results.
  void simulate(bool yes) { simulate_ = yes; }
  void launch(const workload::Launch& launch);

  std::vector<float> uniform(std::size_t count, float lo, float hi);
  std::vector<float> weights(std::size_t count, std::size_t inputs);
  workload::DevicePtr upload(const std::vector<float>& values, std::string_view label) {
    return device_.upload(values, label);
  }
  // Maps without contents.
  Maps allocate(std::int32_t count, std::int32_t side, std::string_view label);
  // Compares the device's floats with `want`.
  void check(const Maps& maps, std::string_view what);
  void check(const std::vector<float>& got, const Doubles& want, std::string_view what);

  workload::Device& device() { return device_; }
  workload::Random& random() { return random_; }
  const workload::Verification& verification() const { return verification_; }

 private:
  workload::Device& device_;
  workload::Random random_;
  bool simulate_ = true;
  workload::Verification verification_;
};

// CTA of a thread per neuron of a map, and a CTA per map: `rows` are x.
inline workload::Dim3 per_neuron(std::int32_t rows, std::int32_t columns) {
  return {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)};
}
inline workload::Dim3 per_map(std::int32_t maps) {
  return {static_cast<std::uint32_t>(maps)};
}

}  // namespace heddle::workloads::networks
