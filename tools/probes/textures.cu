// Textures: latency and rate by kind of fetch and by which texels the lanes of a warp ask for.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/textures.cu -o textures && ./textures
// chain: cycles from one fetch to the next that needs it (one warp). rate: cycles per fetch and SM with 32 warps.
// `./textures stream` launches kernels that read 64 MiB once, for a profiler's counters of sectors.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
enum Kind { Linear1D, Point2D, Filter2D, Linear1D4, Quarter2D, Load };
// Texel of lane l in round i: element ((l % inner) * apart + (l / inner) * row + i * step) & mask, or, of a picture,
// x = l % inner * apart + i * step, y = l / inner * row.
struct Pattern { int inner, apart, row, step, mask; };
template <int K>
__device__ float fetch(cudaTextureObject_t t, const float* p, int a, int x, int y) {
  if (K == Linear1D) return tex1Dfetch<float>(t, a);
  if (K == Linear1D4) return tex1Dfetch<float4>(t, a).x;
  if (K == Point2D) return tex2D<float>(t, x + 0.5f, y + 0.5f);
  if (K == Filter2D) return tex2D<float>(t, x + 0.75f, y + 0.25f);
  if (K == Quarter2D) return tex2D<float>(t, x * 0.25f + 0.75f, y * 0.25f + 0.25f);
  return __ldg(p + a);
}
template <int K, bool Chain>
__global__ void fetches(cudaTextureObject_t t, const float* p, long long* out, Pattern q, int rounds) {
  const int l = threadIdx.x % 32, w = threadIdx.x / 32 * q.step;
  const int at = l % q.inner * q.apart + l / q.inner * q.row;
  const int x = l % q.inner * q.apart, y = l / q.inner * q.row;
  float s = 0;
  int add = 0;
  long long from = 0;
  for (int r = 0; r < 2; ++r) {
    __syncthreads();
    from = clock64();
#pragma unroll 8
    for (int i = 0; i < rounds; ++i) {
      const float v = fetch<K>(t, p, (at + w + i * q.step + add) & q.mask, (x + w + i * q.step + add) & q.mask, y);
      if (Chain) add = __float_as_int(v); else s += v;  // zeroes
    }
    if (s == 1.5f || add == 12345) out[1] = 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = clock64() - from;
}
template <int K>
__global__ void stream(cudaTextureObject_t t, const float* p, float* out, int width, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  const float v = fetch<K>(t, p, i, i % width, i / width);
  if (v == 1.5f) out[0] = v;
}
__global__ void stream_tiles(cudaTextureObject_t t, float* out) {  // warps of 32 x 1 in blocks of 32 x 8
  const float v = tex2D<float>(t, blockIdx.x * 32 + threadIdx.x + 0.5f, blockIdx.y * 8 + threadIdx.y + 0.5f);
  if (v == 1.5f) out[0] = v;
}
cudaTextureObject_t make(cudaResourceDesc r, bool filter) {
  cudaTextureDesc d;
  memset(&d, 0, sizeof d);
  d.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t = 0;
  if (cudaCreateTextureObject(&t, &r, &d, nullptr) != cudaSuccess) printf("no texture\n");
  return t;
}
int main(int argc, char**) {
  const int kWords = 1 << 24, kWidth = 4096;
  float* p;
  long long *out, h[2];
  cudaMalloc(&p, kWords * 4);
  cudaMemset(p, 0, kWords * 4);
  cudaMalloc(&out, 64);
  cudaResourceDesc r;
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeLinear;
  r.res.linear = {p, cudaCreateChannelDesc<float>(), size_t(kWords) * 4};
  const auto linear = make(r, false);
  r.res.linear = {p, cudaCreateChannelDesc<float4>(), size_t(kWords) * 4};
  const auto linear4 = make(r, false);
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = p;
  r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  r.res.pitch2D.width = kWidth;
  r.res.pitch2D.height = kWords / kWidth;
  r.res.pitch2D.pitchInBytes = kWidth * 4;
  const auto pitch = make(r, false), pitch_filter = make(r, true);
  cudaArray_t array;
  const auto desc = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &desc, kWidth, kWords / kWidth);
  cudaMemcpy2DToArray(array, 0, 0, p, kWidth * 4, kWidth * 4, kWords / kWidth, cudaMemcpyDeviceToDevice);
  memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  const auto tiled = make(r, false), tiled_filter = make(r, true);
  if (argc > 1) {
    stream<Linear1D><<<kWords / 256, 256>>>(linear, p, (float*)out, kWidth, 1);
    stream<Linear1D><<<kWords / 256 / 8, 256>>>(linear, p, (float*)out, kWidth, 8);
    stream<Linear1D><<<kWords / 256 / 32, 256>>>(linear, p, (float*)out, kWidth, 32);
    stream<Load><<<kWords / 256, 256>>>(linear, p, (float*)out, kWidth, 1);
    stream<Load><<<kWords / 256 / 32, 256>>>(linear, p, (float*)out, kWidth, 32);
    stream<Point2D><<<kWords / 256 / 32, 256>>>(pitch, p, (float*)out, kWidth, 32);
    stream<Point2D><<<kWords / 256 / 32, 256>>>(tiled, p, (float*)out, kWidth, 32);
    stream_tiles<<<dim3(kWidth / 32, kWords / kWidth / 8), dim3(32, 8)>>>(pitch, (float*)out);
    stream_tiles<<<dim3(kWidth / 32, kWords / kWidth / 8), dim3(32, 8)>>>(tiled, (float*)out);
    stream_tiles<<<dim3(kWidth / 32, kWords / kWidth / 8), dim3(32, 8)>>>(tiled_filter, (float*)out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  const int n = 2048;
  auto get = [&] {
    if (cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost) != cudaSuccess) printf("failed\n");
    return double(h[0]);
  };
#define BOTH(NAME, KIND, TEXTURE, ...)                                        \
  {                                                                           \
    const Pattern q{__VA_ARGS__};                                             \
    fetches<KIND, true><<<1, 32>>>(TEXTURE, p, out, q, n);                    \
    const double chain = get() / n;                                           \
    fetches<KIND, false><<<1, 1024>>>(TEXTURE, p, out, q, n);                 \
    printf("%s,inner %d apart %d row %d step %d mask %d,%.1f,%.2f\n", NAME, q.inner, q.apart, q.row, q.step, q.mask, \
           chain, get() / n / 32);                                            \
  }
  printf("fetch,pattern,chain,rate\n");
  for (int apart : {0, 1, 2, 4, 8, 16, 32}) {
    BOTH("tex1Dfetch", Linear1D, linear, 32, apart, 0, 0, 4095)
    BOTH("ldg", Load, linear, 32, apart, 0, 0, 4095)
    BOTH("tex1Dfetch float4", Linear1D4, linear4, 32, apart, 0, 0, 1023)
  }
  for (int step : {32, 64}) BOTH("tex1Dfetch", Linear1D, linear, 32, 1, 0, step, 4095)
  for (int footprint : {1 << 14, 1 << 17, 1 << 20, 1 << 23}) {  // words: L1, L2, L2, half of it
    BOTH("tex1Dfetch", Linear1D, linear, 32, 1, 0, 1056, footprint - 1)
    BOTH("ldg", Load, linear, 32, 1, 0, 1056, footprint - 1)
  }
  for (int inner : {32, 16, 8, 4, 2, 1})
    for (int step : {0, 8}) {
      BOTH("tex2D pitch", Point2D, pitch, inner, 1, 1, step, 255)
      BOTH("tex2D array", Point2D, tiled, inner, 1, 1, step, 255)
      BOTH("tex2D pitch filter", Filter2D, pitch_filter, inner, 1, 1, step, 255)
      BOTH("tex2D array filter", Filter2D, tiled_filter, inner, 1, 1, step, 255)
    }
  for (int apart : {2, 4, 8}) {
    BOTH("tex2D array", Point2D, tiled, 32, apart, 1, 0, 1023)
    BOTH("tex2D array", Point2D, tiled, 8, apart, apart, 0, 1023)
    BOTH("tex2D array filter", Filter2D, tiled_filter, 8, apart, apart, 0, 1023)
  }
  // Lanes a fraction of a texel or some texels apart, in a row and aslant.
  for (int row : {0, 1})
    for (int inner : {32, 16})
      for (int apart : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
        BOTH("tex2D pitch quarters", Quarter2D, pitch_filter, inner, apart, row, 0, 4095)
        BOTH("tex2D pitch filter", Filter2D, pitch_filter, inner, apart, row, 0, 4095)
        BOTH("tex2D pitch", Point2D, pitch, inner, apart, row, 0, 4095)
      }
  for (int apart : {1, 2, 3, 4, 8})  // a column, a diagonal
    for (int row : {1, 2, 4}) {
      BOTH("tex2D pitch filter", Filter2D, pitch_filter, 1, 1, row, 0, 4095)
      BOTH("tex2D pitch filter", Filter2D, pitch_filter, 4, apart, row, 0, 4095)
      BOTH("tex2D pitch", Point2D, pitch, 4, apart, row, 0, 4095)
    }
}
