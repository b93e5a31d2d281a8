// The staples of benchmark suites.
#include "silicon.cuh"

KERNEL mandelbrot(const u32* in, u32* out, int n) {
  const int i = global_id();
  const float cx = between(in[2 * i], -2, 0.5f), cy = between(in[2 * i + 1], -1.25f, 1.25f);
  float x = 0, y = 0;
  int k = 0;
  for (; k < 200 && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 4; ++k) {
    const float next = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx);
    y = __fadd_rn(__fmul_rn(__fmul_rn(2, x), y), cy);
    x = next;
  }
  out[i] = k;
}

struct Sphere {
  float3 center;
  float radius;
  u32 colour;
};

KERNEL raytracer(const u32* in, u32* out, int n) {
  __shared__ Sphere spheres[16];
  if (threadIdx.x < 16) {
    const u32* s = in + threadIdx.x * 5;
    spheres[threadIdx.x] = {make_float3(between(s[0], -4, 4), between(s[1], -4, 4), between(s[2], 3, 9)), between(s[3], 0.3f, 1.5f), s[4]};
  }
  __syncthreads();
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  const float dx = px / 32.0f - 1, dy = py / 32.0f - 1, scale = rsqrtf(dx * dx + dy * dy + 1);
  float nearest = 1e30f;
  u32 colour = 0x101010;
  for (int k = 0; k < 16; ++k) {
    const Sphere& s = spheres[k];
    const float b = (dx * s.center.x + dy * s.center.y + s.center.z) * scale;
    const float c = s.center.x * s.center.x + s.center.y * s.center.y + s.center.z * s.center.z - s.radius * s.radius;
    const float under = b * b - c;
    if (under < 0) continue;
    const float t = b - sqrtf(under);
    if (t > 0 && t < nearest) {
      nearest = t;
      colour = s.colour;
    }
  }
  out[2 * (py * gridDim.x * blockDim.x + px)] = bits(nearest);
  out[2 * (py * gridDim.x * blockDim.x + px) + 1] = colour * 0 + bits(nearest < 1e29f ? 1.0f : 0.0f);
}

KERNEL spmv_csr(const u32* in, u32* out, int n) {
  const int row = global_id();
  if (row >= n) return;
  // Rows of 0 to 15 entries; columns and values follow from the random words.
  const u32 length = in[row] & 15;
  double sum = 0;
  for (u32 k = 0; k < length; ++k) {
    const u32 w = in[(row * 16 + k) % n];
    sum += (double)unit(w) * unit(in[w % n]);
  }
  put64(out, row, bits(sum));
}

KERNEL gather(const u32* in, u32* out, int n) {
  int at = global_id() % n;
  u32 sum = 0;
  for (int k = 0; k < 16; ++k) {
    sum += in[at];
    at = (in[at] ^ sum) % n;
  }
  out[global_id()] = sum;
}

// All pairs of 32 nodes in one block of 32 by 32.
KERNEL floyd_warshall(const u32* in, u32* out, int n) {
  __shared__ u32 d[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  d[y][x] = x == y ? 0 : in[blockIdx.x * 1024 + y * 32 + x] >> 22;
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    const u32 via = d[y][k] + d[k][x];
    __syncthreads();
    if (via < d[y][x]) d[y][x] = via;
    __syncthreads();
  }
  out[blockIdx.x * 1024 + y * 32 + x] = d[y][x];
}

KERNEL __launch_bounds__(256, 2) lu(const u32* in, u32* out, int n) {
  __shared__ float a[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  a[y][x] = unit(in[blockIdx.x * 256 + y * 16 + x]) + (x == y ? 16 : 0);
  for (int k = 0; k < 15; ++k) {
    __syncthreads();
    if (x == k && y > k) a[y][k] = __fdiv_rn(a[y][k], a[k][k]);
    __syncthreads();
    if (x > k && y > k) a[y][x] = __fmaf_rn(-a[y][k], a[k][x], a[y][x]);
  }
  out[blockIdx.x * 256 + y * 16 + x] = bits(a[y][x]);
}

KERNEL fft(const u32* in, u32* out, int n) {
  extern __shared__ float2 data[];
  const int t = threadIdx.x, points = 2 * blockDim.x, stages = 31 - __clz(points);
  for (int k = t; k < points; k += blockDim.x)
    data[__brev(k) >> (32 - stages)] = make_float2(unit(in[blockIdx.x * points + k]), 0);
  for (int half = 1; half < points; half *= 2) {
    __syncthreads();
    const int j = t & (half - 1), a = 2 * t - j, b = a + half;
    float s, c;
    sincospif(-(float)j / half, &s, &c);
    const float2 u = data[a], v = data[b];
    const float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    data[a] = make_float2(u.x + w.x, u.y + w.y);
    data[b] = make_float2(u.x - w.x, u.y - w.y);
  }
  __syncthreads();
  for (int k = t; k < points; k += blockDim.x) ((float2*)out)[blockIdx.x * points + k] = data[k];
}

// C = A * B of 64 by 64 in tiles, two arrays in one piece of dynamic shared memory.
KERNEL matmul(const u32* in, u32* out, int n) {
  extern __shared__ float tiles[];
  float *ta = tiles, *tb = tiles + 256;
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < 64; k += 16) {
    ta[y * 16 + x] = unit(in[row * 64 + k + x]);
    tb[y * 16 + x] = unit(in[4096 + (k + y) * 64 + column]);
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum = __fmaf_rn(ta[y * 16 + j], tb[j * 16 + x], sum);
    __syncthreads();
  }
  out[row * 64 + column] = bits(sum);
}

KERNEL stencil3d(const u32* in, u32* out, int n) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  auto at = [&](int dx, int dy, int dz) {
    const int i = ((z + dz + 8) % 8 * 16 + (y + dy + 16) % 16) * 16 + (x + dx + 16) % 16;
    return unit(in[i]);
  };
  float sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum = __fadd_rn(sum, __fmul_rn(at(dx, dy, dz), 1.0f / (1 + dx * dx + dy * dy + dz * dz)));
  out[(z * 16 + y) * 16 + x] = bits(sum);
}
