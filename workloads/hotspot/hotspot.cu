// Rodinia's hotspot: heat on a chip, a five-point stencil. A CTA of 16 x 16 threads loads a tile with a halo
// as wide as the number of steps it takes, and computes a tile that shrinks by one on every side per step.
#include "heddle_device.h"

constexpr int block_size = 16;

__device__ __forceinline__ bool in_range(int x, int low, int high) {
  return x >= low && x <= high;
}

extern "C" __global__ void calculate_temp(int steps, const float* power, const float* temp_src,
                                          float* temp_dst, int grid_cols, int grid_rows, int border_cols,
                                          int border_rows, float cap, float rx, float ry, float rz,
                                          float step) {
  __shared__ float temp_on_cuda[block_size][block_size];
  __shared__ float power_on_cuda[block_size][block_size];
  __shared__ float temp_t[block_size][block_size];
  constexpr float ambient = 80.0f;

  const int tx = threadIdx.x, ty = threadIdx.y;
  const float step_div_cap = step / cap;
  const float rx_1 = 1 / rx, ry_1 = 1 / ry, rz_1 = 1 / rz;

  // The tile without its halo; tiles overlap by the halo.
  const int small_block_rows = block_size - steps * 2;
  const int small_block_cols = block_size - steps * 2;
  const int first_y = small_block_rows * blockIdx.y - border_rows;
  const int first_x = small_block_cols * blockIdx.x - border_cols;
  const int last_y = first_y + block_size - 1;
  const int last_x = first_x + block_size - 1;

  const int y = first_y + ty, x = first_x + tx;
  const int index = grid_cols * y + x;
  if (in_range(y, 0, grid_rows - 1) && in_range(x, 0, grid_cols - 1)) {
    temp_on_cuda[ty][tx] = temp_src[index];
    power_on_cuda[ty][tx] = power[index];
  }
  __syncthreads();

  // The part of the tile that lies on the chip; its rim is its own neighbour.
  const int valid_y_min = first_y < 0 ? -first_y : 0;
  const int valid_y_max = last_y > grid_rows - 1 ? block_size - 1 - (last_y - grid_rows + 1) : block_size - 1;
  const int valid_x_min = first_x < 0 ? -first_x : 0;
  const int valid_x_max = last_x > grid_cols - 1 ? block_size - 1 - (last_x - grid_cols + 1) : block_size - 1;
  const int north = max(ty - 1, valid_y_min), south = min(ty + 1, valid_y_max);
  const int west = max(tx - 1, valid_x_min), east = min(tx + 1, valid_x_max);

  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (in_range(tx, i + 1, block_size - i - 2) && in_range(ty, i + 1, block_size - i - 2) &&
        in_range(tx, valid_x_min, valid_x_max) && in_range(ty, valid_y_min, valid_y_max)) {
      computed = true;
      const float here = temp_on_cuda[ty][tx];
      temp_t[ty][tx] =
          here + step_div_cap * (power_on_cuda[ty][tx] +
                                 (temp_on_cuda[south][tx] + temp_on_cuda[north][tx] - 2.0f * here) * ry_1 +
                                 (temp_on_cuda[ty][east] + temp_on_cuda[ty][west] - 2.0f * here) * rx_1 +
                                 (ambient - here) * rz_1);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }
  // Only the threads that took part in the last step hold a result.
  if (computed) temp_dst[index] = temp_t[ty][tx];
}
