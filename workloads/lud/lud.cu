// LU decomposition without pivoting, in place, by blocks of 16 x 16 (Rodinia's lud). Step k factors the
// diagonal block, solves for the strips right of it and below it, then updates the rest of the matrix.
#include "heddle_device.h"

constexpr int kBlock = 16;

// One CTA of 16 threads; thread t owns row t of L's column i, and column t of U's row i + 1.
extern "C" __global__ void lud_diagonal(float* m, int n, int offset) {
  __shared__ float tile[kBlock][kBlock];
  float* const corner = m + offset * n + offset;
  const int t = threadIdx.x;
  for (int row = 0; row < kBlock; ++row) tile[row][t] = corner[row * n + t];
  __syncthreads();

  for (int i = 0; i < kBlock - 1; ++i) {
    if (t > i) {
      float v = tile[t][i];
      for (int j = 0; j < i; ++j) v -= tile[t][j] * tile[j][i];
      tile[t][i] = v / tile[i][i];
    }
    __syncthreads();
    if (t > i) {
      float v = tile[i + 1][t];
      for (int j = 0; j <= i; ++j) v -= tile[i + 1][j] * tile[j][t];
      tile[i + 1][t] = v;
    }
    __syncthreads();
  }

  // Row 0 of U is row 0 of the matrix.
  for (int row = 1; row < kBlock; ++row) corner[row * n + t] = tile[row][t];
}

// One warp per pair of strips: the first 16 threads solve L * X = A for the block b + 1 places right of the
// diagonal, the others X * U = A for the block as many places below it. The halves diverge, as in Rodinia.
extern "C" __global__ void lud_perimeter(float* m, int n, int offset) {
  __shared__ float diagonal[kBlock][kBlock];
  __shared__ float right[kBlock][kBlock];
  __shared__ float below[kBlock][kBlock];
  const int t = threadIdx.x % kBlock;
  const bool first_half = threadIdx.x < kBlock;
  const int distance = (blockIdx.x + 1) * kBlock;
  float* const corner = m + offset * n + offset;
  float* const right_block = corner + distance;
  float* const below_block = corner + distance * n;

  if (first_half) {
    for (int row = 0; row < kBlock / 2; ++row) diagonal[row][t] = corner[row * n + t];
    for (int row = 0; row < kBlock; ++row) right[row][t] = right_block[row * n + t];
  } else {
    for (int row = kBlock / 2; row < kBlock; ++row) diagonal[row][t] = corner[row * n + t];
    for (int row = 0; row < kBlock; ++row) below[row][t] = below_block[row * n + t];
  }
  __syncthreads();

  if (first_half) {
    for (int i = 1; i < kBlock; ++i) {
      float v = right[i][t];
      for (int j = 0; j < i; ++j) v -= diagonal[i][j] * right[j][t];
      right[i][t] = v;
    }
  } else {
    for (int i = 0; i < kBlock; ++i) {
      float v = below[t][i];
      for (int j = 0; j < i; ++j) v -= below[t][j] * diagonal[j][i];
      below[t][i] = v / diagonal[i][i];
    }
  }
  __syncthreads();

  if (first_half) {
    for (int row = 1; row < kBlock; ++row) right_block[row * n + t] = right[row][t];
  } else {
    for (int row = 0; row < kBlock; ++row) below_block[row * n + t] = below[row][t];
  }
}

// 16 x 16 threads per block right of and below the diagonal block: A -= (strip below) * (strip right). All
// CTAs of a grid row read the same block of the left strip, all of a grid column the same of the upper one.
extern "C" __global__ void lud_internal(float* m, int n, int offset) {
  __shared__ float upper[kBlock][kBlock];
  __shared__ float left[kBlock][kBlock];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = offset + (blockIdx.y + 1) * kBlock + ty;
  const int column = offset + (blockIdx.x + 1) * kBlock + tx;

  upper[ty][tx] = m[(offset + ty) * n + column];
  left[ty][tx] = m[row * n + offset + tx];
  __syncthreads();

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kBlock; ++i) sum += left[ty][i] * upper[i][tx];
  m[row * n + column] -= sum;
}
