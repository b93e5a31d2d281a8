// For the plain CUDA programs of this folder, which know nothing of clustering.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                              \
  do {                                                           \
    const cudaError_t error = (call);                            \
    if (error != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                              \
    }                                                            \
  } while (0)

inline float noise(std::size_t i) {
  return static_cast<float>((i * 2654435761u >> 8) & 0xffff) / 65536.0f;
}

inline float* filled(std::size_t count, std::size_t seed) {
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i) host[i] = noise(i + seed);
  float* device = nullptr;
  CHECK(cudaMalloc(&device, count * sizeof(float)));
  CHECK(cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  return device;
}

inline void print_sum(const char* name, const float* device, std::size_t count) {
  std::vector<float> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float x : host) sum += x;
  std::printf("%s: sum %.6f\n", name, sum);
}
