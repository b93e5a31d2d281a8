// C = alpha A B + beta C, one thread per element of C (PolyBench-GPU's GEMM). The sum stays in memory: C may
// overlap A or B as far as a compiler knows, so every step of the loop stores it.
#include "heddle_device.h"

extern "C" __global__ void gemm_kernel(float* a, float* b, float* c, int ni, int nj, int nk) {
  const float alpha = 32412.0f;
  const float beta = 2123.0f;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < ni && j < nj) {
    c[i * nj + j] *= beta;
    for (int k = 0; k < nk; ++k) c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
  }
}
