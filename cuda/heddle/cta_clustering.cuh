// Software CTA clustering for CUDA: CTAs that read the same data run on the same SM, one after another or
// side by side, so that its L1 cache serves them. After "Locality-Aware CTA Clustering for Modern GPUs" (Li
// et al., ASPLOS 2017), with its equations corrected and tasks claimed dynamically. Manual:
// docs/cta_clustering.md.
//
//   struct Body {
//     __device__ void operator()(const heddle::clustering::Cta& cta, float* out) const { ... cta.blockIdx.x
//     ... }
//   };
//   heddle::clustering::Workspace workspace;
//   heddle::clustering::launch({grid, block}, workspace, heddle::clustering::RowMajor(), Body(), out);
//
// Headers only; CUDA 11 or later, C++14 or later. partition.h and claim.h are plain C++.
#pragma once

#include "cta_clustering/claim.h"
#include "cta_clustering/kernels.cuh"
#include "cta_clustering/launch.cuh"
#include "cta_clustering/memory.cuh"
#include "cta_clustering/partition.h"

// Makes a body of an old kernel: __global__ void name(int* a, int n) { ... } becomes
//
//   HEDDLE_CLUSTERED_KERNEL(name, int* a, int n) { ... }
//
// and is launched with name() as the body. blockIdx and gridDim inside are those of the original grid,
// `return` ends one CTA's work. A template: write struct name : heddle::clustering::Kernel { __device__ void
// run(...) { ... } } instead.
#define HEDDLE_CLUSTERED_KERNEL(name, ...)     \
  struct name : ::heddle::clustering::Kernel { \
    inline __device__ void run(__VA_ARGS__);   \
  };                                           \
  inline __device__ void name::run(__VA_ARGS__)
