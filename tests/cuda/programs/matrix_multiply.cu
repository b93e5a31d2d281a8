// Tiled product of matrices with a block size as template parameter and a command line, as samples of the SDK
// have.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define checkCudaErrors(value) check((value), #value, __FILE__, __LINE__)
static void check(cudaError_t result, const char* function, const char* file, int line) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, static_cast<int>(result),
               cudaGetErrorName(result), function);
  std::exit(EXIT_FAILURE);
}

template <int kBlock>
__global__ void multiply(float* c, const float* a, const float* b, int width_a, int width_b) {
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int first = width_a * kBlock * by, last = first + width_a - 1;
  float sum = 0;
  for (int at_a = first, at_b = kBlock * bx; at_a <= last; at_a += kBlock, at_b += kBlock * width_b) {
    __shared__ float tile_a[kBlock][kBlock];
    __shared__ float tile_b[kBlock][kBlock];
    tile_a[ty][tx] = a[at_a + width_a * ty + tx];
    tile_b[ty][tx] = b[at_b + width_b * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kBlock; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[width_b * kBlock * by + kBlock * bx + width_b * ty + tx] = sum;
}

// Set device, choose it, and say what it can do: as findCudaDevice of the samples.
static int find_device() {
  int count = 0, device = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) std::exit(EXIT_FAILURE);
  checkCudaErrors(cudaSetDevice(device));
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  if (properties.major < 1) std::exit(EXIT_FAILURE);
  return device;
}

template <int kBlock>
static bool run(dim3 size_a, dim3 size_b) {
  const size_t count_a = size_a.x * size_a.y, count_b = size_b.x * size_b.y, count_c = size_a.y * size_b.x;
  std::vector<float> a(count_a, 1.0f), b(count_b, 0.01f), c(count_c);
  float *d_a, *d_b, *d_c;
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_a), count_a * sizeof(float)));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_b), count_b * sizeof(float)));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_c), count_c * sizeof(float)));
  cudaEvent_t start, stop;
  checkCudaErrors(cudaEventCreate(&start));
  checkCudaErrors(cudaEventCreate(&stop));
  cudaStream_t stream;
  checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  checkCudaErrors(cudaMemcpyAsync(d_a, a.data(), count_a * sizeof(float), cudaMemcpyHostToDevice, stream));
  checkCudaErrors(cudaMemcpyAsync(d_b, b.data(), count_b * sizeof(float), cudaMemcpyHostToDevice, stream));
  const dim3 threads(kBlock, kBlock), grid(size_b.x / threads.x, size_a.y / threads.y);
  checkCudaErrors(cudaEventRecord(start, stream));
  for (int i = 0; i < 2; ++i)
    multiply<kBlock><<<grid, threads, 0, stream>>>(d_c, d_a, d_b, size_a.x, size_b.x);
  checkCudaErrors(cudaEventRecord(stop, stream));
  checkCudaErrors(cudaEventSynchronize(stop));
  float milliseconds = -1;
  checkCudaErrors(cudaEventElapsedTime(&milliseconds, start, stop));
  checkCudaErrors(cudaMemcpyAsync(c.data(), d_c, count_c * sizeof(float), cudaMemcpyDeviceToHost, stream));
  checkCudaErrors(cudaStreamSynchronize(stream));
  bool correct = milliseconds > 0;
  for (const float value : c) {
    const double error = std::fabs(value - size_a.x * 0.01) / std::fabs(value) / size_a.x;
    if (error > 1e-6) correct = false;
  }
  std::printf("MatrixA(%u,%u), MatrixB(%u,%u), blocks of %d: Result = %s\n", size_a.x, size_a.y, size_b.x,
              size_b.y, kBlock, correct ? "PASS" : "FAIL");
  checkCudaErrors(cudaFree(d_a));
  checkCudaErrors(cudaFree(d_b));
  checkCudaErrors(cudaFree(d_c));
  checkCudaErrors(cudaEventDestroy(start));
  checkCudaErrors(cudaEventDestroy(stop));
  checkCudaErrors(cudaStreamDestroy(stream));
  return correct;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "-help") == 0) return EXIT_SUCCESS;
  std::printf("[Matrix Multiply Using CUDA] - Starting...\n");
  find_device();
  const bool good = run<16>(dim3(96, 64), dim3(48, 96)) && run<32>(dim3(64, 64), dim3(64, 64));
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
