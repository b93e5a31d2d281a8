// What a CUDA kernel needs from the CUDA toolkit's headers, for Debian's clang without the toolkit.
//
// Flags: tools/make_ptx. A program that also has host code includes <cuda_runtime.h>, which lies beside this
// file and declares the host interface too.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __restrict__ __restrict

// For the functions of these headers: on the device only, and always inlined, so that a kernel that does not
// use them has no trace of them in its PTX.
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((always_inline, unused))
#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((always_inline, unused))

#include "heddle_vector.h"

// threadIdx.x and friends read a special register each time they are named.
#define HEDDLE_COORDINATE(name, reg, type)                                                          \
  struct heddle_##name {                                                                            \
    __declspec(property(get = get_x)) unsigned x;                                                   \
    __declspec(property(get = get_y)) unsigned y;                                                   \
    __declspec(property(get = get_z)) unsigned z;                                                   \
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_##reg##_y(); } \
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_##reg##_z(); } \
    __device__ __forceinline__ operator type() const { return type{get_x(), get_y(), get_z()}; }    \
  };                                                                                                \
  extern const __device__ heddle_##name name;
HEDDLE_COORDINATE(threadIdx, tid, uint3)
HEDDLE_COORDINATE(blockIdx, ctaid, uint3)
HEDDLE_COORDINATE(blockDim, ntid, dim3)
HEDDLE_COORDINATE(gridDim, nctaid, dim3)
#undef HEDDLE_COORDINATE

__attribute__((device, unused)) static const int warpSize = 32;

#include "heddle_atomic.h"
#include "heddle_intrinsics.h"
#include "heddle_math.h"
#include "heddle_math_double.h"
#include "heddle_texture.h"
#include "heddle_warp.h"
