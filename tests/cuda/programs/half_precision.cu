// 16-bit floating point: conversions, vectors of two, arithmetic; results that are exact in 11 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "check.h"

__global__ void convert(const float* in, __half* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(in[i]);
}

__global__ void axpy(__half2 a, const __half2* x, __half2* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void several(const __half* x, float* out) {
  const __half v = x[threadIdx.x];
  const __half one = __float2half(1.0f);
  float* o = out + threadIdx.x * 6;
  o[0] = __half2float(v + one);
  o[1] = __half2float(v * v);
  o[2] = __half2float(__hsub(v, one));
  o[3] = v > one ? 1.0f : 0.0f;
  o[4] = static_cast<float>(__half2int_rn(v));
  o[5] = __bfloat162float(__float2bfloat16(__half2float(v) * 256));
}

int main() {
  Checks checks;
  const int n = 512;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = (i - 256) * 0.125f;
  float* d_in;
  __half *d_x, *d_y;
  CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CHECK(cudaMalloc(&d_x, n * sizeof(__half)));
  CHECK(cudaMalloc(&d_y, n * sizeof(__half)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  convert<<<4, 128>>>(d_in, d_x, n);
  convert<<<4, 128>>>(d_in, d_y, n);
  axpy<<<2, 128>>>(__floats2half2_rn(2.0f, 4.0f), reinterpret_cast<const __half2*>(d_x),
                   reinterpret_cast<__half2*>(d_y), n / 2);
  std::vector<__half> y(n);
  CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(__half), cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && __half2float(y[i]) == in[i] * (i % 2 == 0 ? 3 : 5);
  checks.expect(good, "vectors of two");
  several<<<1, 32>>>(d_x + 240, d_in);
  std::vector<float> out(32 * 6);
  CHECK(cudaMemcpy(out.data(), d_in, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  good = true;
  for (int i = 0; i < 32; ++i) {
    const float v = in[240 + i], *o = &out[i * 6];
    good = good && o[0] == v + 1 && o[1] == v * v && o[2] == v - 1 && o[3] == (v > 1 ? 1 : 0) &&
           o[4] == std::nearbyint(v) && o[5] == v * 256;
  }
  checks.expect(good, "scalars");
  // Rounding to the nearest, subnormal numbers, overflow.
  const float special[4] = {1.0f + 1.0f / 2048, 6.0e-8f, 70000.0f, -0.1f};
  CHECK(cudaMemcpy(d_in, special, sizeof special, cudaMemcpyHostToDevice));
  convert<<<1, 4>>>(d_in, d_x, 4);
  unsigned short bits[4];
  CHECK(cudaMemcpy(bits, d_x, sizeof bits, cudaMemcpyDeviceToHost));
  std::printf("%04x %04x %04x %04x\n", bits[0], bits[1], bits[2], bits[3]);
  return checks.finish();
}
