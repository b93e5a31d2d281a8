// SHOC's reduction: a CTA sums every gridDim-th pair of blocks of the input into shared memory, a tree sums
// the shared memory. The host adds the sums of CTAs.
#include "heddle_device.h"

constexpr int cta = 256;

extern "C" __global__ void reduce(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
  extern __shared__ volatile float sums[];
  const unsigned thread = threadIdx.x;
  const unsigned step = cta * 2 * gridDim.x;

  // The sum stays in shared memory.
  sums[thread] = 0.0f;
  for (unsigned i = blockIdx.x * cta * 2 + thread; i < n; i += step)
    sums[thread] = sums[thread] + (in[i] + in[i + cta]);
  __syncthreads();

  for (unsigned half = cta / 2; half > 32; half /= 2) {
    if (thread < half) sums[thread] = sums[thread] + sums[thread + half];
    __syncthreads();
  }
  // One warp: its lanes run together, and read before they write.
  if (thread < 32) {
    for (unsigned half = 32; half > 0; half /= 2) sums[thread] = sums[thread] + sums[thread + half];
  }
  if (thread == 0) out[blockIdx.x] = sums[0];
}
