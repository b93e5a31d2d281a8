// s = A^T r and q = A p (PolyBench-GPU's BICG). The first kernel has one column per thread, the second one
// row per thread: its lanes read A one row apart, 32 lines per load.
#include "heddle_device.h"

extern "C" __global__ void bicg_kernel1(float* a, float* r, float* s, int nx, int ny) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;

  if (j < ny) {
    s[j] = 0.0f;
    for (int i = 0; i < nx; ++i) s[j] += a[i * ny + j] * r[i];
  }
}

extern "C" __global__ void bicg_kernel2(float* a, float* p, float* q, int nx, int ny) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < nx) {
    q[i] = 0.0f;
    for (int j = 0; j < ny; ++j) q[i] += a[i * ny + j] * p[j];
  }
}
