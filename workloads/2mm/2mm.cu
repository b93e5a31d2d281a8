// E = (A B) D by two products (PolyBench-GPU's 2MM), one thread per element. The sums stay in memory: every
// step of the loops stores them.
#include "heddle_device.h"

extern "C" __global__ void mm2_kernel1(float* a, float* b, float* c, int ni, int nj, int nk) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < ni && j < nj) {
    for (int k = 0; k < nk; ++k) c[i * nj + j] += a[i * nk + k] * b[k * nj + j];
  }
}

extern "C" __global__ void mm2_kernel2(float* c, float* d, float* e, int ni, int nj, int nl) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < ni && j < nl) {
    for (int k = 0; k < nj; ++k) e[i * nl + j] += c[i * nj + k] * d[k * nl + j];
  }
}
