// What a CUDA kernel needs from <cuda_runtime.h>, for Debian's clang without the CUDA toolkit.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __restrict__ __restrict

struct uint3 { unsigned x, y, z; };
struct int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };

// threadIdx.x and friends read a special register each time they are named.
#define HEDDLE_COORDINATE(name, reg)                                                              \
  struct heddle_##name {                                                                          \
    __declspec(property(get = get_x)) unsigned x;                                                 \
    __declspec(property(get = get_y)) unsigned y;                                                 \
    __declspec(property(get = get_z)) unsigned z;                                                 \
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_##reg##_y(); } \
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_##reg##_z(); } \
  };                                                                                              \
  extern const __device__ heddle_##name name;
HEDDLE_COORDINATE(threadIdx, tid)
HEDDLE_COORDINATE(blockIdx, ctaid)
HEDDLE_COORDINATE(blockDim, ntid)
HEDDLE_COORDINATE(gridDim, nctaid)
#undef HEDDLE_COORDINATE

