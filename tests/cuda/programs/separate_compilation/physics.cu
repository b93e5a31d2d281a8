// nvcc: -rdc=true
#include "physics.h"

__device__ int steps_done = 0;
__constant__ float gravity = -8.0f;

__device__ void move(Particle& p, float time) {
  p.speed += gravity * time;
  p.position += p.speed * time;
  atomicAdd(&steps_done, 1);
}
