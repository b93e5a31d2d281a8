// Variables of the device: constant, global, initialised, arrays, structures; copied by symbol and by
// address.
#include "check.h"

struct Lens {
  float focus;
  int glass;
  double width[3];
};

__constant__ float coefficients[16];
__constant__ Lens lens = {0.5f, 7, {1.0, 2.0, 4.0}};
__device__ int counter = 40;
__device__ int table[8] = {1, 1, 2, 3, 5, 8, 13, 21};
__device__ int* pointer_to_table = table + 3;
static __constant__ int hidden = -3;

__global__ void polynomial(const float* x, float* y, int n, int degree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = 0;
  for (int k = degree; k >= 0; --k) value = value * x[i] + coefficients[k];
  y[i] = value;
}

__global__ void look(int* out) {
  out[0] = lens.glass + static_cast<int>(lens.focus * 2) + static_cast<int>(lens.width[2]);
  out[1] = atomicAdd(&counter, 2);
  out[2] = table[7] + hidden;
  out[3] = pointer_to_table[1];
}

int main() {
  Checks checks;
  float host[16];
  for (int i = 0; i < 16; ++i) host[i] = i % 3 - 1.0f;
  CHECK(cudaMemcpyToSymbol(coefficients, host, sizeof host));
  const float nine = 9;
  CHECK(cudaMemcpyToSymbol(coefficients, &nine, sizeof nine, 2 * sizeof(float)));
  host[2] = nine;

  const int n = 300;
  float x[n], y[n], *d_x, *d_y;
  for (int i = 0; i < n; ++i) x[i] = (i - 150) / 128.0f;
  CHECK(cudaMalloc(&d_x, sizeof x));
  CHECK(cudaMalloc(&d_y, sizeof y));
  CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
  polynomial<<<3, 128>>>(d_x, d_y, n, 5);
  CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < n; ++i) {
    double value = 0;
    for (int k = 5; k >= 0; --k) value = value * x[i] + host[k];
    const double error = y[i] - value;
    good = good && error < 1e-4 && error > -1e-4;
  }
  checks.expect(good, "polynomial with constants copied by symbol");

  int *d_out, out[4];
  CHECK(cudaMalloc(&d_out, sizeof out));
  look<<<1, 1>>>(d_out);
  CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  checks.expect(count == 42, "a device variable keeps its value");
  int* address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), table));
  CHECK(cudaGetSymbolSize(&size, table));
  checks.expect(size == sizeof table, "the size of a symbol");
  const int hundred = 100;
  CHECK(cudaMemcpy(address + 4, &hundred, sizeof hundred, cudaMemcpyHostToDevice));
  look<<<1, 1>>>(d_out);
  CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const Lens other = {1.5f, 100, {0, 0, 1000}};
  CHECK(cudaMemcpyToSymbolAsync(lens, &other, sizeof other, 0, cudaMemcpyHostToDevice, stream));
  look<<<1, 1, 0, stream>>>(d_out);
  CHECK(cudaMemcpyAsync(out, d_out, sizeof out, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  checks.expect(cudaMemcpyToSymbol(counter, out, 8) == cudaErrorInvalidValue, "a copy past a symbol's end");
  return checks.finish();
}
