// Random number generators and hashes.
#include "silicon.cuh"

KERNEL mersenne_twister(const u32* in, u32* out, int n) {
  __shared__ u32 state[624];
  const int t = threadIdx.x;
  if (t == 0) {
    state[0] = in[blockIdx.x];
    for (int k = 1; k < 624; ++k) state[k] = 1812433253u * (state[k - 1] ^ state[k - 1] >> 30) + k;
    for (int k = 0; k < 624; ++k) {
      const u32 y = (state[k] & 0x80000000u) | (state[(k + 1) % 624] & 0x7fffffffu);
      state[k] = state[(k + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
  }
  __syncthreads();
  for (int k = t; k < 624; k += blockDim.x) {
    u32 y = state[k];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    out[blockIdx.x * 624 + k] = y ^ y >> 18;
  }
}

KERNEL xorshift(const u32* in, u32* out, int n) {
  const int i = global_id();
  u64 s = ((u64)in[i] << 32 | in[i + 1]) | 1;
  u32 a = in[i] | 1, sum = 0;
  for (int k = 0; k < 40; ++k) {
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    a ^= a << 13;
    a ^= a >> 17;
    a ^= a << 5;
    sum += (u32)(s * 2685821657736338717ull >> 32) ^ a;
  }
  out[i] = sum;
}

KERNEL philox(const u32* in, u32* out, int n) {
  const int i = global_id();
  uint4 c = make_uint4(i, 0, in[i], 7);
  u32 k0 = in[0], k1 = in[1];
  for (int round = 0; round < 10; ++round, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u)
    c = make_uint4(__umulhi(0xcd9e8d57u, c.z) ^ c.y ^ k0, 0xcd9e8d57u * c.z,
                   __umulhi(0xd2511f53u, c.x) ^ c.w ^ k1, 0xd2511f53u * c.x);
  ((uint4*)out)[i] = c;
}

__constant__ u32 k_sha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

__device__ u32 rotate(u32 v, int by) { return v >> by | v << (32 - by); }

// One block of SHA-256 from the standard's initial state.
KERNEL sha256(const u32* in, u32* out, int n) {
  const int i = global_id();
  u32 w[64];
  for (int k = 0; k < 16; ++k) w[k] = in[i * 16 + k];
  for (int k = 16; k < 64; ++k) {
    const u32 a = w[k - 15], b = w[k - 2];
    w[k] = w[k - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[k - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  const u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  u32 s[8];
  for (int k = 0; k < 8; ++k) s[k] = start[k];
  for (int k = 0; k < 64; ++k) {
    const u32 t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k_sha[k] + w[k];
    const u32 t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = s[k] + start[k];
}

__constant__ unsigned char k_sbox[256];  // set by the host
__device__ unsigned char twice(unsigned char a) { return (a << 1) ^ (a & 0x80 ? 0x1b : 0); }

// Rounds in the manner of AES with the S-box in constant memory and a byte state in local memory.
KERNEL aes_rounds(const u32* in, u32* out, int n) {
  const int i = global_id();
  unsigned char s[16], t[16];
  for (int k = 0; k < 16; ++k) s[k] = in[i * 4 + k / 4] >> (8 * (k % 4));
  for (int round = 0; round < 4; ++round) {
    for (int k = 0; k < 16; ++k) t[k] = k_sbox[s[(k * 5) % 16]];
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 4; ++r)
        s[c * 4 + r] = twice(t[c * 4 + r]) ^ twice(t[c * 4 + (r + 1) % 4]) ^ t[c * 4 + (r + 1) % 4] ^ t[c * 4 + (r + 2) % 4] ^
                       t[c * 4 + (r + 3) % 4] ^ (unsigned char)(in[round] >> (8 * r));
  }
  for (int k = 0; k < 4; ++k) out[i * 4 + k] = s[4 * k] | s[4 * k + 1] << 8 | s[4 * k + 2] << 16 | (u32)s[4 * k + 3] << 24;
}
