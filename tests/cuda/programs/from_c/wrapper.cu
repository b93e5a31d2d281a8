#include "wrapper.h"

__global__ void scramble_kernel(unsigned* data, int n, settings s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] =
        static_cast<unsigned>(static_cast<long long>(data[i]) * data[i] * s.factor + s.offset) % s.modulus;
}

extern "C" cudaError_t scramble(unsigned* data, int n, settings s) {
  scramble_kernel<<<(n + 95) / 96, 96>>>(data, n, s);
  return cudaDeviceSynchronize();
}
