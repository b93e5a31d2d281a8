// G = (A B) (C D) by three products (PolyBench-GPU's 3MM), one thread per element. The sums stay in memory:
// every step of the loops stores them.
#include "heddle_device.h"

extern "C" __global__ void mm3_kernel1(float* a, float* b, float* e, int ni, int nj, int nk) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < ni && j < nj) {
    for (int k = 0; k < nk; ++k) e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
  }
}

extern "C" __global__ void mm3_kernel2(float* c, float* d, float* f, int nj, int nl, int nm) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < nj && j < nl) {
    for (int k = 0; k < nm; ++k) f[i * nl + j] += c[i * nm + k] * d[k * nl + j];
  }
}

extern "C" __global__ void mm3_kernel3(float* e, float* f, float* g, int ni, int nl, int nj) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < ni && j < nl) {
    for (int k = 0; k < nj; ++k) g[i * nl + j] += e[i * nj + k] * f[k * nl + j];
  }
}
