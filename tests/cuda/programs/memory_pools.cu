// Memory that is allocated and freed in the order of a stream, from pools.
#include <vector>

#include "check.h"

__global__ void fill(int* p, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = value + i;
}
__global__ void add(const int* a, const int* b, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = a[i] + b[i];
}

int main() {
  Checks checks;
  int supported = 0;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  checks.expect(supported == 1, "the device has pools");
  const int n = 3000;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  std::vector<int> host(n);
  bool good = true;
  for (int turn = 0; turn < 3; ++turn) {
    int *a, *b, *out;
    CHECK(cudaMallocAsync(&a, n * sizeof(int), stream));
    CHECK(cudaMallocAsync(&b, n * sizeof(int), stream));
    fill<<<4, 128, 0, stream>>>(a, n, turn);
    fill<<<4, 128, 0, stream>>>(b, n, 100);
    CHECK(cudaMallocAsync(&out, n * sizeof(int), stream));
    add<<<4, 128, 0, stream>>>(a, b, out, n);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaMemcpyAsync(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(out, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) good = good && host[i] == turn + 100 + 2 * i;
  }
  checks.expect(good, "memory allocated and freed in a stream");

  cudaMemPool_t pool, again;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaDeviceGetMemPool(&again, 0));
  checks.expect(pool == again, "the default pool is the current one");
  unsigned long long threshold = ~0ull, got = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
  checks.expect(got == threshold, "its release threshold");
  CHECK(cudaMemPoolTrimTo(pool, 0));

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t own;
  CHECK(cudaMemPoolCreate(&own, &properties));
  int* p;
  CHECK(cudaMallocFromPoolAsync(&p, n * sizeof(int), own, stream));
  fill<<<4, 128, 0, stream>>>(p, n, 5);
  CHECK(cudaMemcpyAsync(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  checks.expect(host[0] == 5 && host[n - 1] == n + 4, "memory of a pool of our own");
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolDestroy(own));
  int* mixed;
  CHECK(cudaMallocAsync(&mixed, 1000, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(mixed));
  checks.expect(cudaGetLastError() == cudaSuccess, "cudaFree of such memory");
  CHECK(cudaStreamDestroy(stream));
  return checks.finish();
}
