// Bulk copies (cp.async.bulk): what cuda::memcpy_async with a barrier, cuda::device::memcpy_async_tx and
// cuda::ptx::cp_async_bulk compile to.
// arch: 90
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "check.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 128, kTile = 512;  // words

// The whole CTA asks for a tile at a barrier; the compiler makes one bulk copy of it.
__global__ void tiles_at_a_barrier(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int tile[kTile];
  __shared__ Barrier barrier;
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    cuda::memcpy_async(block, tile, in + t * kTile, cuda::aligned_size_t<16>(kTile * sizeof(int)), barrier);
    barrier.arrive_and_wait();
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) out[t * kTile + i] = tile[kTile - 1 - i];
    block.sync();
  }
}

// One thread keeps two tiles under way and says how many bytes are expected.
__global__ void two_stages(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int tile[2][kTile];
  __shared__ Barrier full[2];
  if (threadIdx.x == 0)
    for (Barrier& b : full) init(&b, blockDim.x);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  const auto fetch = [&](int t) {
    cuda::device::memcpy_async_tx(tile[t % 2], in + t * kTile, cuda::aligned_size_t<16>(kTile * sizeof(int)),
                                  full[t % 2]);
    return cuda::device::barrier_arrive_tx(full[t % 2], 1, kTile * sizeof(int));
  };
  Barrier::arrival_token token[2];
  for (int t = 0; t < 2; ++t) token[t] = threadIdx.x == 0 ? fetch(t) : full[t].arrive();
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    full[t % 2].wait(std::move(token[t % 2]));
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) sum += tile[t % 2][i] * (t + 1);
    __syncthreads();
    if (t + 2 < tiles) token[t % 2] = threadIdx.x == 0 ? fetch(t + 2) : full[t % 2].arrive();
  }
  out[threadIdx.x] = sum;
}

// Results are gathered in shared memory and go back in bulk.
__global__ void back_in_bulk(int* out) {
  __shared__ alignas(16) int tile[2][kTile];
  for (int round = 0; round < 4; ++round) {
    // Of the two groups of copies the older one must have been read.
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    __syncthreads();
    for (int i = threadIdx.x; i < kTile; i += blockDim.x)
      tile[round % 2][i] = (blockIdx.x * 4 + round) * 1000 + i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + (blockIdx.x * 4 + round) * kTile,
                         tile[round % 2], kTile * sizeof(int));
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

int main() {
  Checks checks;
  const int tiles = 13, n = tiles * kTile;
  int *in, *out;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, n * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i * 7 % 1001;

  tiles_at_a_barrier<<<3, kThreads>>>(in, out, tiles);
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && out[i] == in[i / kTile * kTile + kTile - 1 - i % kTile];
  checks.expect(good, "tiles at a barrier");

  two_stages<<<1, kThreads>>>(in, out, tiles);
  CHECK(cudaDeviceSynchronize());
  good = true;
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile)
      for (int i = t; i < kTile; i += kThreads) sum += in[tile * kTile + i] * (tile + 1);
    good = good && out[t] == sum;
  }
  checks.expect(good, "two tiles under way");

  back_in_bulk<<<3, kThreads>>>(out);
  CHECK(cudaDeviceSynchronize());
  good = true;
  for (int i = 0; i < 12 * kTile; ++i) good = good && out[i] == i / kTile * 1000 + i % kTile;
  checks.expect(good, "results back in bulk");
  return checks.finish();
}
