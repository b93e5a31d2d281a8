// One time step of a finite-difference stencil of radius 4 in three dimensions (CUDA SDK's FDTD3d). A CTA of
// 32 x 16 threads owns a column of the volume and marches along z: a thread keeps its nine values along z in
// registers, the current plane with its halo is in shared memory. The volume is padded by the radius on
// every side, and the pad is never written.
#include "heddle_device.h"

constexpr int kRadius = 4;
constexpr int kBlockX = 32;
constexpr int kBlockY = 16;

// Weight of the centre, then of the six neighbours at distance 1, 2, 3, 4. Set by the host.
__constant__ float stencil[kRadius + 1];

extern "C" __global__ void __launch_bounds__(kBlockX* kBlockY)
    fdtd3d(float* output, const float* input, int dimx, int dimy, int dimz) {
  __shared__ float plane[kBlockY + 2 * kRadius][kBlockX + 2 * kRadius];
  const int ltx = threadIdx.x, lty = threadIdx.y;
  const int x = blockIdx.x * kBlockX + ltx;
  const int y = blockIdx.y * kBlockY + lty;
  const int stride_y = dimx + 2 * kRadius;
  const int stride_z = stride_y * (dimy + 2 * kRadius);
  // Threads up to one radius beyond the volume still read the pad for their neighbours.
  const bool may_read = x < dimx + kRadius && y < dimy + kRadius;
  const bool may_write = x < dimx && y < dimy;

  int ahead = (y + kRadius) * stride_y + x + kRadius;  // index of the next plane to read
  float behind[kRadius], front[kRadius], current = 0.0f;
#pragma unroll
  for (int i = 0; i < kRadius; ++i) behind[i] = front[i] = 0.0f;
#pragma unroll
  for (int i = kRadius - 2; i >= 0; --i) {
    if (may_read) behind[i] = input[ahead];
    ahead += stride_z;
  }
  if (may_read) current = input[ahead];
  int here = ahead;
  ahead += stride_z;
#pragma unroll
  for (int i = 0; i < kRadius; ++i) {
    if (may_read) front[i] = input[ahead];
    ahead += stride_z;
  }

  for (int z = 0; z < dimz; ++z) {
#pragma unroll
    for (int i = kRadius - 1; i > 0; --i) behind[i] = behind[i - 1];
    behind[0] = current;
    current = front[0];
#pragma unroll
    for (int i = 0; i < kRadius - 1; ++i) front[i] = front[i + 1];
    if (may_read) front[kRadius - 1] = input[ahead];
    ahead += stride_z;
    here += stride_z;
    __syncthreads();

    if (may_read && lty < kRadius) {
      plane[lty][ltx + kRadius] = input[here - kRadius * stride_y];
      plane[lty + kBlockY + kRadius][ltx + kRadius] = input[here + kBlockY * stride_y];
    }
    if (may_read && ltx < kRadius) {
      plane[lty + kRadius][ltx] = input[here - kRadius];
      plane[lty + kRadius][ltx + kBlockX + kRadius] = input[here + kBlockX];
    }
    plane[lty + kRadius][ltx + kRadius] = current;
    __syncthreads();

    float value = stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= kRadius; ++i) {
      value +=
          stencil[i] * (front[i - 1] + behind[i - 1] + plane[lty + kRadius - i][ltx + kRadius] +
                        plane[lty + kRadius + i][ltx + kRadius] + plane[lty + kRadius][ltx + kRadius - i] +
                        plane[lty + kRadius][ltx + kRadius + i]);
    }
    if (may_write) output[here] = value;
  }
}
