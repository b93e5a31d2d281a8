// y = A^T (A x) (PolyBench-GPU's ATAX). The first kernel has one row per thread, so that the lanes of a warp
// read A one row apart: 32 lines per load. The second has one column per thread: one line per load.
#include "heddle_device.h"

extern "C" __global__ void atax_kernel1(float* a, float* x, float* tmp, int nx, int ny) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < nx) {
    for (int j = 0; j < ny; ++j) tmp[i] += a[i * ny + j] * x[j];
  }
}

extern "C" __global__ void atax_kernel2(float* a, float* y, float* tmp, int nx, int ny) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;

  if (j < ny) {
    for (int i = 0; i < nx; ++i) y[j] += a[i * ny + j] * tmp[i];
  }
}
