// Lanes that talk to each other: shuffles, votes, matches, cooperative groups, legacy warp-synchronous code.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "silicon.cuh"

namespace cg = cooperative_groups;

KERNEL warp_shuffle(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 v = in[i];
  u32 sum = v;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  u32 up = v;
  for (int d = 1; d < 32; d *= 2) {
    const u32 o = __shfl_up_sync(~0u, up, d, 16);
    if ((threadIdx.x & 15) >= d) up += o;
  }
  const u32 down = __shfl_down_sync(~0u, v, 3, 8), any = __shfl_sync(~0u, v, v & 63, 16);
  const u64 wide = __shfl_xor_sync(~0u, (u64)v << 20 | i, 5);
  const double d = __shfl_down_sync(~0u, (double)v, 7);
  out[i] = sum ^ up * 3 ^ down * 5 ^ any * 7 ^ (u32)(wide >> 16) ^ (u32)__double2hiint(d);
}

KERNEL warp_vote(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 v = in[i] & 7;
  u32 r = __ballot_sync(~0u, v & 1);
  r ^= __any_sync(~0u, v == 7) << 3 ^ __all_sync(~0u, v < 7) << 4;
  if (v & 2) {
    const u32 m = __activemask();
    r += __ballot_sync(m, v & 4);
    r ^= __popc(m) << 20;
  } else {
    r ^= __shfl_sync(__activemask(), v, 0) != 9;
  }
  __syncwarp();
  r += __match_any_sync(~0u, v) * 3;
  int pred;
  r ^= __match_all_sync(~0u, in[i - i % 32], &pred) >> pred;
  r += __match_any_sync(~0u, (u64)v << 40) * 5;
  r += __syncthreads_count(v == 1) + __syncthreads_or(v == 2 && threadIdx.x == 5) + __syncthreads_and(v < 8);
  out[i] = r;
}

KERNEL warp_redux(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 v = in[i];
#if __CUDA_ARCH__ >= 800
  u32 r = __reduce_add_sync(~0u, v) ^ __reduce_max_sync(~0u, v) * 3 ^ __reduce_min_sync(~0u, v) * 5;
  r ^= __reduce_and_sync(~0u, v | 1) ^ __reduce_or_sync(~0u, v & 0xff00) ^ __reduce_xor_sync(~0u, v);
  r += __reduce_max_sync(~0u, (int)v) * 7 + __reduce_min_sync(~0u, (int)v) * 11;
#else
  u32 add = v, big = v, low = v, land = v | 1, lor = v & 0xff00, lxor = v;
  int sbig = v, slow = v;
  for (int d = 1; d < 32; d *= 2) {
    add += __shfl_xor_sync(~0u, add, d);
    big = max(big, __shfl_xor_sync(~0u, big, d));
    low = min(low, __shfl_xor_sync(~0u, low, d));
    land &= __shfl_xor_sync(~0u, land, d);
    lor |= __shfl_xor_sync(~0u, lor, d);
    lxor ^= __shfl_xor_sync(~0u, lxor, d);
    sbig = max(sbig, __shfl_xor_sync(~0u, sbig, d));
    slow = min(slow, __shfl_xor_sync(~0u, slow, d));
  }
  u32 r = add ^ big * 3 ^ low * 5;
  r ^= land ^ lor ^ lxor;
  r += sbig * 7 + slow * 11;
#endif
  out[i] = r;
}

KERNEL warp_groups(const u32* in, u32* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  const int i = block.group_index().x * block.size() + block.thread_rank();
  const int v = in[i] >> 8;
  auto quarter = cg::tiled_partition<8>(block);
  auto half = cg::tiled_partition<16>(block);
  int r = cg::reduce(quarter, v, cg::plus<int>()) ^ cg::reduce(half, v, cg::greater<int>());
  r += cg::inclusive_scan(half, v) ^ cg::exclusive_scan(quarter, v, cg::bit_xor<int>());
  auto dynamic = cg::tiled_partition(block, 4);
  r ^= dynamic.thread_rank() + dynamic.size() * 16;
  if (v % 3) {
    cg::coalesced_group here = cg::coalesced_threads();
    r += here.size() * 1000 + here.thread_rank();
    r ^= here.shfl(v, 0) + here.ballot(v & 16);
    r += cg::reduce(here, v & 0xffff, cg::plus<int>());
    auto odd = cg::labeled_partition(here, v & 1);
    r += odd.size() << 4;
  }
  auto binary = cg::binary_partition(cg::tiled_partition<32>(block), (v & 4) != 0);
  r += binary.size() * 7 + binary.shfl(v, binary.size() - 1);
  block.sync();
  out[i] = r;
}

// As samples of the years before Volta did it: volatile shared memory and no barrier within the warp.
KERNEL warp_legacy(const u32* in, u32* out, int n) {
  __shared__ volatile u32 s[256];
  const int t = threadIdx.x;
  s[t] = in[global_id()] + in[global_id() + n];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
