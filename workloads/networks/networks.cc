#include "workloads/networks/networks.h"

#include <algorithm>
#include <cmath>

#include "workload/compare.h"

namespace heddle::workloads::networks {

using namespace workload;

// Adds one weight's products to a whole map at a time: the innermost loop runs along rows.
Doubles convolution(const Doubles& in, std::int32_t in_maps, std::int32_t side, const Doubles& filters,
                    std::int32_t out_maps, const Window& window, std::int32_t groups) {
  const std::int32_t outputs = window.outputs(side), kernel = window.kernel;
  const std::int32_t features = in_maps / groups, maps_per_group = out_maps / groups;
  Doubles out(std::size_t(out_maps) * outputs * outputs);
  // Outputs whose position k of the window lies inside of the maps: first, and one past the last.
  const auto inside = [&](std::int32_t k) {
    const std::int32_t shift = k - window.pad;
    const std::int32_t first = shift >= 0 ? 0 : (-shift + window.stride - 1) / window.stride;
    const std::int32_t end = shift >= side ? 0 : (side - 1 - shift) / window.stride + 1;
    return std::pair{first, std::min(end, outputs)};
  };
  const double* weight = filters.data();
  for (std::int32_t map = 0; map < out_maps; ++map) {
    double* const plane = &out[std::size_t(map) * outputs * outputs];
    for (std::int32_t f = 0; f < features; ++f) {
      const double* const feature = &in[std::size_t(map / maps_per_group * features + f) * side * side];
      for (std::int32_t i = 0; i < kernel; ++i) {
        const auto [first_row, end_row] = inside(i);
        for (std::int32_t j = 0; j < kernel; ++j, ++weight) {
          const auto [first_column, end_column] = inside(j);
          for (std::int32_t y = first_row; y < end_row; ++y) {
            const double* const row =
                feature + (y * window.stride + i - window.pad) * side + (j - window.pad);
            double* const to = plane + y * outputs;
            for (std::int32_t x = first_column; x < end_column; ++x)
              to[x] += *weight * row[x * window.stride];
          }
        }
      }
    }
  }
  return out;
}

Doubles max_pool(const Doubles& in, std::int32_t maps, std::int32_t side, const Window& window) {
  const std::int32_t outputs = window.outputs(side);
  Doubles out;
  for (std::int32_t map = 0; map < maps; ++map)
    for (std::int32_t row = 0; row < outputs; ++row)
      for (std::int32_t column = 0; column < outputs; ++column) {
        const std::int32_t top = row * window.stride - window.pad, left = column * window.stride - window.pad;
        double largest = 0;
        for (std::int32_t y = std::max(top, 0); y < std::min(top + window.kernel, side); ++y)
          for (std::int32_t x = std::max(left, 0); x < std::min(left + window.kernel, side); ++x)
            largest = std::max(largest, in[(std::size_t(map) * side + y) * side + x]);
        out.push_back(largest);
      }
  return out;
}

Doubles fully_connected(const Doubles& in, const std::vector<float>& weights, std::int32_t outputs) {
  Doubles out(outputs);
  for (std::int32_t o = 0; o < outputs; ++o)
    for (std::size_t i = 0; i < in.size(); ++i) out[o] += in[i] * weights[o * in.size() + i];
  return out;
}

void add_bias(Doubles& maps, const Doubles& bias) {
  const std::size_t plane = maps.size() / bias.size();
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i] += bias[i / plane];
}

void relu(Doubles& values) {
  for (double& v : values) v = std::max(v, 0.0);
}

Doubles planes(const std::vector<float>& image, std::int32_t side) {
  const std::size_t pixels = std::size_t(side) * side;
  Doubles out(3 * pixels);
  for (std::size_t p = 0; p < pixels; ++p)
    for (std::size_t colour = 0; colour < 3; ++colour) out[colour * pixels + p] = image[3 * p + colour];
  return out;
}

void Runner::launch(const Launch& launch) {
  if (simulate_)
    device_.launch(launch);
  else
    device_.execute(launch);
}

std::vector<float> Runner::uniform(std::size_t count, float lo, float hi) {
  std::vector<float> values(count);
  for (float& v : values) v = random_.uniform(lo, hi);
  return values;
}

std::vector<float> Runner::weights(std::size_t count, std::size_t inputs) {
  const float limit = std::sqrt(6.0f / static_cast<float>(inputs));
  return uniform(count, -limit, limit);
}

Maps Runner::allocate(std::int32_t count, std::int32_t side, std::string_view label) {
  Maps maps{.count = count, .side = side};
  maps.data = device_.allocate(maps.size() * sizeof(float), label);
  return maps;
}

void Runner::check(const Maps& maps, std::string_view what) {
  check(device_.download<float>(maps.data, maps.size()), maps.want, what);
}

// Sums of up to some thousand products in single precision, layer after layer, of values near one.
void Runner::check(const std::vector<float>& got, const Doubles& want, std::string_view what) {
  const Verification v = compare_close(got, std::vector<float>(want.begin(), want.end()), 1e-4, 1, what);
  verification_ = verification_.compared == 0 ? v : combine(verification_, v);
}

}  // namespace heddle::workloads::networks
