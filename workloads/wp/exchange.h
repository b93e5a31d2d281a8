// The exchange of water between its five classes at one level of a column.
#pragma once

#include "workloads/wp/air.h"

namespace wsm5 {

template <class M>
class Exchange {
 public:
  using Real = typename M::Real;
  using A = Air<M>;

  WSM5_FUNCTION void run(const Column<Real>& c, Work<Real>& w, int k, Real dt) {
    const int at = k * c.stride;
    Level l{w.t[k],        c.vapour[at],   c.cloud[at],        c.ice[at],        c.rain[at], c.snow[at],
            c.density[at], c.pressure[at], w.heat_capacity[k], w.latent_heat[k], Real(0)};
    l.cold = Real(freezing) - l.t;
    M::decides(l.t, Real(freezing));
    M::decides(l.cold, Real(40));
    freeze_at_once(l, w, k, dt);
    A::slopes(w, k, l.rain, l.snow, l.density, Real(freezing) - l.cold);
    w.crystals[k] = A::crystals(l.ice, l.density);

    const Real over_water = A::resistance(l.latent, l.t, l.pressure, l.density, w.water_saturation[k]);
    const Real over_ice =
        A::resistance(Real(heat_sublimation), l.t, l.pressure, l.density, w.ice_saturation[k]);
    const Real vent = A::ventilation(l.t, l.pressure, l.density);
    Rates r{};
    warm_rain(l, w, k, dt, over_water, vent, r);
    cold_rain(l, w, k, dt, over_ice, vent, r);
    if (l.cold < Real(0)) {
      if (l.snow > Real(0) && w.humidity_water[k] < Real(1)) {
        const Real shape = w.snow_slope2[k] * M::sqrt(w.snow_slope[k] * w.snow_slope_b[k]);
        r.evaporate_snow =
            M::divide((w.humidity_water[k] - Real(1)) * w.snow_factor[k] *
                          (Real(snow_vent1) * w.snow_slope2[k] + Real(snow_vent2) * vent * shape),
                      over_water);
      }
      r.evaporate_snow = A::smaller(A::larger(r.evaporate_snow, M::divide(-l.snow, dt)), Real(0));
    }
    M::decides(l.t, Real(freezing));
    if (l.t <= Real(freezing))
      feed_back_cold(l, dt, r);
    else
      feed_back_warm(l, dt, r);
    condense(l, dt);

    c.vapour[at] = l.vapour;
    w.t[k] = l.t;
    c.rain[at] = l.rain;
    c.cloud[at] = l.cloud <= Real(least) ? Real(0) : l.cloud;
    c.snow[at] = l.snow;
    c.ice[at] = l.ice <= Real(least) ? Real(0) : l.ice;
  }

 private:
  // A level's amounts while its processes run.
  struct Level {
    Real t, vapour, cloud, ice, rain, snow;
    Real density, pressure, capacity, latent;
    Real cold;  // degrees below freezing
  };
  // Rates, kg per kg and second, named after what grows.
  struct Rates {
    Real evaporate_rain, rain_from_cloud, rain_sweeps, snow_sweeps, snow_takes_ice, ice_grows, snow_grows,
        ice_begins, snow_from_ice, evaporate_snow;
  };

  // Ice that melts, cloud water and rain that freeze.
  WSM5_FUNCTION void freeze_at_once(Level& l, const Work<Real>& w, int k, Real dt) {
    const Real heat =
        M::divide(l.cold < Real(0) ? Real(heat_fusion) : Real(heat_sublimation) - l.latent, l.capacity);
    if (l.cold < Real(0) && l.ice > Real(0)) {
      l.cloud += l.ice;
      l.t -= heat * l.ice;
      l.ice = Real(0);
    }
    if (l.cold > Real(40) && l.cloud > Real(0)) {
      l.ice += l.cloud;
      l.t += heat * l.cloud;
      l.cloud = Real(0);
    }
    if (l.cold > Real(0) && l.cloud > Real(0)) {
      const Real freezes =
          A::smaller(Real(100.0 / water_density / 3e8) * (M::exp(Real(0.66) * l.cold) - Real(1)) * l.density *
                         l.cloud * l.cloud * dt,
                     l.cloud);
      l.ice += freezes;
      l.t += heat * freezes;
      l.cloud -= freezes;
    }
    if (l.cold > Real(0) && l.rain > Real(0)) {
      const Real slope = w.rain_slope[k] * Real(1e3);  // keeps its seventh power within single precision
      const Real slope3 = slope * slope * slope;
      const Real freezes = A::smaller(
          M::divide(Real(20.0 * pi * pi * 100.0 * rain_intercept * water_density * 1e-21), l.density) *
              (M::exp(Real(0.66) * l.cold) - Real(1)) * (slope3 * slope3 * slope) * dt,
          l.rain);
      l.snow += freezes;
      l.t += heat * freezes;
      l.rain -= freezes;
    }
  }

  WSM5_FUNCTION void warm_rain(const Level& l, const Work<Real>& w, int k, Real dt, Real over_water,
                               Real vent, Rates& r) {
    const Real excess = M::divide(A::larger(l.vapour, Real(least)) - w.water_saturation[k], dt);
    M::decides(l.cloud, Real(autoconversion_from));
    if (l.cloud > Real(autoconversion_from))
      r.rain_from_cloud =
          A::smaller(Real(autoconversion_rate) * A::power(l.cloud, Real(7.0 / 3.0)), M::divide(l.cloud, dt));
    if (l.rain > Real(least_rain) && l.cloud > Real(least))
      r.rain_sweeps =
          A::smaller(Real(rain_sweep) * w.rain_slope3[k] * w.rain_slope_b[k] * l.cloud * w.thinness[k],
                     M::divide(l.cloud, dt));
    if (l.rain > Real(0)) {
      const Real shape = w.rain_slope2[k] * M::sqrt(w.rain_slope[k] * w.rain_slope_b[k]);
      const Real rate = M::divide((w.humidity_water[k] - Real(1)) *
                                      (Real(rain_vent1) * w.rain_slope2[k] + Real(rain_vent2) * vent * shape),
                                  over_water);
      r.evaporate_rain = rate < Real(0)
                             ? A::larger(A::larger(rate, M::divide(-l.rain, dt)), excess * Real(0.5))
                             : A::smaller(rate, excess * Real(0.5));
    }
  }

  WSM5_FUNCTION void cold_rain(const Level& l, const Work<Real>& w, int k, Real dt, Real over_ice, Real vent,
                               Rates& r) {
    const Real rate_of_all = M::divide(Real(1), dt);
    if (l.snow > Real(least_rain) && l.cloud > Real(least))
      r.snow_sweeps = A::smaller(Real(snow_sweep) * w.snow_factor[k] * w.snow_slope3[k] * w.snow_slope_b[k] *
                                     l.cloud * w.thinness[k],
                                 l.cloud * rate_of_all);
    if (!(l.cold > Real(0))) return;
    const Real excess = (A::larger(l.vapour, Real(least)) - w.ice_saturation[k]) * rate_of_all;
    const Real mass = M::divide(l.density * l.ice, w.crystals[k]);
    const Real size = Real(crystal_size) * M::sqrt(mass);
    if (l.snow > Real(least_rain) && l.ice > Real(least))
      take_ice(l, w, k, A::smaller(size, Real(largest_crystal)), r);
    bool used_up = false;
    if (l.ice > Real(0)) {
      r.ice_grows =
          limited(M::divide(Real(4) * size * w.crystals[k] * (w.humidity_ice[k] - Real(1)), over_ice), excess,
                  excess - r.evaporate_rain, -l.ice * rate_of_all);
      used_up = exhausts(r.evaporate_rain + r.ice_grows, excess);
    }
    if (l.snow > Real(0) && !used_up) {
      const Real shape = w.snow_slope2[k] * M::sqrt(w.snow_slope[k] * w.snow_slope_b[k]);
      r.snow_grows =
          limited(M::divide((w.humidity_ice[k] - Real(1)) * w.snow_factor[k] *
                                (Real(snow_vent1) * w.snow_slope2[k] + Real(snow_vent2) * vent * shape),
                            over_ice),
                  excess, excess - r.evaporate_rain - r.ice_grows, -l.snow * rate_of_all);
      used_up = exhausts(r.evaporate_rain + r.ice_grows + r.snow_grows, excess);
    }
    if (excess > Real(0) && !used_up) {
      const Real begins = Real(4.92e-11) * A::power(Real(1e3) * M::exp(Real(0.1) * l.cold), Real(1.33));
      const Real left = excess - r.evaporate_rain - r.ice_grows - r.snow_grows;
      r.ice_begins =
          A::larger(Real(0), (M::divide(begins, l.density) - A::larger(l.ice, Real(0))) * rate_of_all);
      r.ice_begins = A::smaller(A::smaller(r.ice_begins, excess), left);
    }
    if (l.ice > Real(0))
      r.snow_from_ice = A::larger(Real(0), (l.ice - M::divide(Real(most_ice), l.density)) * rate_of_all);
  }

  WSM5_FUNCTION void take_ice(const Level& l, const Work<Real>& w, int k, Real size, Rates& r) {
    const Real ice_speed = Real(1.49e4) * A::power(size, Real(1.31));
    const Real speed = Real(snow_speed) * w.snow_slope_b[k] * w.thinness[k];
    const Real area =
        Real(2) * w.snow_slope3[k] + Real(2) * size * w.snow_slope2[k] + size * size * w.snow_slope[k];
    const Real apart = speed > ice_speed ? speed - ice_speed : ice_speed - speed;
    r.snow_takes_ice = Real(pi * snow_intercept * 0.25) * l.ice * M::exp(Real(-0.07) * l.cold) *
                       w.snow_factor[k] * apart * area;
  }

  // Growth takes at most half of the excess and what is left of it; loss, at most all that there is.
  WSM5_FUNCTION Real limited(Real rate, Real excess, Real left, Real all) {
    if (rate < Real(0)) return A::larger(A::larger(A::larger(rate, excess * Real(0.5)), left), all);
    return A::smaller(A::smaller(rate, excess * Real(0.5)), left);
  }
  WSM5_FUNCTION bool exhausts(Real rate, Real excess) {
    const Real a = rate < Real(0) ? -rate : rate, b = excess < Real(0) ? -excess : excess;
    M::decides(a, b);
    return a >= b;
  }

  // Nothing gives more than it has.
  WSM5_FUNCTION Real share(Real has, Real loses, Real dt) {
    const Real value = A::larger(Real(least), has), source = loses * dt;
    return source > value ? M::divide(value, source) : Real(1);
  }

  WSM5_FUNCTION void feed_back_cold(Level& l, Real dt, Rates& r) {
    Real f = share(l.cloud, r.rain_from_cloud + r.rain_sweeps + r.snow_sweeps, dt);
    r.rain_from_cloud *= f;
    r.rain_sweeps *= f;
    r.snow_sweeps *= f;
    f = share(l.ice, r.snow_from_ice + r.snow_takes_ice - r.ice_begins - r.ice_grows, dt);
    r.snow_from_ice *= f;
    r.snow_takes_ice *= f;
    r.ice_begins *= f;
    r.ice_grows *= f;
    f = share(l.rain, -r.rain_from_cloud - r.rain_sweeps - r.evaporate_rain, dt);
    r.rain_from_cloud *= f;
    r.rain_sweeps *= f;
    r.evaporate_rain *= f;
    f = share(l.snow, -r.snow_grows - r.snow_from_ice - r.snow_takes_ice - r.snow_sweeps, dt);
    r.snow_grows *= f;
    r.snow_from_ice *= f;
    r.snow_takes_ice *= f;
    r.snow_sweeps *= f;

    l.vapour -= (r.evaporate_rain + r.snow_grows + r.ice_begins + r.ice_grows) * dt;
    l.cloud = A::larger(l.cloud - (r.rain_from_cloud + r.rain_sweeps + r.snow_sweeps) * dt, Real(0));
    l.rain = A::larger(l.rain + (r.rain_from_cloud + r.rain_sweeps + r.evaporate_rain) * dt, Real(0));
    l.ice =
        A::larger(l.ice - (r.snow_from_ice + r.snow_takes_ice - r.ice_begins - r.ice_grows) * dt, Real(0));
    l.snow =
        A::larger(l.snow + (r.snow_grows + r.snow_from_ice + r.snow_takes_ice + r.snow_sweeps) * dt, Real(0));
    const Real heat = Real(heat_sublimation) * (r.snow_grows + r.ice_grows + r.ice_begins) +
                      l.latent * r.evaporate_rain + (Real(heat_sublimation) - l.latent) * r.snow_sweeps;
    l.t += M::divide(heat * dt, l.capacity);
  }

  WSM5_FUNCTION void feed_back_warm(Level& l, Real dt, Rates& r) {
    Real f = share(l.cloud, r.rain_from_cloud + r.rain_sweeps + r.snow_sweeps, dt);
    r.rain_from_cloud *= f;
    r.rain_sweeps *= f;
    r.snow_sweeps *= f;
    f = share(l.rain, -r.rain_from_cloud - r.rain_sweeps - r.evaporate_rain - r.snow_sweeps, dt);
    r.rain_from_cloud *= f;
    r.rain_sweeps *= f;
    r.evaporate_rain *= f;
    r.snow_sweeps *= f;
    r.evaporate_snow *= share(A::larger(l.snow, Real(least_rain)), -r.evaporate_snow, dt);

    l.vapour -= (r.evaporate_rain + r.evaporate_snow) * dt;
    l.cloud = A::larger(l.cloud - (r.rain_from_cloud + r.rain_sweeps + r.snow_sweeps) * dt, Real(0));
    l.rain = A::larger(l.rain + (r.rain_from_cloud + r.rain_sweeps + r.evaporate_rain + r.snow_sweeps) * dt,
                       Real(0));
    l.snow = A::larger(l.snow + r.evaporate_snow * dt, Real(0));
    l.t += M::divide(l.latent * (r.evaporate_rain + r.evaporate_snow) * dt, l.capacity);
  }

  // Vapour beyond saturation becomes cloud, and the other way round.
  WSM5_FUNCTION void condense(Level& l, Real dt) {
    const Real saturated = A::saturation(l.t, l.pressure, false);
    const Real excess = M::divide(
        A::larger(l.vapour, Real(least)) - saturated,
        Real(1) + M::divide(l.latent * l.latent * saturated, Real(gas_vapour) * l.capacity * l.t * l.t));
    Real rate = M::divide(A::smaller(A::larger(excess, Real(0)), A::larger(l.vapour, Real(0))), dt);
    if (l.cloud > Real(0) && excess < Real(0)) rate = M::divide(A::larger(excess, -l.cloud), dt);
    l.vapour -= rate * dt;
    l.cloud = A::larger(l.cloud + rate * dt, Real(0));
    l.t += M::divide(rate * l.latent * dt, l.capacity);
  }
};

}  // namespace wsm5
