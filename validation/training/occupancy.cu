// Few warps or many, registers and local memory, unrolled loops, instruction-level parallelism.
#include "training.cuh"

// A chain of multiply-adds; four chains.
KERNEL chain_fma(const float* in, float* out, int rounds) {
  float x = in[threadIdx.x];
  for (int r = 0; r < rounds; ++r) x = x * 0.999f + 0.001f;
  out[global_id()] = x;
}
KERNEL chains_fma4(const float* in, float* out, int rounds) {
  float x = in[threadIdx.x], y = x + 1, z = x + 2, w = x + 3;
  for (int r = 0; r < rounds; ++r)
    x = x * 0.999f + 0.001f, y = y * 0.998f + 0.002f, z = z * 0.997f + 0.003f, w = w * 0.996f + 0.004f;
  out[global_id()] = x + y + z + w;
}
// Integer and float work mixed, a load now and then: one warp per SM shows latencies.
KERNEL mixed_latency(const unsigned* in, float* out, int mask, int rounds) {
  unsigned v = threadIdx.x + blockIdx.x * 977;
  float x = 1;
  for (int r = 0; r < rounds; ++r) {
    v = v * 1664525u + 1013904223u;
    x = x * 0.5f + (in[(v >> 8) & mask] & 255);
    if (x > 100) x = sqrtf(x);
    v ^= __float_as_uint(x) & 15;
  }
  out[global_id()] = x;
}
// Reads with few warps: one load in flight per warp, or eight.
KERNEL sum_dependent(const float* in, float* out, int n) {
  float s = 0;
#pragma unroll 1
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) s += in[i];
  out[global_id()] = s;
}
KERNEL sum_unrolled(const float* in, float* out, int n) {
  float s = 0;
#pragma unroll 8
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) s += in[i];
  out[global_id()] = s;
}
// A CTA that takes all shared memory of an SM.
KERNEL big_shared(const float* in, float* out, int words, int rounds) {
  extern __shared__ float d[];
  for (int k = threadIdx.x; k < words; k += blockDim.x) d[k] = in[k];
  __syncthreads();
  float s = 0;
  int at = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    s += d[at];
    at += 1031;
    if (at >= words) at -= words;
  }
  out[global_id()] = s;
}
// Many values at once: 48 sums in registers.
KERNEL many_registers(const float* in, float* out, int n, int rounds) {
  const int i = global_id();
  float s[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) s[k] = k * 0.01f;
  for (int r = 0; r < rounds; ++r) {
    const float v = in[(i + r * 4096) & (n - 1)];
#pragma unroll
    for (int k = 0; k < 48; ++k) s[k] = s[k] * v + s[(k + 1) % 48] * 0.01f;
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += s[k];
  out[i] = sum;
}
// The same with 32 registers: they are spilled.
extern "C" __global__ void __launch_bounds__(256, 8)
    spilled_registers(const float* in, float* out, int n, int rounds) {
  const int i = global_id();
  float s[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) s[k] = k * 0.01f;
  for (int r = 0; r < rounds; ++r) {
    const float v = in[(i + r * 4096) & (n - 1)];
#pragma unroll
    for (int k = 0; k < 48; ++k) s[k] = s[k] * v + s[(k + 1) % 48] * 0.01f;
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += s[k];
  out[i] = sum;
}
// Arrays of a thread indexed by data: local memory.
KERNEL local_histogram(const unsigned* in, unsigned* out, int n, int per_thread) {
  const int i = global_id();
  unsigned h[32];
  for (int k = 0; k < 32; ++k) h[k] = 0;
  for (int k = 0; k < per_thread; ++k) h[in[k * n + i] & 31] += k + 1;
  unsigned s = 0;
  for (int k = 0; k < 32; ++k) s = s * 31 + h[k];
  out[i] = s;
}
KERNEL local_stack(const int* child, const float* weight, float* out,
                   int nodes) {  // depth first through a tree
  const int i = global_id();
  int stack[24], top = 0;
  float s = 0;
  stack[top++] = (i % 7) + 1;
  int steps = 0;
  while (top > 0 && steps++ < 64) {
    const int v = stack[--top];
    s += weight[(v + i) & (nodes - 1)];
    const int c = child[v];
    if (c > 0 && top < 22) {
      stack[top++] = c;
      if (c + 1 < nodes) stack[top++] = c + 1;
    }
  }
  out[i] = s;
}
KERNEL insertion_sort(const float* in, float* out, int n) {  // 16 values in local memory
  const int i = global_id();
  float v[16];
  for (int k = 0; k < 16; ++k) {
    const float x = in[k * n + i];
    int j = k;
    while (j > 0 && v[j - 1] > x) {
      v[j] = v[j - 1];
      --j;
    }
    v[j] = x;
  }
  for (int k = 0; k < 16; ++k) out[k * n + i] = v[k];
}
// Loops: of a constant number of rounds, with a branch inside, with two exits.
KERNEL loop_constant(const float* in, float* out, int n) {
  const int i = global_id();
  float s = 0;
  for (int k = 0; k < 20; ++k) s += in[(i + k * 131) & (n - 1)] * (k + 1);
  out[i] = s;
}
KERNEL loop_branchy(const float* in, float* out, int n, int rounds) {
  const int i = global_id();
  float s = 0, t = 0;
  for (int k = 0; k < rounds; ++k) {
    const float v = in[(i + k * 131) & (n - 1)];
    if (v > 0.5f)
      s += v;
    else
      t -= v * 0.5f;
  }
  out[i] = s + t;
}
KERNEL loop_two_loads(const float* a, const float* b, float* out, int n,
                      int rounds) {  // stores between the loads: they may alias
  const int i = global_id();
  for (int k = 0; k < rounds; ++k) {
    const int j = (i + k * 8192) & (n - 1);
    out[(k & 3) * n + i] = a[j] * b[j];
  }
}
KERNEL loop_pipelined(const float* a, float* out, int n, int rounds) {  // the next value is loaded ahead
  const int i = global_id();
  float next = a[i & (n - 1)], s = 0;
  for (int k = 1; k <= rounds; ++k) {
    const float now = next;
    next = a[(i + k * 8192) & (n - 1)];
    s = s * 0.9f + sqrtf(now + k);
  }
  out[i] = s + next;
}
// CTAs of very different length: the last wave.
KERNEL uneven_ctas(const float* in, float* out, int n) {
  const int rounds = 8 + (mix(blockIdx.x) & 63);
  float s = 0;
  for (int r = 0; r < rounds; ++r) s += in[(blockIdx.x * 8191 + r * 256 + threadIdx.x) & (n - 1)];
  out[global_id()] = s;
}
KERNEL few_long_ctas(const float* in, float* out, int n) {  // one CTA in sixteen works long
  const int rounds = blockIdx.x % 16 == 0 ? 600 : 4;
  float s = in[global_id() & (n - 1)];
  for (int r = 0; r < rounds; ++r) s = s * 0.99f + __fdividef(1.0f, 1.0f + s);
  out[global_id()] = s;
}
// A CTA per small piece, tiny CTAs: start and end of CTAs count.
KERNEL tiny_ctas(const float* in, float* out) {
  const int i = global_id();
  float v = in[i];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) out[i / 32] = v;
}
// Warps of a CTA do different things (producer and consumer through shared memory).
KERNEL specialised_warps(const float* in, float* out, int tiles) {
  __shared__ float s[2][128];
  const bool producer = threadIdx.x >= 128;
  const int t = threadIdx.x & 127;
  float sum = 0;
  if (producer) s[0][t] = in[blockIdx.x * tiles * 128 + t];
  __syncthreads();
  for (int k = 0; k < tiles; ++k) {
    if (producer) {
      if (k + 1 < tiles) s[(k + 1) & 1][t] = in[(blockIdx.x * tiles + k + 1) * 128 + t];
    } else {
      for (int j = 0; j < 16; ++j) sum += s[k & 1][(t + j * 5) & 127] * (j + 1);
    }
    __syncthreads();
  }
  if (!producer) out[blockIdx.x * 128 + t] = sum;
}
// Asynchronous copies to shared memory, two tiles in flight.
KERNEL copies_async(const float4* in, float4* out, int tiles) {
  __shared__ float4 s[2][256];
  const int t = threadIdx.x;
  auto fetch = [&](int k) {
    const unsigned to = (unsigned)__cvta_generic_to_shared(&s[k & 1][t]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                 "l"(in + (blockIdx.x * tiles + k) * 256 + t));
    asm volatile("cp.async.commit_group;");
  };
  float4 a = make_float4(0, 0, 0, 0);
  fetch(0);
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) {
      fetch(k + 1);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    const float4 v = s[k & 1][t ^ 1];
    a.x += v.x, a.y += v.y * 2, a.z = fmaxf(a.z, v.z), a.w -= v.w;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = a;
}
