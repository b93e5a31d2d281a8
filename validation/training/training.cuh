// What the kernels of this folder share. Names are plain (extern "C"), so that driver and profiler find them.
#pragma once

#define KERNEL extern "C" __global__ void

__device__ __forceinline__ unsigned mix(unsigned x) {  // integer hash
  x ^= x >> 16, x *= 0x7feb352du;
  x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
__device__ __forceinline__ float unit(unsigned x) {
  return (x >> 8) * 0x1p-24f;
}  // to [0, 1)
__device__ __forceinline__ int global_id() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
