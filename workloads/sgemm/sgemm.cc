// sgemm: Parboil's dense matrix product, column-major, with B transposed.
#include <cstdint>
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

constexpr std::uint32_t tile_n = 16, tile_height = 8, tile_m = tile_n * tile_height;

struct Size {
  std::int32_t m, n, k;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {128, 32, 96};
    case Scale::Small:
      return {384, 128, 256};
    case Scale::Paper:
      return {1024, 1056, 992};
  }
  return {};
}

std::vector<float> reference(const Size& s, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c;
  std::vector<double> column(s.m);
  for (std::int32_t n = 0; n < s.n; ++n) {
    column.assign(s.m, 0);
    for (std::int32_t k = 0; k < s.k; ++k)
      for (std::int32_t m = 0; m < s.m; ++m) column[m] += double(a[m + k * s.m]) * b[n + k * s.n];
    c.insert(c.end(), column.begin(), column.end());
  }
  return c;
}

class Sgemm : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"A", fmt::format("{} x {}", size.m, size.k)},
            {"B", fmt::format("{} x {}, transposed", size.k, size.n)},
            {"values", "uniform in 0..1"},
            {"alpha, beta", "1, 0"},
            {"threads per CTA", fmt::format("{} x {}", tile_n, tile_height)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> a(std::size_t(size.m) * size.k), b(std::size_t(size.n) * size.k);
    for (float& v : a) v = random.uniform();
    for (float& v : b) v = random.uniform();

    load_embedded(device, info_.name);
    const DevicePtr d_a = device.upload(a, "A"), d_b = device.upload(b, "B");
    const std::size_t count = std::size_t(size.m) * size.n;
    const DevicePtr d_c = device.allocate(count * sizeof(float), "C");
    device.launch({.kernel = "sgemm_nt",
                   .grid = {size.m / tile_m, size.n / tile_n},
                   .block = {tile_n, tile_height},
                   .args = args(d_a, size.m, d_b, size.n, d_c, size.m, size.k, 1.0f, 0.0f)});
    // Single precision against double: sums of up to 1000 products.
    return compare_close(device.download<float>(d_c, count), reference(size, a, b), 1e-5, 1, "C");
  }

 private:
  WorkloadInfo info_{.name = "sgemm",
                     .suite = "Parboil",
                     .abbreviation = "sgemm",
                     .summary = "dense matrix product with register tiles",
                     .order_reason = {},
                     .kernels = {{"sgemm_nt", "sgemm"}}};
};

}  // namespace

const Workload& sgemm_workload() {
  static const Sgemm workload;
  return workload;
}

}  // namespace heddle::workloads
