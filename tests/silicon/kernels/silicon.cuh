// What the kernels here share. Every kernel takes random words and writes words, so that one recorder and
// one test serve them all; values of other types are made from words and stored as their bits.
#pragma once

typedef unsigned u32;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__ void

static __device__ __forceinline__ int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ __forceinline__ float unit(u32 w) { return (w >> 8) * 0x1p-24f; }  // [0, 1)
static __device__ __forceinline__ float between(u32 w, float lo, float hi) {
  return __fmaf_rn(hi - lo, unit(w), lo);  // fused in every variant
}
static __device__ __forceinline__ double unit64(u32 a, u32 b) {
  return (((u64)a << 32 | b) >> 11) * 0x1p-53;
}
static __device__ __forceinline__ u32 bits(float f) { return __float_as_uint(f); }
static __device__ __forceinline__ void put64(u32* out, int i, u64 v) {
  out[2 * i] = (u32)v;
  out[2 * i + 1] = (u32)(v >> 32);
}
static __device__ __forceinline__ u64 bits(double d) { return (u64)__double_as_longlong(d); }
