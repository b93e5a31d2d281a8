// Every token's vector times the matrix of its head: CTAs of a column of the grid read one matrix of 64 KiB.
#include "common.h"

constexpr int kWidth = 128;

__global__ void heads(const float* __restrict__ matrices, const float* __restrict__ tokens, float* out) {
  __shared__ float token[kWidth], half[kWidth];
  const std::size_t here = (static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x) * kWidth;
  const int column = threadIdx.x % kWidth, begin = threadIdx.x / kWidth * (kWidth / 2);
  if (begin == 0) token[column] = tokens[here + column];
  __syncthreads();
  const float* matrix = matrices + static_cast<std::size_t>(blockIdx.x) * kWidth * kWidth;
  float sum = 0;
  for (int row = begin; row < begin + kWidth / 2; ++row) sum += token[row] * matrix[row * kWidth + column];
  if (begin != 0) half[column] = sum;
  __syncthreads();
  if (begin == 0) out[here + column] = sum + half[column];
}

int main() {
  const int count = 64, tokens = 4096;
  const std::size_t vectors = static_cast<std::size_t>(tokens) * count * kWidth;
  const float* matrices = filled(static_cast<std::size_t>(count) * kWidth * kWidth, 0);
  const float* in = filled(vectors, 1);
  float* out = filled(vectors, 2);
  for (int i = 0; i < 10; ++i) heads<<<dim3(count, tokens), 2 * kWidth>>>(matrices, in, out);
  CHECK(cudaGetLastError());
  print_sum("heads", out, vectors);
}
