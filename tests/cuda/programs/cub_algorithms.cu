// CUB: algorithms of a block and of the device.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

__global__ void block_algorithms(const int* in, int* sums, int* sorted) {
  using Scan = cub::BlockScan<int, 128>;
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } memory;
  int keys[2] = {in[threadIdx.x * 2], in[threadIdx.x * 2 + 1]};
  int prefix[2];
  Scan(memory.scan).ExclusiveSum(keys, prefix);
  sums[threadIdx.x * 2] = prefix[0];
  sums[threadIdx.x * 2 + 1] = prefix[1];
  __syncthreads();
  Sort(memory.sort).Sort(keys);
  sorted[threadIdx.x * 2] = keys[0];
  sorted[threadIdx.x * 2 + 1] = keys[1];
}

int main() {
  Checks checks;
  const int n = 5000;
  std::vector<int> in(n), out(n);
  unsigned random = 7;
  for (int& v : in) v = static_cast<int>((random = random * 1664525u + 1013904223u) >> 20) - 2000;
  int *d_in, *d_out, *d_sorted;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sorted, 256 * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  block_algorithms<<<1, 128>>>(d_in, d_out, d_sorted);
  std::vector<int> sums(256), sorted(256), expected(256);
  CHECK(cudaMemcpy(sums.data(), d_out, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(sorted.data(), d_sorted, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  std::exclusive_scan(in.begin(), in.begin() + 256, expected.begin(), 0);
  checks.expect(sums == expected, "BlockScan");
  expected.assign(in.begin(), in.begin() + 256);
  std::sort(expected.begin(), expected.end());
  checks.expect(sorted == expected, "BlockRadixSort");

  void* temporary = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(temporary, bytes, d_in, d_out, n));
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(cub::DeviceReduce::Sum(temporary, bytes, d_in, d_out, n));
  int sum = 0;
  CHECK(cudaMemcpy(&sum, d_out, sizeof sum, cudaMemcpyDeviceToHost));
  checks.expect(sum == std::accumulate(in.begin(), in.end(), 0), "DeviceReduce::Sum");
  CHECK(cudaFree(temporary));

  temporary = nullptr;
  bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, d_in, d_out, n));
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, d_in, d_out, n));
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  expected.resize(n);
  std::inclusive_scan(in.begin(), in.end(), expected.begin());
  checks.expect(out == expected, "DeviceScan::InclusiveSum");
  CHECK(cudaFree(temporary));
  return checks.finish();
}
