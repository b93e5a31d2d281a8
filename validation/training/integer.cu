// Integer arithmetic: division of all kinds, hashes, bits, long numbers.
#include "training.cuh"

KERNEL div_u32_variable(const unsigned* a, const unsigned* b, unsigned* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  unsigned x = a[i], y = b[i], s = 0;
  for (int r = 0; r < rounds; ++r) {
    s += x / (y + r);
    x = x * 5 + s;
  }
  out[i] = s;
}

// Four remainders that do not depend on each other.
KERNEL rem_s32_variable(const int4* a, const int4* b, int* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  int4 x = a[i];
  const int4 y = b[i];
  int s = 0;
  for (int r = 0; r < 3; ++r) {
    x.x = x.x % (y.x + r) + 7919 * r, x.y = x.y % (y.y + r) - 104729 * r;
    x.z = x.z % (y.z + r) + 1299709 * r, x.w = x.w % (y.w + r) - 15485863 * r;
    s ^= x.x + x.y + x.z + x.w;
  }
  out[i] = s;
}

// Index arithmetic of a tensor whose sizes are arguments: NCHW to NHWC.
KERNEL permute_tensor(const float* in, float* out, int channels, int height, int width, int n) {
  const int i = global_id();
  if (i >= n) return;
  const int c = i % channels, x = i / channels % width, y = i / channels / width % height,
            b = i / channels / width / height;
  out[i] = in[((b * channels + c) * height + y) * width + x];
}

// The same divisor in every round of a loop.
KERNEL div_invariant(const int* in, int* out, int n, int d, int m, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  int v = in[i], s = 0;
  for (int r = 0; r < rounds; ++r) {
    s += v / d + v % m;
    v += 65537 + s;
  }
  out[i] = s;
}

// Decimal digits: division by ten.
KERNEL decimal_digits(const unsigned* in, unsigned* packed, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned v = in[i], low = 0, sum = 0;
  for (int k = 0; k < 10 && v; ++k) {
    low = (low << 4) | v % 10;
    sum += v % 10;
    v /= 10;
  }
  packed[i] = low ^ (sum << 28);
}

// Days to dates: divisions by 1461, 153, 36524 and others.
KERNEL dates(const unsigned* day, int* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  int check = 0;
  for (int k = 0; k < 8; ++k) {
    const int z = (int)(day[i] % 1000000u) + k * 367 + 60, era = z / 146097;
    const int doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    const int d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
    check = check * 31 + (yoe + era * 400) * 372 + m * 31 + d + z % 7;
  }
  out[i] = check;
}

// Signed division and remainder by powers of two.
KERNEL div_powers(const int* in, int* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  int v = in[i], s = 0;
  for (int k = 0; k < 16; ++k) {
    s += v / 8 + v % 32 + v / 1024 % 16;
    v = v * 3 - s;
  }
  out[i] = s;
}

KERNEL div_u64(const unsigned long long* a, const unsigned long long* b, unsigned long long* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned long long x = a[i], s = 0;
  const unsigned long long y = b[i] >> (i & 31);
  for (int r = 0; r < 4; ++r) {
    s += x / (y + r + 1);
    x ^= s * 6364136223846793005ull;
  }
  out[i] = s;
}

// 64-bit types, values that fit 32 bits: the assembler has a shorter way.
KERNEL rem_s64_small(const unsigned* a, const unsigned* b, long long* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  long long x = a[i];
  const long long y = (b[i] >> 12) + 3;
  long long s = 0;
  for (int r = 0; r < 6; ++r) {
    s += x % (y + r);
    x = (x * 13 + s) & 0x7fffffff;
  }
  out[i] = s;
}

// Modular exponentiation with a 64-bit remainder in each round.
KERNEL mod_pow(const unsigned* base, const unsigned* exponent, unsigned* out, int n, unsigned m) {
  const int i = global_id();
  if (i >= n) return;
  unsigned long long x = base[i] % m, result = 1;
  for (unsigned e = exponent[i] & 0xffff; e; e >>= 1) {
    if (e & 1) result = result * x % m;
    x = x * x % m;
  }
  out[i] = (unsigned)result;
}

KERNEL gcd(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned x = a[i], y = b[i] | 1;
  while (y) {
    const unsigned t = x % y;
    x = y, y = t;
  }
  out[i] = x;
}

// Is it a prime? Trial division, ended early.
KERNEL trial_division(const unsigned* in, unsigned* prime, int n) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned v = (in[i] & 0xffff) | 1;
  unsigned is = v > 1;
  for (unsigned d = 3; d * d <= v; d += 2)
    if (v % d == 0) {
      is = 0;
      break;
    }
  prime[i] = is;
}

KERNEL crc_bits(const unsigned* in, unsigned* out, int n, int words) {
  const int i = global_id();
  if (i >= n) return;
  unsigned crc = ~0u;
  for (int w = 0; w < words; ++w) {
    crc ^= in[w * n + i];
    for (int k = 0; k < 32; ++k) crc = (crc >> 1) ^ (0xedb88320u & -(crc & 1));
  }
  out[i] = ~crc;
}

KERNEL hamming(const uint4* a, const uint4* codebook, int* nearest, int n, int codes) {
  const int i = global_id();
  if (i >= n) return;
  const uint4 x = a[i];
  int best = 129, at = 0;
  for (int k = 0; k < codes; ++k) {
    const uint4 c = codebook[k];
    const int d = __popc(x.x ^ c.x) + __popc(x.y ^ c.y) + __popc(x.z ^ c.z) + __popc(x.w ^ c.w);
    if (d < best) best = d, at = k;
  }
  nearest[i] = at * 256 + best;
}

KERNEL morton(const unsigned* x, const unsigned* y, const unsigned* z, unsigned long long* code, int n) {
  const int i = global_id();
  if (i >= n) return;
  auto spread = [](unsigned long long v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffffull, v = (v | v << 16) & 0x1f0000ff0000ffull;
    v = (v | v << 8) & 0x100f00f00f00f00full, v = (v | v << 4) & 0x10c30c30c30c30c3ull;
    return (v | v << 2) & 0x1249249249249249ull;
  };
  code[i] = spread(x[i]) | spread(y[i]) << 1 | spread(z[i]) << 2;
}

// Products of numbers of eight words.
KERNEL long_product(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned x[8], y[8], r[16] = {};
#pragma unroll
  for (int k = 0; k < 8; ++k) x[k] = a[k * n + i], y[k] = b[k * n + i];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    unsigned long long carry = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const unsigned long long t = (unsigned long long)x[k] * y[j] + r[j + k] + carry;
      r[j + k] = (unsigned)t, carry = t >> 32;
    }
    r[j + 8] = (unsigned)carry;
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) out[k * n + i] = r[k];
}

// Rounds like those of SHA-256: rotations, choices, majorities.
KERNEL digest_rounds(const unsigned* in, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f,
                  f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
  for (int k = 0; k < 16; ++k) w[k] = in[k * n + i];
  auto rot = [](unsigned v, int s) { return __funnelshift_r(v, v, s); };
#pragma unroll
  for (int k = 0; k < 48; ++k) {
    if (k >= 16)
      w[k & 15] += (rot(w[(k + 1) & 15], 7) ^ rot(w[(k + 1) & 15], 18) ^ w[(k + 1) & 15] >> 3) +
                   w[(k + 9) & 15] +
                   (rot(w[(k + 14) & 15], 17) ^ rot(w[(k + 14) & 15], 19) ^ w[(k + 14) & 15] >> 10);
    const unsigned t =
        h + (rot(e, 6) ^ rot(e, 11) ^ rot(e, 25)) + ((e & f) ^ (~e & g)) + 0x428a2f98u * (k + 1) + w[k & 15];
    const unsigned s = (rot(a, 2) ^ rot(a, 13) ^ rot(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + s;
  }
  out[i] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

// Generators of random numbers, summed up.
KERNEL xorshift_sum(const unsigned* seed, unsigned long long* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  unsigned x = seed[i] | 1, y = 362436069, z = 521288629, w = seed[i] * 69069u;
  unsigned long long sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned t = x ^ (x << 11);
    x = y, y = z, z = w, w ^= (w >> 19) ^ t ^ (t >> 8);
    sum += w;
  }
  out[i] = sum;
}

// 64-bit multiplications and shifts.
KERNEL splitmix(unsigned long long* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  unsigned long long state = i, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    unsigned long long v = state += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull, v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    sum ^= v ^ v >> 31;
  }
  out[i] = sum;
}
