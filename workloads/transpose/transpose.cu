// Matrix transposition, three ways. A CTA of 32 x 8 threads handles a tile of 32 x 32, four elements a
// thread.
#include "heddle_device.h"

constexpr int tile_size = 32;
constexpr int block_rows = 8;

// Reads columns: the 32 lanes of a load touch 32 lines. Writes are contiguous.
extern "C" __global__ void transpose_naive(float* out, const float* in, int width, int height) {
  const int x = blockIdx.y * tile_size + threadIdx.x;  // row of `in`, column of `out`
  const int y = blockIdx.x * tile_size + threadIdx.y;
  for (int i = 0; i < tile_size; i += block_rows) out[(y + i) * height + x] = in[x * width + y + i];
}

// Through shared memory with both sides contiguous; `pad` words per row take the bank conflicts away.
template <int pad>
__device__ __forceinline__ void transpose_tile(float* out, const float* in, int width, int height) {
  __shared__ float tile[tile_size][tile_size + pad];
  int x = blockIdx.x * tile_size + threadIdx.x;
  int y = blockIdx.y * tile_size + threadIdx.y;
  for (int i = 0; i < tile_size; i += block_rows)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * tile_size + threadIdx.x;
  y = blockIdx.x * tile_size + threadIdx.y;
  for (int i = 0; i < tile_size; i += block_rows)
    out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

// Column reads of the tile hit one bank 32 times.
extern "C" __global__ void transpose_shared(float* out, const float* in, int width, int height) {
  transpose_tile<0>(out, in, width, height);
}

extern "C" __global__ void transpose_padded(float* out, const float* in, int width, int height) {
  transpose_tile<1>(out, in, width, height);
}
