// y = alpha A x + beta B x, one row of both matrices per thread (PolyBench-GPU's GESUMMV): the lanes of a
// warp read each matrix one row apart, 32 lines per load.
#include "heddle_device.h"

extern "C" __global__ void gesummv_kernel(float* a, float* b, float* x, float* y, float* tmp, int n) {
  const float alpha = 43532.0f;
  const float beta = 12313.0f;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n) {
    for (int j = 0; j < n; ++j) {
      tmp[i] += a[i * n + j] * x[j];
      y[i] += b[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}
