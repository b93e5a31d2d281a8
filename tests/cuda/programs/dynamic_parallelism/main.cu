// Kernels that launch kernels, also of another file.
// nvcc: -rdc=true -lcudadevrt
#include "../check.h"
#include "kernels.h"

__global__ void tree(int* visits, int depth, int node) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = atomicAdd(&visits[node], 1);
  if (threadIdx.x == 0 && node == 0) printf("a tree of depth %d\n", depth);
  __syncthreads();
  if (depth == 0 || threadIdx.x >= 2 || mine != 0) return;
  tree<<<1, 32>>>(visits, depth - 1, 2 * node + 1 + threadIdx.x);
}

__global__ void fill(Block block, int value) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = value + threadIdx.x;
  __syncthreads();
  block.out[blockIdx.x * blockDim.x + threadIdx.x] = block.scale[2] * cells[blockDim.x - 1 - threadIdx.x];
}

__global__ void fill_all(Block* blocks, int n, int* errors) {
  if (threadIdx.x >= n) return;
  fill<<<2, 32, 32 * sizeof(int)>>>(blocks[threadIdx.x], 10 * threadIdx.x);
  atomicAdd(errors, static_cast<int>(cudaGetLastError()));
}

// The child of a tail launch sees all that its parent has done.
__global__ void last(int* p) {
  *p = *p * 2;
}
__global__ void first(int* p) {
  last<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
  int* own = nullptr;
  cudaMalloc(&own, sizeof(int));
  *own = 21;
  *p = *own;
  cudaFree(own);
}

int main() {
  Checks checks;
  int *numbers, *errors;
  Block* blocks;
  CHECK(cudaMallocManaged(&numbers, 1024 * sizeof(int)));
  CHECK(cudaMallocManaged(&errors, sizeof(int)));
  CHECK(cudaMallocManaged(&blocks, 4 * sizeof(Block)));

  for (int i = 0; i < 1024; ++i) numbers[i] = 0;
  tree<<<1, 32>>>(numbers, 4, 0);
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < 64; ++i) good = good && numbers[i] == (i < 31 ? 1 : 0);
  checks.expect(good, "a tree of launches");

  for (int i = 0; i < 128; ++i) numbers[i] = i * 7919 % 1009;
  sort<<<1, 1>>>(numbers, 0, 127, 0);
  CHECK(cudaDeviceSynchronize());
  good = true;
  for (int i = 1; i < 128; ++i) good = good && numbers[i - 1] <= numbers[i];
  checks.expect(good, "a recursive sort of another file");

  *errors = 0;
  for (int i = 0; i < 4; ++i) blocks[i] = {{0, 0, i + 1, 0}, numbers + 64 * i};
  fill_all<<<1, 32>>>(blocks, 4, errors);
  CHECK(cudaDeviceSynchronize());
  good = *errors == 0;
  for (int i = 0; i < 256; ++i) good = good && numbers[i] == (i / 64 + 1) * (10 * (i / 64) + 31 - i % 32);
  checks.expect(good, "structures and dynamic shared memory");

  first<<<1, 1>>>(numbers);
  CHECK(cudaDeviceSynchronize());
  checks.expect(numbers[0] == 42, "a tail launch");
  return checks.finish();
}
