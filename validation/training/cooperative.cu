// Warps and CTAs that work together: shuffles, votes, matches, reductions, scans, sorting, rows of a
// network's layers.
#include "training.cuh"

// Sum by shuffles, one atomic per CTA.
KERNEL reduce_shuffle(const float4* in, float* partial, int n) {
  __shared__ float s[32];
  float v = 0;
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) {
    const float4 a = in[i];
    v += a.x + a.y + a.z + a.w;
  }
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
  }
}
// Integer sum of a warp in one instruction.
KERNEL reduce_redux(const int* in, int* out, int n, int per_warp) {
  const int warp = global_id() / 32, lane = threadIdx.x & 31;
  int s = 0, most = 0;
  for (int k = 0; k < per_warp; ++k) {
    const int v = in[(warp * per_warp + k) * 32 + lane];
    s += __reduce_add_sync(~0u, v & 255);
    most = max(most, __reduce_max_sync(~0u, v));
  }
  if (lane == 0) out[warp] = s ^ most;
}
KERNEL arg_max(const float* in, unsigned* out, int columns) {  // a CTA per row
  __shared__ float best[8];
  __shared__ int at[8];
  float v = -1;
  int k = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    if (in[blockIdx.x * columns + c] > v) v = in[blockIdx.x * columns + c], k = c;
  for (int d = 16; d; d /= 2) {
    const float ov = __shfl_xor_sync(~0u, v, d);
    const int ok = __shfl_xor_sync(~0u, k, d);
    if (ov > v || (ov == v && ok < k)) v = ov, k = ok;
  }
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = v, at[threadIdx.x / 32] = k;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w)
      if (best[w] > v || (best[w] == v && at[w] < k)) v = best[w], k = at[w];
    out[blockIdx.x] = k;
  }
}

// Prefix sums: by shuffles, Hillis and Steele's, Blelloch's.
KERNEL scan_shuffle(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  unsigned v = in[global_id()];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const unsigned o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) s[warp] = v;
  __syncthreads();
  if (warp == 0) {
    unsigned t = lane < blockDim.x / 32 ? s[lane] : 0;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const unsigned o = __shfl_up_sync(~0u, t, d);
      if (lane >= d) t += o;
    }
    s[lane] = t;
  }
  __syncthreads();
  out[global_id()] = v + (warp ? s[warp - 1] : 0);
}
KERNEL scan_steele(const int* in, int* out) {  // 1,024 threads
  __shared__ int s[2][1024];
  int from = 0;
  const int t = threadIdx.x;
  s[0][t] = in[global_id()];
  __syncthreads();
  for (int d = 1; d < 1024; d *= 2) {
    s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[global_id()] = s[from][t];
}
KERNEL scan_blelloch(const int* in, int* out) {  // 256 threads, two elements each
  __shared__ int s[512];
  const int t = threadIdx.x, base = blockIdx.x * 512;
  s[2 * t] = in[base + 2 * t], s[2 * t + 1] = in[base + 2 * t + 1];
  int offset = 1;
  for (int d = 256; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, v = s[a];
      s[a] = s[b], s[b] += v;
    }
  }
  __syncthreads();
  out[base + 2 * t] = s[2 * t], out[base + 2 * t + 1] = s[2 * t + 1];
}
// Scan of the whole input in one launch: each CTA waits for the sum of the one before it.
KERNEL scan_chained(const unsigned* in, unsigned* out, unsigned* sums, unsigned* ready, unsigned* ticket) {
  __shared__ unsigned s[8], before, cta;
  if (threadIdx.x == 0) cta = atomicAdd(ticket, 1u);
  __syncthreads();
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, base = cta * 2048 + threadIdx.x * 8;
  unsigned v[8], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = sum += in[base + k] & 0xff;
  unsigned w = sum;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const unsigned o = __shfl_up_sync(~0u, w, d);
    if (lane >= d) w += o;
  }
  if (lane == 31) s[warp] = w;
  __syncthreads();
  unsigned offset = w - sum;
  for (int k = 0; k < warp; ++k) offset += s[k];
  if (threadIdx.x == 255) {
    const unsigned total = offset + sum;
    unsigned p = 0;
    if (cta > 0) {
      while (((volatile unsigned*)ready)[cta - 1] == 0) {
      }
      __threadfence();
      p = ((volatile unsigned*)sums)[cta - 1];
    }
    sums[cta] = p + total;
    __threadfence();
    ((volatile unsigned*)ready)[cta] = 1;
    before = p;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) out[base + k] = before + offset + v[k];
}

// Elements that pass a test, packed within each CTA's part by ballots.
KERNEL compact(const unsigned* in, unsigned* out, unsigned* count, unsigned limit) {
  __shared__ unsigned s[8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const unsigned v = in[global_id()];
  const bool keep = v < limit;
  const unsigned votes = __ballot_sync(~0u, keep);
  if (lane == 0) s[warp] = __popc(votes);
  __syncthreads();
  unsigned at = __popc(votes & ((1u << lane) - 1)), all = 0;
  for (int w = 0; w < 8; ++w) {
    if (w < warp) at += s[w];
    all += s[w];
  }
  if (keep) out[blockIdx.x * blockDim.x + at] = v;
  if (threadIdx.x == 0) count[blockIdx.x] = all;
}

// Lanes with equal keys find each other.
KERNEL match_groups(const unsigned* key, unsigned* out, int n, int rounds) {
  const int i = global_id();
  unsigned k = key[i], s = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned same = __match_any_sync(~0u, k & 7);
    s += __popc(same) * (1 + __ffs(same));
    k = mix(k);
  }
  out[i] = s;
}
// Votes in a loop that ends for the warp as a whole.
KERNEL vote_until(const float* in, unsigned* out, int n) {
  const int i = global_id();
  float x = in[i];
  unsigned k = 0;
  while (__any_sync(~0u, x < 50) && k < 100) {
    x = x * 1.3f + 0.1f;
    if (__all_sync(~0u, x > 10)) x += 0.5f;
    ++k;
  }
  out[i] = k;
}
// A matrix of 32 x 32 words turned within a warp by shuffles.
KERNEL transpose_shuffle(const unsigned* in, unsigned* out) {
  const int lane = threadIdx.x & 31, base = (global_id() / 32) * 1024;
  unsigned v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = in[base + k * 32 + lane];
#pragma unroll
  for (int d = 16; d; d /= 2)
#pragma unroll
    for (int k = 0; k < 32; ++k)
      if (!(k & d)) {
        const bool up = lane & d;
        const unsigned send = up ? v[k] : v[k + d], got = __shfl_xor_sync(~0u, send, d);
        if (up)
          v[k] = got;
        else
          v[k + d] = got;
      }
#pragma unroll
  for (int k = 0; k < 32; ++k) out[base + k * 32 + lane] = v[k];
}

// Sums of segments that begin where a flag is set.
KERNEL segmented_scan(const float* value, const unsigned* flag, float* out) {
  const int i = global_id(), lane = threadIdx.x & 31;
  float v = value[i];
  unsigned f = (flag[i] & 7) == 0;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float o = __shfl_up_sync(~0u, v, d);
    const unsigned g = __shfl_up_sync(~0u, f, d);
    if (lane >= d) {
      if (!f) v += o;
      f |= g;
    }
  }
  out[i] = v;
}

// Sorting networks: in shared memory, in registers by shuffles.
KERNEL bitonic_cta(unsigned* data) {  // 512 threads, 1,024 keys
  __shared__ unsigned s[1024];
  const int t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = data[base + t], s[t + 512] = data[base + t + 512];
  for (int size = 2; size <= 1024; size *= 2)
    for (int step = size / 2; step; step /= 2) {
      __syncthreads();
      const int a = 2 * t - (t & (step - 1)), b = a + step;
      const bool up = (a & size) == 0;
      const unsigned x = s[a], y = s[b];
      if ((x > y) == up) s[a] = y, s[b] = x;
    }
  __syncthreads();
  data[base + t] = s[t], data[base + t + 512] = s[t + 512];
}
KERNEL bitonic_warp(unsigned* data) {
  const int lane = threadIdx.x & 31, i = global_id();
  unsigned v = data[i];
#pragma unroll
  for (int size = 2; size <= 32; size *= 2)
#pragma unroll
    for (int step = size / 2; step; step /= 2) {
      const unsigned o = __shfl_xor_sync(~0u, v, step);
      const bool low = !(lane & step), up = !(lane & size);
      v = low == up ? min(v, o) : max(v, o);
    }
  data[i] = v;
}
KERNEL merge_path(const unsigned* a, const unsigned* b, unsigned* out, int n,
                  int per_thread) {  // two sorted arrays into one
  const int diagonal = global_id() * per_thread;
  if (diagonal >= 2 * n) return;
  int low = max(0, diagonal - n), high = min(diagonal, n);
  while (low < high) {
    const int m = (low + high) / 2;
    if (a[m] <= b[diagonal - 1 - m])
      low = m + 1;
    else
      high = m;
  }
  int i = low, j = diagonal - low;
  for (int k = 0; k < per_thread; ++k) {
    const bool left = j >= n || (i < n && a[i] <= b[j]);
    out[diagonal + k] = left ? a[i++] : b[j++];
  }
}
KERNEL radix_counts(const unsigned* keys, unsigned* counts, int per_cta, int shift) {
  __shared__ unsigned s[8][16];  // per warp and digit
  if (threadIdx.x < 128) s[threadIdx.x / 16][threadIdx.x % 16] = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  for (int k = threadIdx.x; k < per_cta; k += blockDim.x) {
    const unsigned digit = (keys[blockIdx.x * per_cta + k] >> shift) & 15,
                   same = __match_any_sync(~0u, digit);
    if (lane == __ffs(same) - 1) s[warp][digit] += __popc(same);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned c = 0;
    for (int w = 0; w < 8; ++w) c += s[w][threadIdx.x];
    counts[threadIdx.x * gridDim.x + blockIdx.x] = c;
  }
}

// Layers: normalisation and softmax of rows by a CTA, attention weights by a warp.
KERNEL layer_norm(const float* in, const float* gain, const float* bias, float* out, int columns) {
  __shared__ float s[2][32];
  float a = 0, b = 0;
  const float* row = in + blockIdx.x * columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) a += row[c], b += row[c] * row[c];
  for (int d = 16; d; d /= 2) a += __shfl_xor_sync(~0u, a, d), b += __shfl_xor_sync(~0u, b, d);
  if (threadIdx.x % 32 == 0) s[0][threadIdx.x / 32] = a, s[1][threadIdx.x / 32] = b;
  __syncthreads();
  a = b = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) a += s[0][w], b += s[1][w];
  const float mean = a / columns, scale = rsqrtf(b / columns - mean * mean + 1e-5f);
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = (row[c] - mean) * scale * gain[c] + bias[c];
}
KERNEL softmax_cta(const float* in, float* out, int columns) {
  __shared__ float s[32];
  extern __shared__ float row[];
  float most = -1e30f, sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    most = fmaxf(most, row[c] = in[blockIdx.x * columns + c] * 8);
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) most = fmaxf(most, s[w]);
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c] = __expf(row[c] - most);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += s[w];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = row[c] / sum;
}
KERNEL attention_row(const float* q, const float* k, const float* v, float* out,
                     int keys) {  // a warp per query, 64 wide
  const int row = global_id() / 32, lane = threadIdx.x & 31;
  const float q0 = q[row * 64 + lane], q1 = q[row * 64 + lane + 32];
  float most = -1e30f, sum = 0, a0 = 0, a1 = 0;
  for (int j = 0; j < keys; ++j) {
    float d = q0 * k[j * 64 + lane] + q1 * k[j * 64 + lane + 32];
#pragma unroll
    for (int x = 16; x; x /= 2) d += __shfl_xor_sync(~0u, d, x);
    const float m = fmaxf(most, d), old = __expf(most - m), w = __expf(d - m);
    sum = sum * old + w, a0 = a0 * old + w * v[j * 64 + lane], a1 = a1 * old + w * v[j * 64 + lane + 32];
    most = m;
  }
  out[row * 64 + lane] = a0 / sum, out[row * 64 + lane + 32] = a1 / sum;
}
