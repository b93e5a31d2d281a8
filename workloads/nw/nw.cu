// Rodinia's nw: Needleman and Wunsch's alignment of two sequences. Tiles of 16 by 16 are computed along the
// antidiagonals of the matrix, and the cells of a tile along its own.
#include "heddle_device.h"

constexpr int block_size = 16;

__device__ static void align_tile(const int* similarity, int* matrix, int columns, int penalty, int tile_x,
                                  int tile_y) {
  __shared__ int score[block_size + 1][block_size + 1];
  __shared__ int reference[block_size][block_size];
  const int tx = threadIdx.x;
  const int corner = columns * block_size * tile_y + block_size * tile_x;  // north-west of the tile
  const int first = corner + columns + 1 + tx;

  if (tx == 0) score[0][0] = matrix[corner];
#pragma unroll
  for (int ty = 0; ty < block_size; ty++) reference[ty][tx] = similarity[first + columns * ty];
  __syncthreads();
  score[tx + 1][0] = matrix[corner + columns + columns * tx];
  __syncthreads();
  score[0][tx + 1] = matrix[corner + 1 + tx];
  __syncthreads();

  const auto cell = [&](int x, int y) {
    score[y][x] = max(max(score[y - 1][x - 1] + reference[y - 1][x - 1], score[y][x - 1] - penalty),
                      score[y - 1][x] - penalty);
  };
  for (int m = 0; m < block_size; m++) {
    if (tx <= m) cell(tx + 1, m - tx + 1);
    __syncthreads();
  }
  for (int m = block_size - 2; m >= 0; m--) {
    if (tx <= m) cell(tx + block_size - m, block_size - tx);
    __syncthreads();
  }
#pragma unroll
  for (int ty = 0; ty < block_size; ty++) matrix[first + ty * columns] = score[ty + 1][tx + 1];
}

// Antidiagonals that grow.
extern "C" __global__ void needle_1(const int* similarity, int* matrix, int columns, int penalty,
                                    int diagonal) {
  align_tile(similarity, matrix, columns, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

// Antidiagonals that shrink.
extern "C" __global__ void needle_2(const int* similarity, int* matrix, int columns, int penalty,
                                    int diagonal, int tiles) {
  align_tile(similarity, matrix, columns, penalty, blockIdx.x + tiles - diagonal, tiles - blockIdx.x - 1);
}
