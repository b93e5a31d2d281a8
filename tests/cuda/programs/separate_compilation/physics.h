// Device code that is called across files: needs -rdc=true.
#pragma once

struct Particle {
  float position, speed;
};

extern __device__ int steps_done;
extern __constant__ float gravity;
__device__ void move(Particle& p, float time);
