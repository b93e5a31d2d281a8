// Work in several streams, in order within each; events order them; callbacks run on the host.
#include <vector>

#include "check.h"

__global__ void add(int* data, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] += value;
}

__global__ void combine(const int* a, const int* b, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = a[i] * 1000 + b[i];
}

struct Note {
  int called = 0;
  cudaError_t status = cudaErrorUnknown;
};

void host_function(void* data) {
  static_cast<Note*>(data)->called += 1;
}
void callback(cudaStream_t, cudaError_t status, void* data) {
  static_cast<Note*>(data)->called += 10;
  static_cast<Note*>(data)->status = status;
}

int main() {
  Checks checks;
  const int n = 4096, kStreams = 4;
  const size_t bytes = n * sizeof(int);
  int *host, *device[kStreams], *out;
  CHECK(cudaMallocHost(&host, bytes * kStreams));
  CHECK(cudaMalloc(&out, bytes));
  cudaStream_t stream[kStreams];
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaStreamCreate(&stream[s]));
    CHECK(cudaMalloc(&device[s], bytes));
    for (int i = 0; i < n; ++i) host[s * n + i] = i + s;
  }
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaMemcpyAsync(device[s], host + s * n, bytes, cudaMemcpyHostToDevice, stream[s]));
    add<<<4, 128, 0, stream[s]>>>(device[s], n, 100);
    add<<<4, 128, 0, stream[s]>>>(device[s], n, s);
    CHECK(cudaMemcpyAsync(host + s * n, device[s], bytes, cudaMemcpyDeviceToHost, stream[s]));
  }
  bool good = true;
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaStreamSynchronize(stream[s]));
    checks.expect(cudaStreamQuery(stream[s]) == cudaSuccess, "a synchronised stream has nothing left");
    for (int i = 0; i < n; ++i) good = good && host[s * n + i] == i + 2 * s + 100;
  }
  checks.expect(good, "copies and kernels of one stream run in order");

  cudaEvent_t ready;
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  add<<<1, 32, 0, stream[1]>>>(device[1], n, 7);
  CHECK(cudaEventRecord(ready, stream[1]));
  CHECK(cudaStreamWaitEvent(stream[0], ready, 0));
  combine<<<4, 128, 0, stream[0]>>>(device[0], device[1], out, n);
  CHECK(cudaMemcpyAsync(host, out, bytes, cudaMemcpyDeviceToHost, stream[0]));
  CHECK(cudaStreamSynchronize(stream[0]));
  good = true;
  for (int i = 0; i < n; ++i) good = good && host[i] == (i + 100) * 1000 + i + 109;
  checks.expect(good, "a stream waits for an event of another");

  Note note;
  CHECK(cudaLaunchHostFunc(stream[2], host_function, &note));
  CHECK(cudaStreamAddCallback(stream[2], callback, &note, 0));
  CHECK(cudaStreamSynchronize(stream[2]));
  checks.expect(note.called == 11 && note.status == cudaSuccess, "functions of the host in a stream");

  CHECK(cudaMemsetAsync(out, 0xff, bytes, stream[3]));
  CHECK(cudaMemcpyAsync(host, out, bytes, cudaMemcpyDeviceToHost, stream[3]));
  CHECK(cudaDeviceSynchronize());
  checks.expect(host[0] == -1 && host[n - 1] == -1, "cudaMemsetAsync");

  // The default stream waits for all others and they for it.
  add<<<1, 64, 0, stream[0]>>>(out, n, 1);
  add<<<1, 64>>>(out, n, 2);
  add<<<1, 64, 0, stream[1]>>>(out, n, 4);
  CHECK(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost));
  checks.expect(host[0] == 6 && host[n - 1] == 6, "the default stream orders the others");

  int least = 1, greatest = 1, priority = 7;
  unsigned flags = 7;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  checks.expect(greatest <= least, "the range of priorities");
  cudaStream_t urgent;
  CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamGetPriority(urgent, &priority));
  CHECK(cudaStreamGetFlags(urgent, &flags));
  checks.expect(priority == greatest && flags == cudaStreamNonBlocking, "a stream's priority and flags");
  CHECK(cudaStreamDestroy(urgent));
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaFree(device[s]));
  }
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaFree(out));
  CHECK(cudaFreeHost(host));
  return checks.finish();
}
