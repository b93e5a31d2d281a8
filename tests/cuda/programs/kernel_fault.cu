// A kernel that writes where nothing is: the error comes with the next synchronisation, stays, and ends the
// program with 7.
#include "check.h"

__global__ void store(int* p, int value) {
  p[threadIdx.x] = value;
}

int main() {
  int *good, host = 0;
  CHECK(cudaMalloc(&good, 128));
  store<<<1, 32>>>(good, 3);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&host, good, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("before: %d\n", host);
  store<<<1, 32>>>(reinterpret_cast<int*>(size_t{0x100}), 4);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("synchronise: %d %s, %s\n", static_cast<int>(error), cudaGetErrorName(error),
              cudaGetErrorString(error));
  std::printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("it stays: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&host, good, sizeof host, cudaMemcpyDeviceToHost)));
  std::printf("allocation: %s\n", cudaGetErrorName(cudaMalloc(&good, 16)));
  store<<<1, 32>>>(good, 3);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 7;
}
