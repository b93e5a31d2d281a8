// The cheapest way through a grid, row by row, with ghost zones in shared memory; integer results, as
// Rodinia's dynamic programs.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check.h"

constexpr int kBlock = 128, kPyramid = 4;

__global__ void step_rows(const int* wall, const int* from, int* to, int columns, int first_row, int rows) {
  __shared__ int previous[kBlock], next[kBlock];
  const int t = threadIdx.x, inner = kBlock - 2 * rows;
  const int x = static_cast<int>(blockIdx.x) * inner - rows + t;
  const bool valid = x >= 0 && x < columns;
  previous[t] = valid ? from[x] : 1 << 29;
  __syncthreads();
  for (int i = 0; i < rows; ++i) {
    if (valid && t > i && t < kBlock - 1 - i) {
      const int best = min(
          previous[t], min(x > 0 ? previous[t - 1] : 1 << 29, x < columns - 1 ? previous[t + 1] : 1 << 29));
      next[t] = best + wall[(first_row + i) * columns + x];
    }
    __syncthreads();
    if (valid && t > i && t < kBlock - 1 - i) previous[t] = next[t];
    __syncthreads();
  }
  if (valid && t >= rows && t < kBlock - rows) to[x] = previous[t];
}

int main() {
  const int columns = 1000, rows = 21;
  std::vector<int> wall(columns * rows);
  unsigned random = 5;
  for (int& w : wall) w = static_cast<int>((random = random * 1664525u + 1013904223u) >> 24) % 10;
  int *d_wall, *d_result[2];
  CHECK(cudaMalloc(&d_wall, wall.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_result[0], columns * sizeof(int)));
  CHECK(cudaMalloc(&d_result[1], columns * sizeof(int)));
  CHECK(cudaMemcpy(d_wall, wall.data(), wall.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_result[0], wall.data(), columns * sizeof(int), cudaMemcpyHostToDevice));
  int from = 0;
  for (int row = 1; row < rows; row += kPyramid) {
    const int now = std::min(kPyramid, rows - row), inner = kBlock - 2 * now;
    step_rows<<<(columns + inner - 1) / inner, kBlock>>>(d_wall, d_result[from], d_result[1 - from], columns,
                                                         row, now);
    CHECK(cudaPeekAtLastError());
    from = 1 - from;
  }
  std::vector<int> result(columns), expected(wall.begin(), wall.begin() + columns);
  CHECK(cudaMemcpy(result.data(), d_result[from], columns * sizeof(int), cudaMemcpyDeviceToHost));
  for (int row = 1; row < rows; ++row) {
    std::vector<int> next(columns);
    for (int x = 0; x < columns; ++x)
      next[x] = wall[row * columns + x] +
                std::min({expected[x], expected[std::max(x - 1, 0)], expected[std::min(x + 1, columns - 1)]});
    expected = next;
  }
  std::printf("costs: %d %d %d ... least %d\n", result[0], result[1], result[2],
              *std::min_element(result.begin(), result.end()));
  std::puts(result == expected ? "PASSED" : "FAILED");
  return result == expected ? 0 : 1;
}
