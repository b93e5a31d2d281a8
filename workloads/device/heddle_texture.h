// Texture objects: fetches from linear memory by integer index.
#pragma once

typedef unsigned long long cudaTextureObject_t;

template <class T>
static __device__ T tex1Dfetch(cudaTextureObject_t texture, int x);

// What is read this way does not change while a kernel runs, so the compiler may move or share a fetch.
template <>
__device__ __forceinline__ float tex1Dfetch<float>(cudaTextureObject_t texture, int x) {
  float r, g, b, a;
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(texture), "r"(x));
  return r;
}
