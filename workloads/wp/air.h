// Constants of the WSM5 cloud microphysics (scheme.h), what it keeps per level, and the properties of air
// that all of its parts use.
#pragma once

// What functions of the scheme are declared as, and what keeps a loop from being unrolled; a kernel says so
// before it includes this.
#ifndef WSM5_FUNCTION
#define WSM5_FUNCTION static inline
#define WSM5_ROLLED
#endif

namespace wsm5 {

constexpr int most_levels = 28;

// A column of fields that lie level above level, `stride` values apart.
template <class Real>
struct Column {
  Real* potential_temperature;
  const Real* exner;
  Real *vapour, *cloud, *ice, *rain, *snow;  // kg per kg of air
  const Real *density, *pressure, *thickness;
  int levels, stride;
};

// What reached the ground in this step, mm.
template <class Real>
struct Ground {
  Real rain, snow;
};

// What the thread keeps per level.
template <class Real>
struct Work {
  Real t[most_levels], heat_capacity[most_levels], latent_heat[most_levels];
  Real water_saturation[most_levels], ice_saturation[most_levels];
  Real humidity_water[most_levels], humidity_ice[most_levels];
  Real rain_slope[most_levels], rain_slope_b[most_levels], rain_slope2[most_levels], rain_slope3[most_levels];
  Real snow_slope[most_levels], snow_slope_b[most_levels], snow_slope2[most_levels], snow_slope3[most_levels];
  Real thinness[most_levels], snow_factor[most_levels], crystals[most_levels];
  Real fall1[most_levels], fall2[most_levels];
};

// Constants of air and water, and those of drop and flake spectra.
constexpr double gas_vapour = 461.6, gas_air = 287.0, cp_air = 3.5 * gas_air, cp_vapour = 4.0 * gas_vapour;
constexpr double c_water = 4190.0, c_ice = 2106.0, water_density = 1000.0, reference_density = 1.28;
constexpr double heat_fusion = 3.5e5, heat_vapour = 2.5e6, heat_sublimation = 2.85e6;
constexpr double freezing = 273.15, triple = 273.16, triple_pressure = 610.78,
                 gas_ratio = gas_air / gas_vapour;
constexpr double least = 1e-15, least_rain = 1e-9, pi = 3.14159265358979;
constexpr double rain_intercept = 8e6, snow_intercept = 2e6, most_snow_factor = 1e11 / snow_intercept;
constexpr double rain_b = 0.8, snow_b = 0.41, rain_a = 841.9, snow_a = 11.72;
constexpr double gamma3_rain = 4.69078683, gamma4_rain = 17.8173289, gamma5_rain = 1.82658695;
constexpr double gamma3_snow = 3.01156382, gamma4_snow = 10.2654191, gamma5_snow = 1.550308;
constexpr double root_rain_a = 29.0155131, root_snow_a = 3.42344856;  // square roots
constexpr double rain_speed = rain_a * gamma4_rain / 6.0, snow_speed = snow_a * gamma4_snow / 6.0;
constexpr double rain_shape = pi * water_density * rain_intercept, snow_shape = pi * 100.0 * snow_intercept;
constexpr double steepest_rain = 1.0 / 8e4, steepest_snow = 1e-5;
constexpr double steepest_rain_b = 1.1954406e-4, steepest_snow_b = 8.9125094e-3;
constexpr double crystal_size = 11.9, largest_crystal = 5e-4, most_ice = 2.08e22 * 3.90625e-27;
constexpr double rain_vent1 = 2.0 * pi * rain_intercept * 0.78;
constexpr double rain_vent2 = 2.0 * pi * rain_intercept * 0.31 * root_rain_a * gamma5_rain;
constexpr double snow_vent1 = 4.0 * snow_intercept * 0.65;
constexpr double snow_vent2 = 4.0 * snow_intercept * 0.44 * root_snow_a * gamma5_snow;
constexpr double rain_sweep = pi * rain_intercept * rain_a * gamma3_rain * 0.25;
constexpr double snow_sweep = pi * snow_intercept * snow_a * gamma3_snow * 0.25;
constexpr double autoconversion_from = 4.0 / 3.0 * pi * water_density * 5.12e-16 * 3e8 / reference_density;
constexpr double autoconversion_rate = 0.104 * 9.8 * 0.55 / 6694.3295 / 1.718e-5 * 1.3897722;
constexpr double longest_step = 120.0;  // seconds

template <class M>
struct Air {
  using Real = typename M::Real;

  WSM5_FUNCTION Real larger(Real a, Real b) { return a > b ? a : b; }
  WSM5_FUNCTION Real smaller(Real a, Real b) { return a < b ? a : b; }
  WSM5_FUNCTION Real power(Real a, Real b) { return M::exp(M::log(a) * b); }
  WSM5_FUNCTION Real root4(Real a) { return M::sqrt(M::sqrt(a)); }

  // Mixing ratio at saturation over water or ice.
  WSM5_FUNCTION Real saturation(Real t, Real pressure, bool over_ice) {
    constexpr double xa = (c_water - cp_vapour) / gas_vapour, xb = xa + heat_vapour / (gas_vapour * triple);
    constexpr double xai = (c_ice - cp_vapour) / gas_vapour,
                     xbi = xai + heat_sublimation / (gas_vapour * triple);
    const Real tr = M::divide(Real(triple), t);
    const Real e = Real(triple_pressure) * M::exp(M::log(tr) * Real(over_ice ? xai : xa) +
                                                  Real(over_ice ? xbi : xb) * (Real(1) - tr));
    return larger(M::divide(Real(gas_ratio) * e, pressure - e), Real(least));
  }

  // Slopes of the spectra of drops and flakes at a level.
  WSM5_FUNCTION void slopes(Work<Real>& w, int k, Real rain, Real snow, Real density, Real t) {
    w.snow_factor[k] =
        larger(smaller(M::exp(Real(0.12) * (Real(freezing) - t)), Real(most_snow_factor)), Real(1));
    Real slope = Real(steepest_rain), slope_b = Real(steepest_rain_b);
    if (rain > Real(least_rain)) {
      slope = M::divide(Real(1), root4(M::divide(Real(rain_shape), rain * density)));
      slope_b = power(slope, Real(rain_b));
    }
    w.rain_slope[k] = slope;
    w.rain_slope_b[k] = slope_b;
    w.rain_slope2[k] = slope * slope;
    w.rain_slope3[k] = slope * slope * slope;
    slope = Real(steepest_snow);
    slope_b = Real(steepest_snow_b);
    if (snow > Real(least_rain)) {
      slope = M::divide(Real(1), root4(M::divide(Real(snow_shape) * w.snow_factor[k], snow * density)));
      slope_b = power(slope, Real(snow_b));
    }
    w.snow_slope[k] = slope;
    w.snow_slope_b[k] = slope_b;
    w.snow_slope2[k] = slope * slope;
    w.snow_slope3[k] = slope * slope * slope;
  }

  WSM5_FUNCTION Real crystals(Real ice, Real density) {
    const Real mass = density * larger(ice, Real(least));
    return smaller(larger(Real(5.38e7) * M::sqrt(M::sqrt(mass * mass * mass)), Real(1e3)), Real(1e6));
  }

  // Viscosity and diffusivity of air, and what of these evaporation and melting need.
  WSM5_FUNCTION Real viscosity(Real t, Real density) {
    return M::divide(Real(1.496e-6) * t * M::sqrt(t), (t + Real(120)) * density);
  }
  WSM5_FUNCTION Real diffusivity(Real t, Real pressure) {
    return M::divide(Real(8.794e-5) * power(t, Real(1.81)), pressure);
  }
  WSM5_FUNCTION Real conductivity(Real t, Real density) {
    return Real(1.414e3) * viscosity(t, density) * density;
  }
  WSM5_FUNCTION Real ventilation(Real t, Real pressure, Real density) {
    const Real v = viscosity(t, density);
    return M::divide(power(M::divide(v, diffusivity(t, pressure)), Real(1.0 / 3.0)), M::sqrt(v)) *
           root4(M::divide(Real(reference_density), density));
  }
  WSM5_FUNCTION Real resistance(Real heat, Real t, Real pressure, Real density, Real saturated) {
    return M::divide(density * heat * heat, conductivity(t, density) * Real(gas_vapour) * t * t) +
           M::divide(Real(1), saturated * diffusivity(t, pressure));
  }
};

}  // namespace wsm5
