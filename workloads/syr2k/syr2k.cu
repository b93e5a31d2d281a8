// C = alpha (A B^T + B A^T) + beta C, one thread per element of C (PolyBench-GPU's SYR2K). Lanes are
// neighbours in j: the lanes of a warp read row j of both matrices one row apart, 32 lines per load.
#include "heddle_device.h"

extern "C" __global__ void syr2k_kernel(float* a, float* b, float* c, int n, int m) {
  const float alpha = 12435.0f;
  const float beta = 4546.0f;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < n && j < n) {
    c[i * n + j] *= beta;
    for (int k = 0; k < m; ++k)
      c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
  }
}
