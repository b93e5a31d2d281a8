// Further kernels, all of them for looking at: what single kernels of the other themes could not tell apart.
#include "training.cuh"

__constant__ unsigned c_sbox[256];
__constant__ float c_seven[49];
__constant__ float4 c_lights[1024];
__constant__ float c_words[8192];

// ---- constants ------------------------------------------------------------------------------------------

// A table of 256 words, one index per lane, each looked up by the last.
KERNEL sbox_rounds(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  unsigned v = in[i];
  for (int r = 0; r < rounds; ++r) v = (v << 8 | v >> 24) ^ c_sbox[v & 255];
  out[i] = v;
}
// Every coefficient an operand of its own.
KERNEL filter7(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 3 || y < 3 || x >= w - 3 || y >= h - 3) return;
  float s = 0;
#pragma unroll
  for (int dy = 0; dy < 7; ++dy)
#pragma unroll
    for (int dx = 0; dx < 7; ++dx) s += c_seven[dy * 7 + dx] * in[(y + dy - 3) * w + x + dx - 3];
  out[y * w + x] = s;
}
// All lanes the same index; blocks begin at different places.
KERNEL lights_by_block(const float* in, float* out, int n, int count) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i];
  float s = 0;
  const int first = blockIdx.x * 37;
  for (int k = 0; k < count; ++k) {
    const float4 l = c_lights[(first + k) & 1023];
    s += l.w / (l.x * x + l.y * x * x + l.z + 1);
  }
  out[i] = s;
}
// 32 KiB word after word.
KERNEL words_in_order(const float* in, float* out, int n, int count) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i];
  float s = 0;
#pragma unroll 4
  for (int k = 0; k < count; ++k) s = s * x + c_words[k];
  out[i] = s;
}
// Four words of one of 16 places, chosen per lane.
KERNEL piecewise(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i] * 16;
  const int k = static_cast<int>(x) & 15;
  const float4 c = c_lights[k];
  out[i] = ((c.x * x + c.y) * x + c.z) * x + c.w;
}
// One word per block and turn, lines far apart.
KERNEL words_apart(float* out, int turns) {
  float s = 0;
  for (int k = 0; k < turns; ++k) s += c_words[(k * 613 + blockIdx.x * 77) & 8191];
  out[global_id()] = s;
}

// ---- textures -------------------------------------------------------------------------------------------

KERNEL texture_zoom(cudaTextureObject_t t, float* out, int w, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * w + x] = tex2D<float>(t, x * scale, y * scale);
}
KERNEL texture_transpose(cudaTextureObject_t t, float* out, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * w + x] = tex2D<float>(t, y + 0.5f, x + 0.5f);
}
KERNEL texture_random(cudaTextureObject_t t, const unsigned* index, float* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned v = index[i];
  out[i] = tex2D<float>(t, (v & mask) + 0.5f, (v >> 16 & mask) + 0.5f);
}
// A ray per thread through a plane.
KERNEL texture_march(cudaTextureObject_t t, float* out, int w, int steps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float u = x, v = y, s = 0;
  const float du = 0.5f + (x & 15) * 0.03f, dv = 0.25f + (y & 15) * 0.05f;
  for (int k = 0; k < steps; ++k) {
    s += tex2D<float>(t, u, v) * (1 - s);
    u += du;
    v += dv;
  }
  out[y * w + x] = s;
}
KERNEL texture_quads(cudaTextureObject_t t, const unsigned* index, float* out, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  const float4 a = tex1Dfetch<float4>(t, index[i] & mask), b = tex1Dfetch<float4>(t, i & mask);
  out[i] = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
KERNEL texture_bars(cudaTextureObject_t t, float* out, int w, int h, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = -radius; k <= radius; ++k) s += tex2D<float>(t, x + 0.5f, y + k + 0.5f);
  out[y * w + x] = s;
}

// ---- physics --------------------------------------------------------------------------------------------

KERNEL pairs_of_quads(const float4* place, const unsigned* neighbour, float4* force, int n, int count, float cut) {
  const int i = global_id();
  if (i >= n) return;
  const float4 p = place[i];
  float fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < count; ++k) {
    const float4 q = place[neighbour[k * n + i]];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    if (r2 < cut) {
      const float i2 = 1.0f / r2, i6 = i2 * i2 * i2, f = i2 * i6 * (48 * i6 - 24);
      fx += dx * f, fy += dy * f, fz += dz * f;
    }
  }
  force[i] = make_float4(fx, fy, fz, 0);
}
KERNEL lennard_jones_f64(const double* x, const double* y, double* out, int n, int count) {
  const int i = global_id();
  if (i >= n) return;
  const double px = x[i], py = y[i];
  double e = 0;
  for (int k = 1; k <= count; ++k) {
    const int j = (i + k * 7) % n;
    const double dx = px - x[j], dy = py - y[j], i2 = 1.0 / (dx * dx + dy * dy + 0.01), i6 = i2 * i2 * i2;
    e += i6 * i6 - i6;
  }
  out[i] = e;
}
KERNEL gravity_f64(const double* x, const double* y, const double* z, double* out, int n) {
  const int i = global_id();
  const double px = x[i], py = y[i], pz = z[i];
  double a = 0;
  for (int j = 0; j < n; ++j) {
    const double dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz, r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01);
    a += dx * r * r * r;
  }
  out[i] = a;
}
KERNEL kepler(const double* mean, double* out, int n, double e) {
  const int i = global_id();
  if (i >= n) return;
  const double m = mean[i] * 6.28;
  double a = m;
  for (int k = 0; k < 6; ++k) a -= (a - e * sin(a) - m) / (1 - e * cos(a));
  out[i] = a;
}
KERNEL exponentials_f64(const double* in, double* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const double x = in[i];
  out[i] = exp(-x) + log(x + 1) + sqrt(x + 2) + pow(x + 0.5, 1.7);
}
KERNEL smoothed_density(const float4* place, const unsigned* begin, float* density, int cells, float h2) {
  const int c = blockIdx.x;
  const unsigned first = begin[c], last = begin[c + 1];
  for (unsigned i = first + threadIdx.x; i < last; i += blockDim.x) {
    const float4 p = place[i];
    float d = 0;
    for (int o = -1; o <= 1; ++o) {
      const int other = min(max(c + o, 0), cells - 1);
      for (unsigned j = begin[other]; j < begin[other + 1]; ++j) {
        const float4 q = place[j];
        const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < h2) d += q.w * (h2 - r2) * (h2 - r2) * (h2 - r2);
      }
    }
    density[i] = d;
  }
}
// Nine distributions of a lattice.
KERNEL lattice(const float* f, float* g, int n) {
  const int i = global_id();
  if (i >= n) return;
  float v[9], rho = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) rho += v[k] = f[k * n + i];
  const float inverse = 1.0f / rho, ux = (v[1] - v[3] + v[5] - v[6] - v[7] + v[8]) * inverse, uy = (v[2] - v[4] + v[5] + v[6] - v[7] - v[8]) * inverse;
  const float u2 = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float cx = (k == 1 || k == 5 || k == 8) - (k == 3 || k == 6 || k == 7), cy = (k == 2 || k == 5 || k == 6) - (k == 4 || k == 7 || k == 8);
    const float cu = 3 * (cx * ux + cy * uy), w = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
    g[k * n + (i + k * 33) % n] = v[k] - 0.6f * (v[k] - w * rho * (1 + cu + 0.5f * cu * cu - u2));
  }
}
KERNEL spins_of_bytes(unsigned char* spin, int w, int colour, float beta, unsigned seed) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, X = 2 * x + ((y ^ colour) & 1);
  const int l = (X + w - 1) % w, r = (X + 1) % w, u = (y + gridDim.y - 1) % gridDim.y, d = (y + 1) % gridDim.y;
  const int s = spin[y * w + X] ? 1 : -1, sum = spin[y * w + l] + spin[y * w + r] + spin[u * w + X] + spin[d * w + X];
  const float e = 2.0f * s * (2 * sum - 4);
  if (unit(mix(y * w + X + seed)) < expf(-beta * e)) spin[y * w + X] = s < 0;
}
KERNEL springs(const float* px, const float* py, const float* pz, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
  float f = 0;
  const float X = px[i], Y = py[i], Z = pz[i];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int nx = x + (k % 3) - 1, ny = y + k / 3 - 1;
    if (nx < 0 || ny < 0 || nx >= w || ny >= h) continue;
    const int j = ny * w + nx;
    const float dx = px[j] - X, dy = py[j] - Y, dz = pz[j] - Z, d = sqrtf(dx * dx + dy * dy + dz * dz);
    if (d > 0) f += (d - 0.5f) * dz / d;
  }
  out[i] = f;
}
// A stack of its own per thread, in local memory.
KERNEL tree_walk(const unsigned* child, const float* value, float* out, int n, float limit) {
  const int i = global_id();
  if (i >= n) return;
  unsigned stack[24];
  int top = 0;
  float s = 0;
  stack[top++] = 0;
  const float x = unit(mix(i));
  while (top > 0) {
    const unsigned node = stack[--top];
    const float v = value[node];
    if (v * x > limit || child[node] == 0)
      s += v;
    else if (top < 22)
      stack[top++] = child[node], stack[top++] = child[node] + 1;
  }
  out[i] = s;
}
KERNEL neutrons(double* out, int n, int steps) {
  const int i = global_id();
  if (i >= n) return;
  unsigned long long state = i * 2862933555777941757ull + 3037000493ull;
  double x = 0, weight = 1;
  for (int k = 0; k < steps && weight > 1e-3; ++k) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const double u = (state >> 11) * (1.0 / 9007199254740992.0);
    x += -log(u + 1e-12);
    weight *= 0.9 + 0.05 * u;
  }
  out[i] = x * weight;
}

// ---- sparse ---------------------------------------------------------------------------------------------

KERNEL rows_by_block(const unsigned* begin, const unsigned* column, const float* value, const float* x, float* y) {
  __shared__ float part[128];
  float s = 0;
  for (unsigned k = begin[blockIdx.x] + threadIdx.x; k < begin[blockIdx.x + 1]; k += blockDim.x) s += value[k] * x[column[k]];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 64; w > 0; w >>= 1) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
KERNEL rows_by_four(const unsigned* begin, const unsigned* column, const float* value, const float* x, float* y, int rows) {
  const int t = global_id(), row = t >> 2, lane = t & 3;
  if (row >= rows) return;
  float s = 0;
  for (unsigned k = begin[row] + lane; k < begin[row + 1]; k += 4) s += value[k] * x[column[k]];
  s += __shfl_xor_sync(~0u, s, 1);
  s += __shfl_xor_sync(~0u, s, 2);
  if (lane == 0) y[row] = s;
}
KERNEL hash_product(const unsigned* begin, const unsigned* column, unsigned* out, int rows) {
  __shared__ unsigned table[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) table[k] = ~0u;
  __syncthreads();
  const int row = blockIdx.x;
  unsigned mine = 0;
  for (unsigned k = begin[row] + threadIdx.x / 8; k < begin[row + 1]; k += blockDim.x / 8) {
    const unsigned c = column[k] % rows;
    for (unsigned j = begin[c] + threadIdx.x % 8; j < begin[c + 1]; j += 8) {
      const unsigned key = column[j];
      unsigned h = key * 2654435761u >> 22;
      for (int tries = 0; tries < 64; ++tries, h = (h + 1) & 1023) {
        const unsigned was = atomicCAS(&table[h], ~0u, key);
        if (was == ~0u) ++mine;
        if (was == ~0u || was == key) break;
      }
    }
  }
  atomicAdd(&out[row], mine);
}
KERNEL sampled_product(const unsigned* row, const unsigned* column, const float* a, const float* b, float* out, int n) {
  const int warp = global_id() >> 5, lane = threadIdx.x & 31;
  if (warp >= n) return;
  float s = a[row[warp] * 32 + lane] * b[column[warp] * 32 + lane];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) out[warp] = s;
}
// Paths to a root, halved on the way.
KERNEL find_roots(unsigned* parent, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned v = i;
  while (parent[v] != v) {
    const unsigned next = parent[parent[v]];
    parent[v] = next;
    v = next;
  }
  out[i] = v;
}
KERNEL merge_lists(const unsigned* a, const unsigned* b, unsigned* out, int n, int each) {
  const int at = global_id() * each;
  if (at >= 2 * n) return;
  int low = max(0, at - n), high = min(at, n);
  while (low < high) {
    const int m = (low + high) / 2;
    if (a[m] < b[at - 1 - m])
      low = m + 1;
    else
      high = m;
  }
  int i = low, j = at - low;
  for (int k = 0; k < each; ++k) {
    const bool first = j >= n || (i < n && a[i] <= b[j]);
    out[at + k] = first ? a[i++] : b[j++];
  }
}
KERNEL common_neighbours(const unsigned* begin, const unsigned* column, const unsigned* source, unsigned* out, int n) {
  const int warp = global_id() >> 5, lane = threadIdx.x & 31;
  if (warp >= n) return;
  const unsigned u = source[warp * 7], v = column[warp * 7], ub = begin[u], ue = begin[u + 1];
  unsigned found = 0;
  for (unsigned k = begin[v] + lane; k < begin[v + 1]; k += 32) {
    const unsigned key = column[k];
    unsigned low = ub, high = ue;
    while (low < high) {
      const unsigned m = (low + high) / 2;
      if (column[m] < key)
        low = m + 1;
      else
        high = m;
    }
    found += low < ue && column[low] == key;
  }
  found = __reduce_add_sync(~0u, found);
  if (lane == 0) out[warp] = found;
}

// ---- occupancy ------------------------------------------------------------------------------------------

KERNEL hundred_registers(const float* in, float* out, int turns) {
  const int i = global_id();
  float v[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) v[k] = in[i] + k;
  for (int t = 0; t < turns; ++t)
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = v[k] * 0.999f + v[(k + 1) % 96];
  float s = 0;
#pragma unroll
  for (int k = 0; k < 96; ++k) s += v[k];
  out[i] = s;
}
extern "C" __global__ void __launch_bounds__(1024) spilled(const float* in, float* out, int turns) {
  const int i = global_id();
  float v[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) v[k] = in[i] + k;
  for (int t = 0; t < turns; ++t)
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = v[k] * 0.999f + v[(k + 7) % 96];
  float s = 0;
#pragma unroll
  for (int k = 0; k < 96; ++k) s += v[k];
  out[i] = s;
}
KERNEL local_bins(const unsigned* in, unsigned* out, int n, int each) {
  const int i = global_id();
  if (i >= n) return;
  unsigned bins[64];
  for (int k = 0; k < 64; ++k) bins[k] = 0;
  for (int k = 0; k < each; ++k) ++bins[in[k * n + i] & 63];
  unsigned most = 0;
  for (int k = 0; k < 64; ++k) most = max(most, bins[k] * 64 + k);
  out[i] = most;
}
KERNEL much_shared(const float* in, float* out, int words) {
  extern __shared__ float tile[];
  for (int k = threadIdx.x; k < words; k += blockDim.x) tile[k] = in[blockIdx.x * words + k];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 64; ++k) s += tile[(threadIdx.x * 33 + k * 257) % words];
  out[global_id()] = s;
}
KERNEL small_blocks(const float* in, float* out) {
  const int i = global_id();
  float s = in[i];
  for (int k = 0; k < 16; ++k) s = s * s + 0.25f;
  out[i] = s;
}
KERNEL one_more_block(float* out, int turns) {
  float a = threadIdx.x, b = blockIdx.x;
  for (int k = 0; k < turns; ++k) a = a * 0.999f + b, b = b * 0.5f + a;
  out[global_id()] = a + b;
}
KERNEL rounds_of_barriers(float* out, int turns) {
  __shared__ float v[1024];
  v[threadIdx.x] = threadIdx.x;
  for (int k = 0; k < turns; ++k) {
    __syncthreads();
    const float x = v[(threadIdx.x + 32) & 1023];
    __syncthreads();
    v[threadIdx.x] = x * 0.5f + k;
  }
  out[global_id()] = v[threadIdx.x];
}
KERNEL few_warps_load(const float* in, float* out, int n, int stride) {
  float s = 0;
  for (int i = global_id(); i < n; i += stride) s += in[i];
  out[global_id()] = s;
}
KERNEL uneven_blocks(const float* in, float* out, int turns) {
  const int mine = (mix(blockIdx.x) & 15) == 0 ? 16 * turns : turns;
  float s = in[global_id()];
  for (int k = 0; k < mine; ++k) s = s * 0.999f + 0.5f;
  out[global_id()] = s;
}

// ---- integers -------------------------------------------------------------------------------------------

KERNEL div_large_u64(const unsigned long long* a, const unsigned long long* b, unsigned long long* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  out[i] = (a[i] | 1ull << 62) / (b[i] >> 8 | 1) + (a[i] | 1ull << 61) % (b[i] >> 20 | 1);
}
KERNEL montgomery(const unsigned long long* in, unsigned long long* out, int n, unsigned long long m, unsigned long long inverse, int turns) {
  const int i = global_id();
  if (i >= n) return;
  unsigned long long x = in[i] % m, y = x;
  for (int k = 0; k < turns; ++k) {
    const unsigned long long low = x * y, high = __umul64hi(x, y), q = low * inverse, t = __umul64hi(q, m);
    x = high >= t ? high - t : high - t + m;
  }
  out[i] = x;
}
KERNEL message_digest(const unsigned* in, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned w[16], a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au, e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;
#pragma unroll
  for (int k = 0; k < 16; ++k) w[k] = in[k * n + i];
#pragma unroll
  for (int k = 0; k < 64; ++k) {
    const unsigned s1 = __funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25);
    const unsigned t = h + s1 + ((e & f) ^ (~e & g)) + w[k & 15] + 0x428a2f98u * (k + 1);
    const unsigned s0 = __funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13) ^ __funnelshift_r(a, a, 22), u = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
    const unsigned x = w[(k + 1) & 15], y = w[(k + 14) & 15];
    w[k & 15] += w[(k + 9) & 15] + (__funnelshift_r(x, x, 7) ^ __funnelshift_r(x, x, 18) ^ x >> 3) + (__funnelshift_r(y, y, 17) ^ __funnelshift_r(y, y, 19) ^ y >> 10);
  }
  out[i] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}
KERNEL packed_bytes(const unsigned* a, const unsigned* b, unsigned* out, int n, int turns) {
  const int i = global_id();
  if (i >= n) return;
  unsigned s = 0, x = a[i], y = b[i];
  for (int k = 0; k < turns; ++k) {
    s = __dp4a(static_cast<int>(x), static_cast<int>(y), static_cast<int>(s));
    s += __vabsdiffu4(x, y) + __vmaxu4(x, s);
    x = __byte_perm(x, y, 0x5140 + (k & 3)), y += s;
  }
  out[i] = s;
}
KERNEL bitboards(const unsigned long long* in, unsigned* out, int n, int turns) {
  const int i = global_id();
  if (i >= n) return;
  unsigned long long b = in[i];
  unsigned s = 0;
  for (int k = 0; k < turns; ++k) {
    s += __popcll(b) + __clzll(b | 1) * 3 + __ffsll(b);
    b = (b & b - 1) ^ __brevll(b) + k;
  }
  out[i] = s;
}
KERNEL integer_roots(const unsigned* in, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned v = in[i];
  unsigned r = 0, bit = 1u << 15;
  while (bit != 0) {
    const unsigned t = r + bit;
    if (t * t <= v) r = t;
    bit >>= 1;
  }
  out[i] = r;
}
KERNEL fixed_point(const int* in, int* out, int n, int turns) {
  const int i = global_id();
  if (i >= n) return;
  long long x = in[i] >> 4, y = in[i] >> 6;
  for (int k = 0; k < turns; ++k) {
    const long long t = (x * x - y * y) >> 24;
    y = (2 * x * y >> 24) + 7;
    x = t + 3;
    if (x * x + y * y > 4ll << 48) x >>= 3, y >>= 3;
  }
  out[i] = static_cast<int>(x ^ y);
}
KERNEL tile_index(const float* in, float* out, int n, int a, int b, int c) {
  const int i = global_id();
  if (i >= n) return;
  const int x = i % a, y = i / a % b, z = i / (a * b) % c, r = i / (a * b * c);
  out[i] = in[((r * a + x) * b + y) * c + z];
}

// ---- functions ------------------------------------------------------------------------------------------

KERNEL accurate_functions(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const float x = in[i];
  out[i] = sinf(x * 10) + powf(x + 0.1f, 2.3f) + erff(x) + tanf(x) + cbrtf(x) + atan2f(x, 0.3f);
}
KERNEL hypotenuses(const float* a, const float* b, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  float x = a[i], y = b[i];
  for (int k = 0; k < 8; ++k) {
    const float h = hypotf(x, y) + 0.1f;
    x = x / h + 0.1f, y = sqrtf(y / h);
  }
  out[i] = x + y;
}
KERNEL rounding(const float* in, float* out, int n, int turns) {
  const int i = global_id();
  if (i >= n) return;
  float x = in[i] * 100;
  int s = 0;
  for (int k = 0; k < turns; ++k) {
    s += static_cast<int>(x) + __float2int_rn(x * 0.5f);
    x = fmodf(x * 1.7f + floorf(x), 977.0f) + rintf(static_cast<float>(s & 7));
  }
  out[i] = x + s;
}
