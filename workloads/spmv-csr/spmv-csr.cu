// SHOC's sparse matrix times vector in the CSR format: one thread per row (scalar), or one warp per row
// (vector). The vector is read by texture.
#include "heddle_device.h"

constexpr int cta = 128;

extern "C" __global__ void spmv_csr_scalar(const float* __restrict__ values, const int* __restrict__ columns,
                                           const int* __restrict__ row_start, int rows,
                                           float* __restrict__ product, cudaTextureObject_t x) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  const int end = row_start[row + 1];
  for (int i = row_start[row]; i < end; ++i) sum += values[i] * tex1Dfetch<float>(x, columns[i]);
  product[row] = sum;
}

extern "C" __global__ void spmv_zero(float* __restrict__ product, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) product[row] = 0.0f;
}

extern "C" __global__ void spmv_csr_vector(const float* __restrict__ values, const int* __restrict__ columns,
                                           const int* __restrict__ row_start, int rows,
                                           float* __restrict__ product, cudaTextureObject_t x) {
  __shared__ volatile float sums[cta];
  const int thread = threadIdx.x, lane = thread & 31;
  const int row = blockIdx.x * (blockDim.x / 32) + thread / 32;
  if (row >= rows) return;

  float sum = 0.0f;
  const int end = row_start[row + 1];
  for (int i = row_start[row] + lane; i < end; i += 32) sum += values[i] * tex1Dfetch<float>(x, columns[i]);
  sums[thread] = sum;
  __syncwarp();
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    if (lane < half) sums[thread] = sums[thread] + sums[thread + half];
    __syncwarp();
  }
  if (lane == 0) product[row] = sums[thread];
}
