// Cloud microphysics of one column of air: the WRF Single-Moment 5-class scheme (Hong, Dudhia and Chen, 2004)
// with vapour, cloud water, cloud ice, rain and snow. Kernel and reference share it: `M` gives the number
// type (M::Real) and its functions, and is told of decisions that a rounding error could turn (M::decides).
#pragma once

#include "workloads/wp/exchange.h"

namespace wsm5 {

template <class M>
class Scheme {
 public:
  using Real = typename M::Real;
  using A = Air<M>;

  WSM5_FUNCTION Ground<Real> step(const Column<Real>& c, Real seconds) {
    Work<Real> w;
    prepare(c, w);
    int steps = static_cast<int>(seconds / Real(longest_step) + Real(0.5));
    steps = steps < 1 ? 1 : steps;
    const Real dt = seconds / Real(steps);
    Ground<Real> ground{Real(0), Real(0)};
    WSM5_ROLLED
    for (int i = 0; i < steps; ++i) {
      saturate(c, w);
      const int falls = spectra(c, w, dt);
      fall(c, w, dt, falls, ground);
      fall_of_ice(c, w, dt, ground);
      WSM5_ROLLED
      for (int k = 0; k < c.levels; ++k) Exchange<M>::run(c, w, k, dt);
    }
    WSM5_ROLLED
    for (int k = 0; k < c.levels; ++k)
      c.potential_temperature[k * c.stride] = M::divide(w.t[k], c.exner[k * c.stride]);
    return ground;
  }

 private:
  WSM5_FUNCTION void prepare(const Column<Real>& c, Work<Real>& w) {
    WSM5_ROLLED
    for (int k = 0; k < c.levels; ++k) {
      const int at = k * c.stride;
      w.t[k] = c.potential_temperature[at] * c.exner[at];
      if (c.cloud[at] < Real(0)) c.cloud[at] = Real(0);
      if (c.ice[at] < Real(0)) c.ice[at] = Real(0);
      if (c.rain[at] < Real(0)) c.rain[at] = Real(0);
      if (c.snow[at] < Real(0)) c.snow[at] = Real(0);
    }
    WSM5_ROLLED
    for (int k = 0; k < c.levels; ++k) {
      const Real vapour = A::larger(c.vapour[k * c.stride], Real(least));
      w.heat_capacity[k] = Real(cp_air) * (Real(1) - vapour) + vapour * Real(cp_vapour);
      w.latent_heat[k] = Real(heat_vapour) - Real(c_water - cp_vapour) * (w.t[k] - Real(freezing));
    }
  }

  WSM5_FUNCTION void saturate(const Column<Real>& c, Work<Real>& w) {
    WSM5_ROLLED
    for (int k = 0; k < c.levels; ++k) {
      const int at = k * c.stride;
      const Real t = w.t[k], pressure = c.pressure[at], vapour = c.vapour[at];
      w.water_saturation[k] = A::saturation(t, pressure, false);
      w.humidity_water[k] = A::larger(M::divide(vapour, w.water_saturation[k]), Real(least));
      w.ice_saturation[k] = A::saturation(t, pressure, t < Real(triple));
      w.humidity_ice[k] = A::larger(M::divide(vapour, w.ice_saturation[k]), Real(least));
    }
  }

  // Into how many parts a fall of so many levels in dt is cut.
  WSM5_FUNCTION int parts(Real speed, Real dt) {
    const Real levels = speed * dt + Real(1);
    if (levels > Real(1.5)) M::decides(levels, M::nearest(levels));
    const int n = static_cast<int>(levels);
    return n < 1 ? 1 : n;
  }

  WSM5_FUNCTION int spectra(const Column<Real>& c, Work<Real>& w, Real dt) {
    int falls = 1;
    WSM5_ROLLED
    for (int k = 0; k < c.levels; ++k) {
      const int at = k * c.stride;
      const Real density = c.density[at];
      A::slopes(w, k, c.rain[at], c.snow[at], density, w.t[k]);
      w.thinness[k] = M::sqrt(M::divide(Real(reference_density), density));
      const Real per_level = M::divide(w.thinness[k], c.thickness[at]);
      w.fall1[k] = Real(rain_speed) * w.rain_slope_b[k] * per_level;
      w.fall2[k] = Real(snow_speed) * w.snow_slope_b[k] * per_level;
      const int n = parts(A::larger(w.fall1[k], w.fall2[k]), dt);
      falls = n > falls ? n : falls;
      w.crystals[k] = A::crystals(c.ice[at], density);
    }
    return falls;
  }

  // One part of a step: what leaves each level enters the one below. Returns what reaches the ground.
  WSM5_FUNCTION Real fall_once(const Column<Real>& c, Real* of, const Real* speed, Real dt, Real part) {
    Real from_above = Real(0), above = Real(0);
    WSM5_ROLLED
    for (int k = c.levels - 1; k >= 0; --k) {
      const int at = k * c.stride;
      const Real density = c.density[at], thickness = c.thickness[at];
      const Real leaves = density * of[at] * speed[k] * part;
      const Real enters = M::divide(from_above * above, thickness);
      of[at] = A::larger(of[at] - M::divide((leaves - enters) * dt, density), Real(0));
      from_above = leaves;
      above = thickness;
    }
    return from_above * above;
  }

  WSM5_FUNCTION void fall(const Column<Real>& c, Work<Real>& w, Real dt, int falls, Ground<Real>& ground) {
    const Real part = M::divide(Real(1), Real(falls));
    WSM5_ROLLED
    for (int n = 0; n < falls; ++n) {
      const Real rain = fall_once(c, c.rain, w.fall1, dt, part);
      const Real snow = fall_once(c, c.snow, w.fall2, dt, part);
      ground.rain += (rain + snow) * dt;  // kg per square metre: mm of water
      ground.snow += snow * dt;
      WSM5_ROLLED
      for (int k = c.levels - 1; k >= 0; --k) melt(c, w, k, dt, part);
    }
  }

  // Snow that falls through warm air.
  WSM5_FUNCTION void melt(const Column<Real>& c, Work<Real>& w, int k, Real dt, Real part) {
    const int at = k * c.stride;
    const Real t = w.t[k], snow = c.snow[at];
    M::decides(t, Real(freezing));
    if (!(t > Real(freezing) && snow > Real(0))) return;
    const Real density = c.density[at];
    const Real vent = A::ventilation(t, c.pressure[at], density);
    const Real shape = w.snow_slope2[k] * M::sqrt(w.snow_slope[k] * w.snow_slope_b[k]);
    Real melts = A::conductivity(t, density) * Real(1.0 / heat_fusion * pi / 2.0) * (Real(freezing) - t) *
                 w.snow_factor[k] * (Real(snow_vent1) * w.snow_slope2[k] + Real(snow_vent2) * vent * shape);
    melts = A::smaller(A::larger(melts * M::divide(dt * part, density), -snow * part), Real(0));
    c.snow[at] = snow + melts;
    c.rain[at] -= melts;
    w.t[k] = t + M::divide(Real(heat_fusion) * melts, w.heat_capacity[k]);
  }

  WSM5_FUNCTION void fall_of_ice(const Column<Real>& c, Work<Real>& w, Real dt, Ground<Real>& ground) {
    int falls = 1;
    WSM5_ROLLED
    for (int k = c.levels - 1; k >= 0; --k) {
      const int at = k * c.stride;
      Real speed = Real(0);
      if (c.ice[at] > Real(0)) {
        const Real mass = M::divide(c.density[at] * c.ice[at], w.crystals[k]);
        const Real size =
            A::larger(A::smaller(Real(crystal_size) * M::sqrt(mass), Real(largest_crystal)), Real(1e-25));
        speed = M::divide(Real(1.49e4) * A::power(size, Real(1.31)), c.thickness[at]);
      }
      w.fall2[k] = speed;
      const int n = parts(speed, dt);
      falls = n > falls ? n : falls;
    }
    const Real part = M::divide(Real(1), Real(falls));
    WSM5_ROLLED
    for (int n = 0; n < falls; ++n) {
      const Real ice = fall_once(c, c.ice, w.fall2, dt, part);
      ground.rain += ice * dt;
      ground.snow += ice * dt;
    }
  }
};

}  // namespace wsm5
