// Parboil's sgemm: C = alpha A B' + beta C, register tiles after Volkov. All matrices lie column after
// column, B transposed.
#include "heddle_device.h"

constexpr int tile_n = 16, tile_height = 8, tile_m = tile_n * tile_height;

// A CTA makes 128 rows by 16 columns of C: each thread one row. Values of A go straight to a register, those
// of B through shared memory.
extern "C" __global__ void sgemm_nt(const float* a, int lda, const float* b, int ldb, float* c, int ldc,
                                    int k, float alpha, float beta) {
  __shared__ float b_tile[tile_height][tile_n];
  float sums[tile_n];
#pragma unroll
  for (int i = 0; i < tile_n; i++) sums[i] = 0.0f;
  const int m = blockIdx.x * tile_m + threadIdx.y * blockDim.x + threadIdx.x;
  const int n = blockIdx.y * tile_n + threadIdx.x;
  for (int i = 0; i < k; i += tile_height) {
    b_tile[threadIdx.y][threadIdx.x] = b[n + (i + threadIdx.y) * ldb];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < tile_height; j++) {
      const float value = a[m + (i + j) * lda];
#pragma unroll
      for (int kk = 0; kk < tile_n; kk++) sums[kk] += value * b_tile[j][kk];
    }
    __syncthreads();
  }
  const int at = ldc * blockIdx.y * tile_n + m;
#pragma unroll
  for (int i = 0; i < tile_n; i++) c[at + i * ldc] = c[at + i * ldc] * beta + alpha * sums[i];
}
