// What bad calls give, and how the last error is kept.
#include "check.h"

__global__ void nothing() {}
__global__ void with_argument(int* p) {
  *p = 1;
}

static void show(const char* what, cudaError_t error) {
  std::printf("%-44s %3d %s: %s\n", what, static_cast<int>(error), cudaGetErrorName(error),
              cudaGetErrorString(error));
}

int main() {
  Checks checks;
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // a call that crashes shows which one it was
  int host = 0, *device = nullptr;
  CHECK(cudaMalloc(&device, 1024));
  show("nothing wrong", cudaGetLastError());

  show("no place for the pointer", cudaMalloc(static_cast<void**>(nullptr), 16));
  show("the last error", cudaGetLastError());
  show("reading it clears it", cudaGetLastError());
  void* large = nullptr;
  show("too much memory", cudaMalloc(&large, size_t{1} << 60));
  show("peeking", cudaPeekAtLastError());
  show("does not clear it", cudaPeekAtLastError());
  show("until it is read", cudaGetLastError());
  show("now it is", cudaPeekAtLastError());

  show("free of nothing", cudaFree(nullptr));
  show("free of a host address", cudaFree(&host));
  show("free of the middle", cudaFree(reinterpret_cast<char*>(device) + 4));
  cudaGetLastError();
  show("a good free", cudaFree(device));
  show("a second time", cudaFree(device));
  cudaGetLastError();

  CHECK(cudaMalloc(&device, 1024));
  show("a direction that does not exist", cudaMemcpy(device, &host, 4, static_cast<cudaMemcpyKind>(17)));
  show("a copy of no bytes", cudaMemcpy(device, &host, 0, cudaMemcpyHostToDevice));
  show("a copy to nowhere", cudaMemcpy(nullptr, &host, 4, cudaMemcpyHostToDevice));
  cudaGetLastError();
  show("memset of nothing", cudaMemset(nullptr, 0, 4));
  show("memset of no bytes", cudaMemset(device, 0, 0));
  cudaGetLastError();

  nothing<<<1, 1025>>>();
  show("1025 threads per block", cudaGetLastError());
  nothing<<<1, dim3(1, 1, 65)>>>();
  show("65 threads deep", cudaGetLastError());
  nothing<<<0, 32>>>();
  show("no blocks", cudaGetLastError());
  nothing<<<1, 0>>>();
  show("no threads", cudaGetLastError());
  nothing<<<dim3(1, 65536), 32>>>();
  show("65536 blocks in y", cudaGetLastError());
  nothing<<<1, 32, 1 << 20>>>();
  show("1 MiB of shared memory", cudaGetLastError());
  show("a bad launch is not sticky", cudaDeviceSynchronize());
  nothing<<<1, 32>>>();
  show("a good launch", cudaGetLastError());
  show("synchronised", cudaDeviceSynchronize());
  nothing<<<1, 2000>>>();
  with_argument<<<1, 1>>>(device);
  show("a bad launch, then a good one", cudaGetLastError());
  CHECK(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost));
  checks.expect(host == 1, "the good one ran");

  show("device 1000", cudaSetDevice(1000));
  show("properties of device -1", [] {
    cudaDeviceProp p;
    return cudaGetDeviceProperties(&p, -1);
  }());
  int value = 0;
  show("an attribute that does not exist",
       cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(100000), 0));
  show("no place for the attribute", cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  show("attributes of what is no kernel", [&] {
    cudaFuncAttributes a;
    return cudaFuncGetAttributes(&a, &host);
  }());
  void* address = nullptr;
  show("address of what is no symbol", cudaGetSymbolAddress(&address, &host));
  show("stream with bad flags", [] {
    cudaStream_t s;
    return cudaStreamCreateWithFlags(&s, 1000);
  }());
  show("event with bad flags", [] {
    cudaEvent_t e;
    return cudaEventCreateWithFlags(&e, 1000);
  }());
  cudaGetLastError();
  show("free of host memory that is not pinned", cudaFreeHost(&host));
  cudaGetLastError();
  std::printf("%s | %s\n", cudaGetErrorName(static_cast<cudaError_t>(54321)),
              cudaGetErrorString(static_cast<cudaError_t>(54321)));
  for (const cudaError_t e :
       {cudaErrorMemoryAllocation, cudaErrorInvalidDevice, cudaErrorIllegalAddress, cudaErrorLaunchTimeout,
        cudaErrorLaunchFailure, cudaErrorNoDevice, cudaErrorNotReady, cudaErrorInvalidDeviceFunction,
        cudaErrorLaunchOutOfResources, cudaErrorNotSupported, cudaErrorMisalignedAddress, cudaErrorUnknown})
    show("", e);
  show("in the end", cudaGetLastError());
  CHECK(cudaFree(device));
  return checks.finish();
}
