// histogram: the CUDA SDK's histograms of bytes, with 64 and with 256 bins.
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

constexpr std::uint32_t block64 = 64, block256 = 192, merge_block = 256;
constexpr std::uint32_t bytes_of_thread64 = 240;  // what counters of one byte hold, in vectors of 16
constexpr std::uint32_t ctas256 = 240;

std::uint32_t bytes_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 64 << 10;
    case Scale::Small:
      return 2 << 20;
    case Scale::Paper:
      return 64 << 20;
  }
  return 0;
}

class Histogram : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"bytes", std::to_string(bytes_of(options.scale))},
            {"values", "uniform"},
            {"64 bins", fmt::format("{} CTAs of {} threads", ctas64(options.scale), block64)},
            {"256 bins", fmt::format("{} CTAs of {} threads", ctas256, block256)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::uint32_t bytes = bytes_of(options.scale);
    Random random(options.seed);
    std::vector<std::uint64_t> data(bytes / sizeof(std::uint64_t));
    std::vector<std::int32_t> want64(64), want256(256);
    for (std::uint64_t& word : data) {
      word = random.next();
      for (std::uint32_t shift = 0; shift < 64; shift += 8) {
        const std::size_t byte = word >> shift & 255;
        ++want256[byte];
        ++want64[byte >> 2];
      }
    }

    load_embedded(device, info_.name);
    const DevicePtr d_data = device.upload(data, "data");
    const std::vector<std::int32_t> got64 =
        count(device, d_data, "64", ctas64(options.scale), block64, 64, bytes / 16);
    const std::vector<std::int32_t> got256 = count(device, d_data, "256", ctas256, block256, 256, bytes / 4);
    return combine(compare_equal(got64, want64, "64 bins"), compare_equal(got256, want256, "256 bins"));
  }

 private:
  static std::uint32_t ctas64(Scale scale) {
    constexpr std::uint32_t per_cta = block64 * bytes_of_thread64;
    return (bytes_of(scale) + per_cta - 1) / per_cta;
  }

  // One histogram per CTA, and their sum.
  static std::vector<std::int32_t> count(Device& device, DevicePtr data, const std::string& bins_name,
                                         std::uint32_t ctas, std::uint32_t block, std::uint32_t bins,
                                         std::uint32_t vectors) {
    const DevicePtr partial = device.allocate(std::uint64_t(ctas) * bins * 4, "histograms of CTAs"),
                    histogram = device.allocate(bins * 4, "histogram");
    device.launch({.kernel = "histogram" + bins_name,
                   .grid = {ctas},
                   .block = {block},
                   .args = args(partial, data, vectors)});
    device.launch({.kernel = "merge_histogram" + bins_name,
                   .grid = {bins},
                   .block = {merge_block},
                   .args = args(histogram, partial, ctas)});
    return device.download<std::int32_t>(histogram, bins);
  }

  WorkloadInfo info_{
      .name = "histogram",
      .suite = "CUDA SDK",
      .abbreviation = "C-Histogram",
      .summary = "histograms of bytes: counters per thread, then per warp, in shared memory",
      .order_reason = {},
      .kernels = {
          {"histogram64", ""}, {"merge_histogram64", ""}, {"histogram256", ""}, {"merge_histogram256", ""}}};
};

}  // namespace

const Workload& histogram_workload() {
  static const Histogram workload;
  return workload;
}

}  // namespace heddle::workloads
