// Wide integers and bit tricks.
#include "silicon.cuh"

KERNEL int64_arithmetic(const u32* in, u32* out, int n) {
  const int i = global_id();
  const long long a = (long long)((u64)in[i] << 32 | in[i + 1]), b = (long long)((u64)in[i + 2] << 9 | in[i + 3]);
  const u64 ua = a, ub = b;
  long long r = a * b + a / (b | 1) - a % ((b >> 20) | 1) + (a >> (b & 63)) + (a << (b & 31));
  u64 u = ua / (ub | 1) ^ ua % ((ub >> 7) | 1) ^ __umul64hi(ua, ub) ^ (u64)__mul64hi(a, -b);
  u += ua / 1000000007ull + ua % 10 + (u64)(a < b) + min(ua, ub) + (u64)llabs(a);
  u ^= (u64)__clzll(ua) << 3 ^ (u64)__popcll(ub) << 13 ^ __brevll(ua) ^ (u64)__ffsll(ub) << 23;
  put64(out, i, (u64)r ^ u);
}

KERNEL int128_arithmetic(const u32* in, u32* out, int n) {
  typedef unsigned __int128 u128;
  const int i = global_id();
  const u128 a = (u128)((u64)in[i] << 32 | in[i + 1]) * in[i + 2] + in[i + 3];
  const u128 b = (u128)in[i + 3] << 70 | in[i];
  const u128 p = a * b + (a >> 37) - (b << 5);
  const u128 q = a / (((u128)in[i + 1] << 17) | 1), r = b % (((u128)in[i + 2] << 40) | 3);
  const __int128 s = (__int128)(a - b) / ((int)in[i] | 1);
  put64(out, 2 * i, (u64)p ^ (u64)(q >> 20) ^ (u64)s);
  put64(out, 2 * i + 1, (u64)(p >> 64) ^ (u64)r ^ (u64)(s >> 64));
}

// 256 by 256 bits with carry chains, as cryptographic code has them.
KERNEL multi_precision(const u32* in, u32* out, int n) {
  const int i = global_id();
  u32 a[8], b[8], r[16] = {};
  for (int k = 0; k < 8; ++k) {
    a[k] = in[i * 8 + k];
    b[k] = in[(i * 8 + 8 + k) % n];
  }
  for (int j = 0; j < 8; ++j) {
    asm("mad.lo.cc.u32 %0, %9, %17, %0;\n\t"
        "madc.lo.cc.u32 %1, %10, %17, %1;\n\t"
        "madc.lo.cc.u32 %2, %11, %17, %2;\n\t"
        "madc.lo.cc.u32 %3, %12, %17, %3;\n\t"
        "madc.lo.cc.u32 %4, %13, %17, %4;\n\t"
        "madc.lo.cc.u32 %5, %14, %17, %5;\n\t"
        "madc.lo.cc.u32 %6, %15, %17, %6;\n\t"
        "madc.lo.cc.u32 %7, %16, %17, %7;\n\t"
        "addc.u32 %8, %8, 0;"
        : "+r"(r[j]), "+r"(r[j + 1]), "+r"(r[j + 2]), "+r"(r[j + 3]), "+r"(r[j + 4]), "+r"(r[j + 5]),
          "+r"(r[j + 6]), "+r"(r[j + 7]), "+r"(r[j + 8])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[j]));
    asm("mad.hi.cc.u32 %0, %8, %16, %0;\n\t"
        "madc.hi.cc.u32 %1, %9, %16, %1;\n\t"
        "madc.hi.cc.u32 %2, %10, %16, %2;\n\t"
        "madc.hi.cc.u32 %3, %11, %16, %3;\n\t"
        "madc.hi.cc.u32 %4, %12, %16, %4;\n\t"
        "madc.hi.cc.u32 %5, %13, %16, %5;\n\t"
        "madc.hi.cc.u32 %6, %14, %16, %6;\n\t"
        "madc.hi.u32 %7, %15, %16, %7;"
        : "+r"(r[j + 1]), "+r"(r[j + 2]), "+r"(r[j + 3]), "+r"(r[j + 4]), "+r"(r[j + 5]), "+r"(r[j + 6]),
          "+r"(r[j + 7]), "+r"(r[j + 8])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[j]));
  }
  u64 lo = (u64)r[1] << 32 | r[0], hi = (u64)r[3] << 32 | r[2];
  asm("sub.cc.u64 %0, %0, %2;\n\tsubc.u64 %1, %1, %3;" : "+l"(lo), "+l"(hi) : "l"((u64)a[0] << 30), "l"((u64)b[0]));
  r[0] = (u32)lo;
  r[3] = (u32)(hi >> 32);
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = r[k];
}

KERNEL bit_tricks(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 a = in[i], b = in[i + 1];
  u32 r = __brev(a) ^ __clz(a >> (b & 31)) * 3 ^ __popc(a) * 5 ^ __ffs(b << (a & 31)) * 7;
  r += __byte_perm(a, b, b >> 5 & 0x7777) ^ __funnelshift_l(a, b, a) ^ __funnelshift_r(a, b, b);
  r ^= __funnelshift_lc(a, b, a & 63) + __funnelshift_rc(a, b, b & 63);
  r += __mul24((int)a, (int)b) + __umul24(a, b) + __mulhi((int)a, (int)b) + __umulhi(a, b);
  r ^= __sad((int)a, (int)b, 7u) + __usad(a, b, 3u) + __hadd((int)a, (int)b) + __rhadd((int)a, (int)b) + __uhadd(a, b);
  u32 x, y, z, w;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(x) : "r"(a), "r"(b & 31), "r"(b >> 8 & 31));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b & 31), "r"(b >> 8 & 31));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(z) : "r"(a), "r"(b), "r"(b >> 3 & 31), "r"(a & 31));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(w) : "r"(a), "r"(b), "r"(r));
  r += x ^ y * 3 ^ z ^ w;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(x) : "r"(a >> (b & 31)));
  asm("bfind.s32 %0, %1;" : "=r"(y) : "r"(a));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(z) : "r"(a & 31), "r"(b & 31));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(w) : "r"(a), "r"(b & 31));
  asm("fns.b32 %0, %1, %2, 3;" : "=r"(y) : "r"(a), "r"(b & 31));
  out[i] = r + x + y + z + w;
}

KERNEL byte_simd(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 a = in[i], b = in[i + 1], c = in[i + 2];
  u32 r = __vadd4(a, b) ^ __vsub2(a, b) ^ __vabsdiffu4(a, b) ^ __vmaxs4(a, b) ^ __vminu2(a, b);
  r += __vcmpgtu4(a, b) ^ __vavgu4(a, b) ^ __vsads4(a, b) ^ __vsadu2(a, b) ^ __vaddss2(a, b) ^ __vsubus4(a, b);
  r ^= __vabs4(a) + __vneg2(b) + __vseteq4(a & 0x3030303, b & 0x3030303) + __vcmples2(a, b);
  r += __dp4a((int)a, (int)b, (int)c) ^ __dp4a(a, b, c) ^ __dp2a_lo((int)a, (int)b, (int)c) ^ __dp2a_hi(a, b, c);
  r ^= __vimax3_s32(a, b, c) + __vimin3_u32(a, b, c) + __viaddmax_s32(a, b, c) + __vimax_s32_relu(a, b);
  u32 y;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
  out[i] = r + y;
}
