// The LIBOR market model of M. Giles and X. Su: a portfolio of swaptions over Monte Carlo paths, a thread per
// path. The first kernel computes its value, the second also its sensitivity to the last forward rate, by
// going the path backwards. Arrays of a thread are indexed by loops over sizes that lie in constant memory:
// they are local memory, 13 KB for the rates of all steps.
#include "heddle_device.h"

constexpr int most_rates = 80, most_steps = 40, most_options = 15;

// What the host program sets before it launches.
struct Market {
  int rates, steps, options;
  float delta;  // years between two rates
  int maturities[most_options];
  float swap_rates[most_options];
  float lambda[most_rates];  // volatilities
};
__constant__ Market market;

constexpr float first_rate = 0.05f;

// Random numbers and rates at the beginning. Numbers are 0.3 in the original; here they differ a little
// between paths.
HEDDLE_DEVICE void begin(float* rates, float* normals, int path, float spread) {
  const float normal = fmaf(static_cast<float>(path), spread, 0.3f);
#pragma unroll 1
  for (int i = 0; i < market.rates; ++i) {
    normals[i] = normal;
    rates[i] = first_rate;
  }
}

// Steps of the path. `history`, where it is wanted, takes the rates after every step.
template <bool keep>
HEDDLE_DEVICE void follow_path(float* rates, const float* normals, float* history) {
  const float delta = market.delta;
  if (keep) {
#pragma unroll 1
    for (int i = 0; i < market.rates; ++i) history[i] = rates[i];
  }
#pragma unroll 1
  for (int n = 0; n < market.steps; ++n) {
    const float shock = sqrtf(delta) * normals[n];
    float drift = 0.0f;
#pragma unroll 1
    for (int i = n + 1; i < market.rates; ++i) {
      const float volatility = market.lambda[i - n - 1], step = delta * volatility;
      drift += __fdividef(step * rates[i], 1.0f + delta * rates[i]);
      rates[i] *= __expf(step * drift + volatility * (shock - 0.5f * step));
      if (keep) history[i + (n + 1) * market.rates] = rates[i];
    }
  }
}

// Discounts from the last step on, and sums of them.
HEDDLE_DEVICE void discounts(const float* rates, float* bonds, float* sums) {
  float bond = 1.0f, sum = 0.0f;
#pragma unroll 1
  for (int m = 0; m < market.rates - market.steps; ++m) {
    bond = __fdividef(bond, 1.0f + market.delta * rates[m + market.steps]);
    sum += market.delta * bond;
    bonds[m] = bond;
    sums[m] = sum;
  }
}

HEDDLE_DEVICE float discount_to_now(const float* rates) {
  float bond = 1.0f;
#pragma unroll 1
  for (int n = 0; n < market.steps; ++n) bond = bond / (1.0f + market.delta * rates[n]);
  return bond;
}

HEDDLE_DEVICE float portfolio(const float* rates) {
  float bonds[most_steps], sums[most_steps];
  discounts(rates, bonds, sums);
  float value = 0.0f;
#pragma unroll 1
  for (int i = 0; i < market.options; ++i) {
    const int m = market.maturities[i] - 1;
    const float swap = bonds[m] + market.swap_rates[i] * sums[m] - 1.0f;
    if (swap < 0.0f) value += -100.0f * swap;
  }
  return discount_to_now(rates) * value;
}

// The same, and `rates` become the value's derivatives by them.
HEDDLE_DEVICE float portfolio_and_derivatives(float* rates) {
  float bonds[most_steps], sums[most_steps], by_bond[most_steps], by_sum[most_steps];
  const int terms = market.rates - market.steps;
  const float delta = market.delta;
  discounts(rates, bonds, sums);
  float value = 0.0f;
#pragma unroll 1
  for (int m = 0; m < terms; ++m) {
    by_bond[m] = 0.0f;
    by_sum[m] = 0.0f;
  }
#pragma unroll 1
  for (int i = 0; i < market.options; ++i) {
    const int m = market.maturities[i] - 1;
    const float swap = bonds[m] + market.swap_rates[i] * sums[m] - 1.0f;
    if (swap < 0.0f) {
      value += -100.0f * swap;
      by_sum[m] += -100.0f * market.swap_rates[i];
      by_bond[m] += -100.0f;
    }
  }
#pragma unroll 1
  for (int m = terms - 1; m >= 0; --m) {
    const int n = m + market.steps;
    const float growth = 1.0f + delta * rates[n];
    by_bond[m] += delta * by_sum[m];
    rates[n] = -by_bond[m] * bonds[m] * __fdividef(delta, growth);
    if (m > 0) {
      by_sum[m - 1] += by_sum[m];
      by_bond[m - 1] += __fdividef(by_bond[m], growth);
    }
  }
  const float now = discount_to_now(rates);  // by the first rates, which are still rates
  value *= now;
#pragma unroll 1
  for (int n = 0; n < market.steps; ++n) rates[n] = -value * delta / (1.0f + delta * rates[n]);
#pragma unroll 1
  for (int n = market.steps; n < market.rates; ++n) rates[n] *= now;
  return value;
}

// Derivatives by rates at the end become those by rates at the beginning.
HEDDLE_DEVICE void go_back(float* by_rate, const float* history) {
  const float delta = market.delta;
#pragma unroll 1
  for (int n = market.steps - 1; n >= 0; --n) {
    float sum = 0.0f;
#pragma unroll 1
    for (int i = market.rates - 1; i > n; --i) {
      const float volatility = market.lambda[i - n - 1];
      const float after = history[i + (n + 1) * market.rates], before = history[i + n * market.rates];
      sum += volatility * after * by_rate[i];
      const float factor = __fdividef(delta, 1.0f + delta * before);
      by_rate[i] = by_rate[i] * __fdividef(after, before) + sum * volatility * factor * factor;
    }
  }
}

extern "C" __global__ void libor_value(float* values, int paths, float spread) {
  float rates[most_rates], normals[most_rates];
  const int threads = blockDim.x * gridDim.x;
#pragma unroll 1
  for (int path = blockDim.x * blockIdx.x + threadIdx.x; path < paths; path += threads) {
    begin(rates, normals, path, spread);
    follow_path<false>(rates, normals, nullptr);
    values[path] = portfolio(rates);
  }
}

extern "C" __global__ void libor_value_and_greeks(float* values, float* by_last_rate, int paths,
                                                  float spread) {
  float rates[most_rates], normals[most_rates], history[most_rates * (most_steps + 1)];
  const int threads = blockDim.x * gridDim.x;
#pragma unroll 1
  for (int path = blockDim.x * blockIdx.x + threadIdx.x; path < paths; path += threads) {
    begin(rates, normals, path, spread);
    follow_path<true>(rates, normals, history);
    values[path] = portfolio_and_derivatives(rates);
    go_back(rates, history);
    by_last_rate[path] = rates[market.rates - 1];
  }
}
