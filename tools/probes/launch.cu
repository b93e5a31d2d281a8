// What a launch, cold instructions and a loop cost, and what one SM, a TPC and a GPC can draw from L1 and L2.
//   nvcc -O3 -std=c++17 -arch=sm_90 launch.cu -o launch && ./launch
//   ncu --csv --clock-control none --cache-control all|none --metrics gpc__cycles_elapsed.max,sm__cycles_active.max,
//     sm__cycles_active.avg ./launch short      (all: caches cold)
#include <cstdio>
#include <cuda_runtime.h>
__global__ void empty() {}
__global__ void store(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void copy(float* a) { a[threadIdx.x + 4096] = a[threadIdx.x]; }
__global__ void chase(int* a) { a[4096] = a[a[a[threadIdx.x]]]; }
template <int N> __global__ void straight(float* a, float x) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  a[threadIdx.x] = x;
}
template <int N> __global__ void loop(long long* t, float x) {
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < 1000; ++i)
#pragma unroll
    for (int k = 0; k < N; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  t[0] = clock64() - from;
  t[1] = x;
}
// Every lane group reads another of `lines` lines of 16 KiB.
__global__ void hits(const int* a, long long* t, int lines) {
  int at = (threadIdx.x % 32) / (32 / lines) * 32 + threadIdx.x % (32 / lines), s = 0;
  long long from;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 8
    for (int i = 0; i < 256; ++i) { int v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(a + ((at + i * 32) & 4095))); s += v; }
  }
  if (s == 1) t[1] = s;
  __syncthreads();
  t[0] = clock64() - from;
}
__global__ void __cluster_dims__(16) draw(const uint4* a, long long* t, int k) {
  unsigned r, s = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  if (r >= k) return;
  long long from;
  for (int n = 0; n < 2; ++n) {
    __syncthreads();
    from = clock64();
#pragma unroll 4
    for (int i = threadIdx.x; i < 32768; i += 1024) { uint4 v = __ldcg(a + r * 32768 + i); s += v.x ^ v.y ^ v.z ^ v.w; }
    if (s == 1) t[100] = s;
    __syncthreads();
  }
  t[r] = clock64() - from;
}
long long *t, h[64];
void show(const char* what, int p, double per) {
  cudaMemcpy(h, t, 512, cudaMemcpyDeviceToHost);
  printf("%s %d: %.2f %s\n", what, p, h[0] / per, cudaGetErrorString(cudaGetLastError()));
}
int main(int c, char**) {
  float* a; cudaMalloc(&a, 64 << 20); cudaMemset(a, 0, 64 << 20); cudaMalloc(&t, 4096);
  cudaFuncSetAttribute(draw, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute(draw, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  for (int b : {32, 256, 1024}) for (int g : {1, 132, 1024, 4096, 16384}) empty<<<g, b>>>();
  for (int g : {1, 132, 1024}) store<<<g, 256>>>(a);
  copy<<<1, 32>>>(a); chase<<<1, 32>>>((int*)a + (4 << 20));
  straight<16><<<1, 32>>>(a, 1); straight<128><<<1, 32>>>(a, 1); straight<1024><<<1, 32>>>(a, 1); straight<4096><<<1, 32>>>(a, 1);
  straight<1024><<<132, 32>>>(a, 1);
  if (c > 1) return cudaDeviceSynchronize();
  loop<1><<<1, 32>>>(t, 1); show("loop of fma", 1, 1000);
  loop<2><<<1, 32>>>(t, 1); show("loop of fma", 2, 1000);
  loop<8><<<1, 32>>>(t, 1); show("loop of fma", 8, 1000);
  for (int w : {1, 8, 32}) for (int l : {1, 2, 4, 8, 16, 32}) hits<<<1, 32 * w>>>((int*)a, t, l), show("cycles per load, lines", l, 256 * w);
  for (int k : {1, 2, 4, 8, 16}) draw<<<16, 1024, 200 << 10>>>((uint4*)a, t, k), show("cycles for 512 KiB of each of SMs", k, 1);
}
