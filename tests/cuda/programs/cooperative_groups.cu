// Cooperative groups: tiles, coalesced groups, and barriers of the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

// Prefix sums of the blocks' sums in one launch: three phases with the grid's barrier between them.
__global__ void scan(const int* in, int* out, int* sums, int n) {
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  __shared__ int values[256];
  const int i = static_cast<int>(grid.thread_rank());
  const int t = static_cast<int>(block.thread_rank());
  values[t] = i < n ? in[i] : 0;
  block.sync();
  for (unsigned step = 1; step < block.size(); step *= 2) {
    const int left = t >= static_cast<int>(step) ? values[t - step] : 0;
    block.sync();
    values[t] += left;
    block.sync();
  }
  if (t == static_cast<int>(block.size()) - 1) sums[blockIdx.x] = values[t];
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned b = 1; b < gridDim.x; ++b) sums[b] += sums[b - 1];
  grid.sync();
  if (i < n) out[i] = values[t] + (blockIdx.x == 0 ? 0 : sums[blockIdx.x - 1]);
}

__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto eight = cg::tiled_partition<8>(warp);
  const int value = static_cast<int>(block.thread_rank());
  const int in_eight = cg::reduce(eight, value, cg::plus<int>());
  const int largest = cg::reduce(warp, value, cg::greater<int>());
  const int neighbour = eight.shfl_xor(value, 1);
  out[value] =
      in_eight * 10000 + largest * 10 + (neighbour == (value ^ 1) ? 1 : 0) + (eight.any(value == 13) ? 2 : 0);
}

__global__ void active_lanes(int* counter, int* sizes) {
  if (threadIdx.x % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    int start = 0;
    if (active.thread_rank() == 0) {
      start = atomicAdd(counter, static_cast<int>(active.size()));
      sizes[threadIdx.x / 32] = static_cast<int>(active.size());
    }
    start = active.shfl(start, 0);
  }
}

int main() {
  Checks checks;
  int device = 0, supported = 0, sms = 0, per_sm = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
  checks.expect(supported == 1, "the device launches cooperatively");
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, scan, 256, 0));
  const int blocks = 8, n = blocks * 256 - 100;
  checks.expect(blocks <= sms * per_sm, "all blocks fit at once");

  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * 31 % 17 - 5;
  int *d_in, *d_out, *d_sums;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sums, blocks * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int count = n;
  void* arguments[] = {&d_in, &d_out, &d_sums, &count};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(scan), dim3(blocks), dim3(256), arguments,
                                    0, nullptr));
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0, sum = 0; i < n; ++i) good = good && out[i] == (sum += in[i]);
  checks.expect(good, "prefix sums with barriers of the grid");
  const cudaError_t error = cudaLaunchCooperativeKernel(
      reinterpret_cast<const void*>(scan), dim3(sms * per_sm + 1), dim3(256), arguments, 0, nullptr);
  checks.expect(error == cudaErrorCooperativeLaunchTooLarge, "a grid that does not fit at once is refused");
  cudaGetLastError();

  int host[64];
  tiles<<<1, 64>>>(d_out);
  CHECK(cudaMemcpy(host, d_out, sizeof host, cudaMemcpyDeviceToHost));
  good = true;
  for (int i = 0; i < 64; ++i) {
    const int first = i / 8 * 8;
    const int expected = (first * 8 + 28) * 10000 + (i < 32 ? 31 : 63) * 10 + 1 + (i / 8 == 1 ? 2 : 0);
    good = good && host[i] == expected;
  }
  checks.expect(good, "tiles of 8 and 32 threads");

  CHECK(cudaMemset(d_sums, 0, sizeof(int)));
  active_lanes<<<1, 64>>>(d_sums, d_out);
  int counted = 0;
  CHECK(cudaMemcpy(&counted, d_sums, sizeof counted, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host, d_out, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  checks.expect(counted == 22 && host[0] == 11 && host[1] == 11, "a group of the active lanes");
  return checks.finish();
}
