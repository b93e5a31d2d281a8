// How the requests of a GPC's SMs that walk through the same rows (or columns) of a matrix merge: by loads in flight, by where
// neighbouring sectors lie, by the number of SMs and by how the CTAs start.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/lrc_stream.cu -o lrc_stream
//   ncu --csv --clock-control none --cache-control all|none --metrics l1tex__m_xbar2l1tex_read_sectors.sum,
//     lts__t_sectors_srcunit_tex_op_read.sum,gpc__cycles_elapsed.max ./lrc_stream
// CTAs of 16 x 16 threads, grid `sms` x 1: one row of CTAs, so one GPC. rows: thread row y reads its row from left to right (A of a
// matrix product); columns: thread column x reads down its column of a block that all CTAs share (B).
#include <cstdio>
#include <cuda_runtime.h>
__device__ __forceinline__ float load(const float* p) {
  float v;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}
// spread: sectors of a row lie in lines of their own.
template <int U, bool Columns, bool Spread>
__global__ void walk(const float* a, float* c, int n) {
  float s = 0;
  for (int i = 0; i < n; i += U) {
    float v[U];
#pragma unroll
    for (int k = 0; k < U; ++k) {
      const int at = i + k;
      v[k] = load(a + (Columns ? at * n + threadIdx.x : threadIdx.y * n * (Spread ? 4 : 1) + (Spread ? at / 8 * 32 + at % 8 : at)));
    }
#pragma unroll
    for (int k = 0; k < U; ++k) s += v[k];
  }
  c[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = s;
}
int main() {
  const int n = 256;
  float *a, *c;
  cudaMalloc(&a, 16 << 20), cudaMalloc(&c, 1 << 20);
  cudaMemset(a, 0, 16 << 20);
  const dim3 t(16, 16), narrow(16, 2);
  for (int g : {1, 2, 4, 16}) {
    walk<1, false, false><<<g, t>>>(a, c, n);
    walk<4, false, false><<<g, t>>>(a, c, n);
    walk<8, false, false><<<g, t>>>(a, c, n);
    walk<16, false, false><<<g, t>>>(a, c, n);
    walk<32, false, false><<<g, t>>>(a, c, n);
    walk<4, false, true><<<g, t>>>(a, c, n);
    walk<16, false, true><<<g, t>>>(a, c, n);
    walk<32, false, true><<<g, t>>>(a, c, n);
    walk<1, true, false><<<g, t>>>(a, c, n);
    walk<4, true, false><<<g, t>>>(a, c, n);
    walk<16, true, false><<<g, t>>>(a, c, n);
    walk<16, false, false><<<g, narrow>>>(a, c, n);
    walk<16, true, false><<<g, narrow>>>(a, c, n);
  }
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
