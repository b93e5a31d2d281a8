// Stencils and image filters.
#include "training.cuh"

KERNEL stencil_1d(const float* in, float* out, int n) {
  const int i = global_id() + 4;
  if (i >= n - 4) return;
  float s = in[i] * 0.4f;
#pragma unroll
  for (int k = 1; k <= 4; ++k) s += (in[i - k] + in[i + k]) * (0.1f / k);
  out[i] = s;
}
KERNEL stencil_1d_shared(const float* in, float* out, int n) {
  __shared__ float s[256 + 16];
  const int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x + 8] = in[i];
  if (threadIdx.x < 8) {
    s[threadIdx.x] = i >= 8 ? in[i - 8] : 0;
    s[threadIdx.x + 264] = i + 256 < n ? in[i + 256] : 0;
  }
  __syncthreads();
  float v = 0;
#pragma unroll
  for (int k = -8; k <= 8; ++k) v += s[threadIdx.x + 8 + k] * (1.0f / (9 + k));
  out[i] = v;
}
KERNEL five_point(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  const int i = y * w + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}
KERNEL nine_point_f64(const double* in, double* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  const int i = y * w + x;
  out[i] = 0.5 * in[i] + 0.1 * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]) +
           0.025 * (in[i - w - 1] + in[i - w + 1] + in[i + w - 1] + in[i + w + 1]);
}
// Tiles with halo, several steps in shared memory (Rodinia's hotspot).
KERNEL heat_tiles(const float* temperature, const float* power, float* out, int w, int h, int steps) {
  __shared__ float t[16][16], p[16][16];
  const int inner = 16 - 2 * steps, x = (int)blockIdx.x * inner + (int)threadIdx.x - steps,
            y = (int)blockIdx.y * inner + (int)threadIdx.y - steps;
  const int cx = min(max(x, 0), w - 1), cy = min(max(y, 0), h - 1), tx = threadIdx.x, ty = threadIdx.y;
  t[ty][tx] = temperature[cy * w + cx], p[ty][tx] = power[cy * w + cx];
  __syncthreads();
  bool computed = false;
  for (int s = 0; s < steps; ++s) {
    computed = tx > s && tx < 15 - s && ty > s && ty < 15 - s && x >= 0 && y >= 0 && x < w && y < h;
    float v = 0;
    if (computed) {
      const int n = max(ty - 1, 0), m = min(ty + 1, 15), l = max(tx - 1, 0), r = min(tx + 1, 15);
      v = t[ty][tx] + 0.1f * (p[ty][tx] + (t[m][tx] + t[n][tx] - 2 * t[ty][tx]) * 0.5f +
                              (t[ty][r] + t[ty][l] - 2 * t[ty][tx]) * 0.4f + (0.8f - t[ty][tx]) * 0.1f);
    }
    __syncthreads();
    if (computed) t[ty][tx] = v;
    __syncthreads();
  }
  if (computed) out[y * w + x] = t[ty][tx];
}
KERNEL seven_point(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z;
  if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int i = (z * ny + y) * nx + x, p = nx * ny;
  out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - p] + in[i + p]);
}
// The same, marching through the planes with values in registers (Parboil).
KERNEL seven_point_march(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, p = nx * ny;
  if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
  int i = y * nx + x;
  float below = in[i], here = in[i + p];
  for (int z = 1; z < nz - 1; ++z) {
    i += p;
    const float above = in[i + p];
    out[i] = 0.4f * here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    below = here, here = above;
  }
}
// Gradients of bytes, three rows of them.
KERNEL sobel_u8(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  auto p = [&](int dx, int dy) { return (int)in[(y + dy) * w + x + dx]; };
  const int gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
  const int gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
  out[y * w + x] = min(255, abs(gx) + abs(gy));
}
KERNEL game_of_life(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) alive += in[((y + dy) & (h - 1)) * w + ((x + dx) & (w - 1))] & 1;
  out[y * w + x] = alive == 3 || (alive == 2 && (in[y * w + x] & 1));
}
// Median of 3 x 3 by a network of minima and maxima.
KERNEL median_3x3(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
  auto sort2 = [&](int a, int b) {
    const float l = fminf(v[a], v[b]), m = fmaxf(v[a], v[b]);
    v[a] = l, v[b] = m;
  };
  sort2(1, 2), sort2(4, 5), sort2(7, 8), sort2(0, 1), sort2(3, 4), sort2(6, 7), sort2(1, 2), sort2(4, 5),
      sort2(7, 8);
  sort2(0, 3), sort2(5, 8), sort2(4, 7), sort2(3, 6), sort2(1, 4), sort2(2, 5), sort2(4, 7), sort2(4, 2),
      sort2(6, 4), sort2(4, 2);
  out[y * w + x] = v[4];
}
KERNEL bilateral(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  const float c = in[y * w + x];
  float s = 0, total = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const float v = in[(y + dy) * w + x + dx], d = v - c,
                  k = __expf(-(dx * dx + dy * dy) * 0.25f - d * d * 8);
      s += v * k, total += k;
    }
  out[y * w + x] = s / total;
}
// Separable filter: rows through shared memory (CUDA samples' convolution).
KERNEL filter_rows(const float* in, float* out, const float* weight, int w) {
  __shared__ float s[4][64 + 16];
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  s[threadIdx.y][threadIdx.x + 8] = in[y * w + x];
  if (threadIdx.x < 8)
    s[threadIdx.y][threadIdx.x] = x >= 8 ? in[y * w + x - 8] : 0;
  else if (threadIdx.x >= 56)
    s[threadIdx.y][threadIdx.x + 16] = x + 8 < w ? in[y * w + x + 8] : 0;
  __syncthreads();
  float v = 0;
#pragma unroll
  for (int k = 0; k < 17; ++k) v += s[threadIdx.y][threadIdx.x + k] * weight[k];
  out[y * w + x] = v;
}
KERNEL filter_columns(const float* in, float* out, const float* weight, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  for (int r = 0; r < 4; ++r) {
    float v = 0;
    for (int k = -8; k <= 8; ++k)
      if (y + r + k >= 0 && y + r + k < h) v += in[(y + r + k) * w + x] * weight[k + 8];
    out[(y + r) * w + x] = v;
  }
}
// Lattice Boltzmann, nine directions, streaming and collision.
KERNEL lattice_d2q9(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            cells = w * h;
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int u = (x - ex[k]) & (w - 1), v = (y - ey[k]) & (h - 1);
    f[k] = in[k * cells + v * w + u] + 0.1f;
    rho += f[k], ux += f[k] * ex[k], uy += f[k] * ey[k];
  }
  ux /= rho, uy /= rho;
  const float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36, e = ex[k] * ux + ey[k] * uy;
    out[k * cells + y * w + x] = f[k] - 0.6f * (f[k] - weight * rho * (1 + 3 * e + 4.5f * e * e - uu));
  }
}
// Diffusion with coefficients that depend on the picture (Rodinia's srad), divisions and clamps.
KERNEL diffusion(const float* in, float* out, int w, int h, float q) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            i = y * w + x;
  const float c = in[i] + 0.5f, n = in[max(y - 1, 0) * w + x] + 0.5f - c,
              s = in[min(y + 1, h - 1) * w + x] + 0.5f - c;
  const float e = in[y * w + min(x + 1, w - 1)] + 0.5f - c, l = in[y * w + max(x - 1, 0)] + 0.5f - c;
  const float g = (n * n + s * s + e * e + l * l) / (c * c), a = (n + s + e + l) / c,
              num = 0.5f * g - a * a / 16, den = 1 + 0.25f * a;
  float d = 1 / (1 + (num / (den * den) - q) / (q * (1 + q)));
  d = d < 0 ? 0 : d > 1 ? 1 : d;
  out[i] = c + 0.125f * d * (n + s + e + l);
}
// Red and black points in turn: half of the lanes each.
KERNEL red_black(float* u, const float* f, int w, int h, int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1 || ((x + y) & 1) != colour) return;
  const int i = y * w + x;
  u[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w] - f[i]);
}
