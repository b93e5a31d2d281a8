// The CUDA SDK's dxtc: compression of blocks of 4 x 4 pixels to DXT1, two colours of 5, 6 and 5 bits and a
// code of two bits per pixel. A CTA of two warps per block: 16 threads sort its colours along the direction
// in which they differ most, all threads try the ways to divide that order into groups, the best one is
// stored.
#include "heddle_device.h"

constexpr int kThreads = 64, kPixels = 16;
constexpr int kDivisions = 992;     // into groups of codes 0, 2, 3, 1
constexpr int kFewDivisions = 160;  // the first ones, without code 3: they also serve three colours
constexpr float kNever = 3.4e38f;

// A pixel's share of the first end colour by its code: 1, 0, 2/3, 1/3, and 1, 0, 1/2 with three colours.
// Times 9 and 4, so that sums of products of shares are integers.
__constant__ float shares4[4] = {9.0f, 0.0f, 6.0f, 3.0f};
__constant__ float shares3[4] = {4.0f, 0.0f, 2.0f, 2.0f};
// Squared share of the first colour, squared share of the second and their product, in a byte each.
__constant__ unsigned products4[4] = {0x090000, 0x000900, 0x040102, 0x010402};
__constant__ unsigned products3[4] = {0x040000, 0x000400, 0x010101, 0x010101};

HEDDLE_DEVICE float3 operator+(float3 a, float3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
HEDDLE_DEVICE float3 operator-(float3 a, float3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HEDDLE_DEVICE float3 operator*(float3 a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
HEDDLE_DEVICE float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// What follows runs in the first 16 threads: half a warp, which needs no barrier of the CTA.
constexpr unsigned kHalfWarp = 0xffff;

HEDDLE_DEVICE void sum_colours(const float3* colours, float3* sums, int t) {
  sums[t] = colours[t];
#pragma unroll
  for (int distance = kPixels / 2; distance > 0; distance >>= 1) {
    __syncwarp(kHalfWarp);
    const float3 sum = sums[t] + sums[t ^ distance];
    __syncwarp(kHalfWarp);
    sums[t] = sum;
  }
  __syncwarp(kHalfWarp);
}

// The direction of the largest variance: powers of the covariance matrix times a vector.
HEDDLE_DEVICE float3 main_direction(const float3* colours, float3 sum, int t) {
  __shared__ float covariance[kPixels * 6];
  const float3 d = colours[t] - sum * (1.0f / kPixels);
  float* const own = covariance + 6 * t;
  own[0] = d.x * d.x;
  own[1] = d.x * d.y;
  own[2] = d.x * d.z;
  own[3] = d.y * d.y;
  own[4] = d.y * d.z;
  own[5] = d.z * d.z;
#pragma unroll
  for (int half = kPixels / 2; half > 0; half >>= 1) {
    __syncwarp(kHalfWarp);
    if (t < half) {
#pragma unroll
      for (int i = 0; i < 6; ++i) own[i] += own[6 * half + i];
    }
  }
  __syncwarp(kHalfWarp);
  const float* const m = covariance;
  float3 v = {1.0f, 1.0f, 1.0f};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    v = {dot({m[0], m[1], m[2]}, v), dot({m[1], m[3], m[4]}, v), dot({m[2], m[4], m[5]}, v)};
    const float largest = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fabsf(v.z));
    v = v * (largest > 0.0f ? 1.0f / largest : 0.0f);
  }
  return v;
}

// Brings colours into the order of `direction`; places[i]: where pixel i went.
HEDDLE_DEVICE void sort_colours(float3* colours, int* places, float3 direction, int t) {
  __shared__ float projections[kPixels];
  const float3 colour = colours[t];
  const float own = dot(colour, direction);
  projections[t] = own;
  __syncwarp(kHalfWarp);
  int place = 0;
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    const float other = projections[i];
    place += other < own || (other == own && i < t);
  }
  places[t] = place;
  colours[place] = colour;
}

// Rounds to 5, 6 and 5 bits; `word` gets them, the result is the colour that they stand for.
HEDDLE_DEVICE float3 round_colour(float3 v, unsigned* word) {
  const float red = rintf(__saturatef(v.x) * 31.0f), green = rintf(__saturatef(v.y) * 63.0f),
              blue = rintf(__saturatef(v.z) * 31.0f);
  *word = static_cast<unsigned>(red) << 11 | static_cast<unsigned>(green) << 5 | static_cast<unsigned>(blue);
  return {red * (1.0f / 31.0f), green * (1.0f / 63.0f), blue * (1.0f / 31.0f)};
}

// The end colours that fit a division of the colours best, by least squares, and the squared error that is
// left, less the sum of all colours' squares.
HEDDLE_DEVICE float evaluate(const float3* colours, float3 sum, unsigned division, const float* shares,
                             const unsigned* products, float unit, unsigned* start, unsigned* end) {
  float3 first = {0.0f, 0.0f, 0.0f};
  unsigned sums = 0;
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    const unsigned code = division >> (2 * i) & 3;
    first = first + colours[i] * shares[code];
    sums += products[code];
  }
  const float3 second = sum * unit - first;
  const float aa = static_cast<float>(sums >> 16), bb = static_cast<float>(sums >> 8 & 0xff),
              ab = static_cast<float>(sums & 0xff);
  const float determinant = aa * bb - ab * ab;  // exact
  const float inverse = 1.0f / determinant;
  const float3 a = round_colour((first * bb - second * ab) * inverse, start);
  const float3 b = round_colour((second * aa - first * ab) * inverse, end);
  const float error =
      dot(a, a) * aa + dot(b, b) * bb + 2.0f * (dot(a, b) * ab - dot(a, first) - dot(b, second));
  // All pixels in one group decide one colour only.
  return determinant > 0.0f ? error * (1.0f / unit) : kNever;
}

struct Choice {
  unsigned start, end, division;
  float error;
};

HEDDLE_DEVICE Choice best_of_own(const unsigned* divisions, const float3* colours, float3 sum, int t) {
  __shared__ unsigned few[kFewDivisions];
  Choice best = {0, 0, 0, kNever};
#pragma unroll 1
  for (int i = t; i < kDivisions; i += kThreads) {
    const unsigned division = divisions[i];
    if (i < kFewDivisions) few[i] = division;
    unsigned start, end;
    const float error = evaluate(colours, sum, division, shares4, products4, 9.0f, &start, &end);
    if (error < best.error) best = {start, end, division, error};
  }
  // The larger word comes first where there are four colours: codes 0 and 1, 2 and 3 change places.
  if (best.start < best.end) best = {best.end, best.start, best.division ^ 0x55555555u, best.error};

  __syncthreads();
#pragma unroll 1
  for (int i = t; i < kFewDivisions; i += kThreads) {
    const unsigned division = few[i];
    unsigned start, end;
    const float error = evaluate(colours, sum, division, shares3, products3, 4.0f, &start, &end);
    if (error >= best.error) continue;
    best = {start, end, division, error};
    if (start > end) best = {end, start, division ^ (~division >> 1 & 0x55555555u), error};
  }
  return best;
}

// The thread with the smallest error.
HEDDLE_DEVICE int find_best(float error, int t) {
  __shared__ float errors[kThreads];
  __shared__ int threads[kThreads];
  errors[t] = error;
  threads[t] = t;
#pragma unroll
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (t < half && errors[t + half] < errors[t]) {
      errors[t] = errors[t + half];
      threads[t] = threads[t + half];
    }
  }
  __syncthreads();
  return threads[0];
}

// Grid: blocks of the picture; block 64. `image` has the 16 pixels of a block one after the other.
extern "C" __global__ void compress(const unsigned* divisions, const unsigned* image, uint2* result) {
  __shared__ float3 colours[kPixels], sums[kPixels];
  __shared__ int places[kPixels];
  const int t = threadIdx.x;
  if (t < kPixels) {
    const unsigned pixel = image[blockIdx.x * kPixels + t];
    colours[t] = {static_cast<float>(pixel & 0xff) * (1.0f / 255.0f),
                  static_cast<float>(pixel >> 8 & 0xff) * (1.0f / 255.0f),
                  static_cast<float>(pixel >> 16 & 0xff) * (1.0f / 255.0f)};
    sum_colours(colours, sums, t);
    const float3 direction = main_direction(colours, sums[t], t);
    sort_colours(colours, places, direction, t);
  }
  __syncthreads();

  const Choice own = best_of_own(divisions, colours, sums[0], t);
  if (find_best(own.error, t) != t) return;
  const unsigned division = own.start == own.end ? 0 : own.division;
  unsigned codes = 0;
#pragma unroll
  for (int i = 0; i < kPixels; ++i) codes |= (division >> (2 * places[i]) & 3) << (2 * i);
  result[blockIdx.x] = {own.end << 16 | own.start, codes};
}
