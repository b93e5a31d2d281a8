// Reads and writes at strides, at random, through tables; chains of loads.
#include "training.cuh"

KERNEL gather_stride(const float* in, float* out, int n, int stride, int mask) {
  const int i = global_id();
  if (i >= n) return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) s += in[((i + k * n) * stride) & mask];
  out[i] = s;
}

KERNEL scatter_stride(const float* in, float* out, int n, int stride, int mask) {
  const int i = global_id();
  if (i >= n) return;
  out[((unsigned)i * stride + (unsigned)i / ((mask + 1) / stride)) & mask] = in[i];
}

// The same small region again and again: strides that hit in L1.
KERNEL gather_l1(const float* table, float* out, int n, int stride, int mask, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  float s = 0;
  int at = threadIdx.x * stride;
  for (int r = 0; r < rounds; ++r) {
    s += table[at & mask];
    at += stride * 32 + 1;
  }
  out[i] = s;
}

// One random read per element of an index array, table of any size.
KERNEL gather_random(const unsigned* index, const float* table, float* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  out[i] = table[index[i] & mask] * 2;
}

// Several independent random reads, addresses computed.
KERNEL gather_hashed(const float* table, float* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) s += table[mix(i * 8 + k) & mask];
  out[i] = s;
}

KERNEL scatter_random(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  out[(unsigned)(i * 2654435761u) & (n - 1)] = in[i];  // odd factor: a permutation
}

// All lanes read the same word; many of them, in turn.
KERNEL broadcast_table(const float* table, const float* in, float* out, int n, int entries) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i];
  float s = 0;
  for (int k = 0; k < entries; ++k) s += table[k] * (x - table[k]);
  out[i] = s;
}

// Rows of 16 bytes, and rows of 512 bytes by a warp each: embeddings.
KERNEL gather_float4(const unsigned* index, const float4* rows, float4* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  out[i] = rows[index[i] & mask];
}
KERNEL embedding_bag(const unsigned* index, const float4* rows, float4* out, int bags, int per_bag,
                     int mask) {
  const int bag = global_id() / 32, lane = threadIdx.x & 31;
  if (bag >= bags) return;
  float4 s = make_float4(0, 0, 0, 0);
  for (int k = 0; k < per_bag; ++k) {
    const float4 v = rows[(index[bag * per_bag + k] & mask) * 32 + lane];
    s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
  }
  out[bag * 32 + lane] = s;
}

// Two levels: an index of an index.
KERNEL gather_twice(const unsigned* first, const unsigned* second, const float* table, float* out, int n,
                    int mask) {
  const int i = global_id();
  if (i >= n) return;
  out[i] = table[second[first[i] & mask] & mask];
}

// Particles: one array of structures, or several arrays.
struct Particle {
  float x, y, z, vx, vy, vz, mass;
  int kind;
};
KERNEL move_structures(Particle* p, int n, float dt) {
  const int i = global_id();
  if (i >= n) return;
  Particle q = p[i];
  q.x += q.vx * dt, q.y += q.vy * dt, q.z += q.vz * dt;
  if (q.x > 1) q.vx = -q.vx;
  if (q.y > 1) q.vy = -q.vy;
  p[i] = q;
}
KERNEL move_arrays(float* x, float* y, float* z, float* vx, float* vy, const float* vz, int n, float dt) {
  const int i = global_id();
  if (i >= n) return;
  float a = vx[i], b = vy[i];
  const float px = x[i] + a * dt, py = y[i] + b * dt;
  x[i] = px, y[i] = py, z[i] += vz[i] * dt;
  if (px > 1) vx[i] = -a;
  if (py > 1) vy[i] = -b;
}
// Structures of three words, one member used.
KERNEL sum_member(const float3* p, float* out, int n, int per_thread) {
  const int i = global_id();
  if (i * per_thread >= n) return;
  float s = 0;
  for (int k = 0; k < per_thread; ++k) s += p[i + k * (n / per_thread)].y;
  out[i] = s;
}

// Chains of loads: each address is what the last load brought.
KERNEL chase(const unsigned* next, unsigned* out, int steps, int spread) {
  unsigned at = (unsigned)global_id() * spread;
  for (int s = 0; s < steps; ++s) at = next[at];
  out[global_id()] = at;
}
// Linked lists of different lengths.
KERNEL list_sum(const unsigned* head, const unsigned* next, const unsigned* value, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned s = 0;
  for (unsigned at = head[i]; at != 0; at = next[at]) s += value[at];
  out[i] = s;
}
// A chain in shared memory.
KERNEL chase_shared(const unsigned* next, unsigned* out, int steps) {
  __shared__ unsigned s[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = next[k] & 4095;
  __syncthreads();
  unsigned at = threadIdx.x * 7;
  for (int k = 0; k < steps; ++k) at = s[at & 4095] + (k & 1);
  out[global_id()] = at;
}
