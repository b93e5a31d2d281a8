// Clocks: they never run backwards, and more work takes longer.
#include "check.h"

__global__ void timed(long long* times, unsigned* clocks32, float* data, int turns) {
  const long long start = clock64();
  const unsigned start32 = static_cast<unsigned>(clock());
  float x = data[0];
  for (int i = 0; i < turns; ++i) x = x * 0.999f + 0.001f;
  data[threadIdx.x] = x;
  const unsigned end32 = static_cast<unsigned>(clock());
  const long long end = clock64();
  if (threadIdx.x == 0) {
    times[0] = start;
    times[1] = end;
    clocks32[0] = end32 - start32;
  }
}

__device__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void wait(int* done, unsigned long long* time) {
  const unsigned long long before = nanoseconds();
  const long long start = clock64();
  while (clock64() - start < 2000) {
  }
  time[0] = nanoseconds() >= before ? 1 : 0;
  *done = 1;
}

__global__ void where(unsigned* out) {
  unsigned lane, sm, warp;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(warp));
  out[threadIdx.x] = lane + (sm < warp ? 100 : 0);
}

int main() {
  Checks checks;
  long long* times;
  unsigned* clocks32;
  float* data;
  CHECK(cudaMallocManaged(&times, 2 * sizeof(long long)));
  CHECK(cudaMallocManaged(&clocks32, 64 * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&data, 32 * sizeof(float)));
  data[0] = 1;
  timed<<<1, 32>>>(times, clocks32, data, 1);  // a card moves the managed memory here first
  CHECK(cudaDeviceSynchronize());
  long long spent[2];
  const int turns[2] = {50, 2000};
  for (int k = 0; k < 2; ++k) {
    timed<<<1, 32>>>(times, clocks32, data, turns[k]);
    CHECK(cudaDeviceSynchronize());
    spent[k] = times[1] - times[0];
    checks.expect(spent[k] > 0 && clocks32[0] > 0 && clocks32[0] <= spent[k], "both clocks run forward");
  }
  checks.expect(spent[1] > spent[0] * 3, "40 times the work takes longer");
  checks.expect(spent[1] >= 2000, "a dependent operation takes at least a cycle");
  int* done;
  unsigned long long* time;
  CHECK(cudaMallocManaged(&done, sizeof(int)));
  CHECK(cudaMallocManaged(&time, sizeof(unsigned long long)));
  *done = 0;
  wait<<<1, 1>>>(done, time);
  CHECK(cudaDeviceSynchronize());
  checks.expect(*done == 1 && *time == 1, "waiting for the clock ends");
  where<<<1, 64>>>(clocks32);
  CHECK(cudaDeviceSynchronize());
  checks.expect(clocks32[0] == 100 && clocks32[31] == 131 && clocks32[32] == 100, "lane and multiprocessor");
  return checks.finish();
}
