// Listing 3 of the CTA clustering paper, corrected (docs/specs/clustering.md, rule 19): CTAs of one warp, of which one
// thread reads the line of its SM and takes the time. What a CTA has read, later ones of the same SM find in its L1.
//
//   nvcc -O2 -o turnaround turnaround.cu
//   ./turnaround [TURNS [DELAY]] > ticks.csv       as many turns of CTAs as an SM holds; cycles that a CTA waits first, times its number
//   heddle exec --gpu k40 -- ./turnaround          the same on a simulated card
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Seen {
  unsigned sm, ticks;
};

__device__ unsigned ticks() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t));
  return t;
}

__global__ void turnaround(const unsigned* lines, Seen* seen, unsigned delay) {
  if (threadIdx.x != 0) return;
  const unsigned begin = ticks();
  while (ticks() - begin < delay * blockIdx.x) {
  }
  unsigned sm, before, after;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  // The store waits for the value: the second clock is read when it is there.
  __shared__ unsigned sink;
  asm volatile(
      "{ .reg .u32 value;\n\t"
      "mov.u32 %0, %%clock;\n\t"
      "ld.global.ca.u32 value, [%2];\n\t"
      "st.volatile.shared.u32 [%3], value;\n\t"
      "mov.u32 %1, %%clock; }"
      : "=&r"(before), "=&r"(after)
      : "l"(lines + 32 * sm), "r"(static_cast<unsigned>(__cvta_generic_to_shared(&sink)))
      : "memory");
  seen[blockIdx.x] = {sm, after - before};
}

static void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  std::exit(1);
}

int main(int argc, char** argv) {
  const unsigned turns = argc > 1 ? std::atoi(argv[1]) : 2, delay = argc > 2 ? std::atoi(argv[2]) : 0;
  int sms = 0, fit = 0;
  check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, turnaround, 32, 0), "cudaOccupancy");
  const unsigned ctas = sms * fit * turns;
  const std::size_t line_bytes = 128 * static_cast<std::size_t>(sms);
  unsigned* lines = nullptr;
  Seen* seen = nullptr;
  check(cudaMalloc(&lines, line_bytes), "cudaMalloc");
  check(cudaMalloc(&seen, ctas * sizeof(Seen)), "cudaMalloc");
  check(cudaMemset(lines, 0, line_bytes), "cudaMemset");
  turnaround<<<ctas, 32>>>(lines, seen, delay);
  check(cudaGetLastError(), "turnaround");
  check(cudaDeviceSynchronize(), "turnaround");
  std::vector<Seen> all(ctas);
  check(cudaMemcpy(all.data(), seen, ctas * sizeof(Seen), cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::printf("cta,sm,ticks\n");
  for (unsigned c = 0; c < ctas; ++c) std::printf("%u,%u,%u\n", c, all[c].sm, all[c].ticks);
  return 0;
}
