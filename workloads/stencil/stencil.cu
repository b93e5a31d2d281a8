// Parboil's stencil: seven points in three dimensions. A CTA walks the planes of a column of 64 by 4 points;
// the current plane lies in shared memory, those below and above in registers.
#include "heddle_device.h"

extern __shared__ float plane[];

extern "C" __global__ void stencil_7pt(float c0, float c1, const float* from, float* to, int nx, int ny,
                                       int nz) {
  // Each thread has two points, half a tile apart.
  const int width = blockDim.x * 2;
  const int i = blockIdx.x * width + threadIdx.x, i2 = i + blockDim.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = threadIdx.x + threadIdx.y * width, at2 = at + blockDim.x;
  const int plane_size = nx * ny, column = i + nx * j, column2 = i2 + nx * j;
  plane[at] = 0.0f;
  plane[at2] = 0.0f;
  __syncthreads();

  const bool inside = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;
  const bool inside2 = j > 0 && i2 < nx - 1 && j < ny - 1;
  const bool first_x = threadIdx.x == 0, last_x = threadIdx.x == blockDim.x - 1;
  const bool first_y = threadIdx.y == 0, last_y = threadIdx.y == blockDim.y - 1;
  float below = 0.0f, below2 = 0.0f, above = 0.0f, above2 = 0.0f;
  if (i < nx && j < ny) {
    below = from[column];
    plane[at] = from[column + plane_size];
  }
  if (i2 < nx && j < ny) {
    below2 = from[column2];
    plane[at2] = from[column2 + plane_size];
  }
  __syncthreads();

  for (int k = 1; k < nz - 1; k++) {
    const int here = column + plane_size * k, here2 = column2 + plane_size * k;
    if (i < nx && j < ny) above = from[here + plane_size];
    if (inside) {
      const float north = last_y ? from[here + nx] : plane[at + width];
      const float south = first_y ? from[here - nx] : plane[at - width];
      const float west = first_x ? from[here - 1] : plane[at - 1];
      to[here] = (above + below + north + south + plane[at + 1] + west) * c1 - plane[at] * c0;
    }
    if (i2 < nx && j < ny) above2 = from[here2 + plane_size];
    if (inside2) {
      const float north = last_y ? from[here2 + nx] : plane[at2 + width];
      const float south = first_y ? from[here2 - nx] : plane[at2 - width];
      const float east = last_x ? from[here2 + 1] : plane[at2 + 1];
      to[here2] = (above2 + below2 + north + south + east + plane[at2 - 1]) * c1 - plane[at2] * c0;
    }
    __syncthreads();
    below = plane[at];
    plane[at] = above;
    below2 = plane[at2];
    plane[at2] = above2;
    __syncthreads();
  }
}
