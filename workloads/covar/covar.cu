// Covariance matrix of m variables from n observations (PolyBench-GPU's COVAR), without the division by n.
// Matrices have a row and a column 0 that nobody uses, so rows are m + 1 long and begin at any place within a
// line.
#include "heddle_device.h"

extern "C" __global__ void covar_mean(float* mean, float* data, float float_n, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;

  if (j <= m) {
    mean[j] = 0.0f;
    for (int i = 1; i <= n; ++i) mean[j] += data[i * (m + 1) + j];
    mean[j] /= float_n;
  }
}

extern "C" __global__ void covar_reduce(float* mean, float* data, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int i = blockIdx.y * blockDim.y + threadIdx.y + 1;

  if (i <= n && j <= m) data[i * (m + 1) + j] -= mean[j];
}

// One variable per thread: its covariance with itself and every later one, to both places of the symmetric
// matrix.
extern "C" __global__ void covar_kernel(float* symmat, float* data, int m, int n) {
  const int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;

  if (j1 <= m) {
    for (int j2 = j1; j2 <= m; ++j2) {
      symmat[j1 * (m + 1) + j2] = 0.0f;
      for (int i = 1; i <= n; ++i)
        symmat[j1 * (m + 1) + j2] += data[i * (m + 1) + j1] * data[i * (m + 1) + j2];
      symmat[j2 * (m + 1) + j1] = symmat[j1 * (m + 1) + j2];
    }
  }
}
