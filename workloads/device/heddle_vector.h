// Vector types with CUDA's alignment, and dim3.
#pragma once

// 1 and 3 components have the alignment of one component; 2 and 4 that of the whole, up to 16 bytes.
#define HEDDLE_VECTOR(T, name, align2, align4)                                                      \
  struct name##1 { T x; };                                                                          \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                                      \
  struct name##3 { T x, y, z; };                                                                    \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                                \
  HEDDLE_BOTH name##1 make_##name##1(T x) { return name##1{x}; }                                    \
  HEDDLE_BOTH name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                            \
  HEDDLE_BOTH name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }                    \
  HEDDLE_BOTH name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
HEDDLE_VECTOR(signed char, char, 2, 4)
HEDDLE_VECTOR(unsigned char, uchar, 2, 4)
HEDDLE_VECTOR(short, short, 4, 8)
HEDDLE_VECTOR(unsigned short, ushort, 4, 8)
HEDDLE_VECTOR(int, int, 8, 16)
HEDDLE_VECTOR(unsigned, uint, 8, 16)
HEDDLE_VECTOR(long, long, 16, 16)
HEDDLE_VECTOR(unsigned long, ulong, 16, 16)
HEDDLE_VECTOR(long long, longlong, 16, 16)
HEDDLE_VECTOR(unsigned long long, ulonglong, 16, 16)
HEDDLE_VECTOR(float, float, 8, 16)
HEDDLE_VECTOR(double, double, 16, 16)
#undef HEDDLE_VECTOR

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
