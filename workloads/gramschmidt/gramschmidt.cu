// A = Q R by the modified Gram-Schmidt process (PolyBench-GPU's GRAMSCHM): three kernels per column k. The
// first has one thread at work, the second writes a column of Q (lanes one row apart), the third has one
// column of A per thread.
#include "heddle_device.h"

extern "C" __global__ void gramschmidt_kernel1(float* a, float* r, int k, int m, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;

  if (id == 0) {
    float sum = 0.0f;
    for (int i = 0; i < m; ++i) sum += a[i * n + k] * a[i * n + k];
    r[k * n + k] = sqrtf(sum);
  }
}

extern "C" __global__ void gramschmidt_kernel2(float* a, float* r, float* q, int k, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < m) q[i * n + k] = a[i * n + k] / r[k * n + k];
}

extern "C" __global__ void gramschmidt_kernel3(float* a, float* r, float* q, int k, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;

  if (j > k && j < n) {
    r[k * n + j] = 0.0f;
    for (int i = 0; i < m; ++i) r[k * n + j] += q[i * n + k] * a[i * n + j];
    for (int i = 0; i < m; ++i) a[i * n + j] -= q[i * n + k] * r[k * n + j];
  }
}
