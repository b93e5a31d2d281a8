// M. Giles' 3D Laplace solver: one Jacobi iteration, a thread per node of a plane. A CTA marches through the
// planes with three of them in shared memory; each thread moves its node down by one plane and loads the
// next, and some threads do so for a node of the halo too.
#include "heddle_device.h"

constexpr int width = 32, rows = 4;                       // of a CTA
constexpr int row = width + 2, plane = row * (rows + 2);  // in shared memory, with halo
constexpr int halo_nodes = 2 * (width + rows + 2);

extern "C" __global__ void laplace3d(int nx, int ny, int nz, int pitch, const float* u1, float* u2) {
  __shared__ float u[3 * plane];
  const int thread = threadIdx.x + threadIdx.y * width;

  bool halo = thread < halo_nodes;
  int halo_at = 0, halo_from = 0;
  if (halo) {
    int i, j;
    if (threadIdx.y < 2) {  // rows above and below
      i = threadIdx.x;
      j = threadIdx.y * (rows + 1) - 1;
    } else {  // columns left and right, with the corners
      i = thread % 2 * (width + 1) - 1;
      j = thread / 2 - width - 1;
    }
    halo_at = i + 1 + (j + 1) * row + plane;
    i += blockIdx.x * width;
    j += blockIdx.y * rows;
    halo_from = i + j * pitch;
    halo = i >= 0 && i < nx && j >= 0 && j < ny;
  }

  const int at = threadIdx.x + 1 + (threadIdx.y + 1) * row + plane;
  const int i = threadIdx.x + blockIdx.x * width, j = threadIdx.y + blockIdx.y * rows;
  const bool active = i < nx && j < ny;
  int from = i + j * pitch;

  if (active) u[at + plane] = u1[from];
  if (halo) u[halo_at + plane] = u1[halo_from];

#pragma unroll 1
  for (int k = 0; k < nz; ++k) {
    const int to = from;
    if (active) {
      from += ny * pitch;
      u[at - plane] = u[at];
      u[at] = u[at + plane];
      if (k < nz - 1) u[at + plane] = u1[from];
    }
    if (halo) {
      halo_from += ny * pitch;
      u[halo_at - plane] = u[halo_at];
      u[halo_at] = u[halo_at + plane];
      if (k < nz - 1) u[halo_at + plane] = u1[halo_from];
    }
    __syncthreads();
    if (active) {
      float value;
      if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1)
        value = u[at];
      else
        value = (u[at - 1] + u[at + 1] + u[at - row] + u[at + row] + u[at - plane] + u[at + plane]) *
                (1.0f / 6.0f);
      u2[to] = value;
    }
    __syncthreads();
  }
}
