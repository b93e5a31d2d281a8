#include "image.h"

static __constant__ float weights[3] = {-1, 3, -1};

static __global__ void filter(float* to, const float* from, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dx = -1; dx <= 1; ++dx) sum += weights[dx + 1] * from[y * width + min(max(x + dx, 0), width - 1)];
  to[y * width + x] = sum;
}

void sharpen(Image& to, Image& from) {
  filter<<<dim3((to.width() + 63) / 64, to.height()), 64>>>(to.device(), from.device(), to.width(),
                                                            to.height());
}
