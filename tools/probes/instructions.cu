// What an instruction costs on a real card; configs/h200.toml holds the results for an H200.
//   nvcc -O3 -arch=sm_90 instructions.cu -o instructions && ./instructions
//   ncu --clock-control none --metrics smsp__inst_executed.sum ./instructions   (/ 1024: machine instructions each)
// validation/data/h200_instructions.csv has both together.
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
  INT(s32_div_variable, "{div.s32 %0, %2, %0; add.s32 %0, %0, %1;}")          \
  INT(u32_div_variable, "{div.u32 %0, %2, %0; add.s32 %0, %0, %1;}")          \
  INT(s32_rem_variable, "{rem.s32 %0, %2, %0; add.s32 %0, %0, %1;}")          \
  INT(u32_rem_variable, "{rem.u32 %0, %2, %0; add.s32 %0, %0, %1;}")          \
  INT(u16_div_variable, "{.reg .u16 a, b; cvt.u16.u32 a, %2; cvt.u16.u32 b, %0; div.u16 a, a, b; cvt.u32.u16 %0, a; add.s32 %0, %0, %1;}") \
  INT(pred_or3, "{.reg .pred p, q; setp.lt.s32 p, %0, %1; setp.gt.or.s32 q, %0, %2, p; selp.s32 %0, %1, %2, q;}") \
  INT(slct, "slct.s32.s32 %0, %0, %1, %2;")                                   \
  INT(mad_hi, "mad.hi.u32 %0, %0, %1, %2;")                                   \
  INT(add_logic_mad, "{add.s32 %0, %0, %1; xor.b32 %0, %0, %2; mad.lo.s32 %0, %0, %1, %2;}") \
  INT(logic_mad, "{xor.b32 %0, %0, %2; mad.lo.s32 %0, %0, %1, %2;}")          \
  INT(logic_shift_mad, "{xor.b32 %0, %0, %2; shr.u32 %0, %0, 1; mad.lo.s32 %0, %0, %1, %2;}") \
  INT(fma_mad, "{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f; mad.lo.s32 %0, %0, %1, %2;}") \
  INT(fma_fma_mad, "{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; fma.rn.f32 f, f, f, f; mov.b32 %0, f; mad.lo.s32 %0, %0, %1, %2;}") \
  INT(fma_xor, "{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f; xor.b32 %0, %0, %1;}") \
  INT(i2f_fma, "{.reg .f32 f; cvt.rn.f32.s32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}") \
  INT(f2i_mul, "{.reg .f32 f; mov.b32 f, %0; cvt.rzi.s32.f32 %0, f; mad.lo.s32 %0, %0, %1, %2;}") \
  INT(mul_wide_add, "{.reg .s64 l; mul.wide.s32 l, %0, %1; cvt.u32.u64 %0, l; .reg .s64 h; shr.u64 h, l, 32; .reg .s32 k; cvt.u32.u64 k, h; xor.b32 %0, %0, k;}") \
  LONG(s64_div_variable, "{div.s64 %0, %2, %0; add.s64 %0, %0, %1;}")         \
  LONG(u64_rem_variable, "{rem.u64 %0, %2, %0; add.s64 %0, %0, %1;}")         \
  FLOAT(ex2_add, "{ex2.approx.f32 %0, %0; sub.f32 %0, %0, %1;}")              \
  FLOAT(div_approx_variable, "div.approx.f32 %0, %1, %0;")                    \
  FLOAT(div_approx_ftz_variable, "div.approx.ftz.f32 %0, %1, %0;")            \
  FLOAT(div_full_variable, "div.full.f32 %0, %1, %0;")                        \
  FLOAT(div_variable, "div.rn.f32 %0, %1, %0;")                               \
  FLOAT(rcp_ftz_add, "{rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1;}")      \
  FLOAT(float_setp_and, "{.reg .pred p, q; setp.lt.f32 p, %0, %1; setp.gt.and.f32 q, %0, %2, p; selp.f32 %0, %1, %2, q;}") \
  DOUBLE(double_div_variable, "div.rn.f64 %0, %1, %0;")                       \
  INT(clz, "clz.b32 %0, %0;")                                                 \
  INT(bfind, "bfind.u32 %0, %0;")                                             \
  INT(brev, "brev.b32 %0, %0;")                                               \
  INT(bfe_fixed, "bfe.u32 %0, %0, 3, 27;")                                    \
  INT(bfe_signed, "bfe.s32 %0, %0, 3, 27;")                                   \
  INT(bfi, "bfi.b32 %0, %0, %1, %2, %1;")                                     \
  INT(bfi_fixed, "bfi.b32 %0, %0, %1, 3, 9;")                                 \
  INT(prmt_fixed, "prmt.b32 %0, %0, %1, 0x2143;")                             \
  INT(shl, "shl.b32 %0, %0, %1;")                                             \
  INT(shr_fixed, "shr.s32 %0, %0, 1;")                                        \
  INT(shf, "shf.l.wrap.b32 %0, %0, %1, %2;")                                  \
  INT(and_shift, "{and.b32 %0, %0, %1; shl.b32 %0, %0, 1;}")                  \
  INT(xor_and, "{xor.b32 %0, %0, %1; and.b32 %0, %0, %2;}")                   \
  INT(add_add, "{add.s32 %0, %0, %1; add.s32 %0, %0, %2;}")                   \
  INT(shift_add, "{shl.b32 %0, %0, 3; add.s32 %0, %0, %1;}")                  \
  INT(int_mul_hi, "mul.hi.u32 %0, %0, %1;")                                   \
  INT(int_mul_fixed, "mul.lo.s32 %0, %0, 40503;")                             \
  INT(int_abs_add, "{abs.s32 %0, %0; add.s32 %0, %0, %1;}")                   \
  INT(int_neg_xor, "{neg.s32 %0, %0; xor.b32 %0, %0, %1;}")                   \
  INT(int_sad, "sad.u32 %0, %0, %1, %2;")                                     \
  INT(dp4a, "dp4a.s32.s32 %0, %0, %1, %2;")                                   \
  INT(u32_div, "{div.u32 %0, %0, %1; add.s32 %0, %0, %2;}")                   \
  INT(s32_rem, "{rem.s32 %0, %0, %1; add.s32 %0, %0, %2;}")                   \
  INT(u32_rem, "{rem.u32 %0, %0, %1; add.s32 %0, %0, %2;}")                   \
  INT(s32_div_fixed, "{div.s32 %0, %0, 7; add.s32 %0, %0, %2;}")              \
  INT(u32_rem_fixed, "{rem.u32 %0, %0, 10; add.s32 %0, %0, %2;}")             \
  INT(s32_div_power, "{div.s32 %0, %0, 8; add.s32 %0, %0, %2;}")              \
  INT(cvt_s8, "{cvt.s32.s8 %0, %0; add.s32 %0, %0, %1;}")                     \
  INT(cvt_u16, "{cvt.u32.u16 %0, %0; add.s32 %0, %0, %1;}")                   \
  INT(cvt_u8_f32, "{.reg .f32 f; cvt.rn.f32.u8 f, %0; cvt.rzi.u32.f32 %0, f;}") \
  INT(cvt_f64_s32, "{.reg .f64 f; cvt.rn.f64.s32 f, %0; cvt.rzi.s32.f64 %0, f;}") \
  INT(pred_and, "{.reg .pred p, q; setp.lt.s32 p, %0, %1; setp.gt.s32 q, %0, %2; and.pred p, p, q; selp.s32 %0, %1, %2, p;}") \
  INT(match_all, "{.reg .pred p; match.all.sync.b32 %0|p, %0, -1;}")          \
  INT(half2_add, "add.rn.f16x2 %0, %0, %1;")                                  \
  LONG(int64_add_xor, "{add.s64 %0, %0, %1; xor.b64 %0, %0, %2;}")            \
  LONG(int64_mad, "mad.lo.s64 %0, %0, %1, %2;")                               \
  LONG(int64_mul_hi, "mul.hi.u64 %0, %0, %1;")                                \
  LONG(int64_shl, "{.reg .u32 n; cvt.u32.u64 n, %1; shl.b64 %0, %0, n; add.s64 %0, %0, %2;}") \
  LONG(int64_shr_fixed, "{shr.u64 %0, %0, 3; add.s64 %0, %0, %2;}")           \
  LONG(int64_setp_selp, "{.reg .pred p; setp.lt.s64 p, %0, %1; selp.b64 %0, %1, %2, p;}") \
  LONG(int64_min, "min.s64 %0, %0, %1;")                                      \
  LONG(s64_div, "{div.s64 %0, %0, %1; add.s64 %0, %0, %2;}")                  \
  LONG(u64_rem, "{rem.u64 %0, %0, %1; add.s64 %0, %0, %2;}")                  \
  LONG(s64_cvt_mul_wide, "{.reg .s32 n; cvt.u32.u64 n, %0; mul.wide.s32 %0, n, 5;}") \
  LONG(s64_cvt_s32, "{.reg .s32 n; cvt.u32.u64 n, %0; cvt.s64.s32 %0, n; add.s64 %0, %0, %1;}") \
  LONG(popc64, "{.reg .u32 n; popc.b64 n, %0; cvt.u64.u32 %0, n; add.s64 %0, %0, %1;}") \
  LONG(cvt_f64_s64, "{.reg .f64 f; cvt.rn.f64.s64 f, %0; cvt.rzi.s64.f64 %0, f;}") \
  LONG(cvt_f32_s64, "{.reg .f32 f; cvt.rn.f32.s64 f, %0; cvt.rzi.s64.f32 %0, f;}") \
  FLOAT(ex2, "ex2.approx.f32 %0, %0;")                                        \
  FLOAT(lg2, "lg2.approx.f32 %0, %0;")                                        \
  FLOAT(lg2_ftz, "lg2.approx.ftz.f32 %0, %0;")                                \
  FLOAT(rcp, "rcp.approx.f32 %0, %0;")                                        \
  FLOAT(rcp_ftz, "rcp.approx.ftz.f32 %0, %0;")                                \
  FLOAT(sqrt_approx, "sqrt.approx.f32 %0, %0;")                               \
  FLOAT(sqrt_approx_ftz, "sqrt.approx.ftz.f32 %0, %0;")                       \
  FLOAT(rsqrt, "rsqrt.approx.f32 %0, %0;")                                    \
  FLOAT(rsqrt_ftz, "rsqrt.approx.ftz.f32 %0, %0;")                            \
  FLOAT(sin, "sin.approx.f32 %0, %0;")                                        \
  FLOAT(cos, "cos.approx.f32 %0, %0;")                                        \
  FLOAT(tanh, "tanh.approx.f32 %0, %0;")                                      \
  FLOAT(div_approx, "div.approx.f32 %0, %0, %1;")                             \
  FLOAT(div_approx_ftz, "div.approx.ftz.f32 %0, %0, %1;")                     \
  FLOAT(div_full, "div.full.f32 %0, %0, %1;")                                 \
  FLOAT(rcp_rn, "rcp.rn.f32 %0, %0;")                                         \
  FLOAT(float_abs_add, "{abs.f32 %0, %0; add.f32 %0, %0, %1;}")               \
  FLOAT(float_neg_add, "{neg.f32 %0, %0; add.f32 %0, %0, %1;}")               \
  FLOAT(float_setp_selp, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}") \
  FLOAT(float_floor, "cvt.rmi.f32.f32 %0, %0;")                               \
  FLOAT(float_sat, "add.sat.f32 %0, %0, %1;")                                 \
  FLOAT(cvt_half, "{.reg .b16 h; cvt.rn.f16.f32 h, %0; cvt.f32.f16 %0, h;}")  \
  FLOAT(cvt_f64, "{.reg .f64 d; cvt.f64.f32 d, %0; cvt.rn.f32.f64 %0, d;}")   \
  DOUBLE(double_min, "min.f64 %0, %0, %1;")                                   \
  DOUBLE(double_mul, "mul.f64 %0, %0, %1;")                                   \
  DOUBLE(double_setp_selp, "{.reg .pred p; setp.lt.f64 p, %0, %1; selp.f64 %0, %1, %2, p;}") \
  DOUBLE(double_sqrt, "sqrt.rn.f64 %0, %0;")                                  \
  DOUBLE(double_rcp, "rcp.rn.f64 %0, %0;")                                    \
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
