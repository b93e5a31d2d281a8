// Names nearly everything that workloads/device offers to a kernel, beside the standard headers that a CUDA
// program usually includes. It is compiled, not run.
#include <cuda_runtime.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Pair {
  float2 a;
  int4 b;
};
__constant__ float table[64];
__device__ int counter;

template <class T>
__device__ T atomics(T* p, T v) {
  T r = atomicAdd(p, v) + atomicExch(p, v) + atomicMin(p, v) + atomicMax(p, v) + atomicAnd(p, v) + atomicOr(p, v) +
        atomicXor(p, v) + atomicCAS(p, v, v);
  r += atomicAdd_block(p, v) + atomicExch_block(p, v) + atomicMin_block(p, v) + atomicCAS_block(p, v, r);
  r += atomicAdd_system(p, v) + atomicOr_system(p, v) + atomicMax_system(p, v) + atomicCAS_system(p, v, r);
  return r;
}

__global__ void atomics_kernel(int* i, unsigned* u, unsigned long long* ull, long long* ll, float* f, double* d) {
  atomics(i, 3);
  atomics(u, 3u);
  atomics(ull, 3ull);
  atomics(ll, 3ll);
  atomicSub(i, 2);
  atomicSub(u, 2u);
  u[1] = atomicInc(u, 7u) + atomicDec(u, 7u) + atomicInc_block(u, 3u);
  f[1] = atomicAdd(f, 1.0f) + atomicExch(f, 2.0f) + atomicAdd_block(f, 1.0f) + atomicAdd_system(f, 1.0f);
  d[1] = atomicAdd(d, 1.0) + atomicAdd_block(d, 1.0) + atomicExch(d, 2.0);
  atomicAdd(&counter, 1);
}

__global__ void warp_kernel(int* i, float* f, double* d, unsigned long long* ull) {
  const unsigned all = 0xffffffffu;
  __syncthreads();
  __syncwarp();
  __syncwarp(__activemask());
  i[0] = __syncthreads_count(i[1]) + __syncthreads_and(i[1]) + __syncthreads_or(i[1]);
  i[2] = __shfl_sync(all, i[3], 5) + __shfl_up_sync(all, i[3], 1) + __shfl_down_sync(all, i[3], 1, 16);
  f[2] = __shfl_xor_sync(all, f[3], 1) + __shfl_down_sync(all, f[3], 2);
  d[2] = __shfl_xor_sync(all, d[3], 1);
  ull[2] = __shfl_sync(all, ull[3], 1);
  i[4] = __ballot_sync(all, i[5] > 3) + __all_sync(all, i[5]) + __any_sync(all, i[5]);
  int same;
  i[6] = __match_any_sync(all, i[7]) + __match_any_sync(all, ull[4]) + __match_all_sync(all, i[7], &same) + same;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
}

__global__ void integer_kernel(int* i, unsigned* u, unsigned long long* ull, const float4* v, float* f, double* d) {
  const int x = i[threadIdx.x + blockIdx.y * blockDim.x * gridDim.z];
  const unsigned y = u[0];
  i[1] = __popc(y) + __popcll(ull[0]) + __clz(x) + __clzll(ull[1]) + __ffs(x) + __ffsll(ull[2]);
  u[1] = __brev(y) + __byte_perm(y, u[2], 0x3210) + __funnelshift_l(y, u[2], 3) + __funnelshift_rc(y, u[2], 40) +
         __umulhi(y, 5) + __mulhi(x, 5) + __mul24(x, 3) + __umul24(y, 3) + __sad(x, 2, y) + __usad(y, 2, 1);
  ull[3] = __umul64hi(ull[4], ull[5]) + __brevll(ull[4]) + clock64() + clock() + __mul64hi(x, 3);
  const float4 w = __ldg(v);
  f[0] = w.x + w.y + __ldg(f + 9) + table[x & 63] + warpSize + min(x, 3) + max(y, 3u) + min(2.0f, w.z);
  i[2] = __float_as_int(f[1]) + __float2int_rn(f[2]) + __float2int_rz(f[2]) + __double2int_rd(d[0]) + abs(x) +
         __float2uint_ru(f[2]) + __dp4a(x, 7, 9) + __double2hiint(d[1]);
  f[3] = __int_as_float(x) + __int2float_rn(x) + __uint2float_rz(y) + __double2float_rn(d[0]);
  d[2] = __longlong_as_double(ull[6]) + __hiloint2double(x, 3) + max(d[3], 1.0);
}

__global__ void math_kernel(float* f, double* d, int n) {
  const float x = f[0], y = f[1];
  float s, c;
  sincosf(x, &s, &c);
  f[2] = sqrtf(x) + rsqrtf(x) + fabsf(x) + fminf(x, y) + fmaxf(x, y) + floorf(x) + ceilf(x) + truncf(x) + rintf(x) +
         roundf(x) + fmodf(x, y) + fmaf(x, y, s) + copysignf(x, y) + hypotf(x, y);
  f[3] = expf(x) + exp2f(x) + exp10f(x) + expm1f(x) + logf(x) + log2f(x) + log10f(x) + log1pf(x) + powf(x, y) + c;
  f[4] = sinf(x) + cosf(x) + tanf(x) + tanhf(x) + sinhf(x) + coshf(x) + atanf(x) + atan2f(x, y) + asinf(x) + acosf(x) +
         erff(x);
  f[5] = __fdividef(x, y) + __expf(x) + __logf(x) + __powf(x, y) + __sinf(x) + __cosf(x) + __tanf(x) + __log2f(x) +
         __fsqrt_rn(x) + __frcp_rn(x) + __fadd_rn(x, y) + __fmul_rn(x, y) + __fmaf_rn(x, y, x) + __saturatef(x);
  f[6] = exp(x) + sqrt(x) + fabs(x) + pow(x, y) + std::sqrt(x) + std::fabs(y);
  d[2] = sqrt(d[0]) + fabs(d[1]) + floor(d[0]) + ceil(d[0]) + fma(d[0], d[1], d[0]) + exp(d[0]) + log(d[0]) +
         pow(d[0], d[1]) + sin(d[0]) + cos(d[0]) + rsqrt(d[1]);
  Pair p;
  p.a = make_float2(x, y);
  p.b = make_int4(1, 2, 3, n);
  f[7] = p.a.x + p.b.w;
  if (isnan(x) || isinf(y)) printf("lane %d: %f %s\n", n, x, "not finite");
  assert(n > 0);
}

// Host code as programs have it; parsed only.
int main() {
  float* p;
  std::vector<float> host(64);
  if (cudaMalloc(&p, 256) != cudaSuccess) return 1;
  cudaMemcpy(p, host.data(), 256, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(table, host.data(), sizeof(table));
  cudaEvent_t start;
  cudaEventCreate(&start);
  cudaEventRecord(start);
  dim3 grid(4, 2), block(32);
  math_kernel<<<grid, block>>>(p, nullptr, 3);
  math_kernel<<<4, 32, 128, 0>>>(p, nullptr, 3);
  printf("%s %f\n", cudaGetErrorString(cudaGetLastError()), sqrtf(host[0]) + expf(host[1]) + std::pow(2.0, 3));
  cudaDeviceSynchronize();
  cudaFree(p);
  return 0;
}
