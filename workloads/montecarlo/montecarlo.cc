// montecarlo: the CUDA SDK's prices of options over random paths.
#include <algorithm>
#include <cmath>
#include <cstdint>
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

constexpr std::uint32_t block = 256;
constexpr float rate = 0.06f, volatility = 0.10f;

struct Size {
  std::uint32_t options;
  std::int32_t paths;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {16, 4096};
    case Scale::Small:
      return {256, 16384};
    case Scale::Paper:
      return {256, 262144};
  }
  return {};
}

struct Option {
  float price, strike, drift, deviation;
};

// Sums of twelve uniform numbers: nearly normal, and the same on every host.
std::vector<float> make_normals(std::int32_t count, Random& random) {
  std::vector<float> normals(count, -6.0f);
  for (float& v : normals)
    for (int i = 0; i < 12; ++i) v += random.uniform();
  return normals;
}

std::vector<Option> make_options(std::uint32_t count, Random& random) {
  std::vector<Option> options;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float price = random.uniform(5, 50), strike = random.uniform(10, 25), years = random.uniform(1, 5);
    options.push_back(
        {price, strike, (rate - 0.5f * volatility * volatility) * years, volatility * std::sqrt(years)});
  }
  return options;
}

class MonteCarlo : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"options", fmt::format("{}, a CTA each", size.options)},
            {"paths", fmt::format("{}, the same nearly normal numbers for all options", size.paths)},
            {"price, strike, years", "uniform in 5..50, 10..25, 1..5"},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const std::vector<float> normals = make_normals(size.paths, random);
    const std::vector<Option> of = make_options(size.options, random);
    std::vector<float> want;
    for (const Option& option : of) {
      double sum = 0, square = 0;
      for (const float normal : normals) {
        const double end = option.price * std::exp(option.drift + double(option.deviation) * normal);
        const double call = std::max(0.0, end - option.strike);
        sum += call;
        square += call * call;
      }
      want.push_back(static_cast<float>(sum));
      want.push_back(static_cast<float>(square));
    }

    load_embedded(device, info_.name);
    const DevicePtr d_values = device.allocate(want.size() * sizeof(float), "values"),
                    d_options = device.upload(of, "options"),
                    d_normals = device.upload(normals, "normal numbers");
    device.launch({.kernel = "monte_carlo",
                   .grid = {size.options},
                   .block = {block},
                   .args = args(d_values, d_options, d_normals, size.paths)});
    // Positive terms up to 50 per path (2500 for squares); sums where hardly a path gains are compared with
    // those.
    return compare_close(device.download<float>(d_values, want.size()), want, 1e-4, size.paths * 0.1,
                         "values");
  }

 private:
  WorkloadInfo info_{.name = "montecarlo",
                     .suite = "CUDA SDK",
                     .abbreviation = "C-MonteCarlo",
                     .summary = "prices of options over random paths: every CTA reads the same numbers",
                     .order_reason = {},
                     .kernels = {{"monte_carlo", ""}}};
};

}  // namespace

const Workload& montecarlo_workload() {
  static const MonteCarlo workload;
  return workload;
}

}  // namespace heddle::workloads
