// Kernels of a few microseconds: launch, first instructions and constants, one trip to memory.
#include "training.cuh"

KERNEL brief_nothing(unsigned* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x;
}
KERNEL brief_add(const float* a, const float* b, float* c, int n) {
  const int i = global_id();
  if (i < n) c[i] = a[i] + b[i];
}
KERNEL brief_arguments(const float* a, const float* b, const float* c, const float* d, float* out, int n,
                       float w, float x, float y, float z) {
  const int i = global_id();
  if (i < n) out[i] = w * a[i] + x * b[i] + y * c[i] + z * d[i];
}
KERNEL brief_reduce(const float* in, float* out, int n) {  // one CTA
  __shared__ float s[32];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = s[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0) *out = v;
  }
}
KERNEL brief_gemv(const float* a, const float* x, float* y, int columns) {  // a warp per row
  const int r = global_id() / 32, lane = threadIdx.x & 31;
  float s = 0;
  for (int c = lane; c < columns; c += 32) s += a[r * columns + c] * x[c];
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) y[r] = s;
}
KERNEL brief_stencil(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  const int i = y * w + x;
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}
KERNEL brief_transpose(const float* in, float* out, int n) {
  __shared__ float t[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    out[(blockIdx.x * 32 + threadIdx.y + k) * n + blockIdx.y * 32 + threadIdx.x] =
        t[threadIdx.x][threadIdx.y + k];
}
KERNEL brief_scan(const int* in, int* out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[global_id()];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  out[global_id()] = s[t];
}
KERNEL brief_gather(const unsigned* index, const float* in, float* out, int mask) {
  const int i = global_id();
  out[i] = in[index[i] & mask];
}
KERNEL brief_atomic(const unsigned* in, unsigned* bins) {
  atomicAdd(&bins[in[global_id()] & 63], 1u);
}
KERNEL brief_special(const float* in, float* out) {
  const int i = global_id();
  out[i] = sinf(in[i]) * expf(in[i]) + logf(in[i] + 1);
}
KERNEL brief_f64(const double* a, double* b, int n) {
  const int i = global_id();
  if (i < n) b[i] = sqrt(a[i] + 1) / (a[i] + 2);
}
KERNEL brief_branches(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float v = in[i];
  if (v < 0.25f)
    out[i] = sqrtf(v);
  else if (v < 0.5f)
    out[i] = v / 3;
  else if (v < 0.75f)
    out[i] = __expf(v);
  else
    out[i] = v * v;
}
KERNEL brief_chain(const unsigned* next, unsigned* out) {
  unsigned at = global_id() & 1023;
  for (int k = 0; k < 4; ++k) at = next[at];
  out[global_id()] = at;
}
KERNEL brief_long_code(const float* in, float* out, int n) {  // straight code that runs once
  const int i = global_id();
  if (i >= n) return;
  float x = in[i], y = 1;
#pragma unroll
  for (int k = 0; k < 200; ++k) {
    x = x * (1.0f + k * 0.001f) + y;
    y = fminf(y * 0.99f, x) + k * 0.01f;
    x = x * 0.5f - y * 0.25f;
  }
  out[i] = x + y;
}
