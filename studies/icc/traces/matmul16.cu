// C = A * B by tiles of 16 x 16 in shared memory, one thread per element of C (CUDA SDK's matrixMul with its
// smaller block size). A is (height x width_a), B is (width_a x width_b); all sizes are multiples of 16.
#include "heddle_device.h"

constexpr int kTile = 16;

extern "C" __global__ void matrixmul(float* c, const float* a, const float* b, int width_a, int width_b) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int column = blockIdx.x * kTile + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < width_a; k0 += kTile) {
    a_tile[ty][tx] = a[row * width_a + k0 + tx];
    b_tile[ty][tx] = b[(k0 + ty) * width_b + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  c[row * width_b + column] = sum;
}
