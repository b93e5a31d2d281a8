// Particles, random numbers, transforms, clustering, rays.
#include "training.cuh"

KERNEL gravity_shared(const float4* body, float4* force, int n) {
  __shared__ float4 s[128];
  const int i = global_id();
  const float4 me = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += 128) {
    s[threadIdx.x] = body[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; ++k) {
      const float dx = s[k].x - me.x, dy = s[k].y - me.y, dz = s[k].z - me.z,
                  r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = s[k].w * r * r * r;
      ax += dx * f, ay += dy * f, az += dz * f;
    }
    __syncthreads();
  }
  force[i] = make_float4(ax, ay, az, 0);
}
KERNEL gravity_plain(const float* x, const float* y, const float* m, float* fx, float* fy,
                     int n) {  // division and square root as written
  const int i = global_id();
  const float px = x[i], py = y[i];
  float a = 0, b = 0;
  for (int k = 0; k < n; ++k) {
    const float dx = x[k] - px, dy = y[k] - py, d = sqrtf(dx * dx + dy * dy + 0.01f);
    a += m[k] * dx / (d * d * d), b += m[k] * dy / (d * d * d);
  }
  fx[i] = a, fy[i] = b;
}
// Lennard-Jones forces from lists of neighbours, cut off (SHOC's md).
KERNEL lennard_jones(const float4* position, const int* neighbour, float4* force, int n, int per_atom,
                     float cut) {
  const int i = global_id();
  if (i >= n) return;
  const float4 p = position[i];
  float fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < per_atom; ++k) {
    const float4 q = position[neighbour[k * n + i]];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cut) {
      const float inv = 1.0f / (r2 + 0.01f), r6 = inv * inv * inv, f = inv * r6 * (1.5f * r6 - 2.0f) * 1e-6f;
      fx += dx * f, fy += dy * f, fz += dz * f;
    }
  }
  force[i] = make_float4(fx, fy, fz, 0);
}
// Cells of a grid with their 27 neighbours: nested loops of unknown length.
KERNEL cell_pairs(const int* begin, const float* x, const float* y, const float* z, int* pairs, int side,
                  float cut) {
  const int c = global_id();
  if (c >= side * side * side) return;
  const int cx = c % side, cy = c / side % side, cz = c / side / side;
  int count = 0;
  for (int k = begin[c]; k < begin[c + 1]; ++k)
    for (int d = 0; d < 27; ++d) {
      const int nx = (cx + d % 3 + side - 1) % side, ny = (cy + d / 3 % 3 + side - 1) % side,
                nz = (cz + d / 9 + side - 1) % side;
      const int o = (nz * side + ny) * side + nx;
      for (int j = begin[o]; j < begin[o + 1]; ++j) {
        const float dx = x[k] - x[j], dy = y[k] - y[j], dz = z[k] - z[j];
        count += dx * dx + dy * dy + dz * dz < cut;
      }
    }
  pairs[c] = count;
}
KERNEL monte_carlo_pi(unsigned* hits, int samples) {
  const int i = global_id();
  unsigned in = 0;
  for (int s = 0; s < samples; ++s) {
    const float x = unit(mix(i * 2 * samples + 2 * s)), y = unit(mix(i * 2 * samples + 2 * s + 1));
    in += x * x + y * y < 1;
  }
  hits[i] = in;
}
// Paths of prices: Box and Muller's normal numbers, exponentials.
KERNEL price_paths(float* payoff, int steps, float drift, float volatility) {
  const int i = global_id();
  unsigned state = mix(i + 1);
  float s = 1, most = 1;
  for (int t = 0; t < steps; ++t) {
    state = state * 1664525u + 1013904223u;
    const float u = unit(state) + 1e-7f;
    state = state * 1664525u + 1013904223u;
    const float n = sqrtf(-2 * __logf(u)) * __cosf(6.2831853f * unit(state));
    s *= __expf(drift + volatility * n);
    most = fmaxf(most, s);
  }
  payoff[i] = fmaxf(most - 1.1f, 0);
}
// Options by a tree, values of a CTA's option in shared memory (CUDA samples' binomialOptions).
KERNEL binomial_tree(const float* price, const float* strike, float* value, int steps, float up, float p,
                     float discount) {
  __shared__ float s[257];
  const int t = threadIdx.x;
  const float s0 = price[blockIdx.x] * 50 + 75, x = strike[blockIdx.x] * 50 + 75;
  s[t] = fmaxf(s0 * __powf(up, 2.0f * t - steps) - x, 0);
  if (t == 0) s[256] = 0;
  for (int k = steps; k > 0; --k) {
    __syncthreads();
    const float v = discount * (p * s[t + 1] + (1 - p) * s[t]);
    __syncthreads();
    if (t < k) s[t] = v;
  }
  if (t == 0) value[blockIdx.x] = s[0];
}
// A random walk that ends when it leaves a region.
KERNEL random_walk(const unsigned* seed, int* steps, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned v = seed[i];
  int x = 0, y = 0, k = 0;
  while (x * x + y * y < 64 && k < 300) {
    v = v * 1664525u + 1013904223u;
    switch (v >> 30) {
      case 0:
        ++x;
        break;
      case 1:
        --x;
        break;
      case 2:
        ++y;
        break;
      default:
        --y;
        break;
    }
    ++k;
  }
  steps[i] = k;
}
// Spins on a chequerboard, accepted by chance.
KERNEL ising(signed char* spin, int w, int h, int colour, unsigned seed) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2 + ((blockIdx.y + colour) & 1), y = blockIdx.y;
  const int i = y * w + x, s = spin[i] & 1 ? 1 : -1;
  auto at = [&](int u, int v) { return spin[(v & (h - 1)) * w + (u & (w - 1))] & 1 ? 1 : -1; };
  const int e = s * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
  if (e <= 0 || unit(mix(i ^ seed)) < __expf(-0.8f * e)) spin[i] ^= 1;
}
// Nearest of k centres, eight dimensions.
KERNEL nearest_centre(const float* point, const float* centre, int* out, int n, int k) {
  __shared__ float s[64 * 8];
  for (int j = threadIdx.x; j < k * 8; j += blockDim.x) s[j] = centre[j];
  __syncthreads();
  const int i = global_id();
  if (i >= n) return;
  float p[8], best = 1e30f;
#pragma unroll
  for (int d = 0; d < 8; ++d) p[d] = point[d * n + i];
  int at = 0;
  for (int c = 0; c < k; ++c) {
    float s2 = 0;
#pragma unroll
    for (int d = 0; d < 8; ++d) s2 += (p[d] - s[c * 8 + d]) * (p[d] - s[c * 8 + d]);
    if (s2 < best) best = s2, at = c;
  }
  out[i] = at;
}
// Rays against spheres, two bounces.
KERNEL trace_spheres(const float4* sphere, int spheres, float* out, int w, int h) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float ox = 0, oy = 0, oz = -2, dx = (px - w / 2) * (1.0f / w), dy = (py - h / 2) * (1.0f / h), dz = 1,
        light = 0, strength = 1;
  float l = rsqrtf(dx * dx + dy * dy + dz * dz);
  dx *= l, dy *= l, dz *= l;
  for (int bounce = 0; bounce < 2; ++bounce) {
    float nearest = 1e30f;
    int hit = -1;
    for (int s = 0; s < spheres; ++s) {
      const float4 q = sphere[s];
      const float cx = q.x * 2 - 1 - ox, cy = q.y * 2 - 1 - oy, cz = q.z * 2 - oz, r2 = q.w * 0.02f,
                  b = cx * dx + cy * dy + cz * dz, d = b * b - (cx * cx + cy * cy + cz * cz - r2);
      if (d > 0) {
        const float t = b - sqrtf(d);
        if (t > 1e-3f && t < nearest) nearest = t, hit = s;
      }
    }
    if (hit < 0) {
      light += strength * (0.2f + 0.5f * fabsf(dy));
      break;
    }
    const float4 q = sphere[hit];
    ox += dx * nearest, oy += dy * nearest, oz += dz * nearest;
    float nx = ox - (q.x * 2 - 1), ny = oy - (q.y * 2 - 1), nz = oz - q.z * 2;
    l = rsqrtf(nx * nx + ny * ny + nz * nz + 1e-12f), nx *= l, ny *= l, nz *= l;
    light += strength * fmaxf(0, 0.5f * ny + 0.3f);
    const float k = 2 * (dx * nx + dy * ny + dz * nz);
    dx -= k * nx, dy -= k * ny, dz -= k * nz, strength *= 0.4f;
  }
  out[py * w + px] = light;
}
// Fourier transforms: 512 points in shared memory by radix 2; one pass of radix 4 over memory; Walsh and
// Hadamard's.
KERNEL fft_radix2(float2* data) {  // 256 threads
  __shared__ float2 s[512];
  const int t = threadIdx.x, base = blockIdx.x * 512;
  s[__brev(t) >> 23] = data[base + t], s[__brev(t + 256) >> 23] = data[base + t + 256];
  for (int half = 1; half < 512; half *= 2) {
    __syncthreads();
    const int k = t & (half - 1), a = 2 * t - k, b = a + half;
    float sn, cs;
    __sincosf(-3.14159265f * k / half, &sn, &cs);
    const float2 x = s[a], y = s[b], m = make_float2(y.x * cs - y.y * sn, y.x * sn + y.y * cs);
    s[a] = make_float2(x.x + m.x, x.y + m.y), s[b] = make_float2(x.x - m.x, x.y - m.y);
  }
  __syncthreads();
  data[base + t] = s[t], data[base + t + 256] = s[t + 256];
}
KERNEL fft_pass4(const float2* in, float2* out, int n, int done) {  // Stockham
  const int i = global_id(), q = n / 4;
  if (i >= q) return;
  const int k = i & (done - 1), j = ((i - k) << 2) + k;
  float sn, cs;
  sincosf(-1.57079633f * k / done, &sn, &cs);
  float2 v[4], w = make_float2(cs, sn), f = make_float2(1, 0);
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float2 a = in[i + r * q];
    v[r] = make_float2(a.x * f.x - a.y * f.y, a.x * f.y + a.y * f.x);
    f = make_float2(f.x * w.x - f.y * w.y, f.x * w.y + f.y * w.x);
  }
  const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
               b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
  const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
               d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
  out[j] = make_float2(a.x + c.x, a.y + c.y), out[j + done] = make_float2(b.x + d.x, b.y + d.y);
  out[j + 2 * done] = make_float2(a.x - c.x, a.y - c.y),
              out[j + 3 * done] = make_float2(b.x - d.x, b.y - d.y);
}
KERNEL walsh_pass(float* data, int n, int stride) {
  const int i = global_id();
  if (i >= n / 4) return;
  const int low = i & (stride - 1), base = ((i - low) << 2) + low;
  float a = data[base], b = data[base + stride], c = data[base + 2 * stride], d = data[base + 3 * stride], t;
  t = a, a = a + c, c = t - c;
  t = b, b = b + d, d = t - d;
  t = a, a = a + b, b = t - b;
  t = c, c = c + d, d = t - d;
  data[base] = a, data[base + stride] = b, data[base + 2 * stride] = c, data[base + 3 * stride] = d;
}
// Sums over samples with sine and cosine (Parboil's mri-q).
KERNEL sample_phases(const float4* sample, const float* x, const float* y, float2* out, int n, int samples) {
  const int i = global_id();
  if (i >= n) return;
  float re = 0, im = 0;
  for (int s = 0; s < samples; ++s) {
    const float4 k = sample[s];
    float sn, cs;
    __sincosf(6.2831853f * (k.x * x[i] + k.y * y[i]), &sn, &cs);
    re += k.z * cs, im += k.w * sn;
  }
  out[i] = make_float2(re, im);
}
// Dynamic programming over antidiagonals of a tile (Rodinia's nw).
KERNEL align_tiles(const int* similarity, int* score, int w, int diagonal, int penalty) {
  __shared__ int s[33][33];
  const int bx = blockIdx.x, by = diagonal - bx, t = threadIdx.x, x0 = bx * 32, y0 = by * 32;
  s[0][t + 1] = score[y0 * w + x0 + t + 1], s[t + 1][0] = score[(y0 + t + 1) * w + x0];
  if (t == 0) s[0][0] = score[y0 * w + x0];
  __syncwarp();
  for (int d = 0; d < 63; ++d) {
    const int x = t, y = d - t;
    if (y >= 0 && y < 32)
      s[y + 1][x + 1] = max(s[y][x] + (similarity[(y0 + y) * w + x0 + x] & 15) - 6,
                            max(s[y + 1][x], s[y][x + 1]) - penalty);
    __syncwarp();
  }
  for (int y = 0; y < 32; ++y) score[(y0 + y + 1) * w + x0 + t + 1] = s[y + 1][t + 1];
}
KERNEL cheapest_path(const int* cost, const int* from, int* to, int columns,
                     int rows) {  // Rodinia's pathfinder
  __shared__ int a[256], b[256];
  const int inner = 256 - 2 * rows, c = (int)blockIdx.x * inner - rows + (int)threadIdx.x, t = threadIdx.x;
  const bool valid = c >= 0 && c < columns;
  a[t] = valid ? from[c] : 0x3fffffff;
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    if (t > r && t < 255 - r && valid)
      b[t] = min(a[t - 1], min(a[t], a[t + 1])) + (cost[r * columns + c] & 15);
    else
      b[t] = 0x3fffffff;
    __syncthreads();
    a[t] = b[t];
    __syncthreads();
  }
  if (valid && t >= rows && t < 256 - rows) to[c] = a[t];
}
