// 3 x 3 x 3 convolution of a volume (PolyBench-GPU's 3DCONV): one plane i per launch, one thread per output.
// Eleven different neighbours are read from three planes; four of the fifteen terms of the original name one
// again.
#include "heddle_device.h"

extern "C" __global__ void convolution3d(float* a, float* b, int i, int ni, int nj, int nk) {
  const float c11 = 2, c12 = -3, c13 = 4;
  const float c21 = 5, c22 = 6, c23 = 7;
  const float c31 = -8, c32 = -9, c33 = 10;
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;

  if (i > 0 && i < ni - 1 && j > 0 && j < nj - 1 && k > 0 && k < nk - 1) {
    const float* const before = a + (i - 1) * (nk * nj);
    const float* const here = a + i * (nk * nj);
    const float* const after = a + (i + 1) * (nk * nj);
    b[i * (nk * nj) + j * nk + k] =
        c11 * before[(j - 1) * nk + (k - 1)] + c13 * after[(j - 1) * nk + (k - 1)] +
        c21 * before[(j - 1) * nk + (k - 1)] + c23 * after[(j - 1) * nk + (k - 1)] +
        c31 * before[(j - 1) * nk + (k - 1)] + c33 * after[(j - 1) * nk + (k - 1)] +
        c12 * here[(j - 1) * nk + k] + c22 * here[j * nk + k] + c32 * here[(j + 1) * nk + k] +
        c11 * before[(j - 1) * nk + (k + 1)] + c13 * after[(j - 1) * nk + (k + 1)] +
        c21 * before[j * nk + (k + 1)] + c23 * after[j * nk + (k + 1)] +
        c31 * before[(j + 1) * nk + (k + 1)] + c33 * after[(j + 1) * nk + (k + 1)];
  }
}
