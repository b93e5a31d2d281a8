// mri-q: Parboil's matrix Q for the reconstruction of an image from samples in k-space.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "workload/compare.h"
#include "workload/random.h"
#include "workloads/registry.h"
#include "workloads/workloads.h"

namespace heddle::workloads {
namespace {

using namespace workload;

constexpr std::uint32_t phi_threads = 512, q_threads = 256;
constexpr std::int32_t samples_per_launch = 1024;

struct Size {
  std::int32_t voxels, samples;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {1024, 128};
    case Scale::Small:
      return {4096, 1536};
    case Scale::Paper:
      return {32768, 3072};
  }
  return {};
}

struct Sample {  // as in mri-q.cu
  float x, y, z, magnitude;
};

struct Input {
  std::vector<float> x, y, z;  // of the voxels
  std::vector<Sample> samples;
  std::vector<float> phi_real, phi_imaginary;
};

Input make_input(const Size& size, std::uint64_t seed) {
  Random random(seed);
  const auto fill = [&](std::size_t count, float limit) {
    std::vector<float> values(count);
    for (float& v : values) v = random.uniform(-limit, limit);
    return values;
  };
  Input in{fill(size.voxels, 0.5f),  fill(size.voxels, 0.5f), fill(size.voxels, 0.5f), {},
           fill(size.samples, 1.0f), fill(size.samples, 1.0f)};
  for (std::int32_t k = 0; k < size.samples; ++k)
    in.samples.push_back(
        {random.uniform(-4.0f, 4.0f), random.uniform(-4.0f, 4.0f), random.uniform(-4.0f, 4.0f), 0.0f});
  return in;
}

struct Q {
  std::vector<float> real, imaginary;
};

Q reference(const Input& in) {
  Q q;
  for (std::size_t v = 0; v < in.x.size(); ++v) {
    double real = 0, imaginary = 0;
    for (const Sample& s : in.samples) {
      const double angle =
          2 * std::numbers::pi * (double(s.x) * in.x[v] + double(s.y) * in.y[v] + double(s.z) * in.z[v]);
      real += s.magnitude * std::cos(angle);
      imaginary += s.magnitude * std::sin(angle);
    }
    q.real.push_back(float(real));
    q.imaginary.push_back(float(imaginary));
  }
  return q;
}

class MriQ : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"voxels", std::to_string(size.voxels)},
            {"samples", std::to_string(size.samples)},
            {"positions", "uniform in a cube, in image space and in k-space"},
            {"threads per CTA", "512 (magnitudes), 256 (Q)"}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Input in = make_input(size, options.seed);
    load_embedded(device, info_.name);
    const DevicePtr phi_real = device.upload(in.phi_real, "phi real");
    const DevicePtr phi_imaginary = device.upload(in.phi_imaginary, "phi imaginary");
    const DevicePtr magnitude = device.allocate(size.samples * sizeof(float), "magnitude");
    device.launch({.kernel = "phi_magnitude",
                   .grid = {(size.samples + phi_threads - 1) / phi_threads},
                   .block = {phi_threads},
                   .args = args(phi_real, phi_imaginary, magnitude, size.samples)});
    const auto magnitudes = device.download<float>(magnitude, size.samples);
    std::vector<float> want;
    for (std::int32_t k = 0; k < size.samples; ++k) {
      in.samples[k].magnitude = magnitudes[k];
      want.push_back(in.phi_real[k] * in.phi_real[k] + in.phi_imaginary[k] * in.phi_imaginary[k]);
    }

    const DevicePtr x = device.upload(in.x, "x"), y = device.upload(in.y, "y"), z = device.upload(in.z, "z");
    const DevicePtr real = device.allocate(size.voxels * sizeof(float), "Q real");
    const DevicePtr imaginary = device.allocate(size.voxels * sizeof(float), "Q imaginary");
    for (std::int32_t first = 0; first < size.samples; first += samples_per_launch) {
      const std::int32_t count = std::min(samples_per_launch, size.samples - first);
      device.copy_in(device.symbol("samples"), &in.samples[first], count * sizeof(Sample));
      device.launch({.kernel = "compute_q",
                     .grid = {size.voxels / q_threads},
                     .block = {q_threads},
                     .args = args(size.samples, first, x, y, z, real, imaginary)});
    }
    // The special function units are right to some 2^-20 of a turn, and sums of thousands of terms nearly
    // cancel: held against the sum of their sizes.
    const Q q = reference(in);
    const double terms = size.samples * 0.66;
    return combine(
        compare_close(magnitudes, want, 1e-6, 1e-3, "magnitude"),
        combine(compare_close(device.download<float>(real, size.voxels), q.real, 1e-5, terms, "Q real"),
                compare_close(device.download<float>(imaginary, size.voxels), q.imaginary, 1e-5, terms,
                              "Q imaginary")));
  }

 private:
  WorkloadInfo info_{
      .name = "mri-q",
      .suite = "Parboil",
      .abbreviation = "mri-q",
      .summary = "image reconstruction: sums of sines and cosines over samples in constant memory",
      .order_reason = {},
      .kernels = {{"phi_magnitude", "mri-q_1"}, {"compute_q", "mri-q_2"}}};
};

}  // namespace

const Workload& mri_q_workload() {
  static const MriQ workload;
  return workload;
}

}  // namespace heddle::workloads
