// Parboil's Coulombic potential, as GPGPU-Sim's benchmarks have it: the potential of point charges in a plane
// of grid points. Atoms lie in constant memory; a thread computes two points, 16 apart in x, so that its
// warp's stores are of neighbours.
//
// Products enter sums by an explicit fma, or not at all (__fmul_rn), and quotients and roots are exact: the
// host's reference computes the same to the bit.
#include "heddle_device.h"

constexpr int most_atoms = 4000, cta_width = 16, points = 2;

__constant__ float4 atoms[most_atoms];  // x, y, the square of the distance from the plane, charge

extern "C" __global__ void cenergy(int atom_count, float spacing, float* energy) {
  const unsigned x = __umul24(blockIdx.x, blockDim.x) * points + threadIdx.x;
  const unsigned y = __umul24(blockIdx.y, blockDim.y) + threadIdx.y;
  const unsigned at = __umul24(gridDim.x, blockDim.x) * points * y + x;
  const float at_y = __fmul_rn(spacing, static_cast<float>(y)),
              at_x = __fmul_rn(spacing, static_cast<float>(x));
  const float apart = __fmul_rn(spacing, static_cast<float>(cta_width));
  float energy1 = 0.0f, energy2 = 0.0f;
#pragma unroll 1
  for (int i = 0; i < atom_count; ++i) {
    const float dy = at_y - atoms[i].y;
    const float beside = fmaf(dy, dy, atoms[i].z);
    const float dx1 = at_x - atoms[i].x, dx2 = dx1 + apart;
    energy1 = fmaf(atoms[i].w, 1.0f / sqrtf(fmaf(dx1, dx1, beside)), energy1);
    energy2 = fmaf(atoms[i].w, 1.0f / sqrtf(fmaf(dx2, dx2, beside)), energy2);
  }
  energy[at] += energy1;
  energy[at + cta_width] += energy2;
}
