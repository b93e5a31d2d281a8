// Shared memory: bank conflicts of all degrees, wide accesses, tables, transposition, barriers.
#include "training.cuh"

KERNEL transpose_conflicts(const float* in, float* out, int n) {  // tile without padding
  __shared__ float t[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(v + k) * n + u] = t[threadIdx.x][threadIdx.y + k];
}
KERNEL transpose_padded(const double* in, double* out, int n) {  // 64-bit elements
  __shared__ double t[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(v + k) * n + u] = t[threadIdx.x][threadIdx.y + k];
}

// Reads a stride apart: 1, 2, 4, ... lanes per bank.
KERNEL bank_stride(const float* in, float* out, int stride, int rounds) {
  __shared__ float s[8192];
  for (int k = threadIdx.x; k < 8192; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  float sum = 0;
  int at = threadIdx.x * stride;
  for (int r = 0; r < rounds; ++r) {
    sum += s[at & 8191];
    at += 33;
  }
  out[global_id()] = sum;
}
// Writes and reads at random places.
KERNEL bank_random(const unsigned* in, unsigned* out, int rounds) {
  __shared__ unsigned s[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  unsigned v = in[threadIdx.x], sum = 0;
  for (int r = 0; r < rounds; ++r) {
    v = v * 1664525u + 1013904223u;
    sum += s[v >> 21];
  }
  out[global_id()] = sum;
}
// All lanes the same word, then neighbours: no conflicts.
KERNEL shared_broadcast(const float* in, float* out, int rounds) {
  __shared__ float s[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  float a = in[threadIdx.x], sum = 0;
  for (int r = 0; r < rounds; ++r) sum += s[r & 1023] * a + s[(r + threadIdx.x) & 1023];
  out[global_id()] = sum;
}
// 64 and 128 bits per lane.
KERNEL shared_double(const double* in, double* out, int rounds) {
  __shared__ double s[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  double sum = 0;
  int at = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    sum += s[at & 2047];
    at += 37;
  }
  out[global_id()] = sum;
}
KERNEL shared_float4(const float4* in, float4* out, int rounds) {
  __shared__ float4 s[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  float4 a = s[threadIdx.x];
  for (int r = 1; r < rounds; ++r) {
    const float4 b = s[(threadIdx.x + r * 3) & 1023];
    a.x += b.x, a.y = a.y * 0.5f + b.y, a.z = fmaxf(a.z, b.z), a.w -= b.w;
  }
  out[global_id()] = a;
}

// A cipher's table of 256 words, index per lane (AES in the style of GPGPU-Sim's suite).
KERNEL cipher_rounds(const uint4* in, const unsigned* table, const unsigned* keys, uint4* out, int n,
                     int rounds) {
  __shared__ unsigned t[256];
  if (threadIdx.x < 256) t[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const int i = global_id();
  if (i >= n) return;
  uint4 v = in[i];
  for (int r = 0; r < rounds; ++r) {
    auto f = [&](unsigned a, unsigned b, unsigned c, unsigned d, unsigned k) {
      return t[a & 255] ^ __funnelshift_l(t[(b >> 8) & 255], t[(b >> 8) & 255], 8) ^
             __funnelshift_l(t[(c >> 16) & 255], t[(c >> 16) & 255], 16) ^
             __funnelshift_l(t[d >> 24], t[d >> 24], 24) ^ k;
    };
    const unsigned* k = keys + 4 * r;
    v = make_uint4(f(v.x, v.y, v.z, v.w, k[0]), f(v.y, v.z, v.w, v.x, k[1]), f(v.z, v.w, v.x, v.y, k[2]),
                   f(v.w, v.x, v.y, v.z, k[3]));
  }
  out[i] = v;
}

// CRC by a table in shared memory, bytes of words.
KERNEL crc_table(const unsigned* in, unsigned* out, int n, int words) {
  __shared__ unsigned t[256];
  unsigned c = threadIdx.x;
  for (int k = 0; k < 8; ++k) c = (c >> 1) ^ (0xedb88320u & -(c & 1));
  t[threadIdx.x] = c;
  __syncthreads();
  const int i = global_id();
  if (i >= n) return;
  unsigned crc = ~0u;
  for (int w = 0; w < words; ++w) {
    const unsigned v = in[w * n + i];
    crc = t[(crc ^ v) & 255] ^ (crc >> 8);
    crc = t[(crc ^ (v >> 8)) & 255] ^ (crc >> 8);
    crc = t[(crc ^ (v >> 16)) & 255] ^ (crc >> 8);
    crc = t[(crc ^ (v >> 24)) & 255] ^ (crc >> 8);
  }
  out[i] = ~crc;
}

// Tree reduction with interleaved addresses (conflicts and divergence, CUDA samples' first step).
KERNEL reduce_interleaved(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = in[global_id()];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    const int at = 2 * d * threadIdx.x;
    if (at < blockDim.x) s[at] += s[at + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
KERNEL reduce_modulo(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = in[global_id()];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (threadIdx.x % (2 * d) == 0) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Cosine transform of 8 x 8 blocks: rows, then columns, in shared memory.
KERNEL dct_blocks(const float* in, float* out, int w) {
  __shared__ float t[8][8 * 8 + 1];
  const int bx = threadIdx.x / 8, x = threadIdx.x % 8, y = threadIdx.y, gx = blockIdx.x * 64 + threadIdx.x,
            gy = blockIdx.y * 8 + y;
  t[y][threadIdx.x] = in[gy * w + gx];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) s += t[y][bx * 8 + k] * __cosf((2 * k + 1) * x * 0.19634954f);
  __syncthreads();
  t[y][threadIdx.x] = s;
  __syncthreads();
  s = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) s += t[k][threadIdx.x] * __cosf((2 * k + 1) * y * 0.19634954f);
  out[gy * w + gx] = s;
}

// Much shared memory, so that one or two CTAs fit: sorting buckets of 16-bit keys by counting.
KERNEL counting_sort(const unsigned* in, unsigned* out, int per_cta) {
  extern __shared__ unsigned d[];
  unsigned* count = d;
  unsigned* keys = d + 1024;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) count[k] = 0;
  __syncthreads();
  for (int k = threadIdx.x; k < per_cta; k += blockDim.x) {
    const unsigned v = in[blockIdx.x * per_cta + k] & 1023;
    keys[k] = v;
    atomicAdd(&count[v], 1u);
  }
  __syncthreads();
  for (int dist = 1; dist < 1024; dist *= 2) {  // inclusive sums
    unsigned v[4];
    int j = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x, ++j) v[j] = k >= dist ? count[k - dist] : 0;
    __syncthreads();
    j = 0;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x, ++j) count[k] += v[j];
    __syncthreads();
  }
  for (int k = threadIdx.x; k < per_cta; k += blockDim.x)
    out[blockIdx.x * per_cta + atomicSub(&count[keys[k]], 1u) - 1] = keys[k];
}

// Barriers and little else: few warps, many warps.
KERNEL barrier_rounds(const unsigned* in, unsigned* out, int rounds) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = in[global_id()];
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    const unsigned v = s[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    s[threadIdx.x] += v ^ r;
  }
  out[global_id()] = s[threadIdx.x];
}
// Barriers that count and vote.
KERNEL barrier_votes(const unsigned* in, unsigned* out, int rounds) {
  unsigned v = in[global_id()], sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += __syncthreads_count(v & 1);
    if (__syncthreads_and(v > 7)) sum += 1000;
    v = (v >> 1) | (v << 31);
  }
  out[global_id()] = sum;
}
// Only one warp works between barriers; the others wait.
KERNEL barrier_one_works(const unsigned* in, unsigned* out, int rounds) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = in[global_id()];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x / 32 == (r & 7)) {
      unsigned v = 0;
      for (int k = 0; k < 8; ++k) v += s[(threadIdx.x & 31) + k * 32];
      __syncwarp();
      s[(threadIdx.x & 31) * 8] = v;
    }
    __syncthreads();
  }
  out[global_id()] = s[threadIdx.x];
}
