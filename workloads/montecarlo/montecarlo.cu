// The CUDA SDK's MonteCarlo: prices of options as means over random paths, a CTA per option. All CTAs go
// through the same random numbers.
#include "heddle_device.h"

constexpr int cta = 256;

struct Option {
  float price, strike, drift, deviation;
};
struct Value {
  float mean, confidence;
};

extern "C" __global__ void monte_carlo(Value* values, const Option* options, const float* normals,
                                       int paths) {
  __shared__ float sums[cta], squares[cta];
  const Option option = options[blockIdx.x];
  const int thread = threadIdx.x;

  float sum = 0.0f, square = 0.0f;
  for (int i = thread; i < paths; i += cta) {
    const float gain = option.price * __expf(option.drift + option.deviation * normals[i]) - option.strike;
    const float call = gain > 0.0f ? gain : 0.0f;
    sum += call;
    square += call * call;
  }
  sums[thread] = sum;
  squares[thread] = square;
  for (int half = cta / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (thread < half) {
      sums[thread] += sums[thread + half];
      squares[thread] += squares[thread + half];
    }
  }
  if (thread == 0) values[blockIdx.x] = {sums[0], squares[0]};
}
