// wp: cloud microphysics of a weather model (WSM5), columns of air with many arrays in local memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"
#include "workloads/wp/scheme.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr Dim3 block{8, 8};
constexpr std::int32_t levels = 27;
constexpr float seconds = 60;
constexpr int cloud_count = 5;
constexpr double tolerance = 1e-4, kept_tolerance = 2e-5;

struct Size {
  std::int32_t nx, ny, steps;

  std::size_t columns() const { return std::size_t(nx) * ny; }
  std::size_t at(std::int32_t x, std::int32_t k, std::int32_t y) const {
    return x + (std::size_t(k) + std::size_t(y) * levels) * nx;
  }
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {13, 7, 1};
    case Scale::Small:
      return {40, 24, 2};
    case Scale::Paper:
      return {71, 58, 10};
  }
  return {};
}

// The fields of a step, in single precision for the device, in double for the reference.
template <class Real>
struct State {
  std::vector<Real> potential_temperature, exner, vapour, cloud, ice, rain, snow, density, pressure,
      thickness;

  explicit State(std::size_t count)
      : potential_temperature(count),
        exner(count),
        vapour(count),
        cloud(count),
        ice(count),
        rain(count),
        snow(count),
        density(count),
        pressure(count),
        thickness(count) {}
};

State<double> in_double(const State<float>& from) {
  State<double> to(0);
  const auto copy = [](const std::vector<float>& a) { return std::vector<double>(a.begin(), a.end()); };
  to.potential_temperature = copy(from.potential_temperature);
  to.exner = copy(from.exner);
  to.vapour = copy(from.vapour);
  to.cloud = copy(from.cloud);
  to.ice = copy(from.ice);
  to.rain = copy(from.rain);
  to.snow = copy(from.snow);
  to.density = copy(from.density);
  to.pressure = copy(from.pressure);
  to.thickness = copy(from.thickness);
  return to;
}

// --- the weather: made with sums and products only, which every host rounds alike ---
double exponential(double x) {
  double power = 1 + x / (1 << 20);
  for (int i = 0; i < 20; ++i) power *= power;
  return power;
}

struct Cloud {
  float x, y, radius, bottom, top;  // in columns and levels
};

std::vector<Cloud> make_clouds(const Size& size, Random& random) {
  std::vector<Cloud> clouds;
  for (int i = 0; i < cloud_count; ++i) {
    const float x = random.uniform(0, static_cast<float>(size.nx));
    const float y = random.uniform(0, static_cast<float>(size.ny));
    const float radius = random.uniform(0.06f, 0.2f) * static_cast<float>(size.nx);
    const float bottom = random.uniform(2, 10);
    clouds.push_back({x, y, radius, bottom, bottom + random.uniform(5, 16)});
  }
  return clouds;
}

// 1 in the middle of a cloud, 0 outside of all.
double inside(const std::vector<Cloud>& clouds, std::int32_t x, std::int32_t k, std::int32_t y) {
  double most = 0;
  for (const Cloud& c : clouds) {
    const double dx = (x - c.x) / c.radius, dy = (y - c.y) / c.radius;
    const double middle = 0.5 * (c.bottom + c.top), half = 0.5 * (c.top - c.bottom), dk = (k - middle) / half;
    const double rest = 1 - dx * dx - dy * dy - dk * dk;
    most = std::max(most, rest);
  }
  return most;
}

State<float> make_weather(const Size& size, std::uint64_t seed) {
  Random random(seed);
  const std::vector<Cloud> clouds = make_clouds(size, random);
  State<float> s(size.columns() * levels);
  for (std::int32_t y = 0; y < size.ny; ++y)
    for (std::int32_t x = 0; x < size.nx; ++x) {
      const double ground = 300 - 24.0 * y / size.ny - 4.0 * x / size.nx + random.uniform(-0.5f, 0.5f);
      double height = 0, log_pressure = 0;  // of 1000 hPa
      for (std::int32_t k = 0; k < levels; ++k) {
        const std::size_t at = size.at(x, k, y);
        const double thickness = 60 + 35.0 * k, t = ground - 0.0065 * (height + thickness / 2);
        log_pressure -= 9.81 * thickness / (287.0 * t);
        height += thickness;
        const double pressure = 1e5 * exponential(log_pressure), exner = exponential(log_pressure * 2 / 7);
        const double saturated = 610.78 * exponential(17.27 * (t - 273.16) / (t - 35.86));
        const double wet = inside(clouds, x, k, y), noise = random.uniform(0.9f, 1.1f);
        const double vapour = std::min(1.03, 0.45 + 0.7 * wet) * 0.622 * saturated / (pressure - saturated);
        s.thickness[at] = static_cast<float>(thickness);
        s.pressure[at] = static_cast<float>(pressure);
        s.exner[at] = static_cast<float>(exner);
        s.density[at] = static_cast<float>(pressure / (287.0 * t * (1 + 0.608 * vapour)));
        s.potential_temperature[at] = static_cast<float>(t / exner);
        s.vapour[at] = static_cast<float>(vapour);
        s.cloud[at] = static_cast<float>(t > 250 ? 2e-3 * wet * noise : 0);
        s.ice[at] = static_cast<float>(t < 270 ? 4e-4 * wet * noise : 0);
        s.rain[at] = static_cast<float>(t > 265 && wet > 0.2 ? 1.5e-3 * wet * noise : 0);
        s.snow[at] = static_cast<float>(t < 278 && wet > 0.2 ? 1e-3 * wet * noise : 0);
      }
    }
  return s;
}

// --- the reference ---
struct Exact {
  using Real = double;
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double divide(double a, double b) { return a / b; }
  static double nearest(double x) { return std::round(x); }
  // Single precision may decide otherwise when the two are as close as this.
  static void decides(double a, double b) {
    if (std::fabs(a - b) <= 2e-5 * std::max(std::fabs(a), std::fabs(b))) close_call = true;
  }
  static inline thread_local bool close_call = false;
};

struct Outcome {
  State<double> state;
  std::vector<wsm5::Ground<double>> ground;
  std::vector<bool> sure;  // columns that no rounding error could turn
};

Outcome reference(const Size& size, const State<float>& weather) {
  Outcome out{in_double(weather), {}, {}};
  State<double>& s = out.state;
  for (std::int32_t y = 0; y < size.ny; ++y)
    for (std::int32_t x = 0; x < size.nx; ++x) {
      const std::size_t at = size.at(x, 0, y);
      Exact::close_call = false;
      out.ground.push_back(wsm5::Scheme<Exact>::step(
          {&s.potential_temperature[at], &s.exner[at], &s.vapour[at], &s.cloud[at], &s.ice[at], &s.rain[at],
           &s.snow[at], &s.density[at], &s.pressure[at], &s.thickness[at], levels, size.nx},
          seconds));
      out.sure.push_back(!Exact::close_call);
    }
  return out;
}

// Water above a square metre, and what has fallen on it: kg.
std::vector<float> water(const Size& size, const State<float>& s, const std::vector<float>& fallen) {
  std::vector<float> sums;
  for (std::int32_t y = 0; y < size.ny; ++y)
    for (std::int32_t x = 0; x < size.nx; ++x) {
      double sum = fallen[sums.size()];
      for (std::int32_t k = 0; k < levels; ++k) {
        const std::size_t at = size.at(x, k, y);
        sum += double(s.density[at]) * s.thickness[at] *
               (double(s.vapour[at]) + s.cloud[at] + s.ice[at] + s.rain[at] + s.snow[at]);
      }
      sums.push_back(static_cast<float>(sum));
    }
  return sums;
}

class Wp : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"columns", fmt::format("{} x {}, {} levels", size.nx, size.ny, levels)},
            {"steps", fmt::format("{} of {} s, each with weather of its own", size.steps, seconds)},
            {"weather", fmt::format("{} clouds at random in an atmosphere that is colder towards one side",
                                    cloud_count)},
            {"grid", fmt::format("{} x {} CTAs of {} x {}", grid(size).x, grid(size).y, block.x, block.y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    load_embedded(device, info_.name);
    Fields f = allocate(device, size);
    Verification v;
    for (std::int32_t step = 0; step < size.steps; ++step) {
      const State<float> weather = make_weather(size, options.seed * 1000 + step);
      copy_in(device, f, weather);
      device.launch({.kernel = "wsm5_columns",
                     .grid = grid(size),
                     .block = block,
                     .args = args(f, seconds, size.nx, size.ny, levels)});
      const Verification of_step = check(device, size, f, weather);
      v = step == 0 ? of_step : combine(v, of_step);
    }
    return v;
  }

 private:
  struct Fields {  // as in wp.cu
    DevicePtr potential_temperature, exner, vapour, cloud, ice, rain, snow, density, pressure, thickness;
    DevicePtr total_rain, step_rain, snow_share, total_snow, step_snow;
  };

  static Dim3 grid(const Size& size) { return {1 + (size.nx - 1) / block.x, 1 + (size.ny - 1) / block.y}; }

  static Fields allocate(Device& device, const Size& size) {
    Fields f{};
    for (DevicePtr* field : {&f.potential_temperature, &f.exner, &f.vapour, &f.cloud, &f.ice, &f.rain,
                             &f.snow, &f.density, &f.pressure, &f.thickness})
      *field = device.allocate(size.columns() * levels * sizeof(float), "field");
    for (DevicePtr* field : {&f.total_rain, &f.step_rain, &f.snow_share, &f.total_snow, &f.step_snow})
      *field = device.allocate(size.columns() * sizeof(float), "field on the ground");
    return f;
  }

  static void copy_in(Device& device, const Fields& f, const State<float>& s) {
    const auto copy = [&](DevicePtr to, const std::vector<float>& from) {
      device.copy_in(to, from.data(), from.size() * sizeof(float));
    };
    copy(f.potential_temperature, s.potential_temperature);
    copy(f.exner, s.exner);
    copy(f.vapour, s.vapour);
    copy(f.cloud, s.cloud);
    copy(f.ice, s.ice);
    copy(f.rain, s.rain);
    copy(f.snow, s.snow);
    copy(f.density, s.density);
    copy(f.pressure, s.pressure);
    copy(f.thickness, s.thickness);
  }

  static Verification check(Device& device, const Size& size, const Fields& f, const State<float>& before) {
    const std::size_t count = size.columns() * levels;
    State<float> s = before;
    s.potential_temperature = device.download<float>(f.potential_temperature, count);
    s.vapour = device.download<float>(f.vapour, count);
    s.cloud = device.download<float>(f.cloud, count);
    s.ice = device.download<float>(f.ice, count);
    s.rain = device.download<float>(f.rain, count);
    s.snow = device.download<float>(f.snow, count);
    const auto fallen = device.download<float>(f.step_rain, size.columns());
    const auto fallen_snow = device.download<float>(f.step_snow, size.columns());

    const Outcome want = reference(size, before);
    const Verification kept =
        compare_close(water(size, s, fallen), water(size, before, std::vector<float>(size.columns())),
                      kept_tolerance, 1, "water");
    Verification v = kept;
    const auto field = [&](const std::vector<float>& got, const std::vector<double>& expected,
                           double relative, double floor, std::string_view what) {
      v = combine(v, compare_sure(size, want.sure, got, expected, relative, floor, what));
    };
    // Approximate functions, and differences of numbers that are nearly the same: vapour is up to 0.02, and
    // what condenses of it in a step some 1e-4.
    field(s.potential_temperature, want.state.potential_temperature, kept_tolerance, 300,
          "potential temperature");
    field(s.vapour, want.state.vapour, tolerance, 1e-3, "vapour");
    field(s.cloud, want.state.cloud, tolerance, 1e-3, "cloud");
    field(s.ice, want.state.ice, tolerance, 1e-3, "ice");
    field(s.rain, want.state.rain, tolerance, 1e-3, "rain");
    field(s.snow, want.state.snow, tolerance, 1e-3, "snow");
    std::vector<double> rain, snow;
    for (const wsm5::Ground<double>& g : want.ground) {
      rain.push_back(g.rain);
      snow.push_back(g.snow);
    }
    field(fallen, rain, tolerance, 1e-2, "rain on the ground");
    field(fallen_snow, snow, tolerance, 1e-2, "snow on the ground");
    v.tolerance =
        fmt::format("relative {:g}; temperature, and all water of a column, {:g}", tolerance, kept_tolerance);
    return v;
  }

  // Only columns without close calls, which must be most of them.
  static Verification compare_sure(const Size& size, const std::vector<bool>& sure,
                                   const std::vector<float>& got, const std::vector<double>& want,
                                   double relative, double floor, std::string_view what) {
    std::vector<float> some, expected;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t x = i % size.nx, y = i / (got.size() / size.ny);
      if (!sure[x + y * size.nx]) continue;
      some.push_back(got[i]);
      expected.push_back(static_cast<float>(want[i]));
    }
    Verification v = compare_close(some, expected, relative, floor, what);
    if (some.size() < got.size() * 9 / 10) {
      v.ok = false;
      v.detail = fmt::format("{}: only {} of {} values can be compared", what, some.size(), got.size());
    }
    return v;
  }

  WorkloadInfo info_{.name = "wp",
                     .suite = "GPGPU-Sim",
                     .abbreviation = "WP",
                     .summary = "weather prediction: cloud microphysics by columns, arrays in local memory",
                     .order_reason = {},
                     .kernels = {{"wsm5_columns", ""}}};
};

}  // namespace

const Workload& wp_workload() {
  static const Wp workload;
  return workload;
}

}  // namespace heddle::workloads
