// Correlation matrix of m variables from n observations (PolyBench-GPU's CORR). Matrices have a row and a
// column 0 that nobody uses, so rows are m + 1 long and begin at any place within a line.
#include "heddle_device.h"

extern "C" __global__ void corr_mean(float* mean, float* data, float float_n, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;

  if (j <= m) {
    mean[j] = 0.0f;
    for (int i = 1; i <= n; ++i) mean[j] += data[i * (m + 1) + j];
    mean[j] /= float_n;
  }
}

extern "C" __global__ void corr_deviation(float* mean, float* deviation, float* data, float float_n, int m,
                                          int n) {
  const float least = 0.005f;  // a variable that hardly varies is not divided by almost nothing
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;

  if (j <= m) {
    deviation[j] = 0.0f;
    for (int i = 1; i <= n; ++i)
      deviation[j] += (data[i * (m + 1) + j] - mean[j]) * (data[i * (m + 1) + j] - mean[j]);
    deviation[j] /= float_n;
    deviation[j] = sqrtf(deviation[j]);
    if (deviation[j] <= least) deviation[j] = 1.0f;
  }
}

extern "C" __global__ void corr_reduce(float* mean, float* deviation, float* data, float root_n, int m,
                                       int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int i = blockIdx.y * blockDim.y + threadIdx.y + 1;

  if (i <= n && j <= m) {
    data[i * (m + 1) + j] -= mean[j];
    data[i * (m + 1) + j] /= root_n * deviation[j];
  }
}

// One variable per thread: its correlation with every later one, to both places of the symmetric matrix.
extern "C" __global__ void corr_kernel(float* symmat, float* data, int m, int n) {
  const int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;

  if (j1 < m) {
    symmat[j1 * (m + 1) + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 <= m; ++j2) {
      symmat[j1 * (m + 1) + j2] = 0.0f;
      for (int i = 1; i <= n; ++i)
        symmat[j1 * (m + 1) + j2] += data[i * (m + 1) + j1] * data[i * (m + 1) + j2];
      symmat[j2 * (m + 1) + j1] = symmat[j1 * (m + 1) + j2];
    }
  }
}
