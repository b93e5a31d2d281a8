// Rodinia's cfd (euler3d): the compressible Euler equations on an unstructured mesh of tetrahedra, finite
// volumes, one thread per element. Arrays of structures are turned over: variable after variable.
#include "heddle_device.h"

constexpr int neighbours = 4;
constexpr int density_at = 0, momentum_at = 1, energy_at = 4, variables_count = 5;
constexpr int runge_kutta = 3;
constexpr float gas = 1.4f;
constexpr int wing = -1, far_field = -2;

struct Flux {  // through planes across x, y and z
  float3 momentum_x, momentum_y, momentum_z, energy;
};
struct State {
  float density, energy, pressure, speed_squared, speed_of_sound;
  float3 momentum, velocity;
};

__constant__ float far_variables[variables_count];
__constant__ Flux far_flux;

__device__ static State load_state(const float* variables, int element, int count) {
  State s;
  s.density = variables[element + density_at * count];
  s.momentum.x = variables[element + (momentum_at + 0) * count];
  s.momentum.y = variables[element + (momentum_at + 1) * count];
  s.momentum.z = variables[element + (momentum_at + 2) * count];
  s.energy = variables[element + energy_at * count];
  s.velocity.x = s.momentum.x / s.density;
  s.velocity.y = s.momentum.y / s.density;
  s.velocity.z = s.momentum.z / s.density;
  s.speed_squared = s.velocity.x * s.velocity.x + s.velocity.y * s.velocity.y + s.velocity.z * s.velocity.z;
  s.pressure = (gas - 1.0f) * (s.energy - 0.5f * s.density * s.speed_squared);
  s.speed_of_sound = sqrtf(gas * s.pressure / s.density);
  return s;
}

__device__ static Flux flux_of(const State& s) {
  Flux f;
  f.momentum_x.x = s.velocity.x * s.momentum.x + s.pressure;
  f.momentum_x.y = s.velocity.x * s.momentum.y;
  f.momentum_x.z = s.velocity.x * s.momentum.z;
  f.momentum_y.x = f.momentum_x.y;
  f.momentum_y.y = s.velocity.y * s.momentum.y + s.pressure;
  f.momentum_y.z = s.velocity.y * s.momentum.z;
  f.momentum_z.x = f.momentum_x.z;
  f.momentum_z.y = f.momentum_y.z;
  f.momentum_z.z = s.velocity.z * s.momentum.z + s.pressure;
  const float sum = s.energy + s.pressure;
  f.energy.x = s.velocity.x * sum;
  f.energy.y = s.velocity.y * sum;
  f.energy.z = s.velocity.z * sum;
  return f;
}

struct Sum {
  float density = 0.0f, energy = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f;
  // Half of what flows through a face, from both sides of it.
  __device__ void add(const float3& normal, const float3& momentum, const float3& other_momentum,
                      const Flux& flux, const Flux& other) {
    float factor = 0.5f * normal.x;
    density += factor * (other_momentum.x + momentum.x);
    energy += factor * (other.energy.x + flux.energy.x);
    x += factor * (other.momentum_x.x + flux.momentum_x.x);
    y += factor * (other.momentum_y.x + flux.momentum_y.x);
    z += factor * (other.momentum_z.x + flux.momentum_z.x);
    factor = 0.5f * normal.y;
    density += factor * (other_momentum.y + momentum.y);
    energy += factor * (other.energy.y + flux.energy.y);
    x += factor * (other.momentum_x.y + flux.momentum_x.y);
    y += factor * (other.momentum_y.y + flux.momentum_y.y);
    z += factor * (other.momentum_z.y + flux.momentum_z.y);
    factor = 0.5f * normal.z;
    density += factor * (other_momentum.z + momentum.z);
    energy += factor * (other.energy.z + flux.energy.z);
    x += factor * (other.momentum_x.z + flux.momentum_x.z);
    y += factor * (other.momentum_y.z + flux.momentum_y.z);
    z += factor * (other.momentum_z.z + flux.momentum_z.z);
  }
};

extern "C" __global__ void initialize_variables(int count, float* variables) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  for (int j = 0; j < variables_count; j++) variables[i + j * count] = far_variables[j];
}

extern "C" __global__ void compute_step_factor(int count, const float* variables, const float* areas,
                                               float* step_factors) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const State s = load_state(variables, i, count);
  step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(s.speed_squared) + s.speed_of_sound));
}

extern "C" __global__ void compute_flux(int count, const int* surrounding, const float* normals,
                                        const float* variables, float* fluxes) {
  constexpr float smoothing = 0.2f;
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const State mine = load_state(variables, i, count);
  const float speed = sqrtf(mine.speed_squared);
  const Flux my_flux = flux_of(mine);
  Sum sum;
#pragma unroll
  for (int j = 0; j < neighbours; j++) {
    const int other = surrounding[i + j * count];
    float3 normal;
    normal.x = normals[i + (j + 0 * neighbours) * count];
    normal.y = normals[i + (j + 1 * neighbours) * count];
    normal.z = normals[i + (j + 2 * neighbours) * count];
    const float length = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    if (other >= 0) {
      const State theirs = load_state(variables, other, count);
      // Artificial viscosity.
      const float factor =
          -length * smoothing * 0.5f *
          (speed + sqrtf(theirs.speed_squared) + mine.speed_of_sound + theirs.speed_of_sound);
      sum.density += factor * (mine.density - theirs.density);
      sum.energy += factor * (mine.energy - theirs.energy);
      sum.x += factor * (mine.momentum.x - theirs.momentum.x);
      sum.y += factor * (mine.momentum.y - theirs.momentum.y);
      sum.z += factor * (mine.momentum.z - theirs.momentum.z);
      sum.add(normal, mine.momentum, theirs.momentum, my_flux, flux_of(theirs));
    } else if (other == wing) {
      sum.x += normal.x * mine.pressure;
      sum.y += normal.y * mine.pressure;
      sum.z += normal.z * mine.pressure;
    } else if (other == far_field) {
      const float3 momentum = {far_variables[momentum_at], far_variables[momentum_at + 1],
                               far_variables[momentum_at + 2]};
      sum.add(normal, mine.momentum, momentum, my_flux, far_flux);
    }
  }
  fluxes[i + density_at * count] = sum.density;
  fluxes[i + (momentum_at + 0) * count] = sum.x;
  fluxes[i + (momentum_at + 1) * count] = sum.y;
  fluxes[i + (momentum_at + 2) * count] = sum.z;
  fluxes[i + energy_at * count] = sum.energy;
}

extern "C" __global__ void time_step(int j, int count, const float* old_variables, float* variables,
                                     const float* step_factors, const float* fluxes) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const float factor = step_factors[i] / static_cast<float>(runge_kutta + 1 - j);
#pragma unroll
  for (int v = 0; v < variables_count; v++)
    variables[i + v * count] = old_variables[i + v * count] + factor * fluxes[i + v * count];
}
