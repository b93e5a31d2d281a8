// Barriers in shared memory and pipelines of asynchronous copies: what cuda::barrier and cuda::pipeline
// compile to.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 128;

// Each phase, every thread reads what another wrote in it.
__global__ void phases(int* out, int count) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  __shared__ int cells[kThreads];
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    cells[threadIdx.x] = i * kThreads + threadIdx.x;
    barrier.wait(barrier.arrive());
    sum += cells[(threadIdx.x + i) % kThreads];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

// Half of the threads copy, the other half use what came.
__global__ void producer_and_consumer(const int* in, int* out, int tiles) {
  constexpr int kStages = 2, kHalf = kThreads / 2;
  __shared__ int tile[kStages][kHalf];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto role = threadIdx.x < kHalf ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (role == cuda::pipeline_role::producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[t % kStages][threadIdx.x], in + t * kHalf + threadIdx.x, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[t % kStages][(threadIdx.x + 5) % kHalf];
      pipe.consumer_release();
    }
  }
  if (role == cuda::pipeline_role::consumer) out[threadIdx.x - kHalf] = sum;
}

// Copies arrive at a barrier.
__global__ void copies(const int4* in, int4* out, int tiles) {
  __shared__ int4 tile[kThreads];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    cuda::memcpy_async(tile + threadIdx.x, in + t * kThreads + threadIdx.x, cuda::aligned_size_t<16>(16),
                       barrier);
    barrier.arrive_and_wait();
    out[t * kThreads + threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

int main() {
  Checks checks;
  const int tiles = 9, n = tiles * kThreads * 4;
  int *in, *out;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, n * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i * 7 % 1001;

  phases<<<1, kThreads>>>(out, 20);
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int i = 0; i < 20; ++i) sum += i * kThreads + (t + i) % kThreads;
    good = good && out[t] == sum;
  }
  checks.expect(good, "phases of a barrier");

  producer_and_consumer<<<1, kThreads>>>(in, out, tiles);
  CHECK(cudaDeviceSynchronize());
  good = true;
  for (int t = 0; t < kThreads / 2; ++t) {
    int sum = 0;
    for (int i = 0; i < tiles; ++i) sum += in[i * kThreads / 2 + (t + kThreads / 2 + 5) % (kThreads / 2)];
    good = good && out[t] == sum;
  }
  checks.expect(good, "producers and consumers");

  copies<<<1, kThreads>>>(reinterpret_cast<int4*>(in), reinterpret_cast<int4*>(out), tiles);
  CHECK(cudaDeviceSynchronize());
  good = true;
  for (int i = 0; i < tiles * kThreads; ++i)
    for (int e = 0; e < 4; ++e)
      good = good && out[i * 4 + e] == in[(i / kThreads * kThreads + kThreads - 1 - i % kThreads) * 4 + e];
  checks.expect(good, "copies that arrive at a barrier");
  return checks.finish();
}
