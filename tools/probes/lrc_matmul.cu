// Which of a matrix product's requests the card's coalescer merges: the kernel of validation/ptx/matmul_naive.cu with
// both matrices, one made private to each CTA, or one left out.
//   nvcc -O2 -arch=sm_90 tools/probes/lrc_matmul.cu -o lrc_matmul
//   ncu --csv --clock-control none --cache-control all|none --metrics l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum,gpc__cycles_elapsed.max ./lrc_matmul
// Results: validation/data/h200_lrc_matmul.csv
#include <cstdio>

enum Mode { kBoth, kOwnB, kOwnA, kOnlyA, kOnlyB };

template <int M>
__global__ void mm(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  const float* A = M == kOwnA ? a + (size_t)(blockIdx.x + 1) * n * n : a;
  const float* B = M == kOwnB ? b + (size_t)(blockIdx.y + 1) * n * n : b;
  float s = 0;
  for (int i = 0; i < n; i++) {
    if (M == kOnlyA)
      s += A[row * n + i];
    else if (M == kOnlyB)
      s += B[i * n + col];
    else
      s += A[row * n + i] * B[i * n + col];
  }
  c[row * n + col] = s;
}

int main() {
  const int n = 256;
  const size_t bytes = 18ull * n * n * 4;
  float *a, *b, *c;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, n * n * 4);
  cudaMemset(a, 0, bytes);
  cudaMemset(b, 0, bytes);
  const dim3 all(16, 16), t(16, 16);
  mm<kBoth><<<all, t>>>(a, b, c, n);
  mm<kOwnB><<<all, t>>>(a, b, c, n);
  mm<kOwnA><<<all, t>>>(a, b, c, n);
  mm<kOnlyA><<<all, t>>>(a, b, c, n);
  mm<kOnlyB><<<all, t>>>(a, b, c, n);
  mm<kBoth><<<dim3(16, 8), t>>>(a, b, c, n);
  mm<kOnlyB><<<dim3(16, 8), t>>>(a, b, c, n);
  mm<kOnlyA><<<dim3(16, 8), t>>>(a, b, c, n);
  mm<kOnlyB><<<dim3(16, 2), t>>>(a, b, c, n);
  mm<kOnlyA><<<dim3(16, 1), t>>>(a, b, c, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
