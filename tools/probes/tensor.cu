// What a matrix product costs on a real card; configs/h200.toml holds the results for an H200.
//   nvcc -O3 -arch=sm_90 tensor.cu -o tensor && ./tensor
// Prints cycles per step of a chain that depends on its sums in one warp, and per step and scheduler with 8 warps of four
// chains on each.
// Then one row of A with B full of ones: what each order of summation would make of it.
#include <cstdio>

#define CHAIN(NAME, SUM, REG, FACTOR, FREG, PTX)                                                                    \
  template <int Chains>                                                                                             \
  __global__ void NAME(long long* cycles, void* out, int n) {                                                       \
    SUM x[Chains][4];                                                                                               \
    for (auto& chain : x) chain[0] = chain[1] = chain[2] = chain[3] = n;                                            \
    FACTOR a0 = n, a1 = n + 1, a2 = n + 2, a3 = n + 3, b0 = n + 4, b1 = n + 5;                                      \
    __syncthreads();                                                                                                \
    const long long from = clock64();                                                                               \
    _Pragma("unroll 1") for (int r = 0; r < 16; ++r) {                                                              \
      _Pragma("unroll") for (int i = 0; i < 64; ++i) {                                                              \
        SUM* const s = x[i % Chains];                                                                               \
        asm volatile(PTX : "+" REG(s[0]), "+" REG(s[1]), "+" REG(s[2]), "+" REG(s[3])                               \
                     : FREG(a0), FREG(a1), FREG(a2), FREG(a3), FREG(b0), FREG(b1));                                 \
      }                                                                                                             \
    }                                                                                                               \
    const long long until = clock64();                                                                              \
    SUM sum = 0;                                                                                                    \
    for (const auto& chain : x) sum += chain[0] + chain[1] + chain[2] + chain[3];                                   \
    ((SUM*)out)[threadIdx.x] = sum;                                                                                 \
    if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = until - from;                                             \
  }
#define SMALL(OPCODE) "mma.sync.aligned." OPCODE " {%0,%1}, {%4}, {%8}, {%0,%1};"
#define MIDDLE(OPCODE) "mma.sync.aligned." OPCODE " {%0,%1,%2,%3}, {%4,%5}, {%8}, {%0,%1,%2,%3};"
#define LARGE(OPCODE) "mma.sync.aligned." OPCODE " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define HALF(OPCODE) "mma.sync.aligned." OPCODE " {%0,%1}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1};"
#define ALL                                                                                                         \
  CHAIN(f16_m16n8k8, float, "f", int, "r", MIDDLE("m16n8k8.row.col.f32.f16.f16.f32"))                               \
  CHAIN(f16_m16n8k16, float, "f", int, "r", LARGE("m16n8k16.row.col.f32.f16.f16.f32"))                              \
  CHAIN(f16_m16n8k16_f16, int, "r", int, "r", HALF("m16n8k16.row.col.f16.f16.f16.f16"))                             \
  CHAIN(bf16_m16n8k16, float, "f", int, "r", LARGE("m16n8k16.row.col.f32.bf16.bf16.f32"))                           \
  CHAIN(tf32_m16n8k4, float, "f", int, "r", MIDDLE("m16n8k4.row.col.f32.tf32.tf32.f32"))                            \
  CHAIN(tf32_m16n8k8, float, "f", int, "r", LARGE("m16n8k8.row.col.f32.tf32.tf32.f32"))                             \
  CHAIN(s8_m8n8k16, int, "r", int, "r", SMALL("m8n8k16.row.col.s32.s8.s8.s32"))                                     \
  CHAIN(s8_m16n8k32, int, "r", int, "r", LARGE("m16n8k32.row.col.s32.s8.s8.s32"))                                   \
  CHAIN(s4_m16n8k64, int, "r", int, "r", LARGE("m16n8k64.row.col.s32.s4.s4.s32"))                                   \
  CHAIN(b1_m16n8k256, int, "r", int, "r", LARGE("m16n8k256.row.col.s32.b1.b1.s32.and.popc"))                        \
  CHAIN(f64_m8n8k4, double, "d", double, "d", SMALL("m8n8k4.row.col.f64.f64.f64.f64"))                              \
  CHAIN(f64_m16n8k4, double, "d", double, "d", MIDDLE("m16n8k4.row.col.f64.f64.f64.f64"))
ALL
#undef CHAIN

long long* cycles;
void* out;

using Kernel = void(long long*, void*, int);

void measure(const char* name, Kernel* dependent, Kernel* independent) {
  double result[2];
  for (int many = 0; many < 2; ++many) {
    const int warps = many ? 32 : 1;
    for (int i = 0; i < 3; ++i) (many ? independent : dependent)<<<1, warps * 32>>>(cycles, out, 1);
    cudaDeviceSynchronize();
    double most = 0;
    for (int w = 0; w < warps; ++w) most = cycles[w] > most ? cycles[w] : most;
    result[many] = most / 1024 / (many ? 8 : 1);
  }
  printf("%s,%.2f,%.2f\n", name, result[0], result[1]);
}

// Row 0 of A is given (tf32, k = 8; lane t has columns t and t + 4), B is ones, C the same everywhere.
__global__ void row(const float* a, float c, float* sum) {
  const unsigned t = threadIdx.x;
  const unsigned a0 = t < 4 ? __float_as_uint(a[t]) : 0, a2 = t < 4 ? __float_as_uint(a[t + 4]) : 0, one = 0x3f800000;
  float x0, x1, x2, x3;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%5}, {%7,%7}, {%8,%8,%8,%8};"
               : "=f"(x0), "=f"(x1), "=f"(x2), "=f"(x3) : "r"(a0), "r"(0), "r"(a2), "r"(one), "f"(c));
  if (t == 0) *sum = x0 + (x1 + x2 + x3 == -12345 ? 1 : 0);
}

int main() {
  cudaMallocManaged(&cycles, 32 * sizeof *cycles);
  cudaMalloc(&out, 1 << 16);
#define CHAIN(NAME, SUM, REG, FACTOR, FREG, PTX) measure(#NAME, NAME<1>, NAME<4>);
  ALL
  const float half = 0x1p-24f;  // of the last place of 1
  const float rows[][9] = {// k = 0 .. 7, then C
                           {half, half, half, half, half, half, half, half, 1},
                           {half, 0, 0, 0, 0, 0, 0, half, 1},
                           {1.5f * half, 0, 0, 0, 0, 0, 0, 0, 1},
                           {half / 2, half / 2, half / 2, half / 2, half / 2, half / 2, half / 2, half / 2, 1},
                           {half / 4, half / 4, half / 4, half / 4, half / 4, half / 4, half / 4, half / 4, 1},
                           {1, half, half, 0, 0, 0, 0, -1, 0},
                           {-1, half, 0, 0, 0, 0, 0, 0, 1},
                           {-half, 0, 0, 0, 0, 0, 0, 0, 1},
                           {0x1p100f, 1, 0, 0, 0, 0, 0, -0x1p100f, 1}};
  float *a, *sum;
  cudaMallocManaged(&a, 8 * sizeof *a);
  cudaMallocManaged(&sum, sizeof *sum);
  for (const auto& r : rows) {
    for (int i = 0; i < 8; ++i) a[i] = r[i];
    row<<<1, 32>>>(a, r[8], sum);
    cudaDeviceSynchronize();
    for (const float v : r) printf("%a ", v);
    printf("-> %a\n", *sum);
  }
  return cudaDeviceSynchronize();
}
