// What a loop costs when its warps keep the schedulers busy: cycles per turn, warp and scheduler, for bodies of several lengths
// and kinds, with 1 to 8 warps per scheduler.
//   nvcc -O3 -std=c++17 -arch=sm_90 loop_rate.cu -o loop_rate && ./loop_rate
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kTurns = 400;
enum Kind { kFma, kAdd, kInteger, kMixed, kMostlyFma };
const char* const kNames[] = {"fma", "float add", "integer add and xor", "fma and integer in turn", "three fma and an integer"};

template <Kind kind>
__device__ void step(int j, float& f, unsigned& u, float a, unsigned b) {
  const bool integer = kind == kInteger || (kind == kMixed && j % 2 == 1) || (kind == kMostlyFma && j % 4 == 3);
  if (integer && j / 8 % 2 == 0)
    asm volatile("add.u32 %0, %0, %1;" : "+r"(u) : "r"(b));
  else if (integer)
    asm volatile("xor.b32 %0, %0, %1;" : "+r"(u) : "r"(b));
  else if (kind == kAdd)
    asm volatile("add.f32 %0, %0, %1;" : "+f"(f) : "f"(a));
  else
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(a));
}

// A loop of `n` steps on eight values each, so that none waits for the one before.
template <Kind kind, int n>
__global__ void loop(long long* cycles, float* out, float a, unsigned b, int turns) {
  float f[8];
  unsigned u[8];
  for (int j = 0; j < 8; ++j) f[j] = threadIdx.x + j, u[j] = threadIdx.x + j;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < turns; ++i)
#pragma unroll
    for (int j = 0; j < n; ++j) step<kind>(j, f[j % 8], u[j % 8], a, b);
  __syncthreads();
  const long long to = clock64();
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += f[j] + u[j];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = to - from;
}

// The loop of a Mandelbrot set, whose end depends on what it computes.
__global__ void mandelbrot(long long* cycles, float* out, float cr, float ci, int turns, bool own) {
  float zr = 0, zi = 0;
  int k = 0;
  if (own) turns += out[threadIdx.x] == 1.5f;  // a limit that the assembler does not know to be the same in all lanes
  __syncthreads();
  const long long from = clock64();
  while (k < turns && zr * zr + zi * zi < 4) {
    const float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci, zr = t, ++k;
  }
  __syncthreads();
  const long long to = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = k + zr;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = to - from;
}

long long* cycles;
float* out;

template <typename F>
void measure(const char* name, int n, F launch) {
  printf("%s,%d", name, n);
  for (int threads : {32, 128, 256, 384, 512, 768, 1024}) {
    long long h = 0;
    for (int k = 0; k < 2; ++k) launch(threads), cudaMemcpy(&h, cycles, sizeof h, cudaMemcpyDeviceToHost);
    printf(",%.2f", double(h) / kTurns / (threads < 128 ? 1 : threads / 128));
  }
  printf("%s\n", cudaGetLastError() == cudaSuccess ? "" : ",failed");
}

template <Kind kind, int n>
void one() { measure(kNames[kind], n, [](int threads) { loop<kind, n><<<1, threads>>>(cycles, out, 0.5f, 3, kTurns); }); }
template <Kind kind>
void all() { one<kind, 1>(), one<kind, 2>(), one<kind, 4>(), one<kind, 8>(), one<kind, 12>(), one<kind, 16>(), one<kind, 24>(), one<kind, 32>(); }

int main() {
  cudaMalloc(&cycles, sizeof *cycles), cudaMalloc(&out, 4 << 20);
  printf("what,steps,1 warp,1 per scheduler,2,3,4,6,8\n");
  all<kFma>(), all<kAdd>(), all<kInteger>(), all<kMixed>(), all<kMostlyFma>();
  measure("mandelbrot", 11, [](int threads) { mandelbrot<<<1, threads>>>(cycles, out, 0.1f, 0.1f, kTurns, false); });
  measure("mandelbrot with a limit per lane", 11, [](int threads) { mandelbrot<<<1, threads>>>(cycles, out, 0.1f, 0.1f, kTurns, true); });
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
