// Parboil's lbm: lattice Boltzmann flow with 19 directions, one thread per cell, one CTA per row of cells.
//
// The grid is a structure of arrays, one for each direction and one for the flags. A thread reads its own
// cell and scatters to its neighbours.
#include "heddle_device.h"

constexpr int directions = 19, flags = 19;
constexpr unsigned obstacle = 1, accelerated = 2;
constexpr float omega = 1.95f;

// Centre; north, south, east, west, top, bottom; then the diagonals. Opposite ones stand so that a swap of
// pairs reflects.
__device__ constexpr int step_x[directions] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
__device__ constexpr int step_y[directions] = {0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
__device__ constexpr int step_z[directions] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
__device__ constexpr int opposite[directions] = {0, 2,  1,  4,  3,  6,  5,  10, 9, 8,
                                                 7, 14, 13, 12, 11, 18, 17, 16, 15};

extern "C" __global__ void stream_collide(const float* from, float* to, int row, int plane, int array) {
  const int cell = threadIdx.x + blockIdx.x * row + blockIdx.y * plane;
  float f[directions];
#pragma unroll
  for (int d = 0; d < directions; d++) f[d] = from[array * d + cell];

  const unsigned kind = __float_as_uint(from[array * flags + cell]);
  if (kind & obstacle) {
    float in[directions];
#pragma unroll
    for (int d = 0; d < directions; d++) in[d] = f[d];
#pragma unroll
    for (int d = 0; d < directions; d++) f[d] = in[opposite[d]];
  } else {
    float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int d = 0; d < directions; d++) {
      density += f[d];
      if (step_x[d]) ux += step_x[d] > 0 ? f[d] : -f[d];
      if (step_y[d]) uy += step_y[d] > 0 ? f[d] : -f[d];
      if (step_z[d]) uz += step_z[d] > 0 ? f[d] : -f[d];
    }
    ux /= density;
    uy /= density;
    uz /= density;
    if (kind & accelerated) {
      ux = 0.005f;
      uy = 0.002f;
      uz = 0.000f;
    }
    const float u2 = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f;
    const float base = omega * density;
#pragma unroll
    for (int d = 0; d < directions; d++) {
      const float share = d == 0 ? 1.0f / 3.0f : d < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
      float along = 0.0f;
      if (step_x[d]) along += step_x[d] > 0 ? ux : -ux;
      if (step_y[d]) along += step_y[d] > 0 ? uy : -uy;
      if (step_z[d]) along += step_z[d] > 0 ? uz : -uz;
      f[d] = (1.0f - omega) * f[d] + share * base * (along * (4.5f * along + 3.0f) - u2);
    }
  }
#pragma unroll
  for (int d = 0; d < directions; d++)
    to[array * d + cell + step_x[d] + step_y[d] * row + step_z[d] * plane] = f[d];
}
