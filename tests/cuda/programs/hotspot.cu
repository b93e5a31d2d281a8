// A temperature map by iterated stencil with overlapping tiles, in the style of Rodinia: pyramids of several
// steps per launch.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE 16
#define EXPAND_RATE 2
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void calculate_temp(int iteration, const float* power, const float* temp_src, float* temp_dst,
                               int grid_cols, int grid_rows, int border_cols, int border_rows, float Cap,
                               float Rx, float Ry, float Rz, float step) {
  __shared__ float temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float power_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp_t[BLOCK_SIZE][BLOCK_SIZE];
  const float amb_temp = 80.0f;
  const float step_div_Cap = step / Cap, Rx_1 = 1 / Rx, Ry_1 = 1 / Ry, Rz_1 = 1 / Rz;
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int small_block_rows = BLOCK_SIZE - iteration * EXPAND_RATE,
            small_block_cols = BLOCK_SIZE - iteration * EXPAND_RATE;
  const int blkY = small_block_rows * by - border_rows, blkX = small_block_cols * bx - border_cols;
  const int blkYmax = blkY + BLOCK_SIZE - 1, blkXmax = blkX + BLOCK_SIZE - 1;
  const int yidx = blkY + ty, xidx = blkX + tx, index = grid_cols * yidx + xidx;
  if (IN_RANGE(yidx, 0, grid_rows - 1) && IN_RANGE(xidx, 0, grid_cols - 1)) {
    temp_on_cuda[ty][tx] = temp_src[index];
    power_on_cuda[ty][tx] = power[index];
  }
  __syncthreads();
  const int validYmin = blkY < 0 ? -blkY : 0, validXmin = blkX < 0 ? -blkX : 0;
  const int validYmax = blkYmax > grid_rows - 1 ? BLOCK_SIZE - 1 - (blkYmax - grid_rows + 1) : BLOCK_SIZE - 1;
  const int validXmax = blkXmax > grid_cols - 1 ? BLOCK_SIZE - 1 - (blkXmax - grid_cols + 1) : BLOCK_SIZE - 1;
  const int N = ty - 1 < validYmin ? validYmin : ty - 1, S = ty + 1 > validYmax ? validYmax : ty + 1;
  const int W = tx - 1 < validXmin ? validXmin : tx - 1, E = tx + 1 > validXmax ? validXmax : tx + 1;
  bool computed = false;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2) &&
        IN_RANGE(tx, validXmin, validXmax) && IN_RANGE(ty, validYmin, validYmax)) {
      computed = true;
      temp_t[ty][tx] =
          temp_on_cuda[ty][tx] +
          step_div_Cap * (power_on_cuda[ty][tx] +
                          (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0f * temp_on_cuda[ty][tx]) * Ry_1 +
                          (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0f * temp_on_cuda[ty][tx]) * Rx_1 +
                          (amb_temp - temp_on_cuda[ty][tx]) * Rz_1);
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }
  if (computed) temp_dst[index] = temp_t[ty][tx];
}

int main(void) {
  const int rows = 60, cols = 60, total = 7, pyramid = 2, n = rows * cols;
  const float height = 0.016f / rows, width = 0.016f / cols, thick = 0.0005f;
  const float Cap = 0.5f * 1.75e6f * thick * width * height, Rx = width / (2.0f * 100 * thick * height);
  const float Ry = height / (2.0f * 100 * thick * width), Rz = thick / (100 * height * width);
  const float max_slope = 3.0e6f / (0.5f * thick * 1.75e6f), step = 0.001f / max_slope * 100;
  float *temp = (float*)malloc(n * sizeof(float)), *power = (float*)malloc(n * sizeof(float));
  float *out = (float*)malloc(n * sizeof(float)), *next = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) {
    temp[i] = 320.0f + (i * 97 % 113) * 0.1f;
    power[i] = (i * 31 % 61) * 1e-4f;
  }
  const int border = pyramid * EXPAND_RATE / 2, small_block = BLOCK_SIZE - pyramid * EXPAND_RATE;
  const dim3 block(BLOCK_SIZE, BLOCK_SIZE),
      grid((cols + small_block - 1) / small_block, (rows + small_block - 1) / small_block);
  printf("pyramidHeight: %d gridSize: [%d, %d] border: [%d, %d] blockGrid: [%u, %u]\n", pyramid, cols, rows,
         border, border, grid.x, grid.y);
  float *d_temp[2], *d_power;
  cudaMalloc((void**)&d_temp[0], n * sizeof(float));
  cudaMalloc((void**)&d_temp[1], n * sizeof(float));
  cudaMalloc((void**)&d_power, n * sizeof(float));
  cudaMemcpy(d_temp[0], temp, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_power, power, n * sizeof(float), cudaMemcpyHostToDevice);
  int src = 1, dst = 0;
  for (int t = 0; t < total; t += pyramid) {
    const int swap = src;
    src = dst;
    dst = swap;
    calculate_temp<<<grid, block>>>(MIN(pyramid, total - t), d_power, d_temp[src], d_temp[dst], cols, rows,
                                    border, border, Cap, Rx, Ry, Rz, step);
  }
  if (cudaGetLastError() != cudaSuccess) return 2;
  cudaMemcpy(out, d_temp[dst], n * sizeof(float), cudaMemcpyDeviceToHost);

  for (int t = 0; t < total; t++) {
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < cols; x++) {
        const float c = temp[y * cols + x];
        const float north = temp[(y > 0 ? y - 1 : 0) * cols + x],
                    south = temp[(y < rows - 1 ? y + 1 : y) * cols + x];
        const float west = temp[y * cols + (x > 0 ? x - 1 : 0)],
                    east = temp[y * cols + (x < cols - 1 ? x + 1 : x)];
        next[y * cols + x] = c + step / Cap *
                                     (power[y * cols + x] + (south + north - 2.0f * c) / Ry +
                                      (east + west - 2.0f * c) / Rx + (80.0f - c) / Rz);
      }
    float* swap = temp;
    temp = next;
    next = swap;
  }
  int bad = 0;
  for (int i = 0; i < n; i++) bad += fabsf(out[i] - temp[i]) > 1e-2f;
  printf("%d of %d temperatures differ\n%s\n", bad, n, bad == 0 ? "PASSED" : "FAILED");
  return bad != 0;
}
