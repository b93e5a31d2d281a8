// gaussian: Rodinia's elimination, column by column.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t fan1_threads = 512, fan2_side = 4;

std::int32_t size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 24;
    case Scale::Small:
      return 64;
    case Scale::Paper:
      return 208;
  }
  return 0;
}

struct System {
  std::vector<float> a, b;
};

// Rodinia's generated matrix, whose values fall off from the diagonal; here half as large off it, with noise,
// so that elimination without pivoting keeps its precision.
System make_system(std::int32_t size, std::uint64_t seed) {
  Random random(seed);
  System s;
  for (std::int32_t i = 0; i < size; ++i)
    for (std::int32_t j = 0; j < size; ++j)
      s.a.push_back(float(10 * std::exp(-0.01 * std::abs(i - j))) *
                    (i == j ? 1.0f : random.uniform(0.5f, 0.52f)));
  s.b.assign(size, 1.0f);
  return s;
}

System reference(std::int32_t size, const System& s) {
  std::vector<double> a(s.a.begin(), s.a.end()), b(s.b.begin(), s.b.end());
  for (std::int32_t t = 0; t < size - 1; ++t)
    for (std::int32_t row = t + 1; row < size; ++row) {
      const double factor = a[row * size + t] / a[t * size + t];
      for (std::int32_t column = t; column < size; ++column)
        a[row * size + column] -= factor * a[t * size + column];
      b[row] -= factor * b[t];
    }
  return {{a.begin(), a.end()}, {b.begin(), b.end()}};
}

class Gaussian : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"unknowns", std::to_string(size_of(options.scale))},
            {"matrix", "10 exp(-0.01 |i - j|), off the diagonal times 0.5..0.52"},
            {"threads per CTA",
             fmt::format("{} (multipliers), {} x {} (elimination)", fan1_threads, fan2_side, fan2_side)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::int32_t size = size_of(options.scale);
    const System system = make_system(size, options.seed);
    load_embedded(device, info_.name);
    const DevicePtr a = device.upload(system.a, "a"), b = device.upload(system.b, "b");
    const DevicePtr m = device.allocate(system.a.size() * sizeof(float), "m");
    const std::uint32_t side = (size + fan2_side - 1) / fan2_side;
    for (std::int32_t t = 0; t < size - 1; ++t) {
      device.launch({.kernel = "fan1",
                     .grid = {(size + fan1_threads - 1) / fan1_threads},
                     .block = {fan1_threads},
                     .args = args(m, a, size, t)});
      device.launch({.kernel = "fan2",
                     .grid = {side, side},
                     .block = {fan2_side, fan2_side},
                     .args = args(m, a, b, size, t)});
    }
    // Single precision against double; elimination amplifies rounding by the condition of the matrix.
    const System want = reference(size, system);
    return combine(compare_close(device.download<float>(a, want.a.size()), want.a, 1e-4, 1, "a"),
                   compare_close(device.download<float>(b, want.b.size()), want.b, 1e-4, 1, "b"));
  }

 private:
  WorkloadInfo info_{.name = "gaussian",
                     .suite = "Rodinia",
                     .abbreviation = "GE",
                     .summary = "Gaussian elimination",
                     .order_reason = {},
                     .kernels = {{"fan1", "gaussian_1"}, {"fan2", "gaussian_2"}}};
};

}  // namespace

const Workload& gaussian_workload() {
  static const Gaussian workload;
  return workload;
}

}  // namespace heddle::workloads
