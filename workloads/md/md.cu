// SHOC's molecular dynamics: Lennard-Jones forces on atoms from lists of their neighbours, one thread per
// atom. The k-th neighbours of all atoms lie side by side; positions are gathered.
#include "heddle_device.h"

extern "C" __global__ void compute_lj_force(float3* __restrict__ forces, const float4* __restrict__ positions,
                                            int neighbours, const int* __restrict__ lists,
                                            float cutoff_squared, float lj1, float lj2, int atoms) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = __ldg(&positions[atom]);  // a vector, though its last element is of no use
  float3 force = {0.0f, 0.0f, 0.0f};
  for (int k = 0; k < neighbours; ++k) {
    const float4 other = __ldg(&positions[lists[k * atoms + atom]]);
    const float x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
    const float squared = x * x + y * y + z * z;
    if (squared < cutoff_squared) {
      const float inverse = 1.0f / squared;
      const float sixth = inverse * inverse * inverse;
      const float strength = inverse * sixth * (lj1 * sixth - lj2);
      force.x += x * strength;
      force.y += y * strength;
      force.z += z * strength;
    }
  }
  forces[atom] = force;
}
