// Scans and sorts within a block, by hand and with CUB.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "silicon.cuh"

KERNEL block_scan(const u32* in, u32* out, int n) {
  __shared__ u32 s[2][256];
  const int t = threadIdx.x;
  int at = 0;
  s[0][t] = in[global_id()];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    s[1 - at][t] = s[at][t] + (t >= d ? s[at][t - d] : 0);
    at = 1 - at;
    __syncthreads();
  }
  out[global_id()] = s[at][t];
}

KERNEL cub_scan(const u32* in, u32* out, int n) {
  typedef cub::BlockScan<u32, 256> Scan;
  typedef cub::BlockReduce<u32, 256> Reduce;
  __shared__ union {
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } temp;
  u32 v[4], total;
  for (int k = 0; k < 4; ++k) v[k] = in[global_id() * 4 + k] >> 12;
  Scan(temp.scan).ExclusiveSum(v, v, total);
  __syncthreads();
  const u32 sum = Reduce(temp.reduce).Sum(v[0] ^ total);
  for (int k = 0; k < 4; ++k) out[global_id() * 4 + k] = v[k];
  if (threadIdx.x == 0) out[gridDim.x * 1024 + blockIdx.x] = sum;
}

KERNEL cub_radix_sort(const u32* in, u32* out, int n) {
  typedef cub::BlockRadixSort<u32, 128, 4, int> Sort;
  __shared__ Sort::TempStorage temp;
  u32 key[4];
  int value[4];
  for (int k = 0; k < 4; ++k) {
    value[k] = global_id() * 4 + k;
    key[k] = in[value[k]] >> 10;
  }
  Sort(temp).Sort(key, value);
  for (int k = 0; k < 4; ++k) {
    out[2 * (global_id() * 4 + k)] = key[k];
    out[2 * (global_id() * 4 + k) + 1] = value[k];
  }
}

struct Less {
  __device__ bool operator()(float a, float b) const { return a < b; }
};

KERNEL cub_merge_sort(const u32* in, u32* out, int n) {
  typedef cub::BlockMergeSort<float, 128, 4> Sort;
  __shared__ Sort::TempStorage temp;
  float key[4];
  for (int k = 0; k < 4; ++k) key[k] = between(in[global_id() * 4 + k], -5, 5);
  Sort(temp).Sort(key, Less());
  for (int k = 0; k < 4; ++k) out[global_id() * 4 + k] = bits(key[k]);
}

KERNEL bitonic_sort(const u32* in, u32* out, int n) {
  extern __shared__ int keys[];
  const int t = threadIdx.x;
  for (int k = t; k < 2 * blockDim.x; k += blockDim.x) keys[k] = in[blockIdx.x * 2 * blockDim.x + k];
  for (int size = 2; size <= 2 * blockDim.x; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int a = 2 * t - (t & (stride - 1)), b = a + stride;
      const bool up = (a & size) == 0;
      if ((keys[a] > keys[b]) == up) {
        const int swap = keys[a];
        keys[a] = keys[b];
        keys[b] = swap;
      }
    }
  __syncthreads();
  for (int k = t; k < 2 * blockDim.x; k += blockDim.x) out[blockIdx.x * 2 * blockDim.x + k] = keys[k];
}
