#include <cstdio>

#include "kernels.h"

__device__ static void swap(int& a, int& b) {
  const int t = a;
  a = b;
  b = t;
}

__global__ void sort(int* numbers, int left, int right, int depth) {
  if (depth == 0) printf("sorts %d numbers\n", right - left + 1);
  if (depth > 12 || right - left < 8) {
    for (int i = left; i < right; ++i)
      for (int j = i + 1; j <= right; ++j)
        if (numbers[j] < numbers[i]) swap(numbers[i], numbers[j]);
    return;
  }
  const int pivot = numbers[(left + right) / 2];
  int i = left, j = right;
  while (i <= j) {
    while (numbers[i] < pivot) ++i;
    while (numbers[j] > pivot) --j;
    if (i <= j) swap(numbers[i++], numbers[j--]);
  }
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (left < j) sort<<<1, 1, 0, stream>>>(numbers, left, j, depth + 1);
  cudaStreamDestroy(stream);
  if (i < right) sort<<<1, 1>>>(numbers, i, right, depth + 1);
}
