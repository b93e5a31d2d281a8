// The CUDA SDK's BlackScholes: prices of European options by the closed formula. Three arrays in, two out; a
// grid of fixed size goes over them.
#include "heddle_device.h"

// The cumulative normal distribution by a polynomial of fifth degree.
HEDDLE_DEVICE float normal_distribution(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  const float inverse_root_2pi = 0.39894228040143267793994605993438f;
  const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
  const float tail =
      inverse_root_2pi * __expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(float* calls, float* puts, const float* prices, const float* strikes,
                                         const float* years, float rate, float volatility, int options) {
  const int thread = blockDim.x * blockIdx.x + threadIdx.x, threads = blockDim.x * gridDim.x;
  for (int option = thread; option < options; option += threads) {
    const float price = prices[option], strike = strikes[option], time = years[option];
    const float root = sqrtf(time);
    const float d1 =
        __fdividef(__logf(__fdividef(price, strike)) + (rate + 0.5f * volatility * volatility) * time,
                   volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
    const float discounted = strike * __expf(-rate * time);
    calls[option] = price * n1 - discounted * n2;
    puts[option] = discounted * (1.0f - n2) - price * (1.0f - n1);
  }
}
