// C = alpha A A' + beta C, as PolyBench has it: every thread walks along two rows of A.
#include "common.h"

__global__ void syrk(const float* a, float* c, int n, float alpha, float beta) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = beta * c[i * n + j];
  for (int k = 0; k < n; ++k) sum += alpha * a[i * n + k] * a[j * n + k];
  c[i * n + j] = sum;
}

int main() {
  const int n = 2048;
  const float* a = filled(static_cast<std::size_t>(n) * n, 0);
  float* c = filled(static_cast<std::size_t>(n) * n, 1);
  for (int i = 0; i < 3; ++i) syrk<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, c, n, 0.5f, 0.25f);
  CHECK(cudaGetLastError());
  print_sum("syrk", c, static_cast<std::size_t>(n) * n);
}
