// Forward discrete cosine transform of 8 x 8 blocks, quantisation, inverse transform (CUDA SDK's dct8x8), in
// the SDK's two shared-memory variants: kernel 1 multiplies with the matrix of cosines, one thread per pixel,
// two warps and one 8 x 8 block per CTA; kernel 2 runs a fast 8-point transform in registers, one thread per
// row and then column, two warps and 4 x 2 blocks per CTA. The image's stride is its width.
#include "heddle_device.h"

constexpr int kSide = 8;

// cosines[i * 8 + u] = c(u) / 2 * cos((2 i + 1) u pi / 16): sample i of basis function u.
__constant__ float cosines[kSide * kSide] = {
    0.35355339f,  0.49039264f,  0.46193977f,  0.41573481f,  0.35355339f,  0.27778512f,  0.19134172f,
    0.09754516f,  0.35355339f,  0.41573481f,  0.19134172f,  -0.09754516f, -0.35355339f, -0.49039264f,
    -0.46193977f, -0.27778512f, 0.35355339f,  0.27778512f,  -0.19134172f, -0.49039264f, -0.35355339f,
    0.09754516f,  0.46193977f,  0.41573481f,  0.35355339f,  0.09754516f,  -0.46193977f, -0.27778512f,
    0.35355339f,  0.41573481f,  -0.19134172f, -0.49039264f, 0.35355339f,  -0.09754516f, -0.46193977f,
    0.27778512f,  0.35355339f,  -0.41573481f, -0.19134172f, 0.49039264f,  0.35355339f,  -0.27778512f,
    -0.19134172f, 0.49039264f,  -0.35355339f, -0.09754516f, 0.46193977f,  -0.41573481f, 0.35355339f,
    -0.41573481f, 0.19134172f,  0.09754516f,  -0.35355339f, 0.49039264f,  -0.46193977f, 0.27778512f,
    0.35355339f,  -0.49039264f, 0.46193977f,  -0.41573481f, 0.35355339f,  -0.27778512f, 0.19134172f,
    -0.09754516f,
};

// JPEG's table for luminance (ITU-T T.81, table K.1).
__constant__ float quantum[kSide * kSide] = {
    16, 11, 10, 16, 24,  40,  51,  61,   //
    12, 12, 14, 19, 26,  58,  60,  55,   //
    14, 13, 16, 24, 40,  57,  69,  56,   //
    14, 17, 22, 29, 51,  87,  80,  62,   //
    18, 22, 37, 56, 68,  109, 103, 77,   //
    24, 35, 55, 64, 81,  104, 113, 92,   //
    49, 64, 78, 87, 103, 121, 120, 101,  //
    72, 92, 95, 98, 112, 100, 103, 99,
};

// Grid (width / 8, height / 8), block 8 x 8, all three kernels.
extern "C" __global__ void dct1_forward(float* out, const float* in, int width) {
  __shared__ float samples[kSide][kSide];
  __shared__ float half_done[kSide][kSide];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int at = (blockIdx.y * kSide + ty) * width + blockIdx.x * kSide + tx;
  samples[ty][tx] = in[at];
  __syncthreads();

  float sum = 0.0f;  // along the columns: row ty becomes frequency ty
#pragma unroll
  for (int i = 0; i < kSide; ++i) sum += cosines[i * kSide + ty] * samples[i][tx];
  half_done[ty][tx] = sum;
  __syncthreads();

  sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kSide; ++i) sum += half_done[ty][i] * cosines[i * kSide + tx];
  out[at] = sum;
}

extern "C" __global__ void dct1_inverse(float* out, const float* in, int width) {
  __shared__ float frequencies[kSide][kSide];
  __shared__ float half_done[kSide][kSide];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int at = (blockIdx.y * kSide + ty) * width + blockIdx.x * kSide + tx;
  frequencies[ty][tx] = in[at];
  __syncthreads();

  float sum = 0.0f;  // along the columns: row ty becomes sample ty
#pragma unroll
  for (int u = 0; u < kSide; ++u) sum += cosines[ty * kSide + u] * frequencies[u][tx];
  half_done[ty][tx] = sum;
  __syncthreads();

  sum = 0.0f;
#pragma unroll
  for (int u = 0; u < kSide; ++u) sum += half_done[ty][u] * cosines[tx * kSide + u];
  out[at] = sum;
}

extern "C" __global__ void dct_quantise(float* coefficients, int width) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int at = (blockIdx.y * kSide + ty) * width + blockIdx.x * kSide + tx;
  const float q = quantum[ty * kSide + tx];
  coefficients[at] = rintf(coefficients[at] / q) * q;
}

// cos(k pi / 16) / 2, and the factor of frequency 0.
constexpr float kC1 = 0.49039264f, kC2 = 0.46193977f, kC3 = 0.41573481f, kC5 = 0.27778512f;
constexpr float kC6 = 0.19134172f, kC7 = 0.09754516f, kC4 = 0.35355339f;

// Even and odd halves of the 8-point transform: 22 multiplications where the matrix takes 64.
__device__ __forceinline__ void forward8(float* v, int step) {
  const float x0 = v[0], x1 = v[step], x2 = v[2 * step], x3 = v[3 * step];
  const float x4 = v[4 * step], x5 = v[5 * step], x6 = v[6 * step], x7 = v[7 * step];
  const float s07 = x0 + x7, d07 = x0 - x7, s16 = x1 + x6, d16 = x1 - x6;
  const float s25 = x2 + x5, d25 = x2 - x5, s34 = x3 + x4, d34 = x3 - x4;
  const float outer = s07 + s34, inner = s16 + s25;
  v[0] = kC4 * (outer + inner);
  v[4 * step] = kC4 * (outer - inner);
  v[2 * step] = kC2 * (s07 - s34) + kC6 * (s16 - s25);
  v[6 * step] = kC6 * (s07 - s34) - kC2 * (s16 - s25);
  v[step] = kC1 * d07 + kC3 * d16 + kC5 * d25 + kC7 * d34;
  v[3 * step] = kC3 * d07 - kC7 * d16 - kC1 * d25 - kC5 * d34;
  v[5 * step] = kC5 * d07 - kC1 * d16 + kC7 * d25 + kC3 * d34;
  v[7 * step] = kC7 * d07 - kC5 * d16 + kC3 * d25 - kC1 * d34;
}

__device__ __forceinline__ void inverse8(float* v, int step) {
  const float y0 = v[0], y1 = v[step], y2 = v[2 * step], y3 = v[3 * step];
  const float y4 = v[4 * step], y5 = v[5 * step], y6 = v[6 * step], y7 = v[7 * step];
  const float sum = kC4 * (y0 + y4), difference = kC4 * (y0 - y4);
  const float low = kC2 * y2 + kC6 * y6, high = kC6 * y2 - kC2 * y6;
  const float e0 = sum + low, e3 = sum - low, e1 = difference + high, e2 = difference - high;
  const float o0 = kC1 * y1 + kC3 * y3 + kC5 * y5 + kC7 * y7;
  const float o1 = kC3 * y1 - kC7 * y3 - kC1 * y5 - kC5 * y7;
  const float o2 = kC5 * y1 - kC1 * y3 + kC7 * y5 + kC3 * y7;
  const float o3 = kC7 * y1 - kC5 * y3 + kC3 * y5 - kC1 * y7;
  v[0] = e0 + o0;
  v[7 * step] = e0 - o0;
  v[step] = e1 + o1;
  v[6 * step] = e1 - o1;
  v[2 * step] = e2 + o2;
  v[5 * step] = e2 - o2;
  v[3 * step] = e3 + o3;
  v[4 * step] = e3 - o3;
}

constexpr int kTileWidth = 32, kTileHeight = 16;
constexpr int kTileStride = kTileWidth + 1;  // odd, so that rows of a block start in different banks

// Grid (width / 32, height / 16), block (8, 4, 2): threadIdx.x is a row, then a column, of the 8 x 8 block
// (threadIdx.y, threadIdx.z) of the CTA's tile.
template <bool Forward>
__device__ __forceinline__ void transform2(float* out, const float* in, int width) {
  __shared__ float tile[kTileHeight * kTileStride];
  const int t = threadIdx.x;
  const int block_x = threadIdx.y * kSide, block_y = threadIdx.z * kSide;
  const int first = (blockIdx.y * kTileHeight + block_y) * width + blockIdx.x * kTileWidth + block_x + t;
  float* const block = tile + block_y * kTileStride + block_x;

  // A thread reads a column, so that the threads of a block read whole rows.
#pragma unroll
  for (int i = 0; i < kSide; ++i) block[i * kTileStride + t] = in[first + i * width];
  __syncthreads();
  if (Forward) {
    forward8(block + t * kTileStride, 1);
  } else {
    inverse8(block + t * kTileStride, 1);
  }
  __syncthreads();
  if (Forward) {
    forward8(block + t, kTileStride);
  } else {
    inverse8(block + t, kTileStride);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSide; ++i) out[first + i * width] = block[i * kTileStride + t];
}

extern "C" __global__ void dct2_forward(float* out, const float* in, int width) {
  transform2<true>(out, in, width);
}

extern "C" __global__ void dct2_inverse(float* out, const float* in, int width) {
  transform2<false>(out, in, width);
}
