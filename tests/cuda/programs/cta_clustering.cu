// The CTA clustering library (cuda/heddle/cta_clustering.cuh): every CTA of a grid exactly once, in every way
// of launching.
#include <heddle/cta_clustering.cuh>

#include <vector>

#include "check.h"

namespace hc = heddle::clustering;

// Counts how often each CTA of the original grid was run, by all of its threads.
struct Count {
  __device__ void operator()(const hc::Cta& cta, unsigned* times) const {
    atomicAdd(&times[hc::RowMajor().task(cta.blockIdx, cta.gridDim)], 1u);
  }
};

// Reverses what the CTA reads, through shared memory: wrong if two tasks of an agent could meet there.
struct Reverse {
  __device__ void operator()(const hc::Cta& cta, const int* in, int* out) const {
    __shared__ int all[96];
    extern __shared__ int more[];
    const unsigned base = cta.blockIdx.x * blockDim.x;
    all[threadIdx.x] = in[base + threadIdx.x];
    more[threadIdx.x] = static_cast<int>(cta.blockIdx.x);
    __syncthreads();
    const unsigned other = blockDim.x - 1 - threadIdx.x;
    // Slow warps read late.
    int delay = 0;
    for (unsigned i = 0; i < threadIdx.x / 32 * 8; ++i) delay += in[i] & 0;
    out[base + threadIdx.x] = all[other] + more[other] + delay;
  }
};

// An old kernel, as it was: CUDA's names, and a return in the middle.
HEDDLE_CLUSTERED_KERNEL(old_scale, const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  if (blockIdx.x == gridDim.x - 1) {
    out[y * width + x] = -in[y * width + x];
    return;
  }
  out[y * width + x] = 2 * in[y * width + x];
}
HEDDLE_CLUSTERED_KERNEL(no_parameters) {}

// The same as a template.
template <int factor>
struct OldTemplate : hc::Kernel {
  __device__ void run(unsigned* out) {
    if (threadIdx.x == 0) out[blockIdx.x] = factor * blockIdx.x + gridDim.x;
  }
};

// An order of the user's: backwards.
struct Backwards {
  __device__ hc::Index3 operator()(unsigned task, const hc::Index3& grid) const {
    return hc::RowMajor()(static_cast<unsigned>(hc::tasks_of(grid)) - 1 - task, grid);
  }
};

// A hook that notes which CTAs it was told of.
struct Note {
  __device__ void operator()(const hc::Cta& cta, unsigned* times) const {
    hc::prefetch_l1(times);
    hc::prefetch_l2(times);
    if (threadIdx.x == 0) atomicAdd(&times[hc::tasks_of(cta.gridDim) + cta.blockIdx.x], 1u);
  }
};

struct Streaming {
  __device__ void operator()(const hc::Cta&, const char* bytes, double* sums) const {
    struct Pair {
      int a, b;
    };
    const double sum = hc::load_streaming(bytes + 1) +
                       hc::load_streaming(reinterpret_cast<const short*>(bytes) + 1) +
                       hc::load_streaming(reinterpret_cast<const float*>(bytes) + 1) +
                       hc::load_streaming(reinterpret_cast<const double*>(bytes) + 1) +
                       hc::load_streaming(reinterpret_cast<const Pair*>(bytes) + 2).b +
                       hc::load_streaming(reinterpret_cast<const float4*>(bytes) + 2).z;
    if (threadIdx.x == 0) *sums = sum;
  }
};

using ReverseBounds = hc::Bounds<96, 2>;

class Counters {
 public:
  explicit Counters(std::size_t count) : host_(count) {
    CHECK(cudaMalloc(&device_, count * sizeof(unsigned)));
    clear();
  }
  ~Counters() { cudaFree(device_); }
  unsigned* device() const { return device_; }
  void clear() { CHECK(cudaMemset(device_, 0, host_.size() * sizeof(unsigned))); }
  const std::vector<unsigned>& values() {
    CHECK(cudaMemcpy(host_.data(), device_, host_.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return host_;
  }
  bool all(unsigned value) { return values() == std::vector<unsigned>(host_.size(), value); }

 private:
  std::vector<unsigned> host_;
  unsigned* device_ = nullptr;
};

template <class Order>
bool counts(const hc::Workspace& workspace, dim3 grid, dim3 block, const Order& order) {
  const unsigned threads = block.x * block.y * block.z;
  Counters times(static_cast<std::size_t>(grid.x) * grid.y * grid.z);
  bool good = true;
  for (const unsigned active : {0u, 1u}) {
    hc::Launch how(grid, block);
    how.active_agents = active;
    times.clear();
    CHECK(hc::launch(how, workspace, order, Count(), times.device()));
    good = times.all(threads) && good;
  }
  times.clear();
  CHECK(hc::launch_redirected(hc::Launch(grid, block), order, Count(), times.device()));
  return times.all(threads) && good;
}

void grids(Checks& checks, const hc::Workspace& workspace) {
  const dim3 sizes[] = {dim3(1),      dim3(7),     dim3(1000),    dim3(40, 25),
                        dim3(37, 11), dim3(1, 97), dim3(13, 5, 7)};
  bool row = true, column = true, tiles = true;
  for (const dim3& grid : sizes) {
    row = counts(workspace, grid, dim3(256), hc::RowMajor()) && row;
    if (grid.x > 1 && grid.y == 1) continue;
    column = counts(workspace, grid, dim3(16, 4, 4), hc::ColumnMajor()) && column;
    tiles = counts(workspace, grid, dim3(233), hc::Tiles(4, 3, 2)) && tiles;
  }
  checks.expect(row, "row-major: every CTA once");
  checks.expect(column, "column-major: every CTA once");
  checks.expect(tiles, "tiles: every CTA once");
  const bool own =
      counts(workspace, dim3(37, 11), dim3(200), Backwards()) && counts(workspace, 9, 1, Backwards());
  checks.expect(own, "an order of the user's: every CTA once");
}

void shared_memory(Checks& checks, const hc::Workspace& workspace) {
  constexpr unsigned kThreads = 96, kCtas = 1000;
  std::vector<int> in(kThreads * kCtas), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7 % 1001);
  int *device_in, *device_out;
  CHECK(cudaMalloc(&device_in, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&device_out, in.size() * sizeof(int)));
  CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  bool good = true;
  for (const unsigned active : {0u, 1u}) {
    for (const std::size_t bytes : {kThreads * sizeof(int), std::size_t{64} << 10}) {
      hc::Launch how(kCtas, kThreads, bytes);
      how.active_agents = active;
      CHECK(cudaMemset(device_out, 0, in.size() * sizeof(int)));
      CHECK(hc::launch<ReverseBounds>(how, workspace, hc::ColumnMajor(), Reverse(), device_in, device_out));
      CHECK(cudaMemcpy(out.data(), device_out, in.size() * sizeof(int), cudaMemcpyDeviceToHost));
      for (unsigned i = 0; i < in.size(); ++i) {
        const unsigned cta = i / kThreads, other = cta * kThreads + (kThreads - 1 - i % kThreads);
        good = good && out[i] == in[other] + static_cast<int>(cta);
      }
    }
  }
  checks.expect(good, "shared memory, static and dynamic, is free between tasks");
  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_out));
}

void old_code(Checks& checks, const hc::Workspace& workspace) {
  const int width = 203, height = 61;
  std::vector<float> in(width * height), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 97);
  float *device_in, *device_out;
  CHECK(cudaMalloc(&device_in, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&device_out, in.size() * sizeof(float)));
  CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  bool good = true;
  for (int way = 0; way < 3; ++way) {
    CHECK(cudaMemset(device_out, 0, in.size() * sizeof(float)));
    const hc::Launch how(grid, block);
    if (way == 0) CHECK(hc::launch_plain(how, old_scale(), device_in, device_out, width, height));
    if (way == 1)
      CHECK(hc::launch_redirected(how, hc::ColumnMajor(), old_scale(), device_in, device_out, width, height));
    if (way == 2)
      CHECK(hc::launch(how, workspace, hc::ColumnMajor(), old_scale(), device_in, device_out, width, height));
    CHECK(cudaMemcpy(out.data(), device_out, in.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool last = x / 16 == static_cast<int>(grid.x) - 1;
        good = good && out[y * width + x] == (last ? -1 : 2) * in[y * width + x];
      }
    }
  }
  checks.expect(good, "an old kernel with returns: plain, redirected, by agents");
  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_out));
  CHECK(hc::launch(hc::Launch(5, 32), workspace, hc::RowMajor(), no_parameters()));

  Counters values(50);
  CHECK(hc::launch(hc::Launch(50, 32), workspace, hc::RowMajor(), OldTemplate<3>(), values.device()));
  good = true;
  for (unsigned i = 0; i < 50; ++i) good = good && values.values()[i] == 3 * i + 50;
  checks.expect(good, "an old template");
}

void prefetch(Checks& checks, const hc::Workspace& workspace) {
  const unsigned ctas = 3000;
  Counters times(2 * ctas);
  CHECK(hc::launch(hc::Launch(ctas, 32), workspace, hc::RowMajor(), hc::with_prefetch(Count(), Note()),
                   times.device()));
  bool once = true, at_most_once = true;
  unsigned told = 0;
  for (unsigned i = 0; i < ctas; ++i) {
    once = once && times.values()[i] == 32;
    at_most_once = at_most_once && times.values()[ctas + i] <= 1;
    told += times.values()[ctas + i];
  }
  checks.expect(once, "with a prefetch hook: every CTA once");
  checks.expect(at_most_once && told <= ctas, "the hook is told of a CTA at most once");
  CHECK(hc::launch_plain(hc::Launch(7, 32), hc::with_prefetch(Count(), Note()), times.device()));
}

void streaming(Checks& checks, const hc::Workspace& workspace) {
  alignas(16) unsigned char bytes[64] = {};
  bytes[1] = 5;
  reinterpret_cast<short*>(bytes)[1] = -300;
  reinterpret_cast<float*>(bytes)[1] = 0.5F;
  reinterpret_cast<double*>(bytes)[1] = 1e6;
  reinterpret_cast<int*>(bytes)[5] = 70000;
  reinterpret_cast<float*>(bytes)[10] = 0.25F;
  char* device;
  double *sum, got = 0;
  CHECK(cudaMalloc(&device, sizeof bytes));
  CHECK(cudaMalloc(&sum, sizeof got));
  CHECK(cudaMemcpy(device, bytes, sizeof bytes, cudaMemcpyHostToDevice));
  CHECK(hc::launch(hc::Launch(1, 32), workspace, hc::RowMajor(), Streaming(),
                   static_cast<const char*>(device), sum));
  CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
  checks.expect(got == 5 - 300 + 0.5 + 1e6 + 70000 + 0.25, "streaming loads of 1, 2, 4, 8 and 16 bytes");
  CHECK(cudaFree(device));
  CHECK(cudaFree(sum));
}

void repetition(Checks& checks, const hc::Workspace& workspace) {
  const unsigned ctas = 333;
  Counters times(ctas);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  hc::Launch how(ctas, 64, 0, stream);
  CHECK(hc::max_agents(how.max_agents, how, hc::RowMajor(), Count(), times.device()));
  for (int i = 0; i < 9; ++i) {
    how.active_agents = i % 3;
    CHECK(hc::launch(how, workspace, hc::RowMajor(), Count(), times.device()));
  }
  CHECK(cudaStreamSynchronize(stream));
  checks.expect(times.all(9 * 64), "launches one after another");

  times.clear();
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  how.active_agents = 1;
  how.max_agents = 0;
  CHECK(hc::launch(how, workspace, hc::RowMajor(), Count(), times.device()));
  CHECK(hc::launch(hc::Launch(ctas, 32, 0, stream), workspace, hc::ColumnMajor(), Count(), times.device()));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&ready, graph, 0));
  for (int i = 0; i < 4; ++i) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  checks.expect(times.all(4 * (64 + 32)), "a graph of two launches, replayed");
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

void errors(Checks& checks, const hc::Workspace& workspace) {
  Counters times(1);
  const auto refused = [&](const hc::Launch& how) {
    const cudaError_t error = hc::launch(how, workspace, hc::RowMajor(), Count(), times.device());
    cudaGetLastError();
    return error;
  };
  checks.expect(refused(hc::Launch(dim3(3, 0), 32)) == cudaErrorInvalidConfiguration,
                "a grid of nothing is refused");
  std::printf("     %s\n", hc::last_message());
  checks.expect(refused(hc::Launch(dim3(65536, 65536), 32)) == cudaErrorInvalidConfiguration,
                "a grid of 2^32 CTAs is refused");
  std::printf("     %s\n", hc::last_message());
  checks.expect(refused(hc::Launch(10, 32, std::size_t{1} << 30)) == cudaErrorInvalidValue,
                "1 GiB of shared memory is refused");
  std::printf("     %s\n", hc::last_message());
  checks.expect(refused(hc::Launch(10, 4096)) == cudaErrorInvalidConfiguration,
                "a block of 4096 threads is refused");
  std::printf("     %s\n", hc::last_message());
  hc::Workspace moved;
  hc::Workspace other(std::move(moved));
  checks.expect(
      hc::launch(hc::Launch(1, 32), moved, hc::RowMajor(), Count(), times.device()) == cudaErrorNotReady,
      "a workspace that was moved away is refused");
  CHECK(hc::launch(hc::Launch(1, 32), other, hc::RowMajor(), Count(), times.device()));
  checks.expect(times.all(32), "errors leave nothing behind");
}

int main() {
  Checks checks;
  const hc::Workspace workspace;
  CHECK(workspace.status());
  grids(checks, workspace);
  shared_memory(checks, workspace);
  old_code(checks, workspace);
  prefetch(checks, workspace);
  streaming(checks, workspace);
  repetition(checks, workspace);
  errors(checks, workspace);
  return checks.finish();
}
