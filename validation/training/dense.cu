// Dense algebra and convolution: from one row per thread to tiles in registers, single, half and double
// precision.
#include <cuda_fp16.h>
#include <mma.h>

#include "training.cuh"

KERNEL gemv_row_thread(const float* a, const float* x, float* y, int rows, int columns) {
  const int r = global_id();
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < columns; ++c) s += a[r * columns + c] * x[c];
  y[r] = s;
}
KERNEL gemv_row_warp(const float* __restrict__ a, const float* __restrict__ x, float* y, int rows,
                     int columns) {
  const int r = global_id() / 32, lane = threadIdx.x & 31;
  if (r >= rows) return;
  float s = 0;
  for (int c = lane; c < columns; c += 32) s += a[r * columns + c] * x[c];
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (lane == 0) y[r] = s;
}
KERNEL gemv_transposed(const float* a, const float* x, float* y, int rows, int columns) {
  const int c = global_id();
  if (c >= columns) return;
  float s = 0;
  for (int r = 0; r < rows; ++r) s += a[r * columns + c] * x[r];
  y[c] = s;
}
KERNEL gemv_cta(const float4* a, const float4* x, float* y, int vectors) {  // a CTA per row
  __shared__ float part[8];
  float s = 0;
  for (int c = threadIdx.x; c < vectors; c += blockDim.x) {
    const float4 p = a[blockIdx.x * vectors + c], q = x[c];
    s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) s += part[w];
    y[blockIdx.x] = s;
  }
}
KERNEL gemm_plain(const float* a, const float* b, float* c, int n, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < depth; ++k) s += a[y * depth + k] * b[k * n + x];
  c[y * n + x] = s;
}
KERNEL gemm_memory_sum(const float* a, const float* b, float* c, int n,
                       int depth) {  // PolyBench: the sum kept in memory
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  c[y * n + x] *= 0.5f;
  for (int k = 0; k < depth; ++k) c[y * n + x] += 1.5f * a[y * depth + k] * b[k * n + x];
}
KERNEL gemm_tile16(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ float s[16][16], t[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int k = 0; k < depth; k += 16) {
    s[ty][tx] = a[y * depth + k + tx], t[ty][tx] = b[(k + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += s[ty][j] * t[j][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
// 64 x 64 tile, 4 x 4 per thread; 128 x 128 tile, 8 x 8 per thread.
KERNEL gemm_4x4(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                int depth) {
  __shared__ float s[8][64], t[8][64];
  const int id = threadIdx.x, tx = id % 16, ty = id / 16, row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < depth; k += 8) {
#pragma unroll
    for (int i = id; i < 512; i += 256) {
      s[i % 8][i / 8] = a[(row + i / 8) * depth + k + i % 8];
      t[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float p[4], q[4];
#pragma unroll
      for (int v = 0; v < 4; ++v) p[v] = s[j][ty * 4 + v], q[v] = t[j][tx * 4 + v];
#pragma unroll
      for (int v = 0; v < 4; ++v)
#pragma unroll
        for (int u = 0; u < 4; ++u) sum[v][u] += p[v] * q[u];
    }
    __syncthreads();
  }
#pragma unroll
  for (int v = 0; v < 4; ++v)
#pragma unroll
    for (int u = 0; u < 4; ++u) c[(row + ty * 4 + v) * n + column + tx * 4 + u] = sum[v][u];
}
KERNEL gemm_8x8(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                int depth) {
  __shared__ float s[8][128], t[8][128];
  const int id = threadIdx.x, tx = id % 16, ty = id / 16, row = blockIdx.y * 128, column = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int k = 0; k < depth; k += 8) {
    const float4 va = *(const float4*)&a[(row + id / 2) * depth + k + id % 2 * 4];
    const float4 vb = *(const float4*)&b[(k + id / 32) * n + column + id % 32 * 4];
    s[id % 2 * 4][id / 2] = va.x, s[id % 2 * 4 + 1][id / 2] = va.y, s[id % 2 * 4 + 2][id / 2] = va.z,
                       s[id % 2 * 4 + 3][id / 2] = va.w;
    *(float4*)&t[id / 32][id % 32 * 4] = vb;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float p[8], q[8];
#pragma unroll
      for (int v = 0; v < 8; ++v) p[v] = s[j][ty * 8 + v], q[v] = t[j][tx * 8 + v];
#pragma unroll
      for (int v = 0; v < 8; ++v)
#pragma unroll
        for (int u = 0; u < 8; ++u) sum[v][u] += p[v] * q[u];
    }
    __syncthreads();
  }
#pragma unroll
  for (int v = 0; v < 8; ++v)
#pragma unroll
    for (int u = 0; u < 8; u += 4)
      *(float4*)&c[(row + ty * 8 + v) * n + column + tx * 8 + u] =
          make_float4(sum[v][u], sum[v][u + 1], sum[v][u + 2], sum[v][u + 3]);
}
KERNEL gemm_f64(const double* a, const double* b, double* c, int n,
                int depth) {  // 32 x 32 tile, 2 x 2 per thread
  __shared__ double s[16][33], t[16][33];
  const int id = threadIdx.x, tx = id % 16, ty = id / 16, row = blockIdx.y * 32, column = blockIdx.x * 32;
  double sum[2][2] = {};
  for (int k = 0; k < depth; k += 16) {
    for (int i = id; i < 512; i += 256) {
      s[i % 16][i / 16] = a[(row + i / 16) * depth + k + i % 16];
      t[i / 32][i % 32] = b[(k + i / 32) * n + column + i % 32];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j)
#pragma unroll
      for (int v = 0; v < 2; ++v)
#pragma unroll
        for (int u = 0; u < 2; ++u) sum[v][u] += s[j][ty * 2 + v] * t[j][tx * 2 + u];
    __syncthreads();
  }
  for (int v = 0; v < 2; ++v)
    for (int u = 0; u < 2; ++u) c[(row + ty * 2 + v) * n + column + tx * 2 + u] = sum[v][u];
}
// Pairs of halves, sums in half precision.
KERNEL gemm_half2(const __half2* a, const __half2* b, __half2* c, int n2, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  __half2 s = __float2half2_rn(0);
  for (int k = 0; k < depth / 2; ++k) {
    const __half2 p = a[y * (depth / 2) + k];
    s = __hfma2(__low2half2(p), b[2 * k * n2 + x], s);
    s = __hfma2(__high2half2(p), b[(2 * k + 1) * n2 + x], s);
  }
  c[y * n2 + x] = s;
}
// Tensor cores: a 16 x 16 tile per warp.
KERNEL gemm_wmma(const __half* a, const __half* b, float* c, int n, int depth) {
  using namespace nvcuda::wmma;
  const int warp = threadIdx.x / 32, row = (blockIdx.y * 2 + warp / 2) * 16,
            column = (blockIdx.x * 2 + warp % 2) * 16;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < depth; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> p;
    fragment<matrix_b, 16, 16, 16, __half, row_major> q;
    load_matrix_sync(p, a + row * depth + k, depth);
    load_matrix_sync(q, b + k * n + column, n);
    mma_sync(sum, p, q, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
// A A^T: the lanes of a warp read rows apart.
KERNEL rank_update(const float* a, float* c, int n, int depth) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j > i) return;
  float s = 0;
  for (int k = 0; k < depth; ++k) s += a[i * depth + k] * a[j * depth + k];
  c[i * n + j] = 0.5f * c[i * n + j] + 2 * s;
}
KERNEL outer_product(const float* x, const float* y, float* a, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[i];
  for (int j = blockIdx.y; j < h; j += gridDim.y) a[j * w + i] += v * y[j];
}
// Covariance of columns, a pair per thread.
KERNEL covariance(const float* data, const float* mean, float* out, int samples, int variables) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < i || j >= variables) return;
  float s = 0;
  for (int k = 0; k < samples; ++k)
    s += (data[k * variables + i] - mean[i]) * (data[k * variables + j] - mean[j]);
  out[i * variables + j] = out[j * variables + i] = s / (samples - 1);
}
// Many small systems: 4 x 4 products, 6 x 6 Cholesky factors in registers, one per thread.
KERNEL small_products(const float4* a, const float4* b, float4* c, int n) {
  const int i = global_id();
  if (i >= n) return;
  float4 q[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) q[k] = b[i * 4 + k];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float4 p = a[i * 4 + r];
    float4 s;
    s.x = p.x * q[0].x + p.y * q[1].x + p.z * q[2].x + p.w * q[3].x,
    s.y = p.x * q[0].y + p.y * q[1].y + p.z * q[2].y + p.w * q[3].y;
    s.z = p.x * q[0].z + p.y * q[1].z + p.z * q[2].z + p.w * q[3].z,
    s.w = p.x * q[0].w + p.y * q[1].w + p.z * q[2].w + p.w * q[3].w;
    c[i * 4 + r] = s;
  }
}
KERNEL small_cholesky(const float* in, float* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  float a[6][6];
#pragma unroll
  for (int r = 0; r < 6; ++r)
#pragma unroll
    for (int c = 0; c <= r; ++c) a[r][c] = in[(r * 6 + c) * n + i] + (r == c ? 6 : 0);
#pragma unroll
  for (int c = 0; c < 6; ++c) {
    float d = a[c][c];
#pragma unroll
    for (int k = 0; k < c; ++k) d -= a[c][k] * a[c][k];
    a[c][c] = sqrtf(d);
#pragma unroll
    for (int r = c + 1; r < 6; ++r) {
      float s = a[r][c];
#pragma unroll
      for (int k = 0; k < c; ++k) s -= a[r][k] * a[c][k];
      a[r][c] = s / a[c][c];
    }
  }
#pragma unroll
  for (int r = 0; r < 6; ++r)
#pragma unroll
    for (int c = 0; c <= r; ++c) out[(r * 6 + c) * n + i] = a[r][c];
}
// A 32 x 32 matrix per CTA: LU in shared memory, a barrier per column.
KERNEL lu_tiles(float* data) {
  __shared__ float m[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float* base = data + blockIdx.x * 1024;
  for (int r = ty; r < 32; r += 8) m[r][tx] = base[r * 32 + tx] + (r == tx ? 16 : 0);
  __syncthreads();
  for (int k = 0; k < 31; ++k) {
    if (ty == 0 && tx > k) m[tx][k] /= m[k][k];
    __syncthreads();
    for (int r = k + 1 + ty; r < 32; r += 8)
      if (tx > k) m[r][tx] -= m[r][k] * m[k][tx];
    __syncthreads();
  }
  for (int r = ty; r < 32; r += 8) base[r * 32 + tx] = m[r][tx];
}
// Triangular systems, one right hand side per thread, values from shared memory.
KERNEL triangular_solve(const float* l, float* x, int n) {
  __shared__ float s[32][32];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x)
    s[k / 32][k % 32] = l[k] * 0.1f + (k / 32 == k % 32 ? 1 : 0);
  __syncthreads();
  const int i = global_id();
  float v[32];
#pragma unroll
  for (int r = 0; r < 32; ++r) v[r] = x[r * n + i];
#pragma unroll
  for (int r = 0; r < 32; ++r) {
#pragma unroll
    for (int k = 0; k < r; ++k) v[r] -= s[r][k] * v[k];
    v[r] = __fdividef(v[r], s[r][r]);
  }
#pragma unroll
  for (int r = 0; r < 32; ++r) x[r * n + i] = v[r];
}
// Convolutions of a network: 3 x 3 with channels, depthwise, pointwise; pooling.
KERNEL conv_channels(const float* in, const float* weight, float* out, int w, int h, int inputs) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            o = blockIdx.z;
  float s = 0;
  for (int c = 0; c < inputs; ++c)
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const int u = x + k % 3 - 1, v = y + k / 3 - 1;
      if (u >= 0 && v >= 0 && u < w && v < h) s += in[(c * h + v) * w + u] * weight[(o * inputs + c) * 9 + k];
    }
  out[(o * h + y) * w + x] = fmaxf(s, 0);
}
KERNEL conv_depthwise(const float* in, const float* weight, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            c = blockIdx.z;
  float s = 0;
  for (int k = 0; k < 9; ++k) {
    const int u = min(max(x + k % 3 - 1, 0), w - 1), v = min(max(y + k / 3 - 1, 0), h - 1);
    s += in[(c * h + v) * w + u] * weight[c * 9 + k];
  }
  out[(c * h + y) * w + x] = s;
}
KERNEL conv_pointwise(const float* in, const float* weight, float* out, int pixels, int inputs) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y * 4;
  float s[4] = {};
  for (int c = 0; c < inputs; ++c) {
    const float v = in[c * pixels + p];
#pragma unroll
    for (int k = 0; k < 4; ++k) s[k] += v * weight[(o + k) * inputs + c];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) out[(o + k) * pixels + p] = s[k];
}
KERNEL max_pool(const float* in, float* out, int w, int h, int channels) {
  const int i = global_id(), ow = w / 2, oh = h / 2;
  if (i >= ow * oh * channels) return;
  const int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
  float m = -1e30f;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      const int u = 2 * x + dx, v = 2 * y + dy;
      if (u < w && v < h) m = fmaxf(m, in[(c * h + v) * w + u]);
    }
  out[i] = m;
}
