// The CUDA SDK's nbody: gravity between all pairs of bodies, one thread per body. Bodies come through shared
// memory in tiles of as many as a CTA has threads.
#include "heddle_device.h"

// Vectors as one access each, which clang would split where elements pass through.
typedef float Lanes __attribute__((ext_vector_type(4)));
HEDDLE_DEVICE float4 load(const float4* p) {
  return __builtin_bit_cast(float4, *reinterpret_cast<const Lanes*>(p));
}
HEDDLE_DEVICE void store(float4* p, float4 v) {
  *reinterpret_cast<Lanes*>(p) = __builtin_bit_cast(Lanes, v);
}

extern "C" __global__ void integrate_bodies(float4* __restrict__ new_positions,
                                            const float4* __restrict__ positions, float4* velocities,
                                            float softening_squared, float time_step, float damping,
                                            int tiles) {
  extern __shared__ float4 tile[];
  const int body = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = load(&positions[body]);
  float3 acceleration = {0.0f, 0.0f, 0.0f};

  for (int t = 0; t < tiles; ++t) {
    store(&tile[threadIdx.x], load(&positions[t * blockDim.x + threadIdx.x]));
    __syncthreads();
#pragma unroll 128
    for (unsigned i = 0; i < blockDim.x; ++i) {
      const float4 other = tile[i];
      const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + softening_squared);
      const float strength = other.w * (inverse * inverse * inverse);
      acceleration.x += x * strength;
      acceleration.y += y * strength;
      acceleration.z += z * strength;
    }
    __syncthreads();
  }

  float4 velocity = load(&velocities[body]);
  velocity.x = (velocity.x + acceleration.x * time_step) * damping;
  velocity.y = (velocity.y + acceleration.y * time_step) * damping;
  velocity.z = (velocity.z + acceleration.z * time_step) * damping;
  own.x += velocity.x * time_step;
  own.y += velocity.y * time_step;
  own.z += velocity.z * time_step;
  store(&new_positions[body], own);
  store(&velocities[body], velocity);
}
