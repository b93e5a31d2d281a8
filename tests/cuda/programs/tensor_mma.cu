// mma.sync, ldmatrix and movmatrix by inline assembly, with the fragments that the PTX manual describes: all results as
// hashes, and some in full. All values are small integers or powers of two, so that every order of summation gives the
// same. The last kernel multiplies as libraries do: cp.async into shared memory, ldmatrix, mma.sync.
#include <cuda_fp16.h>

#include <cstdint>
#include <vector>

#include "check.h"

// A value for each lane and register.
__device__ unsigned pattern(unsigned lane, unsigned i) {
  return (lane * 2654435761u + i * 40503u) ^ (lane * 7 + i * 13) << 9;
}
__device__ unsigned halves(unsigned x) {  // two of -3 .. 4 as f16
  const __half2 h = __floats2half2_rn(static_cast<float>(x & 7) - 3, static_cast<float>(x >> 3 & 7) - 3);
  return reinterpret_cast<const unsigned&>(h);
}
__device__ unsigned bhalves(unsigned x) {  // the same as bf16
  return (__float_as_uint(static_cast<float>(x & 7) - 3) >> 16) |
         (__float_as_uint(static_cast<float>(x >> 3 & 7) - 3) & 0xffff0000u);
}
__device__ unsigned single(unsigned x) { return __float_as_uint(static_cast<float>(x & 15) - 7); }

// clang-format off
#define SUMS "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
#define SUMS_IN "f"(c), "f"(c + 1), "f"(c + 2), "f"(c + 3)
#define INTS "=r"(e[0]), "=r"(e[1]), "=r"(e[2]), "=r"(e[3])
// clang-format on

__global__ void floats(float* out) {
  const unsigned l = threadIdx.x;
  const float c = static_cast<float>(l % 5) - 2;
  unsigned a[4], b[2];
  float d[4];
  float* o = out + l * 4;
  auto keep = [&](int n) {
    for (int i = 0; i < 4; ++i) o[n * 128 + i] = d[i];
  };
  for (int i = 0; i < 4; ++i) a[i] = halves(pattern(l, i));
  for (int i = 0; i < 2; ++i) b[i] = halves(pattern(l, i + 4));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : SUMS : "r"(a[0]), "r"(a[1]), "r"(b[0]), SUMS_IN);
  keep(0);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : SUMS : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), SUMS_IN);
  keep(1);
  for (int i = 0; i < 4; ++i) a[i] = bhalves(pattern(l, i));
  for (int i = 0; i < 2; ++i) b[i] = bhalves(pattern(l, i + 4));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : SUMS : "r"(a[0]), "r"(a[1]), "r"(b[0]), SUMS_IN);
  keep(2);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : SUMS : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), SUMS_IN);
  keep(3);
  for (int i = 0; i < 4; ++i) a[i] = single(pattern(l, i));
  for (int i = 0; i < 2; ++i) b[i] = single(pattern(l, i + 4));
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
               : SUMS : "r"(a[0]), "r"(a[1]), "r"(b[0]), SUMS_IN);
  keep(4);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : SUMS : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), SUMS_IN);
  keep(5);
}

__global__ void integers(int* out) {
  const unsigned l = threadIdx.x;
  const int c = static_cast<int>(l) * 1000 - 7;
  unsigned a[4], b[2];
  int e[4];
  int* o = out + l * 4;
  auto keep = [&](int n) {
    for (int i = 0; i < 4; ++i) o[n * 128 + i] = e[i];
  };
  for (int i = 0; i < 4; ++i) a[i] = pattern(l, i);
  for (int i = 0; i < 2; ++i) b[i] = pattern(l, i + 4);
  e[2] = e[3] = 0;
#define C_IN "r"(c), "r"(c + 1), "r"(c + 2), "r"(c + 3)
#define SMALL(n, opcode)                                                                                   \
  asm volatile("mma.sync.aligned." opcode " {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(e[0]), "=r"(e[1])        \
               : "r"(a[0]), "r"(b[0]), "r"(c), "r"(c + 1));                                                \
  keep(n)
#define MIDDLE(n, opcode)                                                                                  \
  asm volatile("mma.sync.aligned." opcode " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : INTS          \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), C_IN);                                                   \
  keep(n)
#define LARGE(n, opcode)                                                                                   \
  asm volatile("mma.sync.aligned." opcode " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"     \
               : INTS : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), C_IN);           \
  keep(n)
  SMALL(0, "m8n8k16.row.col.s32.s8.s8.s32");
  SMALL(1, "m8n8k32.row.col.s32.s4.s4.s32");
  SMALL(2, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc");
  MIDDLE(3, "m16n8k16.row.col.s32.s8.u8.s32");
  MIDDLE(4, "m16n8k32.row.col.s32.u4.s4.s32");
  MIDDLE(5, "m16n8k128.row.col.s32.b1.b1.s32.and.popc");
  LARGE(6, "m16n8k32.row.col.s32.u8.s8.s32");
  LARGE(7, "m16n8k64.row.col.s32.s4.u4.s32");
  LARGE(8, "m16n8k256.row.col.s32.b1.b1.s32.and.popc");
}

__global__ void saturated(int* out) {
  const unsigned ones = 0x7f7f7f7fu, minus = 0x80808080u;
  const int big = 2147483600, low = -2147483600;
  int e[4];
  asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=r"(e[0]), "=r"(e[1]) : "r"(ones), "r"(ones), "r"(big), "r"(low));
  asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=r"(e[2]), "=r"(e[3]) : "r"(ones), "r"(minus), "r"(big), "r"(low));
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = e[i];
}

__global__ void doubles(double* out) {
  const unsigned l = threadIdx.x;
  const double a = static_cast<double>(pattern(l, 0) & 63) - 31, b = static_cast<double>(pattern(l, 1) & 63) - 31;
  const double c = l;
  double d[2];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=d"(d[0]), "=d"(d[1]) : "d"(a), "d"(b), "d"(c), "d"(c + 1));
  out[l * 2] = d[0];
  out[l * 2 + 1] = d[1];
}

__global__ void moves(unsigned* out) {
  __shared__ __align__(16) unsigned short tile[256];
  const unsigned l = threadIdx.x;
  for (unsigned i = l; i < 256; i += 32) tile[i] = static_cast<unsigned short>(i * 257);
  __syncwarp();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile + l * 8));
  unsigned r[4];
  unsigned* o = out + l * 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
  for (int i = 0; i < 4; ++i) o[i] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
  for (int i = 0; i < 4; ++i) o[4 + i] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[2]) : "r"(row));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[3]) : "r"(r[2]));
  for (int i = 0; i < 4; ++i) o[8 + i] = r[i];
  for (int i = 12; i < 16; ++i) o[i] = 0;
}

__global__ void to_tf32(const float* in, unsigned* out) {
  asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(out[threadIdx.x]) : "f"(in[threadIdx.x]));
}

// D (64 x 64, f32) = A (64 x k, rows) B (k x 64, columns), one CTA of four warps, 16 rows each; two stages of 16 columns.
__global__ void gemm(const __half* a, const __half* b, float* d, int k) {
  __shared__ __align__(16) __half as[2][64][24], bs[2][64][24];  // padded against bank conflicts
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  auto copy = [&](int stage, int at) {
    const unsigned row = t / 2, part = t % 2 * 8;
    const unsigned to_a = static_cast<unsigned>(__cvta_generic_to_shared(&as[stage][row][part]));
    const unsigned to_b = static_cast<unsigned>(__cvta_generic_to_shared(&bs[stage][row][part]));
    const int bytes = at < k ? 16 : 0;
    const __half* const from_a = at < k ? a + row * k + at + part : a;
    const __half* const from_b = at < k ? b + row * k + at + part : b;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_a), "l"(from_a), "r"(bytes));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to_b), "l"(from_b), "r"(bytes));
    asm volatile("cp.async.commit_group;");
  };
  float sum[8][4] = {};
  copy(0, 0);
  for (int at = 0; at < k; at += 16) {
    const int stage = at / 16 % 2;
    copy(1 - stage, at + 16);
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    unsigned fa[4];
    const unsigned from_a =
        static_cast<unsigned>(__cvta_generic_to_shared(&as[stage][warp * 16 + lane % 16][lane / 16 * 8]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(from_a));
    for (int j = 0; j < 8; ++j) {
      unsigned fb[2];
      const unsigned from_b =
          static_cast<unsigned>(__cvta_generic_to_shared(&bs[stage][j * 8 + lane % 8][lane / 8 % 2 * 8]));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(from_b));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                   : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    }
    __syncthreads();
  }
  asm volatile("cp.async.wait_all;");
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i)
      d[(warp * 16 + lane / 4 + i / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + i % 2] = sum[j][i];
}

template <class T>
std::vector<T> read(const T* device, std::size_t n) {
  CHECK(cudaDeviceSynchronize());
  std::vector<T> v(n);
  CHECK(cudaMemcpy(v.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

template <class T>
void print(const char* what, const T* values, std::size_t n, const char* format) {
  std::uint32_t hash = 2166136261u;
  for (std::size_t i = 0; i < n; ++i)
    hash = (hash ^ static_cast<std::uint32_t>(static_cast<std::int64_t>(values[i]))) * 16777619u;
  std::printf("%s: %08x,", what, hash);
  for (std::size_t i = 0; i < 8; ++i) std::printf(format, values[i]);
  std::printf("\n");
}

void check_gemm(Checks& checks) {
  const int k = 48;
  std::vector<__half> a(64 * k), b(64 * k);
  for (int i = 0; i < 64 * k; ++i) {
    a[i] = __float2half(static_cast<float>(i * 7 % 11 - 5));
    b[i] = __float2half(static_cast<float>(i * 5 % 13 - 6));
  }
  __half *da, *db;
  float* dd;
  CHECK(cudaMalloc(&da, a.size() * sizeof(__half)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(__half)));
  CHECK(cudaMalloc(&dd, 64 * 64 * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice));
  gemm<<<1, 128>>>(da, db, dd, k);
  const std::vector<float> d = read(dd, 64 * 64);
  int wrong = 0;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      float s = 0;
      for (int l = 0; l < k; ++l) s += __half2float(a[i * k + l]) * __half2float(b[j * k + l]);
      wrong += d[i * 64 + j] != s;
    }
  checks.expect(wrong == 0, "cp.async, ldmatrix, mma.sync");
}

int main() {
  Checks checks;
  void* memory;
  CHECK(cudaMalloc(&memory, 1 << 16));
  floats<<<1, 32>>>(static_cast<float*>(memory));
  const char* const kFloats[] = {"f16 m16n8k8",   "f16 m16n8k16", "bf16 m16n8k8",
                                 "bf16 m16n8k16", "tf32 m16n8k4", "tf32 m16n8k8"};
  const std::vector<float> f = read(static_cast<float*>(memory), 6 * 128);
  for (int i = 0; i < 6; ++i) print(kFloats[i], &f[i * 128], 128, " %g");
  integers<<<1, 32>>>(static_cast<int*>(memory));
  const char* const kIntegers[] = {"s8 m8n8k16",   "s4 m8n8k32",    "b1 m8n8k128",   "s8 u8 m16n8k16", "u4 s4 m16n8k32",
                                   "b1 m16n8k128", "u8 s8 m16n8k32", "s4 u4 m16n8k64", "b1 m16n8k256"};
  const std::vector<int> e = read(static_cast<int*>(memory), 9 * 128);
  for (int i = 0; i < 9; ++i) print(kIntegers[i], &e[i * 128], 128, " %d");
  saturated<<<1, 32>>>(static_cast<int*>(memory));
  print("satfinite", read(static_cast<int*>(memory), 128).data(), 128, " %d");
  doubles<<<1, 32>>>(static_cast<double*>(memory));
  print("f64 m8n8k4", read(static_cast<double*>(memory), 64).data(), 64, " %g");
  moves<<<1, 32>>>(static_cast<unsigned*>(memory));
  print("ldmatrix, movmatrix", read(static_cast<unsigned*>(memory), 512).data(), 512, " %08x");
  const float values[8] = {1.0f, 1.00048828125f, -1.000244140625f, 3.0e38f, 1.0e-40f, 3.4028235e38f, -0.0f, 1.0f / 3};
  CHECK(cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice));
  to_tf32<<<1, 8>>>(static_cast<float*>(memory), static_cast<unsigned*>(memory) + 64);
  print("tf32", read(static_cast<unsigned*>(memory) + 64, 8).data(), 8, " %08x");
  check_gemm(checks);
  return checks.finish();
}
