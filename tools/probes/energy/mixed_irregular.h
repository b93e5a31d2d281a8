// Mixed kernels that sum, sort, search, and read where data tell them to.
#pragma once

#include "mixed_tools.h"

namespace energy {

__global__ void mixed_reduction(const float4* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    sum += v.x + v.y + (v.z + v.w);
  }
  __shared__ float part[8];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) sum += part[i];
    out[blockIdx.x] = sum;
  }
}
inline Case reduction() {
  const int n = 32 << 20, ctas = 1056;
  auto in = reals(n, 19);
  auto out = array<float>(ctas);
  return sequence([=] { mixed_reduction<<<ctas, 256>>>((const float4*)in->device(), out->device(), n / 4); },
                  [=]() -> std::string {
                    double want = 0, got = 0;
                    for (float v : in->host) want += v;
                    for (float v : out->fetch()) got += v;
                    return std::fabs(want - got) < 1e-4 * want
                               ? ""
                               : "sum " + std::to_string(got) + ", not " + std::to_string(want);
                  });
}

// A warp per row.
__global__ void mixed_spmv(const int* start, const int* column, const float* value, const float* x, float* y,
                           int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (lane == 0) y[row] = sum;
}
inline Case spmv() {
  const int rows = 96 << 10;
  Random random(20);
  std::vector<int> lengths(rows + 1);
  for (int i = 0; i < rows; ++i) lengths[i + 1] = lengths[i] + 16 + int(random.below(96));
  const int entries = lengths[rows];
  auto start = array<int>(rows + 1, [&](std::size_t i) { return lengths[i]; });
  auto column = array<int>(entries, [&](std::size_t) { return int(random.below(rows)); });
  auto value = reals(entries, 21, -1), x = reals(rows, 22);
  auto y = array<float>(rows);
  return sequence(
      [=] {
        mixed_spmv<<<rows / 8, 256>>>(start->device(), column->device(), value->device(), x->device(),
                                      y->device(), rows);
      },
      [=] {
        return compare(*y, rows, 1e-4, [&](std::size_t row) {
          double sum = 0;
          for (int i = start->host[row]; i < start->host[row + 1]; ++i)
            sum += double(value->host[i]) * x->host[column->host[i]];
          return sum;
        });
      });
}

__global__ void mixed_gather(const int* index, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}
inline Case gather() {
  const int n = 4 << 20, range = 64 << 20;
  Random random(23);
  auto index = array<int>(n, [&](std::size_t) { return int(random.below(range)); });
  auto in = array<float>(range, [](std::size_t i) { return float(i % 1000003); });
  auto out = array<float>(n);
  return sequence(
      [=] { mixed_gather<<<n / 256, 256>>>(index->device(), in->device(), out->device(), n); },
      [=] { return compare(*out, n, 0, [&](std::size_t i) { return in->host[index->host[i]]; }); });
}

// Every CTA counts into 256 places of shared memory and writes them.
__global__ void mixed_histogram(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i];
    atomicAdd(&bins[v & 255], 1u);
    atomicAdd(&bins[v >> 24], 1u);
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
inline Case histogram() {
  const int n = 8 << 20, ctas = 1056;
  Random random(24);
  auto in = array<unsigned>(n, [&](std::size_t) { return random.word() & random.word(); });
  auto out = array<unsigned>(ctas * 256);
  return sequence([=] { mixed_histogram<<<ctas, 256>>>(in->device(), out->device(), n); },
                  [=]() -> std::string {
                    std::vector<unsigned> want(256), got(256);
                    for (unsigned v : in->host) ++want[v & 255], ++want[v >> 24];
                    out->fetch();
                    for (int i = 0; i < ctas * 256; ++i) got[i % 256] += out->host[i];
                    return want == got ? "" : "other counts";
                  });
}

// Sorts pieces of 1,024 keys.
__global__ void mixed_sort(const unsigned* in, unsigned* out) {
  __shared__ unsigned key[1024];
  const int t = threadIdx.x;
  key[t] = in[blockIdx.x * 1024 + t];
  key[t + 512] = in[blockIdx.x * 1024 + t + 512];
  for (int size = 2; size <= 1024; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const int i = 2 * t - (t & (step - 1)), j = i + step;
      const unsigned a = key[i], b = key[j];
      if ((a > b) == ((i & size) == 0)) key[i] = b, key[j] = a;
    }
  __syncthreads();
  out[blockIdx.x * 1024 + t] = key[t];
  out[blockIdx.x * 1024 + t + 512] = key[t + 512];
}
inline Case sort() {
  const int pieces = 1056;
  Random random(25);
  auto in = array<unsigned>(pieces * 1024, [&](std::size_t) { return random.word(); });
  auto out = array<unsigned>(pieces * 1024);
  return sequence([=] { mixed_sort<<<pieces, 512>>>(in->device(), out->device()); },
                  [=]() -> std::string {
                    out->fetch();
                    for (int i = 0; i < pieces; i += 101) {
                      std::vector<unsigned> want(in->host.begin() + i * 1024,
                                                 in->host.begin() + (i + 1) * 1024);
                      std::sort(want.begin(), want.end());
                      if (!std::equal(want.begin(), want.end(), out->host.begin() + i * 1024))
                        return "piece " + std::to_string(i);
                    }
                    return "";
                  });
}

// Sums of all before: within pieces of 1,024, over the pieces, and added.
__device__ unsigned scan_warp(unsigned v) {
  for (int lanes = 1; lanes < 32; lanes *= 2) {
    const unsigned before = __shfl_up_sync(~0u, v, lanes);
    if (threadIdx.x % 32 >= lanes) v += before;
  }
  return v;
}
__global__ void mixed_scan_pieces(const unsigned* in, unsigned* out, unsigned* sums, int n) {
  __shared__ unsigned of_warp[32];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  unsigned v = scan_warp(i < n ? in[i] : 0);
  if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) of_warp[threadIdx.x] = scan_warp(of_warp[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x >= 32) v += of_warp[threadIdx.x / 32 - 1];
  if (i < n) out[i] = v;
  if (sums && threadIdx.x == 1023) sums[blockIdx.x] = v;
}
__global__ void mixed_scan_add(unsigned* out, const unsigned* sums) {
  if (blockIdx.x > 0) out[blockIdx.x * 1024 + threadIdx.x] += sums[blockIdx.x - 1];
}
__global__ void mixed_scan_sums(unsigned* sums, int n) {  // one warp
  unsigned before = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const unsigned v = scan_warp(sums[i]) + before;
    sums[i] = v;
    before = __shfl_sync(~0u, v, 31);
  }
}
inline Case scan() {
  const int n = 8 << 20, pieces = n / 1024;
  Random random(26);
  auto in = array<unsigned>(n, [&](std::size_t) { return random.below(100); });
  auto out = array<unsigned>(n), sums = array<unsigned>(pieces), upper = array<unsigned>(pieces),
       top = array<unsigned>(32);
  return sequence(
      [=] {
        mixed_scan_pieces<<<pieces, 1024>>>(in->device(), out->device(), sums->device(), n);
        mixed_scan_pieces<<<pieces / 1024, 1024>>>(sums->device(), upper->device(), top->device(), pieces);
        mixed_scan_sums<<<1, 32>>>(top->device(), 32);
        mixed_scan_add<<<pieces / 1024, 1024>>>(upper->device(), top->device());
        mixed_scan_add<<<pieces, 1024>>>(out->device(), upper->device());
      },
      [=]() -> std::string {
        out->fetch();
        unsigned sum = 0;
        for (int i = 0; i < n; ++i) {
          sum += in->host[i];
          if (out->host[i] != sum) return "at " + std::to_string(i);
        }
        return "";
      });
}

// Levels of a graph with random edges, eight from every node, from node 0 on.
__global__ void mixed_bfs_start(int* level, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) level[i] = i == 0 ? 0 : -1;
}
__global__ void mixed_bfs_level(const int* edges, int* level, int n, int now) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || level[i] != now) return;
  for (int e = 0; e < 8; ++e) {
    const int to = edges[i * 8 + e];
    if (level[to] < 0) level[to] = now + 1;
  }
}
inline Case bfs() {
  const int n = 1 << 20, levels = 11;
  Random random(27);
  auto edges = array<int>(std::size_t(n) * 8, [&](std::size_t) { return int(random.below(n)); });
  auto level = array<int>(n);
  return sequence(
      [=] {
        mixed_bfs_start<<<n / 256, 256>>>(level->device(), n);
        for (int l = 0; l < levels; ++l)
          mixed_bfs_level<<<n / 256, 256>>>(edges->device(), level->device(), n, l);
      },
      [=]() -> std::string {
        std::vector<int> want(n, -1), queue(1, 0);
        want[0] = 0;
        for (std::size_t q = 0; q < queue.size(); ++q) {
          const int i = queue[q];
          if (want[i] == levels) continue;
          for (int e = 0; e < 8; ++e) {
            const int to = edges->host[std::size_t(i) * 8 + e];
            if (want[to] < 0) want[to] = want[i] + 1, queue.push_back(to);
          }
        }
        return level->fetch() == want ? "" : "other levels";
      });
}

}  // namespace energy
