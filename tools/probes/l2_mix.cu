// What L2 and DRAM take of reads, writes and both: bytes per clock of the whole card, steady state.
//   nvcc -O3 -std=c++17 -arch=sm_90 l2_mix.cu -o l2_mix && ./l2_mix > h200_l2_mix.csv
//   ncu --csv --cache-control none --clock-control none --metrics lts__t_sectors.sum,lts__t_sectors_srcunit_ltcfabric.sum ./l2_mix brief
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

// Each thread reads R elements and writes W in turn, of its own places. SECTOR: a lane's element is alone in its sector, and sectors of a
// warp lie in 32 lines.
template <class T, int R, int W, bool SECTOR> __global__ void mix(const T* from, T* to, long n, int rounds) {
  const long step = long(gridDim.x) * blockDim.x, me = long(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int k = 0; k < rounds; ++k)
    for (long at = me; at < n; at += step) {
      const long i = SECTOR ? (at * 2654435761u) % (n & ~31L) / (32 / sizeof(T)) * (32 / sizeof(T)) : at;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const unsigned* p = (const unsigned*)(from + r * n + i);
        unsigned v[4] = {};
        if (sizeof(T) == 16)
          asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(p));
        else
          asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[0]) : "l"(p));
        sum ^= v[0] ^ v[1] ^ v[2] ^ v[3];
      }
#pragma unroll
      for (int w = 0; w < W; ++w) {
        unsigned* p = (unsigned*)(to + w * n + i);
        if (sizeof(T) == 16)
          asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(k));
        else
          asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(k));
      }
    }
  if (sum == 12345) *(unsigned*)to = sum;
}

template <class T, bool SECTOR> __global__ void reduce(T* to, long n, int rounds) {
  const long step = long(gridDim.x) * blockDim.x, me = long(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k)
    for (long at = me; at < n; at += step) {
      const long i = SECTOR ? (at * 2654435761u) % (n & ~31L) / 8 * 8 : at;
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to + i), "r"(1));
    }
}

char* memory;
bool brief;
int mhz;

template <class F> void time(const char* what, const char* width, long bytes, int reads, int writes, double moved, F launch) {
  const int grid = 132 * 2, block = 1024;
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  launch(grid, block);
  cudaEventRecord(a);
  launch(grid, block);
  cudaEventRecord(b);
  cudaEventSynchronize(b);
  float ms = 0;
  cudaEventElapsedTime(&ms, a, b);
  const double clocks = ms * 1e-3 * mhz * 1e6;
  printf("%s,%s,%ld,%d,%d,%.0f,%.1f,%.1f\n", what, width, bytes >> 20, reads, writes, clocks, moved * reads / clocks, moved * writes / clocks);
  fflush(stdout);
}

template <class T, int R, int W, bool S> void one(const char* width, long each) {
  const long n = each / sizeof(T);
  int rounds = brief ? 1 : int((long(4) << 30) / (each * (R + W)));
  if (S) rounds = rounds / 8 + 1;
  if (rounds < 1) rounds = 1;
  time(each * (R + W) > (48l << 20) ? "DRAM" : "L2", width, each * (R + W), R, W, double(n) * (S ? 32 : sizeof(T)) * rounds,
       [=](int g, int b) { mix<T, R, W, S><<<g, b>>>((const T*)memory, (T*)(memory + each * R), n, rounds); });
}

template <class T, bool S> void all(const char* width, long total) {
  one<T, 1, 0, S>(width, total);
  one<T, 0, 1, S>(width, total);
  one<T, 1, 1, S>(width, total / 2);
  one<T, 2, 1, S>(width, total / 3 / 4096 * 4096);
  one<T, 1, 2, S>(width, total / 3 / 4096 * 4096);
  one<T, 4, 1, S>(width, total / 5 / 4096 * 4096);
}

int main(int c, char** v) {
  brief = c > 1 && !strcmp(v[1], "brief");
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int khz = 0;
  cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
  mhz = khz / 1000;
  cudaMalloc(&memory, 2l << 30);
  cudaMemset(memory, 0, 2l << 30);
  printf("# tools/probes/l2_mix.cu on an H200 (%d MHz): bytes per clock of 132 SMs; MiB of all buffers; line: 16 bytes per lane, word: 4, sector: 4 in a sector of its own\n", mhz);
  printf("where,width,mib,reads,writes,clocks,read_bytes_per_clock,written_bytes_per_clock\n");
  for (long total : {long(12) << 20, long(24) << 20, long(1536) << 20}) {
    all<uint4, false>("line", total);
    all<unsigned, false>("word", total);
    all<unsigned, true>("sector", total);
    const long n = total / 4;
    const int rounds = brief ? 1 : int((long(1) << 30) / total) + 1;
    time(total > (48l << 20) ? "DRAM" : "L2", "red word", total, 0, 1, double(n) * 4 * rounds, [=](int g, int b) { reduce<unsigned, false><<<g, b>>>((unsigned*)memory, n, rounds); });
    time(total > (48l << 20) ? "DRAM" : "L2", "red sector", total, 0, 1, double(n) * 32 * (rounds / 8 + 1), [=](int g, int b) { reduce<unsigned, true><<<g, b>>>((unsigned*)memory, n, rounds / 8 + 1); });
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
