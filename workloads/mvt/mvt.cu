// x1 += A y1 and x2 += A^T y2 (PolyBench-GPU's MVT). The first kernel has one row per thread: its lanes read
// A one row apart, 32 lines per load. The second has one column per thread.
#include "heddle_device.h"

extern "C" __global__ void mvt_kernel1(float* a, float* x1, float* y1, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n) {
    for (int j = 0; j < n; ++j) x1[i] += a[i * n + j] * y1[j];
  }
}

extern "C" __global__ void mvt_kernel2(float* a, float* x2, float* y2, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n) {
    for (int j = 0; j < n; ++j) x2[i] += a[j * n + i] * y2[j];
  }
}
