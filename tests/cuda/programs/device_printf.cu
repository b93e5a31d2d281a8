// printf in kernels: formats, order within a thread and between launches, and the host's own output between
// them.
#include "check.h"

__device__ const char* kind(int i) {
  return i % 2 == 0 ? "even" : "odd";
}

__global__ void formats() {
  printf("no arguments\n");
  printf("integers %d %u %x %#x %o %5d|%-5d|%05d %+d\n", -7, 4000000000u, 255, 255, 8, 42, 42, 42, 42);
  printf("long %lld %llu %llx %ld\n", -123456789012345ll, 18446744073709551615ull, 0x123456789abcdefull, -5l);
  printf("real %f %.3f %8.2f|%-8.2f|%e %g %g\n", 3.5, 2.0 / 3, 1.25, 1.25, 12345.678, 0.0001, 1e20);
  printf("float %f, character %c, text '%s' '%10s' '%-6s'\n", 0.1f, 'x', "hello", "right", "left");
  printf("percent %%, two %s and %s\n", kind(2), kind(3));
  printf("infinite %f %f\n", 1.0 / 0.0, -1.0 / 0.0);
}

__global__ void loop(int n) {
  for (int i = 0; i < n; ++i) printf("  %d is %s\n", i, kind(i));
}

// Only one thread of each block prints, and blocks take turns by a flag.
__global__ void in_turn(volatile int* turn) {
  if (threadIdx.x == 0) {
    while (*turn != static_cast<int>(blockIdx.x)) {
    }
    const int written = printf("block %d of %d\n", static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
    if (written != 2) printf("printf gives %d\n", written);
    __threadfence();
    *turn = blockIdx.x + 1;
  }
}

int main() {
  std::printf("before\n");
  std::fflush(stdout);
  formats<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("between\n");
  std::fflush(stdout);
  loop<<<1, 1>>>(3);
  loop<<<1, 1>>>(1);
  CHECK(cudaDeviceSynchronize());
  int* turn;
  CHECK(cudaMalloc(&turn, sizeof(int)));
  CHECK(cudaMemset(turn, 0, sizeof(int)));
  in_turn<<<4, 64>>>(turn);
  CHECK(cudaDeviceSynchronize());
  size_t bytes = 0;
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
  std::printf("after, the buffer has room: %s\n", bytes >= 4096 ? "yes" : "no");
  return 0;
}
