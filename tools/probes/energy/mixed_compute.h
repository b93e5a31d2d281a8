// Mixed kernels that mostly compute.
#pragma once

#include <complex>

#include "mixed_tools.h"

namespace energy {

__global__ void mixed_nbody(const float4* body, float4* force, int n, int slice) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = body[i];
  float x = 0, y = 0, z = 0;
  for (int from = blockIdx.y * slice; from < int(blockIdx.y + 1) * slice; from += 128) {
    tile[threadIdx.x] = body[from + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const float4 it = tile[j];
      const float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = it.w * r * r * r;
      x += dx * f, y += dy * f, z += dz * f;
    }
    __syncthreads();
  }
  force[blockIdx.y * n + i] = make_float4(x, y, z, 0);
}
inline Case nbody() {
  const int n = 8192, slices = 16;
  Random random(12);
  auto body = array<float4>(n, [&](std::size_t) {
    const float x = random.real(), y = random.real(), z = random.real();
    return make_float4(x, y, z, 0.5f + random.real());
  });
  auto force = array<float4>(n * slices);
  return sequence(
      [=] { mixed_nbody<<<dim3(n / 128, slices), 128>>>(body->device(), force->device(), n, n / slices); },
      [=]() -> std::string {
        force->fetch();
        for (int i = 5; i < n * slices; i += 4999) {
          double x = 0;
          const float4 me = body->host[i % n];
          for (int j = i / n * (n / slices); j < (i / n + 1) * (n / slices); ++j) {
            const float4 it = body->host[j];
            const double dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
            x += dx * it.w * std::pow(dx * dx + dy * dy + dz * dz + 0.01, -1.5);
          }
          if (std::fabs(x - force->host[i].x) > 1e-3 * std::fmax(10, std::fabs(x)))
            return "force of " + std::to_string(i);
        }
        return "";
      });
}

__global__ void mixed_blackscholes(const float* price, const float* strike, const float* years, float* call,
                                   float* put, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float rate = 0.02f, volatility = 0.3f, s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
  const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root),
              d2 = d1 - volatility * root;
  const float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f),
              discount = expf(-rate * t);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1 - n2) - s * (1 - n1);
}
inline Case blackscholes() {
  const int n = 2 << 20;
  auto price = reals(n, 13, 5, 30), strike = reals(n, 14, 1, 100), years = reals(n, 15, 0.25f, 10);
  auto call = array<float>(n), put = array<float>(n);
  return sequence(
      [=] {
        mixed_blackscholes<<<n / 256, 256>>>(price->device(), strike->device(), years->device(),
                                             call->device(), put->device(), n);
      },
      [=] {
        return compare(*call, n, 1e-3, [&](std::size_t i) {
          const double s = price->host[i], x = strike->host[i], t = years->host[i], v = 0.3 * std::sqrt(t);
          const double d1 = (std::log(s / x) + (0.02 + 0.045) * t) / v, d2 = d1 - v;
          return s * 0.5 * std::erfc(-d1 / std::sqrt(2.)) -
                 x * std::exp(-0.02 * t) * 0.5 * std::erfc(-d2 / std::sqrt(2.));
        });
      });
}

__global__ void mixed_mandelbrot(int* out, int width, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = -2 + 3.0f * px / width, cy = -1.5f + 3.0f * py / width;
  float x = 0, y = 0;
  int n = 0;
  while (n < limit && x * x + y * y < 4) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy, x = next, ++n;
  }
  out[py * width + px] = n;
}
inline Case mandelbrot() {
  const int width = 1024, limit = 128;
  auto out = array<int>(width * width);
  return sequence(
      [=] { mixed_mandelbrot<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(out->device(), width, limit); },
      [=]() -> std::string {
        out->fetch();
        // Where rounding does not matter: inside of the set, and far outside.
        if (out->host[width / 2 * width + width * 2 / 3] != limit) return "not inside at 0";
        if (out->host[0] != 1) return "not outside at (-2, -1.5)";
        return "";
      });
}

// Rounds of shifts, logic and additions, as hash functions have them.
__host__ __device__ inline std::uint32_t mix(std::uint32_t seed, int rounds) {
  std::uint32_t a = seed, b = ~seed, c = seed * 3, d = seed ^ 0x9e3779b9u;
  for (int i = 0; i < rounds; ++i) {
    a += (b & c) | (~b & d);
    a = a << 7 | a >> 25;
    d ^= a, d = d << 11 | d >> 21;
    c += d ^ (a & b);
    b ^= c, b = b << 19 | b >> 13;
  }
  return a ^ b ^ c ^ d;
}
__global__ void mixed_hash(std::uint32_t* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = mix(i, rounds);
}
inline Case hash() {
  const int n = 1 << 20, rounds = 32;
  auto out = array<std::uint32_t>(n);
  return sequence(
      [=] { mixed_hash<<<n / 256, 256>>>(out->device(), rounds); },
      [=] { return compare(*out, n, 0, [&](std::size_t i) { return mix(std::uint32_t(i), rounds); }); });
}

// 1,024 points in shared memory, decimation in time.
__global__ void mixed_fft(const float2* in, float2* out) {
  __shared__ float2 v[1024];
  const int t = threadIdx.x;
  for (int i = t; i < 1024; i += 512) v[__brev(i) >> 22] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  for (int half = 1; half < 1024; half *= 2) {
    const int k = t & (half - 1), i = 2 * t - k, j = i + half;
    float s, c;
    __sincosf(-3.14159265f * k / half, &s, &c);
    const float2 a = v[i], b = v[j], w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    v[i] = make_float2(a.x + w.x, a.y + w.y);
    v[j] = make_float2(a.x - w.x, a.y - w.y);
    __syncthreads();
  }
  for (int i = t; i < 1024; i += 512) out[blockIdx.x * 1024 + i] = v[i];
}
inline Case fft() {
  const int batch = 2048;
  Random random(16);
  auto in = array<float2>(batch * 1024, [&](std::size_t) {
    const float x = random.real() - 0.5f;
    return make_float2(x, random.real() - 0.5f);
  });
  auto out = array<float2>(batch * 1024);
  return sequence([=] { mixed_fft<<<batch, 512>>>(in->device(), out->device()); },
                  [=]() -> std::string {
                    out->fetch();
                    for (int i = 3; i < batch * 1024; i += 400009) {
                      std::complex<double> sum = 0;
                      for (int k = 0; k < 1024; ++k) {
                        const float2 v = in->host[i / 1024 * 1024 + k];
                        sum += std::complex<double>(v.x, v.y) *
                               std::polar(1.0, -2 * M_PI * k * (i % 1024) / 1024);
                      }
                      if (std::abs(sum - std::complex<double>(out->host[i].x, out->host[i].y)) > 0.01)
                        return "at " + std::to_string(i);
                    }
                    return "";
                  });
}

__global__ void mixed_kmeans(const float* points, const float* centres, int* nearest, int n) {
  __shared__ float c[16 * 8];
  if (threadIdx.x < 128) c[threadIdx.x] = centres[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p[8], least = 1e30f;
  for (int d = 0; d < 8; ++d) p[d] = points[d * n + i];
  int best = 0;
  for (int k = 0; k < 16; ++k) {
    float sum = 0;
    for (int d = 0; d < 8; ++d) sum += (p[d] - c[k * 8 + d]) * (p[d] - c[k * 8 + d]);
    if (sum < least) least = sum, best = k;
  }
  nearest[i] = best;
}
inline Case kmeans() {
  const int n = 1 << 20;
  auto points = reals(std::size_t(n) * 8, 17), centres = reals(128, 18);
  auto nearest = array<int>(n);
  return sequence(
      [=] { mixed_kmeans<<<n / 256, 256>>>(points->device(), centres->device(), nearest->device(), n); },
      [=]() -> std::string {
        nearest->fetch();
        const auto distance = [&](int i, int k) {
          double sum = 0;
          for (int d = 0; d < 8; ++d)
            sum += std::pow(points->host[std::size_t(d) * n + i] - centres->host[k * 8 + d], 2);
          return sum;
        };
        for (int i = 0; i < n; i += 997)
          for (int k = 0; k < 16; ++k)
            if (nearest->host[i] < 0 || nearest->host[i] > 15 ||
                distance(i, k) < distance(i, nearest->host[i]) - 1e-5)
              return "point " + std::to_string(i);
        return "";
      });
}

}  // namespace energy
