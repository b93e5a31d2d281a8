// 3 x 3 convolution of a matrix, one thread per output (PolyBench-GPU's 2DCONV). No shared memory: the nine
// neighbours come from the caches, and CTAs share the rows and columns at their edges.
#include "heddle_device.h"

extern "C" __global__ void convolution2d(const float* a, float* b, int rows, int columns) {
  const float c11 = 0.2f, c12 = -0.3f, c13 = 0.4f;
  const float c21 = 0.5f, c22 = 0.6f, c23 = 0.7f;
  const float c31 = -0.8f, c32 = -0.9f, c33 = 0.1f;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i > 0 && i < rows - 1 && j > 0 && j < columns - 1) {
    b[i * columns + j] = c11 * a[(i - 1) * columns + (j - 1)] + c12 * a[(i - 1) * columns + j] +
                         c13 * a[(i - 1) * columns + (j + 1)] + c21 * a[i * columns + (j - 1)] +
                         c22 * a[i * columns + j] + c23 * a[i * columns + (j + 1)] +
                         c31 * a[(i + 1) * columns + (j - 1)] + c32 * a[(i + 1) * columns + j] +
                         c33 * a[(i + 1) * columns + (j + 1)];
  }
}
