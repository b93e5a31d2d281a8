// Divisions and roots of values for which the short sequence of instructions does not do: what a call costs.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/division_paths.cu -o division_paths && ./division_paths
// Each operation hangs on the one before. Prints cycles of one warp per operation, all lanes with the values or one, and per operation and
// scheduler with 8 warps each. The value that decides is built from the last result by integer operations, which all rows have.
#include <cstdio>
#include <initializer_list>
#include <utility>
#include <cuda_runtime.h>
enum Kind { Div, Sqrt, Rcp, DivD, SqrtD };
template <int K>
__global__ void chain(float* p, long long* t, unsigned a_bits, unsigned b_bits, int lanes, int rounds) {
  const int lane = threadIdx.x % 32;
  const unsigned a = lane < lanes ? a_bits : 0x3fa00000u, b = lane < lanes ? b_bits : 0x3fc00000u;  // else 1.25 / 1.5
  float v = p[lane];
  __syncthreads();
  const long long from = clock64();
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
    unsigned hang;
    asm volatile("shr.u32 %0, %1, 31;" : "=r"(hang) : "r"(__float_as_uint(v) & 0x7fffffffu));
    unsigned x, y;
    asm volatile("xor.b32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(hang));
    asm volatile("xor.b32 %0, %1, %2;" : "=r"(y) : "r"(b), "r"(hang));
    if (K == Div) asm volatile("div.rn.f32 %0, %1, %2;" : "=f"(v) : "f"(__uint_as_float(x)), "f"(__uint_as_float(y)));
    if (K == Sqrt) asm volatile("sqrt.rn.f32 %0, %1;" : "=f"(v) : "f"(__uint_as_float(y)));
    if (K == Rcp) asm volatile("rcp.rn.f32 %0, %1;" : "=f"(v) : "f"(__uint_as_float(y)));
    if (K == DivD || K == SqrtD) {
      const double n = __hiloint2double(x, 0), d = __hiloint2double(y, 0);
      double r;
      if (K == DivD) asm volatile("div.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(n), "d"(d));
      else asm volatile("sqrt.rn.f64 %0, %1;" : "=d"(r) : "d"(d));
      v = __uint_as_float(__double2hiint(r));
    }
  }
  const long long until = clock64();
  p[threadIdx.x] = v;
  if (threadIdx.x == 0) t[0] = until - from;
}
template <int K>
void run(const char* op, const char* what, float* p, long long* t, unsigned a, unsigned b) {
  const int rounds = 256;
  double cycles[3];
  int i = 0;
  for (const auto& [warps, lanes] : {std::pair<int, int>{1, 32}, {1, 1}, {32, 32}}) {
    long long best = 1ll << 60, got;
    for (int again = 0; again < 3; ++again) {
      chain<K><<<1, warps * 32>>>(p, t, a, b, lanes, rounds);
      cudaMemcpy(&got, t, 8, cudaMemcpyDeviceToHost);
      if (got < best) best = got;
    }
    cycles[i++] = double(best) / rounds / (warps / 4 > 1 ? warps / 4 : 1);
  }
  printf("%s,%s,%.1f,%.1f,%.1f\n", op, what, cycles[0], cycles[1], cycles[2]);
}
int main() {
  float* p;
  long long* t;
  cudaMalloc(&p, 1 << 20), cudaMalloc(&t, 64);
  cudaMemset(p, 0, 1 << 20);
  struct { const char* what; unsigned a, b; } floats[] = {
      {"1.25 / 1.5", 0x3fa00000, 0x3fc00000}, {"0 / 1.5", 0, 0x3fc00000}, {"denormal / 1.5", 0x00012345, 0x3fc00000},
      {"2^-126 / 1.5", 0x00800000, 0x3fc00000}, {"2^-100 / 1.5", 0x0d800000, 0x3fc00000}, {"2^-60 / 1.5", 0x21800000, 0x3fc00000}, {"2^-30 / 1.5", 0x30800000, 0x3fc00000},
      {"2^60 / 1.5", 0x5d800000, 0x3fc00000}, {"2^100 / 1.5", 0x71800000, 0x3fc00000}, {"2^127 / 1.5", 0x7f000000, 0x3fc00000}, {"infinity / 1.5", 0x7f800000, 0x3fc00000},
      {"NaN / 1.5", 0x7fc00000, 0x3fc00000}, {"1.25 / 0", 0x3fa00000, 0}, {"1.25 / denormal", 0x3fa00000, 0x00012345}, {"1.25 / 2^-126", 0x3fa00000, 0x00800000},
      {"1.25 / 2^-100", 0x3fa00000, 0x0d800000}, {"1.25 / 2^60", 0x3fa00000, 0x5d800000}, {"1.25 / 2^100", 0x3fa00000, 0x71800000}, {"1.25 / 2^127", 0x3fa00000, 0x7f000000},
      {"1.25 / infinity", 0x3fa00000, 0x7f800000}, {"2^-60 / 2^-60", 0x21800000, 0x21800000}, {"2^100 / 2^100", 0x71800000, 0x71800000}, {"2^60 / 2^-60", 0x5d800000, 0x21800000}, {"2^-60 / 2^60", 0x21800000, 0x5d800000}};
  printf("operation,values,a warp,a warp with one such lane,8 warps per scheduler\n");
  for (const auto& f : floats) run<Div>("div.rn.f32", f.what, p, t, f.a, f.b);
  struct { const char* what; unsigned b; } roots[] = {{"1.5", 0x3fc00000}, {"0", 0}, {"denormal", 0x00012345}, {"2^-126", 0x00800000}, {"2^-100", 0x0d800000}, {"2^-99", 0x0e000000}, {"2^126", 0x7e800000}, {"2^127", 0x7f000000}, {"infinity", 0x7f800000}, {"-1", 0xbf800000}};
  for (const auto& r : roots) run<Sqrt>("sqrt.rn.f32", r.what, p, t, 0, r.b);
  for (const auto& r : roots) run<Rcp>("rcp.rn.f32", r.what, p, t, 0, r.b);
  struct { const char* what; unsigned a, b; } doubles[] = {{"1.25 / 1.5", 0x3ff40000, 0x3ff80000}, {"0 / 1.5", 0, 0x3ff80000}, {"2^-1000 / 1.5", 0x01700000, 0x3ff80000}, {"2^-500 / 1.5", 0x20b00000, 0x3ff80000}, {"2^1000 / 1.5", 0x7e700000, 0x3ff80000}, {"1.25 / 0", 0x3ff40000, 0}, {"1.25 / 2^1000", 0x3ff40000, 0x7e700000}, {"1.25 / 2^-1000", 0x3ff40000, 0x01700000}};
  for (const auto& d : doubles) run<DivD>("div.rn.f64", d.what, p, t, d.a, d.b);
  for (const auto& d : doubles) run<SqrtD>("sqrt.rn.f64", d.what, p, t, d.a, d.b);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
