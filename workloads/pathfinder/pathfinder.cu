// Rodinia's pathfinder: the cheapest way through a grid, row by row. A CTA takes its columns through several
// rows; what is lost at both sides in each row is computed twice.
#include "heddle_device.h"

constexpr int block_size = 256, halo = 1;

extern "C" __global__ void dynproc(int steps, const int* wall, const int* from, int* to, int columns,
                                   int first_row, int border) {
  __shared__ int previous[block_size];
  __shared__ int result[block_size];
  const int tx = threadIdx.x;
  const int owned = block_size - steps * halo * 2;
  const int begin = owned * blockIdx.x - border, end = begin + block_size - 1;
  const int column = begin + tx;
  // Threads of this CTA whose column exists.
  const int first = begin < 0 ? -begin : 0;
  const int last = end > columns - 1 ? block_size - 1 - (end - columns + 1) : block_size - 1;
  const int west = max(tx - 1, first), east = min(tx + 1, last);
  const bool valid = tx >= first && tx <= last;

  if (column >= 0 && column < columns) previous[tx] = from[column];
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= block_size - i - 2 && valid) {
      computed = true;
      const int shortest = min(min(previous[west], previous[tx]), previous[east]);
      result[tx] = shortest + wall[columns * (first_row + i) + column];
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) previous[tx] = result[tx];
    __syncthreads();
  }
  if (computed) to[column] = result[tx];
}
