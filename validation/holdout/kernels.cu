// Kernels that nothing in Heddle was fitted to, each launched once, for a comparison with a card (README.md beside this).
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

// Dense algebra.
__global__ void gemm_registers(const float* a, const float* b, float* c, int n) {  // 64 x 64 tile, 4 x 4 per thread
  __shared__ float as[16][64], bs[16][64];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      as[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * n + col + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j)
#pragma unroll
      for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) sum[y][x] += as[j][ty * 4 + y] * bs[j][tx * 4 + x];
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) c[(row + ty * 4 + y) * n + col + tx * 4 + x] = sum[y][x];
}
__global__ void syrk(const float* a, float* c, int n) {
  const int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  float s = c[i * n + j] * 0.5f;
  for (int k = 0; k < n; ++k) s += 2.0f * a[i * n + k] * a[j * n + k];
  c[i * n + j] = s;
}
__global__ void gesummv(const float* a, const float* b, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0, t = 0;
  for (int j = 0; j < n; ++j) {
    s += a[i * n + j] * x[j];
    t += b[i * n + j] * x[j];
  }
  y[i] = 1.5f * s + 0.5f * t;
}
__global__ void mvt_columns(const float* a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = y[i];
  for (int j = 0; j < n; ++j) s += a[j * n + i] * x[j];
  y[i] = s;
}
// Stencils and images.
__global__ void conv2d(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  out[y * n + x] = 0.2f * in[(y - 1) * n + x - 1] - 0.3f * in[(y - 1) * n + x] + 0.4f * in[(y - 1) * n + x + 1] +
                   0.5f * in[y * n + x - 1] + 0.6f * in[y * n + x] + 0.7f * in[y * n + x + 1] -
                   0.8f * in[(y + 1) * n + x - 1] - 0.9f * in[(y + 1) * n + x] + 0.1f * in[(y + 1) * n + x + 1];
}
__global__ void jacobi_shared(const float* in, float* out, int n) {
  __shared__ float t[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  t[ly][lx] = in[y * n + x];
  if (threadIdx.x == 0) t[ly][0] = x > 0 ? in[y * n + x - 1] : 0;
  if (threadIdx.x == 15) t[ly][17] = x < n - 1 ? in[y * n + x + 1] : 0;
  if (threadIdx.y == 0) t[0][lx] = y > 0 ? in[(y - 1) * n + x] : 0;
  if (threadIdx.y == 15) t[17][lx] = y < n - 1 ? in[(y + 1) * n + x] : 0;
  __syncthreads();
  out[y * n + x] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
__global__ void fdtd_step(float* ex, const float* hz, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x > 0) ex[y * n + x] -= 0.5f * (hz[y * n + x] - hz[y * n + x - 1]);
}
__global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
__global__ void transpose_shared(const float* in, float* out, int n) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) t[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = t[threadIdx.x][threadIdx.y + i];
}
// Irregular.
__global__ void gather(const int* at, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[at[i]];
}
__global__ void spmv(const int* begin, const int* column, const float* value, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = begin[r]; k < begin[r + 1]; ++k) s += value[k] * x[column[k]];
  y[r] = s;
}
__global__ void histogram_shared(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[in[i] % 256], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}
__global__ void histogram_global(const unsigned* in, unsigned* bins, int n) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[in[i] % 4096], 1u);
}
// Within a CTA.
__global__ void scan_blocks(const int* in, int* out) {
  __shared__ int s[2][512];
  int from = 0;
  s[0][threadIdx.x] = in[blockIdx.x * 512 + threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    s[1 - from][threadIdx.x] = s[from][threadIdx.x] + (threadIdx.x >= d ? s[from][threadIdx.x - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 512 + threadIdx.x] = s[from][threadIdx.x];
}
__global__ void bitonic(unsigned* data) {
  __shared__ unsigned s[512];
  const int t = threadIdx.x;
  s[t] = data[blockIdx.x * 512 + t];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const int other = t ^ step;
      if (other > t) {
        const bool up = (t & size) == 0;
        if ((s[t] > s[other]) == up) {
          const unsigned v = s[t];
          s[t] = s[other], s[other] = v;
        }
      }
    }
  __syncthreads();
  data[blockIdx.x * 512 + t] = s[t];
}
__global__ void softmax_rows(const float* in, float* out, int n) {  // a warp per row
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float most = -1e30f, sum = 0;
  for (int i = lane; i < n; i += 32) most = fmaxf(most, in[row * n + i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  for (int i = lane; i < n; i += 32) sum += __expf(in[row * n + i] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = lane; i < n; i += 32) out[row * n + i] = __expf(in[row * n + i] - most) / sum;
}
// Arithmetic.
__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float s = price[i], x = strike[i], t = years[i], v = 0.3f, r = 0.02f, root = sqrtf(t);
  const float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
  const float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f), e = expf(-r * t);
  call[i] = s * n1 - x * e * n2;
  put[i] = x * e * (1 - n2) - s * (1 - n1);
}
__global__ void mandelbrot(int* out, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float cr = x * 3.0f / n - 2, ci = y * 2.0f / n - 1;
  float zr = 0, zi = 0;
  int k = 0;
  while (k < 200 && zr * zr + zi * zi < 4) {
    const float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci, zr = t, ++k;
  }
  out[y * n + x] = k;
}
__global__ void saxpy_double(const double* x, double* y, double a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i];
}

int main() {
  const int words = 4 << 20, n = 1024;
  std::vector<unsigned> host(words);
  unsigned seed = 1;
  for (auto& v : host) v = (seed = seed * 1664525u + 1013904223u) >> 8;
  unsigned *random, *index;
  float *a, *b, *c;
  cudaMalloc(&random, words * 4), cudaMalloc(&index, words * 4);
  cudaMalloc(&a, words * 4), cudaMalloc(&b, words * 4), cudaMalloc(&c, words * 4);
  cudaMemcpy(random, host.data(), words * 4, cudaMemcpyHostToDevice);
  std::vector<float> f(words);
  for (int i = 0; i < words; ++i) f[i] = 1 + host[i] % 1000 / 1000.0f;
  cudaMemcpy(a, f.data(), words * 4, cudaMemcpyHostToDevice), cudaMemcpy(b, f.data(), words * 4, cudaMemcpyHostToDevice);
  cudaMemset(c, 0, words * 4);
  for (auto& v : host) v %= words;
  cudaMemcpy(index, host.data(), words * 4, cudaMemcpyHostToDevice);
  const int rows = 32768;
  std::vector<int> begin(rows + 1), column;
  for (int r = 0; r < rows; ++r) {
    begin[r] = (int)column.size();
    for (unsigned k = 0; k < 4 + host[r] % 24; ++k) column.push_back((int)(host[r * 29 + k] % rows));
  }
  begin[rows] = (int)column.size();
  int *rb, *rc;
  cudaMalloc(&rb, begin.size() * 4), cudaMalloc(&rc, column.size() * 4);
  cudaMemcpy(rb, begin.data(), begin.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(rc, column.data(), column.size() * 4, cudaMemcpyHostToDevice);

  gemm_registers<<<dim3(8, 8), 256>>>(a, b, c, 512);
  syrk<<<dim3(8, 32), dim3(32, 8)>>>(a, c, 256);
  gesummv<<<n / 64, 64>>>(a, b, c, c + n, n);
  mvt_columns<<<n / 64, 64>>>(a, b, c, n);
  conv2d<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
  jacobi_shared<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n);
  fdtd_step<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
  transpose_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
  transpose_shared<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n);
  gather<<<1024, 256>>>((int*)index, a, b);
  spmv<<<rows / 128, 128>>>(rb, rc, a, b, c, rows);
  histogram_shared<<<264, 256>>>(random, (unsigned*)c, 1 << 20);
  histogram_global<<<264, 256>>>(random, (unsigned*)c, 1 << 18);
  scan_blocks<<<1024, 512>>>((int*)random, (int*)c);
  bitonic<<<512, 512>>>(random);
  softmax_rows<<<512, 128>>>(a, c, 512);
  black_scholes<<<1024, 256>>>(a, b, a + words / 2, c, c + words / 2);
  mandelbrot<<<dim3(32, 32), dim3(16, 16)>>>((int*)c, 512);
  saxpy_double<<<512, 256>>>((double*)a, (double*)b, 0.5, 1 << 20);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
