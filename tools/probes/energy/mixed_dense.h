// Mixed kernels whose accesses do not depend on data.
#pragma once

#include <cmath>

#include "mixed_tools.h"

namespace energy {

__host__ __device__ constexpr int at(int row, int column, int width) {
  return row * width + column;
}

__global__ void mixed_vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
inline Case vecadd() {
  const int n = 16 << 20;
  auto a = reals(n, 1), b = reals(n, 2);
  auto c = array<float>(n);
  return sequence(
      [=] { mixed_vecadd<<<n / 256, 256>>>(a->device(), b->device(), c->device(), n); },
      [=] { return compare(*c, n, 1e-6, [&](std::size_t i) { return a->host[i] + b->host[i]; }); });
}

__global__ void mixed_gemm_naive(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
__global__ void mixed_gemm_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float s[32][32], t[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
inline Case gemm(bool tiled) {
  const int n = 512;
  auto a = reals(n * n, 3, -1), b = reals(n * n, 4, -1);
  auto c = array<float>(n * n);
  return sequence(
      [=] {
        if (tiled)
          mixed_gemm_tiled<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a->device(), b->device(), c->device(), n);
        else
          mixed_gemm_naive<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a->device(), b->device(), c->device(), n);
      },
      [=] {
        return compare(*c, n * n, 1e-4, [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < n; ++k) sum += double(a->host[i / n * n + k]) * b->host[k * n + i % n];
          return sum;
        });
      });
}
inline Case gemm_naive() {
  return gemm(false);
}
inline Case gemm_tiled() {
  return gemm(true);
}

// C = A B of f16, sums in f32; B by columns. A warp has 32 x 32 of C, as 2 x 4 products of 16 x 8.
__global__ void mixed_gemm_tensor(const unsigned* a, const unsigned* b, float* c, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, g = lane / 4,
            t = lane % 4;
  const int row = warp / (n / 32) * 32, column = warp % (n / 32) * 32, pairs = n / 2;
  float sum[2][4][4] = {};
  for (int k = 0; k < pairs; k += 8) {
    unsigned x[2][4], y[4][2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned* p = a + (row + 16 * i + g) * pairs + k + t;
      x[i][0] = p[0], x[i][1] = p[8 * pairs], x[i][2] = p[4], x[i][3] = p[8 * pairs + 4];
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned* p = b + (column + 8 * j + g) * pairs + k + t;
      y[j][0] = p[0], y[j][1] = p[4];
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
            : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]), "r"(y[j][1]));
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int h = 0; h < 4; ++h)
        c[(row + 16 * i + g + h / 2 * 8) * n + column + 8 * j + 2 * t + h % 2] = sum[i][j][h];
}
inline float half_value(unsigned h) {  // of normal numbers
  return (h & 0x8000 ? -1.f : 1.f) * std::ldexp(1.f + (h & 0x3ff) / 1024.f, int(h >> 10 & 31) - 15);
}
inline Case gemm_tensor() {
  const int n = 2048;
  Random random(5);
  const auto halves = [&](std::size_t) { return 0x38003800u | (random.word() & 0x83ff83ffu); };
  auto a = array<unsigned>(n * n / 2, halves), b = array<unsigned>(n * n / 2, halves);
  auto c = array<float>(n * n);
  return sequence(
      [=] { mixed_gemm_tensor<<<n / 32 * (n / 32) / 4, 128>>>(a->device(), b->device(), c->device(), n); },
      [=] {
        return compare(*c, n * n, 1e-3, [&](std::size_t i) {
          const auto value = [&](const Array<unsigned>& m, std::size_t line, int k) {
            return half_value(m.host[line * (n / 2) + k / 2] >> k % 2 * 16 & 0xffff);
          };
          double sum = 0;
          for (int k = 0; k < n; ++k) sum += double(value(*a, i / n, k)) * value(*b, i % n, k);
          return sum;
        });
      });
}

template <class T>
__device__ void five_points(const T* in, T* out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            i = at(y, x, width);
  if (x == 0 || y == 0 || x == width - 1 || y == gridDim.y * blockDim.y - 1)
    out[i] = in[i];
  else
    out[i] = T(0.5) * in[i] + T(0.125) * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
__global__ void mixed_stencil2d(const float* in, float* out, int width) {
  five_points(in, out, width);
}
__global__ void mixed_jacobi_f64(const double* in, double* out, int width) {
  five_points(in, out, width);
}
template <class T>
Case five_point_case(int width, void (*kernel)(const T*, T*, int)) {
  Random random(6);
  auto in = array<T>(std::size_t(width) * width, [&](std::size_t) { return T(random.real()); });
  auto out = array<T>(std::size_t(width) * width);
  return sequence(
      [=] { kernel<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(in->device(), out->device(), width); },
      [=] {
        return compare(*out, std::size_t(width) * width, 1e-5, [&](std::size_t i) {
          const std::size_t x = i % width, y = i / width;
          const auto& v = in->host;
          if (x == 0 || y == 0 || x == std::size_t(width) - 1 || y == std::size_t(width) - 1)
            return double(v[i]);
          return 0.5 * v[i] + 0.125 * (double(v[i - 1]) + v[i + 1] + v[i - width] + v[i + width]);
        });
      });
}
inline Case stencil2d() {
  return five_point_case<float>(4096, mixed_stencil2d);
}
inline Case jacobi_f64() {
  return five_point_case<double>(2048, mixed_jacobi_f64);
}

__global__ void mixed_stencil3d(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  const int plane = n * n, from = blockIdx.z * 32 + (blockIdx.z == 0),
            until = min(int(blockIdx.z) * 32 + 32, n - 1);
  int i = from * plane + y * n + x;
  float below = in[i - plane], here = in[i];
  for (int z = from; z < until; ++z, i += plane) {
    const float above = in[i + plane];
    out[i] = 0.4f * here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
    below = here, here = above;
  }
}
inline Case stencil3d() {
  const int n = 256;
  auto in = reals(n * n * n, 7), out = array<float>(n * n * n);
  check(cudaMemset(out->device(), 0, n * n * n * sizeof(float)), "stencil3d");
  return sequence(
      [=] { mixed_stencil3d<<<dim3(n / 32, n / 8, n / 32), dim3(32, 8)>>>(in->device(), out->device(), n); },
      [=] {
        return compare(*out, n * n * n, 1e-5, [&](std::size_t i) {
          const int x = i % n, y = i / n % n, z = i / (n * n);
          const auto& v = in->host;
          if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) return 0.0;
          return 0.4 * v[i] +
                 0.1 * (double(v[i - 1]) + v[i + 1] + v[i - n] + v[i + n] + v[i - n * n] + v[i + n * n]);
        });
      });
}

__constant__ float filter[25];
__global__ void mixed_conv2d(const float* in, float* out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            inner = width - 4;
  if (x >= inner || y >= inner) return;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 5; ++i)
#pragma unroll
    for (int j = 0; j < 5; ++j) sum += filter[i * 5 + j] * in[at(y + i, x + j, width)];
  out[at(y, x, width)] = sum;
}
inline Case conv2d() {
  const int width = 2048;
  auto in = reals(width * width, 8);
  auto out = array<float>(width * width);
  check(cudaMemset(out->device(), 0, sizeof(float) * width * width), "conv2d");
  std::vector<float> f(25);
  for (int i = 0; i < 25; ++i) f[i] = 0.01f * float(i + 1);
  check(cudaMemcpyToSymbol(filter, f.data(), sizeof filter), "filter");
  return sequence(
      [=] { mixed_conv2d<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(in->device(), out->device(), width); },
      [=] {
        return compare(*out, width * width, 1e-5, [&](std::size_t p) {
          const int x = p % width, y = p / width;
          double sum = 0;
          for (int i = 0; i < 25 && x < width - 4 && y < width - 4; ++i)
            sum += f[i] * in->host[at(y + i / 5, x + i % 5, width)];
          return sum;
        });
      });
}

__global__ void mixed_transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
inline Case transpose() {
  const int n = 4096;
  auto in = reals(n * n, 9);
  auto out = array<float>(n * n);
  return sequence(
      [=] { mixed_transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in->device(), out->device(), n); },
      [=] { return compare(*out, n * n, 0, [&](std::size_t i) { return in->host[i % n * n + i / n]; }); });
}

// Two steps of heat in a tile of 32 x 32 with its rim, 28 x 28 of which are new.
__global__ void mixed_hotspot(const float* heat, const float* power, float* out, int width) {
  __shared__ float tile[2][32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = min(max(int(blockIdx.x) * 28 + tx - 2, 0), width - 1),
            y = min(max(int(blockIdx.y) * 28 + ty - 2, 0), width - 1);
  const float p = power[at(y, x, width)];
  tile[0][ty][tx] = heat[at(y, x, width)];
  __syncthreads();
  for (int step = 0; step < 2; ++step) {
    if (tx > step && tx < 31 - step && ty > step && ty < 31 - step) {
      const float h = tile[step][ty][tx];
      tile[1 - step][ty][tx] =
          h + 0.1f * (p + (tile[step][ty - 1][tx] + tile[step][ty + 1][tx] - 2 * h) +
                      (tile[step][ty][tx - 1] + tile[step][ty][tx + 1] - 2 * h) + 0.02f * (0.3f - h));
    }
    __syncthreads();
  }
  const int left = blockIdx.x * 28 + tx - 2, top = blockIdx.y * 28 + ty - 2;
  if (tx >= 2 && tx < 30 && ty >= 2 && ty < 30 && left < width && top < width)
    out[at(top, left, width)] = tile[0][ty][tx];
}
inline Case hotspot() {
  const int width = 2048;
  auto heat = reals(width * width, 10), power = reals(width * width, 11);
  auto out = array<float>(width * width);
  const int tiles = (width + 27) / 28;
  return sequence(
      [=] {
        mixed_hotspot<<<dim3(tiles, tiles), dim3(32, 32)>>>(heat->device(), power->device(), out->device(),
                                                            width);
      },
      [=] {
        const auto place = [&](int x, int y) {
          return at(std::clamp(y, 0, width - 1), std::clamp(x, 0, width - 1), width);
        };
        return compare(*out, width * width, 1e-4, [&](std::size_t i) {
          const int x = i % width, y = i / width;
          // The first step at (x, y) and beside it; a rim outside of the plate is as hot as its edge at
          // first.
          const auto first = [&](int cx, int cy) {
            const auto h = [&](int dx, int dy) { return double(heat->host[place(cx + dx, cy + dy)]); };
            return h(0, 0) + 0.1 * (power->host[place(cx, cy)] + (h(0, -1) + h(0, 1) - 2 * h(0, 0)) +
                                    (h(-1, 0) + h(1, 0) - 2 * h(0, 0)) + 0.02 * (0.3 - h(0, 0)));
          };
          const double h = first(x, y);
          return h + 0.1 * (power->host[i] + (first(x, y - 1) + first(x, y + 1) - 2 * h) +
                            (first(x - 1, y) + first(x + 1, y) - 2 * h) + 0.02 * (0.3 - h));
        });
      });
}

}  // namespace energy
