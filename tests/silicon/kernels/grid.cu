// Blocks that work together: grid barriers, histograms, locks, fences, atomics of all kinds.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "silicon.cuh"

// Three rounds over a ring, each of which needs all results of the one before.
KERNEL grid_barrier(const u32* in, u32* out, int n) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = global_id(), all = grid.size();
  out[i] = in[i];
  for (int round = 0; round < 3; ++round) {
    grid.sync();
    const u32 v = out[(i * 7 + 13) % all];
    grid.sync();
    out[i] = out[i] * 3 + v;
  }
}

KERNEL histogram(const u32* in, u32* out, int n) {
  __shared__ u32 bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_id(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] >> 26], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// out[0]: the lock; out[1]: what it guards.
KERNEL spin_lock(const u32* in, u32* out, int n) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&out[0], 0, 1) == 0) {
      __threadfence();
      volatile u32* guarded = out + 1;
      *guarded = *guarded + in[global_id()];
      __threadfence();
      atomicExch(&out[0], 0);
      done = true;
    }
  }
}

// out[0]: next ticket; out[1]: now served; then guarded values.
KERNEL ticket_lock(const u32* in, u32* out, int n) {
  if (threadIdx.x % 32 == 0) {
    const u32 mine = atomicAdd(&out[0], 1);
    volatile u32* v = out;
    while (v[1] != mine) {
    }
    __threadfence();
    v[2] = v[2] + 1;
    v[3] = v[3] + in[global_id()];
    __threadfence();
    v[1] = mine + 1;
  }
}

__device__ u32 arrived;

// The last block to arrive adds up what the others left (SDK, threadFenceReduction).
KERNEL last_block(const u32* in, u32* out, int n) {
  __shared__ u32 sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[global_id()]);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    u32 total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += ((volatile u32*)out)[1 + b];
    out[0] = total;
  }
}

// Block b waits for the message of block b - 1.
KERNEL message_chain(const u32* in, u32* out, int n) {
  volatile u32* flag = out + n;
  volatile u32* data = out;
  if (threadIdx.x == 0) {
    u32 before = 0;
    if (blockIdx.x > 0) {
      while (flag[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      before = data[blockIdx.x - 1];
    }
    data[blockIdx.x] = before * 5 + in[blockIdx.x];
    __threadfence();
    flag[blockIdx.x] = 1;
  }
}

KERNEL atomics(const u32* in, u32* out, int n) {
  const u32 v = in[global_id()];
  atomicAdd((int*)out + 0, (int)v);
  atomicSub(out + 1, v);
  atomicMin((int*)out + 2, (int)v);
  atomicMax((int*)out + 3, (int)v);
  atomicMin(out + 4, v ^ ~0u);
  atomicMax(out + 5, v);
  atomicAnd(out + 6, v | 0xff);
  atomicOr(out + 7, v & 0xf0f0);
  atomicXor(out + 8, v);
  atomicInc(out + 9, 1000);
  atomicDec(out + 10, 777);
  u64* wide = (u64*)(out + 12);
  atomicAdd(wide + 0, (u64)v * v);
  atomicMax(wide + 1, (u64)v << 13);
  atomicMin((long long*)wide + 2, -(long long)v * 3);
  atomicXor(wide + 3, (u64)v << 17);
  atomicAnd(wide + 4, ~((u64)v << 17));
  atomicOr(wide + 5, (u64)(v & 0x11) << 31);
  atomicAdd((float*)out + 24, (float)(v >> 24));   // whole numbers: any order gives the same sum
  atomicAdd((double*)(out + 26), (double)(v >> 20));
  atomicAdd_block(out + 28, v);
  atomicAdd_system(out + 29, v);
  u32 seen = out[30], old;
  do {
    old = seen;
    seen = atomicCAS(out + 30, old, old + (v & 3));
  } while (seen != old);
  atomicCAS((unsigned short*)(out + 31), (unsigned short)0, (unsigned short)0xabcd);
  atomicExch(out + 32, 5u);
}

KERNEL libcu_atomics(const u32* in, u32* out, int n) {
  const u32 v = in[global_id()];
  cuda::atomic_ref<u32, cuda::thread_scope_device> sum(out[0]);
  sum.fetch_add(v, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> big(*(int*)(out + 1));
  big.fetch_max((int)v);
  cuda::atomic_ref<u64, cuda::thread_scope_system> wide(*(u64*)(out + 2));
  wide.fetch_xor((u64)v << 7, cuda::memory_order_acq_rel);
  __shared__ cuda::atomic<u32, cuda::thread_scope_block> local;
  if (threadIdx.x == 0) local.store(0, cuda::memory_order_release);
  __syncthreads();
  local.fetch_or(v & 0xff, cuda::memory_order_relaxed);
  u32 expected = out[4];
  cuda::atomic_ref<u32, cuda::thread_scope_device> cas(out[4]);
  while (!cas.compare_exchange_weak(expected, expected + (v & 15), cuda::memory_order_acquire)) {
  }
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  __syncthreads();
  if (threadIdx.x == 0) out[8 + blockIdx.x] = local.load(cuda::memory_order_acquire);
}
