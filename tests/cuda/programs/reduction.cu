// Sums with dynamic shared memory, for several types and block sizes: templates chosen at run time.
#include <numeric>
#include <type_traits>
#include <vector>

#include "check.h"

// Dynamic shared memory of any type from one declaration.
template <class T>
struct Shared {
  __device__ operator T*() {
    extern __shared__ __align__(16) unsigned char memory[];
    return reinterpret_cast<T*>(memory);
  }
};

template <class T, unsigned kThreads>
__global__ void reduce(const T* in, T* out, unsigned n) {
  T* data = Shared<T>();
  const unsigned t = threadIdx.x;
  T sum = 0;
  for (unsigned i = blockIdx.x * kThreads * 2 + t; i < n; i += kThreads * 2 * gridDim.x) {
    sum += in[i];
    if (i + kThreads < n) sum += in[i + kThreads];
  }
  data[t] = sum;
  __syncthreads();
  if constexpr (kThreads >= 512) {
    if (t < 256) data[t] = sum = sum + data[t + 256];
    __syncthreads();
  }
  if constexpr (kThreads >= 256) {
    if (t < 128) data[t] = sum = sum + data[t + 128];
    __syncthreads();
  }
  if constexpr (kThreads >= 128) {
    if (t < 64) data[t] = sum = sum + data[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    if constexpr (kThreads >= 64) sum += data[t + 32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  if (t == 0) out[blockIdx.x] = sum;
}

template <class T>
void launch(unsigned threads, unsigned blocks, const T* in, T* out, unsigned n) {
  const size_t bytes = threads * sizeof(T);
  switch (threads) {
    case 32:
      reduce<T, 32><<<blocks, 32, bytes>>>(in, out, n);
      break;
    case 64:
      reduce<T, 64><<<blocks, 64, bytes>>>(in, out, n);
      break;
    case 128:
      reduce<T, 128><<<blocks, 128, bytes>>>(in, out, n);
      break;
    case 256:
      reduce<T, 256><<<blocks, 256, bytes>>>(in, out, n);
      break;
    case 512:
      reduce<T, 512><<<blocks, 512, bytes>>>(in, out, n);
      break;
    default:
      std::exit(3);
  }
}

template <class T>
void run(Checks& checks, const char* type) {
  const unsigned n = 10007, blocks = 4;
  std::vector<T> host(n);
  for (unsigned i = 0; i < n; ++i) host[i] = static_cast<T>((i * 7919) % 64) / 4;  // exact in every type
  const T expected = std::accumulate(host.begin(), host.end(), T{0});
  T *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(T)));
  CHECK(cudaMalloc(&out, blocks * sizeof(T)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  for (const unsigned threads : {32u, 64u, 128u, 256u, 512u}) {
    launch(threads, blocks, in, out, n);
    CHECK(cudaGetLastError());
    std::vector<T> parts(blocks);
    CHECK(cudaMemcpy(parts.data(), out, blocks * sizeof(T), cudaMemcpyDeviceToHost));
    char text[80];
    std::snprintf(text, sizeof text, "%s, blocks of %u", type, threads);
    checks.expect(std::accumulate(parts.begin(), parts.end(), T{0}) == expected, text);
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

__global__ void fill_large(int* out) {
  extern __shared__ int large[];
  for (int i = threadIdx.x; i < 16 * 1024; i += blockDim.x) large[i] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 1024; i += blockDim.x) out[i] = large[16 * 1024 - 1 - i];
}

int main() {
  Checks checks;
  run<int>(checks, "int");
  run<long long>(checks, "long long");
  run<float>(checks, "float");
  run<double>(checks, "double");
  // More than 48 KiB must be asked for.
  const int bytes = 64 * 1024;
  int* out;
  CHECK(cudaMalloc(&out, bytes));
  fill_large<<<1, 256, bytes>>>(out);
  checks.expect(cudaGetLastError() == cudaErrorInvalidValue, "64 KiB without asking are refused");
  CHECK(cudaFuncSetAttribute(fill_large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  fill_large<<<1, 256, bytes>>>(out);
  CHECK(cudaGetLastError());
  std::vector<int> host(16 * 1024);
  CHECK(cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < 16 * 1024; ++i) good = good && host[i] == 16 * 1024 - 1 - i;
  checks.expect(good, "64 KiB of shared memory");
  CHECK(cudaFree(out));
  return checks.finish();
}
