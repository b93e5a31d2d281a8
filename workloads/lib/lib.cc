// lib: Monte Carlo in the LIBOR market model, arrays of threads in local memory.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t block = 64;
constexpr std::size_t most_rates = 80, options_count = 15;
constexpr float spread = 1e-6f;  // of the random numbers of neighbouring paths

struct Size {
  std::uint32_t ctas;
  std::int32_t rates, steps;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {2, 50, 10};
    case Scale::Small:
      return {8, 80, 40};
    case Scale::Paper:
      return {64, 80, 40};
  }
  return {};
}

struct Market {  // as in lib.cu
  std::int32_t rates, steps, options;
  float delta;
  std::array<std::int32_t, options_count> maturities;
  std::array<float, options_count> swap_rates;
  std::array<float, most_rates> lambda;
};

Market make_market(const Size& size) {
  Market m{.rates = size.rates,
           .steps = size.steps,
           .options = options_count,
           .delta = 0.25f,
           .maturities = {4, 4, 4, 8, 8, 8, 20, 20, 20, 28, 28, 28, 40, 40, 40},
           .swap_rates = {},
           .lambda = {}};
  for (std::size_t i = 0; i < options_count; ++i) m.swap_rates[i] = std::array{0.045f, 0.05f, 0.055f}[i % 3];
  m.lambda.fill(0.2f);
  return m;
}

// The value of the portfolio and its derivative by the last rate at the beginning: forwards, where the kernel
// goes backwards. Every rate carries its derivative.
class Path {
 public:
  Path(const Market& market, std::int32_t number) : market_(market), rates_(market.rates) {
    const float normal = std::fma(static_cast<float>(number), spread, 0.3f);
    for (Dual& r : rates_) r = {double(0.05f), 0};
    rates_.back().by = 1;
    const double shock = std::sqrt(double(market.delta)) * normal;
    for (std::int32_t n = 0; n < market.steps; ++n) step(n, shock);
  }

  struct Result {
    float value, derivative;
  };
  Result result() const {
    std::vector<Dual> bonds, sums;
    Dual bond{1, 0}, sum{0, 0};
    for (std::int32_t m = market_.steps; m < market_.rates; ++m) {
      bond = bond / growth(rates_[m]);
      sum = sum + bond * Dual{market_.delta, 0};
      bonds.push_back(bond);
      sums.push_back(sum);
    }
    Dual value{0, 0};
    for (std::size_t i = 0; i < options_count; ++i) {
      const std::size_t m = market_.maturities[i] - 1;
      const Dual swap = bonds[m] + sums[m] * Dual{market_.swap_rates[i], 0} + Dual{-1, 0};
      if (swap.value < 0) value = value + swap * Dual{-100, 0};
    }
    for (std::int32_t n = 0; n < market_.steps; ++n) value = value / growth(rates_[n]);
    return {static_cast<float>(value.value), static_cast<float>(value.by)};
  }

 private:
  struct Dual {
    double value, by;
    friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.by + b.by}; }
    friend Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.by * b.value + a.value * b.by}; }
    friend Dual operator/(Dual a, Dual b) {
      return {a.value / b.value, (a.by * b.value - a.value * b.by) / (b.value * b.value)};
    }
  };

  Dual growth(Dual rate) const { return Dual{1, 0} + rate * Dual{market_.delta, 0}; }

  void step(std::int32_t n, double shock) {
    Dual drift{0, 0};
    for (std::int32_t i = n + 1; i < market_.rates; ++i) {
      const double volatility = market_.lambda[i - n - 1], part = market_.delta * volatility;
      drift = drift + rates_[i] * Dual{part, 0} / growth(rates_[i]);
      const Dual exponent = drift * Dual{part, 0} + Dual{volatility * (shock - 0.5 * part), 0};
      const double factor = std::exp(exponent.value);
      rates_[i] = rates_[i] * Dual{factor, factor * exponent.by};
    }
  }

  const Market& market_;
  std::vector<Dual> rates_;
};

class Lib : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {
        {"paths", fmt::format("{}, {} steps each", paths(size), size.steps)},
        {"forward rates", fmt::format("{}, 0.05 at the beginning, a quarter of a year apart", size.rates)},
        {"options", fmt::format("{}, maturities of 4 to 40 quarters", options_count)},
        {"random numbers", fmt::format("0.3 and {:g} more from path to path", spread)},
        {"grid", fmt::format("{} CTAs of {} threads, both kernels", size.ctas, block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    const Market market = make_market(size);
    const std::int32_t count = paths(size);
    std::vector<float> values, derivatives;
    for (std::int32_t path = 0; path < count; ++path) {
      const Path::Result r = Path(market, path).result();
      values.push_back(r.value);
      derivatives.push_back(r.derivative);
    }

    load_embedded(device, info_.name);
    device.copy_in(device.symbol("market"), &market, sizeof(market));
    const DevicePtr alone = device.allocate(count * sizeof(float), "values"),
                    d_values = device.allocate(count * sizeof(float), "values, with derivatives"),
                    d_derivatives = device.allocate(count * sizeof(float), "derivatives");
    device.launch(
        {.kernel = "libor_value", .grid = {size.ctas}, .block = {block}, .args = args(alone, count, spread)});
    device.launch({.kernel = "libor_value_and_greeks",
                   .grid = {size.ctas},
                   .block = {block},
                   .args = args(d_values, d_derivatives, count, spread)});
    // Rates pass through up to 40 approximate exponentials, of which each errs by 1e-6 and more.
    const auto check = [&](DevicePtr got, const std::vector<float>& want, std::string_view what) {
      return compare_close(device.download<float>(got, want.size()), want, 1e-4, 1e-3, what);
    };
    return combine(check(alone, values, "values"),
                   combine(check(d_values, values, "values, with derivatives"),
                           check(d_derivatives, derivatives, "derivatives")));
  }

 private:
  static std::int32_t paths(const Size& size) { return static_cast<std::int32_t>(size.ctas * block); }

  WorkloadInfo info_{.name = "lib",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "LIB",
                     .summary = "LIBOR market model, Monte Carlo: large arrays of threads in local memory",
                     .order_reason = {},
                     .kernels = {{"libor_value", ""}, {"libor_value_and_greeks", ""}}};
};

}  // namespace

const Workload& lib_workload() {
  static const Lib workload;
  return workload;
}

}  // namespace heddle::workloads
