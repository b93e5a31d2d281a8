// Atomics: where they go, whether the result is used, compare-and-swap loops, fences.
#include "training.cuh"

// One address for the whole grid, result not used.
KERNEL atomic_one(const unsigned* in, unsigned* sum, int n) {
  const int i = global_id();
  if (i < n && (in[i] & 3) == 0) atomicAdd(sum, in[i] & 15);
}

// Tickets from one counter: the result decides where to write.
KERNEL atomic_tickets(const unsigned* in, unsigned* counter, unsigned* queue, int n) {
  const int i = global_id();
  if (i >= n || in[i] % 3 != 0) return;
  const unsigned at = atomicAdd(counter, 1u);
  queue[at] = in[i];
}

// The 32 lanes add to 32 words of one line; all warps to the same.
KERNEL atomic_line(const unsigned* in, unsigned* sums, int n) {
  const int i = global_id();
  if (i < n) atomicAdd(&sums[threadIdx.x & 31], in[i] & 255);
}

// Words of several lines, a stride apart: lanes of a warp hit as many lines.
KERNEL atomic_strided(const unsigned* in, unsigned* sums, int n, int stride, int mask) {
  const int i = global_id();
  if (i < n) atomicAdd(&sums[(i * stride) & mask], in[i] & 255);
}

KERNEL histogram_256(const unsigned* in, unsigned* bins, int n) {  // of bytes, in global memory
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i];
    atomicAdd(&bins[v & 255], 1u), atomicAdd(&bins[(v >> 8) & 255], 1u);
    atomicAdd(&bins[(v >> 16) & 255], 1u), atomicAdd(&bins[v >> 24], 1u);
  }
}

KERNEL histogram_large(const unsigned* in, unsigned* bins, int n, int mask) {
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[mix(in[i]) & mask], 1u);
}

// Counters of each CTA in shared memory, then added up.
KERNEL histogram_cta(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned h[1024];
  for (int b = threadIdx.x; b < 1024; b += blockDim.x) h[b] = 0;
  __syncthreads();
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[in[i] >> 22], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 1024; b += blockDim.x)
    if (h[b]) atomicAdd(&bins[b], h[b]);
}

// The same with values that are mostly equal.
KERNEL histogram_skewed(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned h[64];
  if (threadIdx.x < 64) h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[__clz(in[i] | 1)], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}

// Floats, scattered; whole numbers, so that every order gives the same sum.
KERNEL scatter_add_f32(const unsigned* index, const unsigned* value, float* out, int n, int mask) {
  const int i = global_id();
  if (i < n) atomicAdd(&out[index[i] & mask], (float)(value[i] & 7));
}
KERNEL scatter_add_f64(const unsigned* index, const unsigned* value, double* out, int n, int mask) {
  const int i = global_id();
  if (i < n) atomicAdd(&out[index[i] & mask], (double)(value[i] & 7));
}

// Floats in shared memory: a compare-and-swap loop in machine code.
KERNEL shared_add_f32(const unsigned* in, float* out, int n) {
  __shared__ float s[128];
  if (threadIdx.x < 128) s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[in[i] & 127], (float)((in[i] >> 8) & 3));
  __syncthreads();
  if (threadIdx.x < 128) atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

// Maximum of floats by compare-and-swap.
KERNEL cas_max(const float* in, unsigned* most, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  unsigned* at = &most[mix(i) & mask];
  unsigned old = *at;
  while (__uint_as_float(old) < in[i]) {
    const unsigned seen = atomicCAS(at, old, __float_as_uint(in[i]));
    if (seen == old) break;
    old = seen;
  }
}

// Keys into a hash table with open addressing.
KERNEL hash_insert(const unsigned* key, unsigned* table, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned k = key[i] | 1;
  for (unsigned h = mix(k) & mask;; h = (h + 1) & mask) {
    const unsigned seen = atomicCAS(&table[h], 0u, k);
    if (seen == 0 || seen == k) break;
  }
}
KERNEL hash_find(const unsigned* key, const unsigned* table, unsigned* found, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned k = key[i];
  unsigned steps = 0;
  for (unsigned h = mix(k) & mask; table[h] != 0; h = (h + 1) & mask) {
    ++steps;
    if (table[h] == k) break;
  }
  found[i] = steps;
}

// Minimum and maximum per group, 64 bits.
KERNEL minmax_u64(const unsigned* group, const unsigned long long* value, unsigned long long* least,
                  unsigned long long* most, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned g = group[i] & mask;
  atomicMax(&most[g], value[i]);
  atomicMin(&least[g], value[i]);
}

// Bits of a set, tested before they are set.
KERNEL bitmap_mark(const unsigned* in, unsigned* bits, int n, unsigned mask) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned v = in[i] & mask, bit = 1u << (v & 31);
  if (!(bits[v >> 5] & bit)) atomicOr(&bits[v >> 5], bit);
}

// One atomic per warp: lanes that append are counted by ballot. The sum of what was appended is checked.
KERNEL append_by_warp(const unsigned* in, unsigned* counter, unsigned* sums, int n) {
  const int i = global_id();
  const bool want = i < n && (in[i] & 7) < 3;
  const unsigned votes = __ballot_sync(~0u, want);
  if (!want) return;
  const int leader = __ffs(votes) - 1, lane = threadIdx.x & 31;
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(votes));
  base = __shfl_sync(votes, base, leader) + __popc(votes & ((1u << lane) - 1));
  if (base < (unsigned)n) atomicAdd(&sums[lane], in[i] & 1023);
}

// A lock per bucket, taken by one lane of a warp at a time.
KERNEL bucket_locks(const unsigned* in, unsigned* lock, unsigned* sum, int n, int mask) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned b = mix(in[i]) & mask;
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock[b], 0u, 1u) == 0) {
      volatile unsigned* s = &sum[b];
      *s = *s + (in[i] & 63);
      __threadfence();
      atomicExch(&lock[b], 0u);
      done = true;
    }
  }
}

// The last CTA adds up what the others wrote: fence, counter, second pass.
KERNEL last_block_sum(const unsigned* in, unsigned* partial, unsigned* counter, unsigned* result, int n) {
  __shared__ unsigned s[8];
  __shared__ bool last;
  unsigned v = 0;
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) v += in[i] & 0xffff;
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    v = 0;
    for (int w = 0; w < 8; ++w) v += s[w];
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(counter, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) v += ((volatile unsigned*)partial)[b];
  atomicAdd(result, v);
}

// A fence behind every store, as careless code has it; what was read before is read again.
KERNEL fence_often(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = global_id();
  if (i >= n) return;
  unsigned s = 0;
  for (int r = 0; r < rounds; ++r) {
    s += in[(i + r * 32) & (n - 1)] + in[i];
    out[(r & 3) * n + i] = s;
    __threadfence();
  }
}
