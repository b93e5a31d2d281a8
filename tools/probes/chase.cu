// Load-to-load latency without arithmetic in between: a walk along pointers in a random order.
//   nvcc -O3 -std=c++17 -arch=sm_90 chase.cu -o chase && ./chase      on a card
//   nvcc -O3 -arch=compute_75 -ptx chase.cu -o ../../validation/ptx/probes/chase.ptx      for the simulated one
typedef unsigned long long Word;
template <class Load>
__device__ void chase(Word at, int steps, int rounds, long long* cycles, Load load) {
  for (int round = 0; round < rounds; ++round) {
    const long long from = clock64();
    for (int i = 0; i < steps; i += 4) at = load(load(load(load(at))));
    *cycles = clock64() - from;
  }
  cycles[1] = at;
}
extern "C" __global__ void all_caches(Word at, int steps, int rounds, long long* cycles) {
  chase(at, steps, rounds, cycles, [](Word p) { return __ldca((const Word*)p); });
}
extern "C" __global__ void l2_only(Word at, int steps, int rounds, long long* cycles) {
  chase(at, steps, rounds, cycles, [](Word p) { return __ldcg((const Word*)p); });
}
#ifndef __CUDA_ARCH__
#include <cstdio>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>
int main() {
  auto go = [](const char* what, auto kernel, size_t bytes, size_t stride, int steps, int rounds) {
    Word* d; long long *t, h;
    cudaMalloc(&d, bytes); cudaMalloc(&t, 16);
    std::vector<Word> words(bytes / 8);
    std::vector<size_t> order(bytes / stride);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    for (size_t i = 0; i < order.size(); ++i) words[order[i] * stride / 8] = (Word)d + order[(i + 1) % order.size()] * stride;
    cudaMemcpy(d, words.data(), bytes, cudaMemcpyHostToDevice);
    kernel<<<1, 1>>>((Word)d + order[0] * stride, steps, rounds, t);
    cudaMemcpy(&h, t, 8, cudaMemcpyDeviceToHost);
    printf("%s,%zu,%zu,%.1f,%s\n", what, bytes, stride, (double)h / steps, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
  };
  go("L1", all_caches, 1 << 14, 128, 128, 4);
  for (size_t b : {1 << 18, 1 << 20, 1 << 24}) go("L2", l2_only, b, 128, b / 128, 2);
  go("DRAM", l2_only, 1 << 29, 4096, 65536, 1);
  go("DRAM", l2_only, 1 << 29, 128, 65536, 1);
}
#endif
