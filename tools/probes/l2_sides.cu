// The two sides of an H200's L2: what a line costs whose home is on the other side, and how homes lie in memory.
//   nvcc -O2 -std=c++17 -arch=sm_90 tools/probes/l2_sides.cu -o l2_sides && ./l2_sides
// One lane of one SM reads 4,096 lines, every `step`-th of an array, in a random order and times each. Prints how many took so many cycles.
//   cold    nothing in L2: from DRAM
//   warm    again by the same SM, past its L1
//   other   lines that only SM 0 has read
//   again   the same once more
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <vector>
#include <cuda_runtime.h>
__global__ void time_lines(const unsigned* a, const unsigned* order, int n, int sm, unsigned* t) {
  unsigned id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  if ((int)id != sm || threadIdx.x != 0) return;
  unsigned s = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned line = order[i] + (s & 1);  // what is read is 0
    const long long from = clock64();
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + line * 32ul) : "memory");
    s += v;
    if (s == 0x12345) break;  // waits for it
    t[line] = (unsigned)(clock64() - from) + (s & 1);
  }
}
__global__ void flush(float* a, long n) {
  for (long i = blockIdx.x * 1024L + threadIdx.x; i < n; i += gridDim.x * 1024L) a[i] += 1;
}
int main() {
  printf("what,step,sm,cycles,lines\n");
  const int n = 4096;  // lines of 128 bytes, every `step`-th of the array
  unsigned *a, *order, *t;
  float* big;
  cudaMalloc(&a, 64 << 20), cudaMemset(a, 0, 64 << 20);
  cudaMalloc(&order, n * 4), cudaMalloc(&t, (64 << 20) / 128 * 4), cudaMalloc(&big, 512 << 20);
  std::vector<unsigned> h((64 << 20) / 128);
  for (int step : {1, 64}) {
    std::vector<unsigned> o(n);
    for (int i = 0; i < n; ++i) o[i] = i * step;
    std::shuffle(o.begin(), o.end(), std::mt19937(1));
    cudaMemcpy(order, o.data(), n * 4, cudaMemcpyHostToDevice);
    auto run = [&](const char* what, int sm) {
      time_lines<<<264, 1024>>>(a, order, n, sm, t);
      cudaMemcpy(h.data(), t, h.size() * 4, cudaMemcpyDeviceToHost);
      std::map<unsigned, int> lines;
      for (int i = 0; i < n; ++i) ++lines[h[i * step] / 20 * 20];
      for (const auto& [cycles, count] : lines) printf("%s,%d,%d,%u,%d\n", what, step, sm, cycles, count);
    };
    for (int sm : {0, 2, 4, 6, 8, 10, 12, 14}) {
      flush<<<132, 1024>>>(big, 128 << 20);
      run("cold", sm);
      if (sm > 2) continue;
      run("warm", sm);
      run("warm", sm);
      for (int other : {2, 4, 6, 8, 10, 12, 14}) {
        if (sm != 0) break;
        flush<<<132, 1024>>>(big, 128 << 20);
        time_lines<<<264, 1024>>>(a, order, n, 0, t);
        run("other", other);
        if (other == 2) run("again", other);
      }
    }
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
