// blackscholes: the CUDA SDK's prices of European options.
#include <cmath>
#include <cstdint>
#include <numbers>
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

constexpr std::uint32_t ctas = 480, block = 128;
constexpr float rate = 0.02f, volatility = 0.30f;

struct Size {
  std::int32_t options;
  std::uint32_t launches;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {10'000, 1};
    case Scale::Small:
      return {400'000, 2};
    case Scale::Paper:
      return {4'000'000, 4};
  }
  return {};
}

double normal_distribution(double d) {
  return 0.5 * std::erfc(-d / std::numbers::sqrt2);
}

class BlackScholes : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"options", std::to_string(size.options)},
            {"prices, strikes, years", "uniform in 5..30, 1..100, 0.25..10"},
            {"launches", std::to_string(size.launches)},
            {"grid", fmt::format("{} CTAs of {} threads", ctas, block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> prices, strikes, years, calls, puts;
    for (std::int32_t i = 0; i < size.options; ++i) {
      prices.push_back(random.uniform(5, 30));
      strikes.push_back(random.uniform(1, 100));
      years.push_back(random.uniform(0.25f, 10));
      const double root = std::sqrt(double(years[i])), deviation = double(volatility) * root;
      const double drift = (rate + 0.5 * double(volatility) * volatility) * years[i];
      const double d1 = (std::log(double(prices[i]) / strikes[i]) + drift) / deviation;
      const double n1 = normal_distribution(d1), n2 = normal_distribution(d1 - deviation);
      const double discounted = strikes[i] * std::exp(-double(rate) * years[i]);
      calls.push_back(static_cast<float>(prices[i] * n1 - discounted * n2));
      puts.push_back(static_cast<float>(discounted * (1 - n2) - prices[i] * (1 - n1)));
    }

    load_embedded(device, info_.name);
    const DevicePtr d_prices = device.upload(prices, "prices"), d_strikes = device.upload(strikes, "strikes"),
                    d_years = device.upload(years, "years"),
                    d_calls = device.allocate(calls.size() * sizeof(float), "calls"),
                    d_puts = device.allocate(puts.size() * sizeof(float), "puts");
    for (std::uint32_t launch = 0; launch < size.launches; ++launch)
      device.launch(
          {.kernel = "black_scholes",
           .grid = {ctas},
           .block = {block},
           .args = args(d_calls, d_puts, d_prices, d_strikes, d_years, rate, volatility, size.options)});
    // Differences of values up to 100, in single precision; the polynomial is good to 7.5e-8.
    constexpr double tolerance = 1e-6, size_of_values = 100;
    return combine(
        compare_close(device.download<float>(d_calls, calls.size()), calls, tolerance, size_of_values,
                      "calls"),
        compare_close(device.download<float>(d_puts, puts.size()), puts, tolerance, size_of_values, "puts"));
  }

 private:
  WorkloadInfo info_{.name = "blackscholes",
                     .suite = "CUDA SDK",
                     .abbreviation = "C-BLK",
                     .summary = "prices of options by a formula: streaming, every value is read once",
                     .order_reason = {},
                     .kernels = {{"black_scholes", ""}},
                     .also = {"BlackScholes"}};
};

}  // namespace

const Workload& blackscholes_workload() {
  static const BlackScholes workload;
  return workload;
}

}  // namespace heddle::workloads
