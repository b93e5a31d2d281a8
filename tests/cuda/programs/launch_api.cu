// Kernels started by other ways than <<< >>>: cudaLaunchKernel, cudaLaunchKernelEx, cooperative;
// three-dimensional grids; many arguments.
#include <cstdint>
#include <vector>

#include "check.h"

struct Large {
  int values[100];
};

__global__ void many(char a, short b, int c, long long d, float e, double f, Large g, const int* h,
                     double* out) {
  out[0] = a + b + c + static_cast<double>(d) + e + f + g.values[99] + *h;
}

__global__ void positions(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread;
}

template <class T, int N>
__global__ void fill(T* out, T value) {
  extern __shared__ char bytes[];
  T* shared = reinterpret_cast<T*>(bytes);
  shared[threadIdx.x] = value * N;
  __syncthreads();
  out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x] + static_cast<T>(threadIdx.x);
}

int main() {
  Checks checks;
  double *out, result = 0;
  int *h, ten = 10;
  CHECK(cudaMalloc(&out, 4096 * sizeof(double)));
  CHECK(cudaMalloc(&h, sizeof(int)));
  CHECK(cudaMemcpy(h, &ten, sizeof ten, cudaMemcpyHostToDevice));
  Large large = {};
  large.values[99] = 400;
  many<<<1, 1>>>(1, 2, 3, 4000000000ll, 0.5f, 0.25, large, h, out);
  CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  std::printf("%.2f\n", result);

  char a = 'a';
  short b = -2;
  int c = 7;
  long long d = -5;
  float e = 1.5f;
  double f = 0.125;
  void* arguments[] = {&a, &b, &c, &d, &e, &f, &large, &h, &out};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(many), dim3(1), dim3(1), arguments, 0, nullptr));
  CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  std::printf("%.3f\n", result);

  const dim3 grid(3, 2, 2), block(5, 4, 3);
  positions<<<grid, block>>>(reinterpret_cast<unsigned*>(out));
  std::vector<unsigned> places(12 * 60);
  CHECK(cudaMemcpy(places.data(), out, places.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  bool good = true;
  for (unsigned i = 0; i < places.size(); ++i) good = good && places[i] == i / 60 * 1000 + i % 60;
  checks.expect(good, "grids and blocks of three dimensions");

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = 64 * sizeof(double);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  config.stream = stream;
  CHECK(cudaLaunchKernelEx(&config, fill<double, 3>, out, 1.5));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&result, out + 63, sizeof result, cudaMemcpyDeviceToHost));
  checks.expect(result == 67.5, "cudaLaunchKernelEx with dynamic shared memory");
  config.dynamicSmemBytes = 64 * sizeof(short);
  CHECK(cudaLaunchKernelEx(&config, fill<short, -2>, reinterpret_cast<short*>(out), static_cast<short>(11)));
  short last = 0;
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&last, reinterpret_cast<short*>(out) + 63, sizeof last, cudaMemcpyDeviceToHost));
  checks.expect(last == 41, "another instance of the same template");
  config.blockDim = dim3(2048);
  std::printf("too many threads: %s\n",
              cudaGetErrorName(cudaLaunchKernelEx(&config, fill<double, 3>, out, 1.0)));
  cudaGetLastError();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(out));
  CHECK(cudaFree(h));
  return checks.finish();
}
