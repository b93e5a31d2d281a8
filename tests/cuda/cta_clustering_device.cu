// What the CTA clustering library (cuda/heddle/cta_clustering.cuh) does on a real card, where launches
// overlap and other kernels are in the way: for nvcc and a GPU, no part of ./test. The rest is in
// programs/cta_clustering.cu.
//
//   nvcc -std=c++14 -O2 -arch=sm_90 -I cuda tests/cuda/cta_clustering_device.cu -o device_test &&
//   ./device_test
//
// Findings are "ok" or "BAD", figures follow "figure,". Exit status 0 when nothing is bad.
#include <algorithm>
#include <heddle/cta_clustering.cuh>
#include <numeric>
#include <vector>

#include "programs/check.h"

namespace hc = heddle::clustering;

namespace {

__device__ unsigned this_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
__device__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

constexpr unsigned kMostSms = 1024;  // ids, too

struct Record {
  unsigned* times;    // per task: how often it was done
  unsigned* sm_of;    // per task: where
  unsigned* running;  // per SM: agents at work now
  unsigned* most;     // per SM: the most of them at once
};

// A task of some microseconds that writes down where it ran.
struct Body {
  __device__ void operator()(const hc::Cta& cta, Record record, long long cycles) const {
    const unsigned task = hc::RowMajor().task(cta.blockIdx, cta.gridDim);
    const unsigned sm = this_sm();
    if (threadIdx.x == 0) {
      atomicAdd(&record.times[task], 1u);
      record.sm_of[task] = sm;
      atomicMax(&record.most[sm], atomicAdd(&record.running[sm], 1u) + 1);
    }
    spin(cycles);
    __syncthreads();
    if (threadIdx.x == 0) atomicSub(&record.running[sm], 1u);
  }
};
struct Empty {
  __device__ void operator()(const hc::Cta&, unsigned*) const {}
};

class Recorded {
 public:
  explicit Recorded(unsigned tasks) : tasks_(tasks) {
    CHECK(cudaMalloc(&memory_, bytes()));
    clear();
  }
  ~Recorded() { cudaFree(memory_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  void clear() {
    CHECK(cudaMemset(memory_, 0, bytes()));
    CHECK(cudaDeviceSynchronize());
  }
  Record device() const {
    return {memory_, memory_ + tasks_, memory_ + 2 * tasks_, memory_ + 2 * tasks_ + kMostSms};
  }
  std::vector<unsigned> read(const unsigned* from, unsigned count) const {
    std::vector<unsigned> values(count);
    CHECK(cudaMemcpy(values.data(), from, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    return values;
  }
  bool all(unsigned times) const {
    return read(device().times, tasks_) == std::vector<unsigned>(tasks_, times);
  }
  // SMs that did something, and the most agents at once of each.
  std::vector<unsigned> most() const {
    std::vector<unsigned> values = read(device().most, kMostSms);
    values.erase(std::remove(values.begin(), values.end(), 0u), values.end());
    return values;
  }
  // The share of tasks that ran on the SM which did most of their cluster.
  double at_home(unsigned clusters) const {
    const std::vector<unsigned> sms = read(device().sm_of, tasks_);
    const hc::Clusters parts = {tasks_, clusters};
    unsigned home = 0;
    for (unsigned cluster = 0; cluster < clusters; ++cluster) {
      std::vector<unsigned> count(kMostSms);
      for (unsigned i = 0; i < parts.size(cluster); ++i) ++count[sms[parts.first(cluster) + i]];
      home += *std::max_element(count.begin(), count.end());
    }
    return static_cast<double>(home) / tasks_;
  }

 private:
  std::size_t bytes() const { return (2 * std::size_t{tasks_} + 2 * kMostSms) * sizeof(unsigned); }
  unsigned tasks_;
  unsigned* memory_ = nullptr;
};

void placement(Checks& checks, const hc::Workspace& workspace) {
  const unsigned tasks = workspace.clusters() * 50 + 17;
  Recorded record(tasks);
  hc::Launch how(tasks, 256);
  unsigned fit = 0;
  CHECK(hc::max_agents(fit, how, hc::RowMajor(), Body(), record.device(), 0LL));
  for (const unsigned active : {0u, 1u, 2u, fit - 1}) {
    record.clear();
    how.active_agents = active;
    CHECK(hc::launch(how, workspace, hc::RowMajor(), Body(), record.device(), 20000LL));
    CHECK(cudaDeviceSynchronize());
    const std::vector<unsigned> most = record.most();
    const unsigned limit = active == 0 ? fit : active;
    checks.expect(record.all(1), "every task once");
    checks.expect(*std::max_element(most.begin(), most.end()) <= limit, "no SM has more agents than allowed");
    checks.expect(most.size() == workspace.clusters(), "no SM is left out");
    std::printf("figure,placement,active %u of %u,SMs %zu,agents per SM %u to %u,tasks at home %.3f\n", limit,
                fit, most.size(), *std::min_element(most.begin(), most.end()),
                *std::max_element(most.begin(), most.end()), record.at_home(workspace.clusters()));
  }
}

void two_streams(Checks& checks) {
  const hc::Workspace workspaces[2];
  cudaStream_t streams[2];
  const unsigned tasks = 1777;
  Recorded first(tasks), second(tasks);
  Recorded* const records[2] = {&first, &second};
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (unsigned launch = 0; launch < 50; ++launch) {
    for (int i = 0; i < 2; ++i) {
      hc::Launch how(dim3(tasks), dim3(i == 0 ? 128 : 96), 0, streams[i]);
      how.active_agents = launch % 4;
      CHECK(hc::launch(how, workspaces[i], hc::RowMajor(), Body(), records[i]->device(), 2000LL));
    }
  }
  CHECK(cudaDeviceSynchronize());
  checks.expect(first.all(50) && second.all(50), "two streams at once, 50 launches each");
  for (cudaStream_t& stream : streams) CHECK(cudaStreamDestroy(stream));
}

// Holds its SM, all of its shared memory, until the host says so (or for some seconds).
__global__ void occupy(volatile unsigned* release, unsigned* arrived) {
  if (threadIdx.x != 0) return;
  atomicAdd(arrived, 1u);
  const long long begin = clock64();
  while (*release == 0 && clock64() - begin < 20000000000LL) {
  }
}

void occupied(Checks& checks, const hc::Workspace& workspace) {
  int device = 0, shared = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CHECK(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  unsigned *release, *arrived;
  CHECK(cudaHostAlloc(&release, 2 * sizeof(unsigned), cudaHostAllocMapped));
  arrived = release + 1;
  cudaStream_t other, mine;
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking));
  const unsigned taken = workspace.clusters() / 2;
  const unsigned tasks = workspace.clusters() * 50 + 17;
  Recorded record(tasks);
  for (const unsigned active : {0u, 1u}) {
    record.clear();
    release[0] = arrived[0] = 0;
    occupy<<<taken, 32, shared, other>>>(release, arrived);
    CHECK(cudaGetLastError());
    while (*static_cast<volatile unsigned*>(arrived) < taken) {
    }
    // 8 KiB of shared memory keep agents from fitting beside the other kernel.
    hc::Launch how(dim3(tasks), dim3(256), 8192, mine);
    how.active_agents = active;
    for (int again = 0; again < 2; ++again) {
      CHECK(hc::launch(how, workspace, hc::RowMajor(), Body(), record.device(), 20000LL));
    }
    CHECK(cudaStreamSynchronize(mine));
    const bool meanwhile = cudaStreamQuery(other) == cudaErrorNotReady;
    const std::vector<unsigned> most = record.most();
    const double at_home = record.at_home(workspace.clusters());
    checks.expect(record.all(2), "half of the SMs taken by another kernel: every task once per launch");
    *static_cast<volatile unsigned*>(release) = 1;
    CHECK(cudaStreamSynchronize(other));
    checks.expect(meanwhile && most.size() <= workspace.clusters() - taken,
                  "and the other kernel did hold them");
    std::printf("figure,half of the SMs taken,active %u,SMs used %zu,tasks at home %.3f\n", active,
                most.size(), at_home);
  }
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaStreamDestroy(mine));
  CHECK(cudaFreeHost(release));
}

template <class Run>
double microseconds(const Run& run) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  run();
  std::vector<float> times;
  for (int i = 0; i < 11; ++i) {
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(milliseconds * 1000);
  }
  std::sort(times.begin(), times.end());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return times[5];
}

// What it costs when there is nothing to do: the medians of 11 launches, events included.
void overhead(const hc::Workspace& workspace) {
  unsigned* nothing = nullptr;
  for (const unsigned per_sm : {1u, 8u, 64u, 512u}) {
    const unsigned tasks = workspace.clusters() * per_sm;
    hc::Launch how(tasks, 256);
    const double plain = microseconds([&] { CHECK(hc::launch_plain(how, Empty(), nothing)); });
    const double redirected =
        microseconds([&] { CHECK(hc::launch_redirected(how, hc::RowMajor(), Empty(), nothing)); });
    const double agents =
        microseconds([&] { CHECK(hc::launch(how, workspace, hc::RowMajor(), Empty(), nothing)); });
    const double tiles =
        microseconds([&] { CHECK(hc::launch(how, workspace, hc::Tiles(4, 4), Empty(), nothing)); });
    how.active_agents = 1;
    const double one =
        microseconds([&] { CHECK(hc::launch(how, workspace, hc::RowMajor(), Empty(), nothing)); });
    std::printf("figure,empty tasks,%u per SM,us: plain %.1f,RD %.1f,CLU %.1f,tiles %.1f,one agent %.1f\n",
                per_sm, plain, redirected, agents, tiles, one);
  }
}

// Cycles of a load after each kind of prefetch, by one thread.
__global__ void load_after(const unsigned* data, unsigned stride, unsigned kind, long long* cycles) {
  __shared__ volatile unsigned kept;
  const unsigned* at = data + stride;
  if (kind == 1) hc::prefetch_l1(at);
  if (kind == 2) hc::prefetch_l2(at);
  if (kind == 3) asm volatile("prefetch.global.L1 [%0];" : : "l"(at));
  if (kind == 4) kept = *at;
  spin(20000);
  const long long begin = clock64();
  unsigned value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  kept = value;  // waits for it
  (void)kept;
  *cycles = clock64() - begin;
}

void prefetches() {
  const char* const names[] = {"nothing", "prefetch_l1", "prefetch_l2", "prefetch.global.L1", "a load"};
  const std::size_t bytes = std::size_t{256} << 20;
  unsigned* data;
  long long *cycles, got = 0;
  CHECK(cudaMalloc(&data, bytes));
  CHECK(cudaMalloc(&cycles, sizeof(long long)));
  for (unsigned kind = 0; kind < 5; ++kind) {
    long long least = 1 << 30;
    for (unsigned i = 0; i < 5; ++i) {
      CHECK(cudaMemset(data, 0, bytes));  // out of the caches
      load_after<<<1, 1>>>(data, (1 << 20) * (i + 1), kind, cycles);
      CHECK(cudaMemcpy(&got, cycles, sizeof got, cudaMemcpyDeviceToHost));
      least = std::min(least, got);
    }
    std::printf("figure,load after,%s,cycles %lld\n", names[kind], least);
  }
  CHECK(cudaFree(data));
  CHECK(cudaFree(cycles));
}

}  // namespace

int main() {
  Checks checks;
  const hc::Workspace workspace;
  CHECK(workspace.status());
  placement(checks, workspace);
  two_streams(checks);
  occupied(checks, workspace);
  overhead(workspace);
  prefetches();
  return checks.finish();
}
