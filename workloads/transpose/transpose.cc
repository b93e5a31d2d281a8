// transpose: a matrix turned by its diagonal, naively and through shared memory; WarpPool's case study (Fig
// 14).
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

constexpr std::uint32_t tile = 32, block_rows = 8;

struct Size {
  std::int32_t width, height;  // multiples of the tile
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {256, 192};
    case Scale::Small:
      return {2048, 1024};
    case Scale::Paper:
      return {4096, 2048};
  }
  return {};
}

std::vector<float> reference(const std::vector<float>& in, const Size& size) {
  std::vector<float> out(in.size());
  for (std::int32_t y = 0; y < size.height; ++y)
    for (std::int32_t x = 0; x < size.width; ++x)
      out[std::size_t(x) * size.height + y] = in[std::size_t(y) * size.width + x];
  return out;
}

class Transpose : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"matrix", fmt::format("{} x {} floats", size.height, size.width)},
            {"values", "uniform in [0, 1)"},
            {"kernels", "transpose_naive, transpose_shared, transpose_padded"},
            {"tile", "32 x 32 by 32 x 8 threads"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    std::vector<float> in(std::size_t(size.width) * size.height);
    for (float& v : in) v = random.uniform();
    const std::vector<float> want = reference(in, size);

    load_embedded(device, info_.name);
    const DevicePtr d_in = device.upload(in, "in");
    const DevicePtr d_out = device.allocate(in.size() * sizeof(float), "out");
    Verification all{.ok = true, .tolerance = {}, .detail = {}};
    for (const char* kernel : {"transpose_naive", "transpose_shared", "transpose_padded"}) {
      device.fill(d_out, 0xff,
                  in.size() * sizeof(float));  // NaN: nothing is left over from the kernel before
      device.launch({.kernel = kernel,
                     .grid = {size.width / tile, size.height / tile},
                     .block = {tile, block_rows},
                     .args = args(d_out, d_in, size.width, size.height)});
      const Verification v = compare_close(device.download<float>(d_out, in.size()), want, 0, 1, kernel);
      all = all.compared == 0 ? v : combine(all, v);
    }
    return all;
  }

 private:
  WorkloadInfo info_{
      .name = "transpose",
      .suite = "CUDA samples",
      .abbreviation = "TR",
      .summary = "matrix transposition: column reads, then through shared memory",
      .order_reason = {},
      .kernels = {{"transpose_naive", ""}, {"transpose_shared", ""}, {"transpose_padded", ""}}};
};

}  // namespace

const Workload& transpose_workload() {
  static const Transpose workload;
  return workload;
}

}  // namespace heddle::workloads
