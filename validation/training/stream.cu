// Streams: reads to writes in several ratios, widths, cache operators, shapes of grids.
#include "training.cuh"

KERNEL copy_f32(const float* a, float* b, int n) {
  const int i = global_id();
  if (i < n) b[i] = a[i];
}
KERNEL copy_f128(const float4* a, float4* b, int n) {
  const int i = global_id();
  if (i < n) b[i] = a[i];
}
KERNEL copy_u8(const unsigned char* a, unsigned char* b, int n) {
  const int i = global_id();
  if (i < n) b[i] = a[i];
}
KERNEL copy_u16(const unsigned short* a, unsigned short* b, int n) {
  const int i = global_id();
  if (i < n) b[i] = a[i] + 1;
}
KERNEL copy_shifted(const float* a, float* b, int n, int shift) {  // source not aligned to lines
  const int i = global_id();
  if (i < n) b[i] = a[i + shift];
}
KERNEL copy_stride_grid(const float* __restrict__ a, float* __restrict__ b, int n) {
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) b[i] = a[i] * 0.5f;
}
KERNEL copy_unrolled(const float* __restrict__ a, float* __restrict__ b,
                     int n) {  // eight loads, then eight stores
  const int base = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = a[base + k * blockDim.x];
#pragma unroll
  for (int k = 0; k < 8; ++k) b[base + k * blockDim.x] = v[k] + 1;
}
KERNEL add_f32(const float* a, const float* b, float* c, int n) {
  const int i = global_id();
  if (i < n) c[i] = a[i] + b[i];
}
KERNEL triad_f32(const float* a, const float* b, float* c, float s, int n) {
  const int i = global_id();
  if (i < n) c[i] = a[i] + s * b[i];
}
KERNEL triad_f128(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c, float s,
                  int n) {
  const int i = global_id();
  if (i >= n) return;
  const float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
}
KERNEL triad_f64(const double* a, const double* b, double* c, double s, int n) {
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + s * b[i];
}
KERNEL update_in_place(float* a, int n, float s) {
  const int i = global_id();
  if (i < n) a[i] = a[i] * s + 1;
}
KERNEL four_to_one(const float* a, const float* b, const float* c, const float* d, float* out, int n) {
  const int i = global_id();
  if (i < n) out[i] = a[i] * b[i] + c[i] * d[i];
}
KERNEL one_to_four(const float* in, float* a, float* b, float* c, float* d, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float v = in[i];
  a[i] = v, b[i] = v * 2, c[i] = v * v, d[i] = v - 1;
}
KERNEL read_only(const float4* a, float* out, int n) {  // a sum per thread
  float s = 0;
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) {
    const float4 v = a[i];
    s += v.x + v.y + v.z + v.w;
  }
  out[global_id()] = s;
}
KERNEL read_only_scalar(const float* a, float* out, int n) {
  float s = 0;
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) s += a[i];
  out[global_id()] = s;
}
KERNEL write_only(float* a, int n, float v) {
  const int i = global_id();
  if (i < n) a[i] = v + i;
}
KERNEL write_f128(float4* a, int n) {
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) a[i] = make_float4(i, 0, 1, 2);
}
// Cache operators.
KERNEL copy_ldg(const float* a, float* b, int n) {
  const int i = global_id();
  if (i < n) b[i] = __ldg(a + i) * 3;
}
KERNEL copy_cg(const float* a, float* b, int n) {
  const int i = global_id();
  if (i < n) __stcg(b + i, __ldcg(a + i) * 3);
}
KERNEL copy_cs(const float4* a, float4* b, int n) {
  const int i = global_id();
  if (i < n) __stcs(b + i, __ldcs(a + i));
}
// The same data several times, past the L1 or through it.
KERNEL reread_cg(const float* a, float* out, int n, int rounds) {
  const int base = blockIdx.x * 2048 + threadIdx.x;
  float s = 0;
  for (int r = 0; r < rounds; ++r)
    for (int k = 0; k < 2048; k += blockDim.x) s += __ldcg(a + ((base + k) & (n - 1)));
  out[global_id()] = s;
}
KERNEL reread_ca(const float* a, float* out, int n, int rounds) {
  const int base = blockIdx.x * 2048 + threadIdx.x;
  float s = 0;
  for (int r = 0; r < rounds; ++r)
    for (int k = 0; k < 2048; k += blockDim.x) s += a[(base + k) & (n - 1)] + s * 0.001f;
  out[global_id()] = s;
}
// All CTAs read the same 2 MiB in turn: L2 and what merges before it.
KERNEL shared_stream(const float4* a, float* out, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float4 v = a[i];
    s += v.x * v.y + v.z * v.w;
  }
  out[global_id()] = s;
}
// Each thread reads a row of its own, 16 bytes at a time.
KERNEL row_per_thread(const float4* a, float* out, int rows, int vectors) {
  const int r = global_id();
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < vectors; ++k) {
    const float4 v = a[r * vectors + k];
    s += v.x + v.y + v.z + v.w;
  }
  out[r] = s;
}
// Colours: three bytes per pixel to one.
KERNEL rgb_to_grey(const uchar3* in, unsigned char* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const uchar3 p = in[i];
  out[i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
}
