// Rodinia's gaussian: elimination of one column after another. Rows go with threadIdx.x, so that a warp's
// accesses lie a row apart.
#include "heddle_device.h"

// The multipliers of column t.
extern "C" __global__ void fan1(float* m, const float* a, int size, int t) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= size - 1 - t) return;
  m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

// Subtracts row t from those below it.
extern "C" __global__ void fan2(const float* m, float* a, float* b, int size, int t) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size - 1 - t || y >= size - t) return;
  a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
  if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
}
