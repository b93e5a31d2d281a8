// What an instruction costs on a real card; configs/h200.toml holds the results for an H200.
//   nvcc -O3 -arch=sm_90 instructions.cu -o instructions && ./instructions
//   ncu --clock-control none --metrics smsp__inst_executed.sum ./instructions   (/ 1024: machine instructions each)
// Prints cycles per step of a dependent chain in one warp, and per step and scheduler with 8 warps on each.
#include <cstdio>

#define CHAIN(NAME, TYPE, REG, PTX)                                           \
  __global__ void NAME(long long* cycles, TYPE* out, TYPE a, TYPE b) {        \
    TYPE x = a + (TYPE)threadIdx.x;                                           \
    __syncthreads();                                                          \
    const long long from = clock64();                                         \
    _Pragma("unroll 1") for (int r = 0; r < 16; ++r) {                        \
      _Pragma("unroll") for (int i = 0; i < 64; ++i)                          \
        asm volatile(PTX : "+" REG(x) : REG(b), REG(a));                      \
    }                                                                         \
    const long long until = clock64();                                        \
    out[threadIdx.x] = x;                                                     \
    if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = until - from;       \
  }
#define ALL                                                                   \
  INT(int_add_xor, "{add.s32 %0, %0, %1; xor.b32 %0, %0, %2;}")               \
  INT(int_min_add, "{min.s32 %0, %0, %1; add.s32 %0, %0, %2;}")               \
  INT(int_setp_selp, "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %2, p;}") \
  INT(int_mul, "mul.lo.s32 %0, %0, %1;")                                      \
  INT(int_mad, "mad.lo.s32 %0, %0, %1, %2;")                                  \
  INT(int_div_add, "{div.s32 %0, %0, %1; add.s32 %0, %0, %2;}")               \
  INT(popc, "popc.b32 %0, %0;")                                               \
  INT(prmt, "prmt.b32 %0, %0, %1, %2;")                                       \
  INT(bfe, "bfe.u32 %0, %0, %1, %2;")                                         \
  INT(cvt_twice, "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}") \
  INT(shuffle, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")                       \
  INT(setp_ballot, "{.reg .pred p; setp.ne.s32 p, %0, 0; vote.sync.ballot.b32 %0, p, -1;}") \
  INT(half2_mad, "fma.rn.f16x2 %0, %0, %1, %2;")                              \
  INT(clock_add, "{.reg .u32 t; mov.u32 t, %%clock; add.s32 %0, %0, t;}")     \
  LONG(int64_add, "add.s64 %0, %0, %1;")                                      \
  LONG(int64_mul, "mul.lo.s64 %0, %0, %1;")                                   \
  FLOAT(float_add, "add.f32 %0, %0, %1;")                                     \
  FLOAT(float_min, "min.f32 %0, %0, %1;")                                     \
  FLOAT(float_mad, "fma.rn.f32 %0, %0, %1, %2;")                              \
  FLOAT(float_div, "div.rn.f32 %0, %0, %1;")                                  \
  FLOAT(float_sqrt, "sqrt.rn.f32 %0, %0;")                                    \
  FLOAT(special_ex2, "ex2.approx.ftz.f32 %0, %0;")                            \
  DOUBLE(double_add, "add.f64 %0, %0, %1;")                                   \
  DOUBLE(double_mad, "fma.rn.f64 %0, %0, %1, %2;")                            \
  DOUBLE(double_div, "div.rn.f64 %0, %0, %1;")
#define INT(NAME, PTX) CHAIN(NAME, int, "r", PTX)
#define LONG(NAME, PTX) CHAIN(NAME, long long, "l", PTX)
#define FLOAT(NAME, PTX) CHAIN(NAME, float, "f", PTX)
#define DOUBLE(NAME, PTX) CHAIN(NAME, double, "d", PTX)
ALL
#undef CHAIN

template <class T>
constexpr double kStep = 5;  // integers
template <>
constexpr double kStep<float> = 1.0001;  // divisions stay in the range without special cases
template <>
constexpr double kStep<double> = 1.0001;

long long* cycles;
void* out;

template <class T>
void measure(const char* name, void (*kernel)(long long*, T*, T, T), T a, T b) {
  double result[2];
  for (int many = 0; many < 2; ++many) {
    const int warps = many ? 32 : 1;
    for (int i = 0; i < 3; ++i) kernel<<<1, warps * 32>>>(cycles, (T*)out, a, b);
    cudaDeviceSynchronize();
    double most = 0;
    for (int w = 0; w < warps; ++w) most = cycles[w] > most ? cycles[w] : most;
    result[many] = most / 1024 / (many ? 8 : 1);
  }
  printf("%s,%.2f,%.2f\n", name, result[0], result[1]);
}

int main() {
  cudaMallocManaged(&cycles, 32 * sizeof *cycles);
  cudaMalloc(&out, 1 << 16);
#define CHAIN(NAME, TYPE, REG, PTX) measure<TYPE>(#NAME, NAME, (TYPE)1000003.5, (TYPE)kStep<TYPE>);
  ALL
  return cudaDeviceSynchronize();
}
