// A stencil of radius 4 over a plane, three steps: neighbouring CTAs share rims. Not a multiple of anything.
#include "common.h"

__global__ void step(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int d = -4; d <= 4; ++d) {
    const int u = min(max(x + d, 0), width - 1), v = min(max(y + d, 0), height - 1);
    sum += in[y * width + u] + in[v * width + x];
  }
  out[y * width + x] = sum / 18;
}

int main() {
  const int width = 6001, height = 4003;
  float* a = filled(static_cast<std::size_t>(width) * height, 0);
  float* b = filled(static_cast<std::size_t>(width) * height, 1);
  for (int i = 0; i < 6; ++i) {
    step<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(i % 2 == 0 ? a : b, i % 2 == 0 ? b : a,
                                                                     width, height);
  }
  CHECK(cudaGetLastError());
  print_sum("stencil", a, static_cast<std::size_t>(width) * height);
}
