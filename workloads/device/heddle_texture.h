// Texture objects: fetches from linear memory by integer index, and from rows by two coordinates.
#pragma once

typedef unsigned long long cudaTextureObject_t;

template <class T>
static __device__ T tex1Dfetch(cudaTextureObject_t texture, int x);
template <class T>
static __device__ T tex2D(cudaTextureObject_t texture, float x, float y);

// What is read this way does not change while a kernel runs, so the compiler may move or share a fetch.
template <>
__device__ __forceinline__ float tex1Dfetch<float>(cudaTextureObject_t texture, int x) {
  float r, g, b, a;
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(texture), "r"(x));
  return r;
}
template <>
__device__ __forceinline__ unsigned tex1Dfetch<unsigned>(cudaTextureObject_t texture, int x) {
  unsigned r, g, b, a;
  asm("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=r"(r), "=r"(g), "=r"(b), "=r"(a)
      : "l"(texture), "r"(x));
  return r;
}
template <>
__device__ __forceinline__ uint4 tex2D<uint4>(cudaTextureObject_t texture, float x, float y) {
  uint4 texel;
  asm("tex.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=r"(texel.x), "=r"(texel.y), "=r"(texel.z), "=r"(texel.w)
      : "l"(texture), "f"(x), "f"(y));
  return texel;
}
template <>
__device__ __forceinline__ float4 tex2D<float4>(cudaTextureObject_t texture, float x, float y) {
  float4 texel;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(texel.x), "=f"(texel.y), "=f"(texel.z), "=f"(texel.w)
      : "l"(texture), "f"(x), "f"(y));
  return texel;
}
template <>
__device__ __forceinline__ unsigned tex2D<unsigned>(cudaTextureObject_t texture, float x, float y) {
  return tex2D<uint4>(texture, x, y).x;
}
template <>
__device__ __forceinline__ char tex2D<char>(cudaTextureObject_t texture, float x, float y) {
  int r, g, b, a;
  asm("tex.2d.v4.s32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=r"(r), "=r"(g), "=r"(b), "=r"(a)
      : "l"(texture), "f"(x), "f"(y));
  return static_cast<char>(r);
}
