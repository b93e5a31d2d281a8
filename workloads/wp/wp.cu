// The cloud microphysics of a weather model, a thread per column of air, after J. Michalakes' version of WSM5
// for GPUs. Fields are three-dimensional arrays in global memory, columns beside each other along x; what a
// thread keeps per level, twenty arrays, is local memory.
#include "heddle_device.h"

#define WSM5_FUNCTION static __device__ __forceinline__
#define WSM5_ROLLED _Pragma("unroll 1")
#include "workloads/wp/scheme.h"

// Fast functions, as the original's compiler option has them.
struct Fast {
  using Real = float;
  WSM5_FUNCTION float exp(float x) { return __expf(x); }
  WSM5_FUNCTION float log(float x) { return __logf(x); }
  WSM5_FUNCTION float divide(float a, float b) { return __fdividef(a, b); }
  WSM5_FUNCTION float sqrt(float x) {
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
  }
  WSM5_FUNCTION float nearest(float x) { return x; }
  WSM5_FUNCTION void decides(float, float) {}
};

struct Fields {
  float* potential_temperature;
  const float* exner;
  float *vapour, *cloud, *ice, *rain, *snow;
  const float *density, *pressure, *thickness;
  float *total_rain, *step_rain, *snow_share, *total_snow, *step_snow;
};

extern "C" __global__ void wsm5_columns(Fields f, float seconds, int nx, int ny, int levels) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int at = x + y * nx * levels;
  const wsm5::Column<float> column{f.potential_temperature + at,
                                   f.exner + at,
                                   f.vapour + at,
                                   f.cloud + at,
                                   f.ice + at,
                                   f.rain + at,
                                   f.snow + at,
                                   f.density + at,
                                   f.pressure + at,
                                   f.thickness + at,
                                   levels,
                                   nx};
  const wsm5::Ground<float> ground = wsm5::Scheme<Fast>::step(column, seconds);
  const int on_ground = x + y * nx;
  f.step_rain[on_ground] = ground.rain;
  f.total_rain[on_ground] += ground.rain;
  f.step_snow[on_ground] = ground.snow;
  f.total_snow[on_ground] += ground.snow;
  f.snow_share[on_ground] = __fdividef(ground.snow, ground.rain + 1e-12f);
}
