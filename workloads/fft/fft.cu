// SHOC's batch of Fourier transforms of 512 points: a CTA of 64 threads each, three steps of radix 8 in
// registers with two exchanges through shared memory (the algorithm of Volkov and Kazian).
#include "heddle_device.h"

struct Complex {
  float re, im;
};

HEDDLE_DEVICE Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
HEDDLE_DEVICE Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
HEDDLE_DEVICE Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// `sign` is -1 forward, +1 back. Multiplies by i * sign.
template <int sign>
HEDDLE_DEVICE Complex quarter(Complex a) {
  return sign > 0 ? Complex{-a.im, a.re} : Complex{a.im, -a.re};
}

template <int sign>
HEDDLE_DEVICE void transform4(Complex& a, Complex& b, Complex& c, Complex& d) {
  const Complex even = a + c, even_difference = a - c;
  const Complex odd = b + d, odd_difference = quarter<sign>(b - d);
  a = even + odd;
  b = even_difference + odd_difference;
  c = even - odd;
  d = even_difference - odd_difference;
}

// In the order of the frequencies.
template <int sign>
HEDDLE_DEVICE void transform8(Complex a[8]) {
  transform4<sign>(a[0], a[2], a[4], a[6]);
  transform4<sign>(a[1], a[3], a[5], a[7]);
  const float half = 0.70710678f;
  const Complex odd1 = a[3] * Complex{half, sign * half}, odd2 = quarter<sign>(a[5]),
                odd3 = a[7] * Complex{-half, sign * half};
  const Complex even0 = a[0], even1 = a[2], even2 = a[4], even3 = a[6], odd0 = a[1];
  a[0] = even0 + odd0;
  a[1] = even1 + odd1;
  a[2] = even2 + odd2;
  a[3] = even3 + odd3;
  a[4] = even0 - odd0;
  a[5] = even1 - odd1;
  a[6] = even2 - odd2;
  a[7] = even3 - odd3;
}

template <int sign>
HEDDLE_DEVICE void twiddle(Complex a[8], int index, int points) {
#pragma unroll
  for (int k = 1; k < 8; ++k) {
    const float angle =
        sign * (6.28318531f * static_cast<float>(k) / static_cast<float>(points)) * static_cast<float>(index);
    a[k] = a[k] * Complex{__cosf(angle), __sinf(angle)};
  }
}

// Value k goes to to[k * to_stride]; what comes back lies at from[k * 8]. Real parts first, then imaginary
// ones.
HEDDLE_DEVICE void exchange(Complex a[8], float* to, int to_stride, const float* from) {
#pragma unroll
  for (int k = 0; k < 8; ++k) to[k * to_stride] = a[k].re;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) a[k].re = from[k * 8];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) to[k * to_stride] = a[k].im;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) a[k].im = from[k * 8];
}

template <int sign>
HEDDLE_DEVICE void transform512(float2* work, float factor) {
  __shared__ float shared[8 * 8 * 9];
  const int thread = threadIdx.x, high = thread >> 3, low = thread & 7;
  float2* const points = work + blockIdx.x * 512 + thread;

  Complex a[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float2 point = points[k * 64];
    a[k] = {point.x, point.y};
  }
  transform8<sign>(a);
  twiddle<sign>(a, thread, 512);
  exchange(a, &shared[thread], 66, &shared[low * 66 + high]);
  __syncthreads();

  transform8<sign>(a);
  twiddle<sign>(a, high, 64);
  exchange(a, &shared[thread], 72, &shared[high * 72 + low]);

  transform8<sign>(a);
#pragma unroll
  for (int k = 0; k < 8; ++k) points[k * 64] = make_float2(a[k].re * factor, a[k].im * factor);
}

extern "C" __global__ void fft512_forward(float2* work) {
  transform512<-1>(work, 1.0f);
}

extern "C" __global__ void fft512_inverse(float2* work) {
  transform512<1>(work, 1.0f / 512.0f);
}

// The second half of the batch holds the same data as the first.
extern "C" __global__ void fft512_check(const float2* __restrict__ work, int half,
                                        char* __restrict__ failed) {
  work += blockIdx.x * 512 + threadIdx.x;
  float2 a[8], b[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) a[k] = work[k * 64];
#pragma unroll
  for (int k = 0; k < 8; ++k) b[k] = work[half + k * 64];
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (a[k].x != b[k].x || a[k].y != b[k].y) *failed = 1;
}
