// A failed assertion stops the kernel; the error surfaces at the next synchronisation and stays.
#include <cassert>

#include "check.h"

__global__ void positive(const int* data, int* out) {
  assert(data[threadIdx.x] > 0 && "only positive numbers");
  out[threadIdx.x] = data[threadIdx.x] * 2;
}

int main() {
  Checks checks;
  int host[32], *data, *out;
  for (int i = 0; i < 32; ++i) host[i] = i + 1;
  CHECK(cudaMalloc(&data, sizeof host));
  CHECK(cudaMalloc(&out, sizeof host));
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  positive<<<1, 32>>>(data, out);
  CHECK(cudaDeviceSynchronize());
  int back[32];
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  checks.expect(back[31] == 64, "assertions that hold change nothing");

  host[5] = -1;
  CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  positive<<<1, 32>>>(data, out);
  checks.expect(cudaGetLastError() == cudaSuccess, "the launch itself succeeds");
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d %s: %s\n", static_cast<int>(error), cudaGetErrorName(error), cudaGetErrorString(error));
  checks.expect(error == cudaErrorAssert, "synchronising tells of the assertion");
  checks.expect(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost) == cudaErrorAssert,
                "and so does every later call");
  return checks.finish();
}
