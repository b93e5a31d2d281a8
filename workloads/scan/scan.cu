// SHOC's scan (prefix sum), reduce then scan: every CTA sums its part of the input, one CTA scans the sums,
// every CTA scans its part from there.
#include "heddle_device.h"

constexpr int cta = 256;

// Parts are multiples of four elements; the last CTA takes what is left.
extern "C" __global__ void scan_reduce(const float* __restrict__ in, float* __restrict__ out, int n) {
  extern __shared__ volatile float sums[];
  const int part = n / 4 / static_cast<int>(gridDim.x) * 4;
  const int first = blockIdx.x * part;
  const int end = blockIdx.x == gridDim.x - 1 ? n : first + part;
  const int thread = threadIdx.x;

  float sum = 0.0f;
  for (int i = first + thread; i < end; i += cta) sum += in[i];
  sums[thread] = sum;
  __syncthreads();

  for (int half = cta / 2; half > 32; half /= 2) {
    if (thread < half) sums[thread] = sums[thread] + sums[thread + half];
    __syncthreads();
  }
  // One warp: its lanes run together, and read before they write.
  if (thread < 32) {
    for (int half = 32; half > 0; half /= 2) sums[thread] = sums[thread] + sums[thread + half];
  }
  if (thread == 0) out[blockIdx.x] = sums[0];
}

// The sum of the values of all threads before this one (Kogge and Stone). The first half of `sums` stays
// zero.
HEDDLE_DEVICE float scan_cta(float value, volatile float* sums) {
  int at = threadIdx.x;
  sums[at] = 0.0f;
  at += cta;
  sums[at] = value;
  __syncthreads();
#pragma unroll
  for (int distance = 1; distance < cta; distance *= 2) {
    const float before = sums[at - distance];
    __syncthreads();
    sums[at] = sums[at] + before;
    __syncthreads();
  }
  return sums[at - 1];
}

extern "C" __global__ void scan_top(float* __restrict__ sums_of_ctas, int n) {
  extern __shared__ volatile float sums[];
  const int thread = threadIdx.x;
  const float value = scan_cta(thread < n ? sums_of_ctas[thread] : 0.0f, sums);
  if (thread < n) sums_of_ctas[thread] = value;
}

extern "C" __global__ void scan_bottom(const float* __restrict__ in, float* __restrict__ out,
                                       const float* __restrict__ sums_of_ctas, int n) {
  extern __shared__ volatile float sums[];
  __shared__ float seed;  // the sum of all that lies before the window
  const float4* const in4 = reinterpret_cast<const float4*>(in);
  float4* const out4 = reinterpret_cast<float4*>(out);
  const int vectors = n / 4;
  const int part = vectors / static_cast<int>(gridDim.x);
  const int first = blockIdx.x * part;
  const int end = blockIdx.x == gridDim.x - 1 ? vectors : first + part;

  if (threadIdx.x == 0) seed = sums_of_ctas[blockIdx.x];
  for (int window = first; window < end; window += cta) {
    const int i = window + threadIdx.x;
    float4 value = i < end ? in4[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    value.y += value.x;
    value.z += value.y;
    value.w += value.z;

    const float before = scan_cta(value.w, sums) + seed;
    value.x += before;
    value.y += before;
    value.z += before;
    value.w += before;
    if (i < end) out4[i] = value;
    __syncthreads();  // all have read what the next window changes
    if (threadIdx.x == cta - 1) seed = value.w;
  }
}
