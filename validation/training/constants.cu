// Constant memory, parameters as a structure, textures.
#include "training.cuh"

__constant__ float c_filter[64];
__constant__ float c_table[4096];
__constant__ float4 c_atoms[1024];

// The same coefficient for all lanes.
KERNEL constant_filter(const float* in, float* out, int n) {
  const int i = global_id();
  if (i + 64 > n) return;
  float s = 0;
#pragma unroll 8
  for (int k = 0; k < 64; ++k) s += c_filter[k] * in[i + k];
  out[i] = s;
}

// An index per lane: as many passes as different words.
KERNEL constant_lookup(const unsigned* in, float* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  unsigned v = in[i];
  float s = 0;
  for (int k = 0; k < 4; ++k) {
    s += c_table[v & mask];
    v >>= 6;
  }
  out[i] = s;
}

// An index that all lanes share, from a loop: Coulomb potentials of atoms (Parboil's cp).
KERNEL potential_grid(float* out, int w, int atoms, float spacing) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float px = x * spacing, py = y * spacing;
  float e = 0;
  for (int a = 0; a < atoms; ++a) {
    const float4 q = c_atoms[a];
    const float dx = px - q.x, dy = py - q.y;
    e += q.w * rsqrtf(dx * dx + dy * dy + q.z);
  }
  out[y * w + x] = e;
}

// Coefficients as an argument by value, indexed by constants and by a variable.
struct Coefficients {
  float a[24];
};
KERNEL parameter_block(const float* in, float* out, int n, Coefficients c, int pick) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i];
  float s = c.a[0];
#pragma unroll
  for (int k = 1; k < 24; ++k) s = s * x + c.a[k];
  out[i] = s + c.a[(blockIdx.x + pick) % 24];
}

// More constants than the constant cache of an SM holds.
KERNEL constant_sweep(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i];
  float s = 0;
  for (int k = 0; k < 4096; k += 16) s = s * 0.5f + c_table[k] * x;
  out[i] = s;
}

// Textures: single texels of linear memory, a window with filtering, one with clamped borders.
KERNEL texture_fetch(cudaTextureObject_t t, const unsigned* index, float* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  out[i] = tex1Dfetch<float>(t, index[i] & mask) + tex1Dfetch<float>(t, i & mask);
}
KERNEL texture_blur(cudaTextureObject_t t, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) s += tex2D<float>(t, x + dx + 0.5f, y + dy + 0.5f);
  out[y * w + x] = s * (1.0f / 9);
}
KERNEL texture_rotate(cudaTextureObject_t t, float* out, int w, int h, float c, float s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float u = x - w * 0.5f, v = y - h * 0.5f;
  out[y * w + x] = tex2D<float>(t, c * u - s * v + w * 0.5f, s * u + c * v + h * 0.5f);
}
