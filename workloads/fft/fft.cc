// fft: SHOC's batch of Fourier transforms of 512 points, there and back.
#include <complex>
#include <cstdint>
#include <numbers>
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

constexpr std::uint32_t points = 512, block = 64;

std::uint32_t transforms(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return 16;
    case Scale::Small:
      return 1024;
    case Scale::Paper:
      return 24576;
  }
  return 0;
}

// By halves, in place; n is a power of two.
void transform(std::complex<double>* a, std::size_t n, std::vector<std::complex<double>>& scratch) {
  if (n == 1) return;
  for (std::size_t i = 0; i < n; ++i) scratch[i] = a[i];
  for (std::size_t i = 0; i < n / 2; ++i) {
    a[i] = scratch[2 * i];
    a[n / 2 + i] = scratch[2 * i + 1];
  }
  transform(a, n / 2, scratch);
  transform(a + n / 2, n / 2, scratch);
  for (std::size_t i = 0; i < n / 2; ++i) {
    const std::complex<double> odd =
        a[n / 2 + i] * std::polar(1.0, -2 * std::numbers::pi * double(i) / double(n));
    const std::complex<double> even = a[i];
    a[i] = even + odd;
    a[n / 2 + i] = even - odd;
  }
}

// Pairs of real and imaginary part, transform after transform.
std::vector<float> reference(const std::vector<float>& in) {
  std::vector<float> out;
  std::vector<std::complex<double>> a(points), scratch(points);
  for (std::size_t first = 0; first < in.size(); first += 2 * points) {
    for (std::size_t i = 0; i < points; ++i) a[i] = {in[first + 2 * i], in[first + 2 * i + 1]};
    transform(a.data(), points, scratch);
    for (const std::complex<double>& v : a) {
      out.push_back(static_cast<float>(v.real()));
      out.push_back(static_cast<float>(v.imag()));
    }
  }
  return out;
}

class Fft : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    return {{"transforms", fmt::format("{} of {} points", transforms(options.scale), points)},
            {"values", "uniform in -1..1; the second half of the batch repeats the first"},
            {"threads per CTA", std::to_string(block)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const std::uint32_t batch = transforms(options.scale);
    Random random(options.seed);
    std::vector<float> in(std::size_t(batch) * points);  // half of the batch, two floats per point
    for (float& v : in) v = random.uniform(-1, 1);
    std::vector<float> want = reference(in);
    in.insert(in.end(), in.begin(), in.begin() + std::ptrdiff_t(in.size()));
    want.insert(want.end(), want.begin(), want.begin() + std::ptrdiff_t(want.size()));

    load_embedded(device, info_.name);
    const DevicePtr work = device.upload(in, "work"), failed = device.allocate(1, "failed");
    device.launch({.kernel = "fft512_forward", .grid = {batch}, .block = {block}, .args = args(work)});
    // Values near sqrt(512); nine additions and two products with approximate sines and cosines each.
    Verification v = compare_close(device.download<float>(work, in.size()), want, 1e-5, 32, "transforms");
    device.launch({.kernel = "fft512_inverse", .grid = {batch}, .block = {block}, .args = args(work)});
    v = combine(v, compare_close(device.download<float>(work, in.size()), in, 1e-5, 1, "transforms back"));
    device.launch({.kernel = "fft512_check",
                   .grid = {batch / 2},
                   .block = {block},
                   .args = args(work, std::int32_t(batch / 2 * points), failed)});
    const std::vector<std::int32_t> flag{device.download<std::int8_t>(failed, 1).front()};
    return combine(v, compare_equal(flag, std::vector<std::int32_t>{0}, "flag of the check"));
  }

 private:
  WorkloadInfo info_{.name = "fft",
                     .suite = "SHOC",
                     .abbreviation = "S-FFT",
                     .summary = "Fourier transforms of 512 points in registers and shared memory",
                     .order_reason = {},
                     .kernels = {{"fft512_forward", ""}, {"fft512_inverse", ""}, {"fft512_check", ""}}};
};

}  // namespace

const Workload& fft_workload() {
  static const Fft workload;
  return workload;
}

}  // namespace heddle::workloads
