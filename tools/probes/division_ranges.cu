// For which exponents a division, a root or a reciprocal takes the call (division_paths.cu).
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/division_ranges.cu -o division_ranges && ./division_ranges
// Prints, for each biased exponent of the dividend, the biased exponents of divisors with which it takes longer; mantissas 1.25.
#include <cstdio>
#include <cuda_runtime.h>
enum Kind { Div, Sqrt, Rcp, DivD, SqrtD };
template <int K>
__global__ void times(unsigned* t, unsigned a_low, unsigned count, unsigned mantissa) {
  const unsigned a = blockIdx.x + a_low;
  float v = 1;
  for (unsigned b = 0; b < count; ++b) {
    const long long from = clock64();
    if (K == Div) asm volatile("div.rn.f32 %0, %1, %2;" : "=f"(v) : "f"(__uint_as_float(a << 23 | mantissa)), "f"(__uint_as_float(b << 23 | mantissa)));
    if (K == Sqrt) asm volatile("sqrt.rn.f32 %0, %1;" : "=f"(v) : "f"(__uint_as_float(b << 23 | mantissa)));
    if (K == Rcp) asm volatile("rcp.rn.f32 %0, %1;" : "=f"(v) : "f"(__uint_as_float(b << 23 | mantissa)));
    if (K == DivD || K == SqrtD) {
      double r;
      const double n = __hiloint2double(a << 20 | mantissa >> 3, 0), d = __hiloint2double(b << 20 | mantissa >> 3, 0);
      if (K == DivD) asm volatile("div.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(n), "d"(d));
      else asm volatile("sqrt.rn.f64 %0, %1;" : "=d"(r) : "d"(d));
      v = __uint_as_float(__double2hiint(r));
    }
    asm volatile("" ::"f"(v) : "memory");
    const unsigned took = clock64() - from + (v == 0.12345f);
    t[blockIdx.x * count + b] = took;
  }
}
template <int K>
void run(const char* op, unsigned rows, unsigned step_rows, unsigned count, unsigned mantissa) {
  unsigned* t;
  static unsigned h[2048 * 2048];
  cudaMalloc(&t, rows * count * 4);
  for (int i = 0; i < 2; ++i) times<K><<<rows, 1>>>(t, 0, count, mantissa);
  cudaMemcpy(h, t, rows * count * 4, cudaMemcpyDeviceToHost);
  cudaFree(t);
  unsigned least = ~0u;
  for (unsigned i = 0; i < rows * count; ++i) least = h[i] < least ? h[i] : least;
  for (unsigned a = 0; a < rows; a += step_rows) {
    printf("%s,%x,%u,", op, mantissa, a);
    for (unsigned b = 0; b < count; ++b) {
      const bool slow = h[a * count + b] > least + 60;
      if (!slow || (b != 0 && h[a * count + b - 1] > least + 60)) continue;
      unsigned e = b;
      while (e + 1 < count && h[a * count + e + 1] > least + 60) ++e;
      printf(" %u-%u", b, e);
    }
    printf("\n");
  }
}
int main() {
  printf("operation,mantissa bits,exponent of the dividend,exponents of divisors that take longer\n");
  for (unsigned m : {0x200000u, 0u}) {
    run<Div>("div.rn.f32", 256, 1, 256, m);
    run<Sqrt>("sqrt.rn.f32", 1, 1, 256, m);
    run<Rcp>("rcp.rn.f32", 1, 1, 256, m);
    run<DivD>("div.rn.f64", 2048, 64, 2048, m);
    run<SqrtD>("sqrt.rn.f64", 1, 1, 2048, m);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
