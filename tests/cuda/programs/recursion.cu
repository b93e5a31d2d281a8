// Functions that call themselves and each other, with local arrays, at different depths in one warp.
#include <algorithm>
#include <vector>

#include "check.h"

__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n) {
  return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned n) {
  return n != 0 && is_even(n - 1);
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ void quicksort(int* data, int left, int right) {
  while (left < right) {
    const int pivot = data[(left + right) / 2];
    int i = left, j = right;
    while (i <= j) {
      while (data[i] < pivot) ++i;
      while (data[j] > pivot) --j;
      if (i <= j) {
        const int t = data[i];
        data[i++] = data[j];
        data[j--] = t;
      }
    }
    if (left < j) quicksort(data, left, j);
    left = i;
  }
}

// The queens of n x n: the board is on the stack.
__device__ int queens(int n, int row, int* columns) {
  if (row == n) return 1;
  int found = 0;
  for (int c = 0; c < n; ++c) {
    bool free = true;
    for (int r = 0; r < row && free; ++r)
      free = columns[r] != c && columns[r] - c != row - r && c - columns[r] != row - r;
    if (!free) continue;
    columns[row] = c;
    found += queens(n, row + 1, columns);
  }
  return found;
}

__global__ void numbers(unsigned* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x % 11) * 10 + (is_even(threadIdx.x) ? 1 : 0);
  if (threadIdx.x == 0) out[64] = ackermann(2, 3);
}

__global__ void sort(int* data, int each) {
  quicksort(data + threadIdx.x * each, 0, each - 1);
}

__global__ void place_queens(int* out) {
  int columns[8];
  out[threadIdx.x] = queens(threadIdx.x % 6 + 1, 0, columns);
}

int main() {
  Checks checks;
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  unsigned* d_numbers;
  unsigned host[65];
  CHECK(cudaMalloc(&d_numbers, sizeof host));
  numbers<<<1, 64>>>(d_numbers);
  CHECK(cudaMemcpy(host, d_numbers, sizeof host, cudaMemcpyDeviceToHost));
  const unsigned expected[11] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  bool good = true;
  for (unsigned i = 0; i < 64; ++i) good = good && host[i] == expected[i % 11] * 10 + (i % 2 == 0 ? 1 : 0);
  checks.expect(good, "fibonacci numbers, and two functions that call each other");
  checks.expect(host[64] == 9, "ackermann(2, 3)");

  const int each = 40;
  std::vector<int> data(32 * each);
  unsigned random = 3;
  for (int& v : data) v = static_cast<int>((random = random * 1664525u + 1013904223u) >> 22);
  int* d_data;
  CHECK(cudaMalloc(&d_data, data.size() * sizeof(int)));
  CHECK(cudaMemcpy(d_data, data.data(), data.size() * sizeof(int), cudaMemcpyHostToDevice));
  sort<<<1, 32>>>(d_data, each);
  std::vector<int> sorted(data.size());
  CHECK(cudaMemcpy(sorted.data(), d_data, data.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) std::sort(data.begin() + t * each, data.begin() + (t + 1) * each);
  checks.expect(sorted == data, "quicksort, one list per thread");

  place_queens<<<1, 32>>>(reinterpret_cast<int*>(d_numbers));
  CHECK(cudaMemcpy(host, d_numbers, 6 * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("queens: %u %u %u %u %u %u\n", host[0], host[1], host[2], host[3], host[4], host[5]);
  checks.expect(host[4] == 10 && host[5] == 4, "queens on boards of 1 to 6");
  return checks.finish();
}
