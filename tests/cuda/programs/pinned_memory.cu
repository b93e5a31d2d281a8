// Pinned host memory: allocated, mapped into the device's addresses, registered afterwards.
#include <cstring>
#include <vector>

#include "check.h"

__global__ void squares(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  Checks checks;
  int can_map = 0, unified = 0;
  CHECK(cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, 0));
  CHECK(cudaDeviceGetAttribute(&unified, cudaDevAttrUnifiedAddressing, 0));
  checks.expect(can_map == 1 && unified == 1, "the device maps host memory, with one address space");
  const int n = 1000;
  const size_t bytes = n * sizeof(int);

  int *in, *out, *d_in, *d_out;
  CHECK(cudaHostAlloc(&in, bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  CHECK(cudaHostAlloc(&out, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
  CHECK(cudaHostGetDevicePointer(&d_in, in, 0));
  CHECK(cudaHostGetDevicePointer(&d_out, out, 0));
  for (int i = 0; i < n; ++i) in[i] = i - 500;
  squares<<<8, 128>>>(d_in, d_out, n);
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && out[i] == (i - 500) * (i - 500);
  checks.expect(good, "a kernel reads and writes mapped memory");
  squares<<<1, 32>>>(in, out + 1, 10);  // with unified addresses the host's pointer is good as well
  CHECK(cudaDeviceSynchronize());
  checks.expect(out[1] == 250000, "by the host's address, too");
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, out));
  checks.expect(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == out &&
                    attributes.devicePointer == d_out,
                "attributes of pinned memory");
  unsigned flags = 0;
  CHECK(cudaHostGetFlags(&flags, out));
  checks.expect((flags & cudaHostAllocMapped) != 0 && (flags & cudaHostAllocPortable) != 0,
                "flags of pinned memory");

  std::vector<int> plain(n + 2048, 3);
  CHECK(cudaHostRegister(plain.data(), plain.size() * sizeof(int), cudaHostRegisterMapped));
  int* d_plain;
  CHECK(cudaHostGetDevicePointer(&d_plain, plain.data(), 0));
  squares<<<8, 128>>>(d_plain, d_plain + n, n);
  CHECK(cudaDeviceSynchronize());
  checks.expect(plain[n] == 9 && plain[2 * n - 1] == 9, "a kernel uses registered memory");
  checks.expect(cudaHostRegister(plain.data(), 4096, 0) == cudaErrorHostMemoryAlreadyRegistered,
                "registering twice is refused");
  CHECK(cudaHostUnregister(plain.data()));
  checks.expect(cudaHostUnregister(plain.data()) == cudaErrorHostMemoryNotRegistered,
                "and so is ending it twice");
  cudaGetLastError();

  int *pinned, *device;
  CHECK(cudaMallocHost(&pinned, bytes));
  CHECK(cudaMalloc(&device, bytes));
  std::memset(pinned, 0x11, bytes);
  CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  checks.expect(out[0] == 0x11111111 && out[n - 1] == 0x11111111, "copies from and to pinned memory");
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  CHECK(cudaFree(device));
  return checks.finish();
}
