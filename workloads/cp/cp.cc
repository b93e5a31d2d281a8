// cp: Parboil's Coulombic potential in a plane, atoms in constant memory.
#include <bit>
#include <cmath>
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

constexpr Dim3 block{16, 8};
constexpr std::uint32_t points = 2;  // of a thread
constexpr float spacing = 0.1f;

struct Size {
  std::uint32_t side;
  std::int32_t atoms;
};

Size size_of(Scale scale) {
  switch (scale) {
    case Scale::Tiny:
      return {64, 40};
    case Scale::Small:
      return {128, 100};
    case Scale::Paper:
      return {256, 200};
  }
  return {};
}

struct Atom {  // as in cp.cu
  float x, y, squared_z, charge;
};

// Within the plane: Parboil's volume has one layer of points, and no height.
std::vector<Atom> make_atoms(const Size& size, Random& random) {
  const float side = spacing * static_cast<float>(size.side);
  std::vector<Atom> atoms;
  for (std::int32_t i = 0; i < size.atoms; ++i) {
    const float x = random.uniform(0, side), y = random.uniform(0, side);
    atoms.push_back({x, y, 0.0f, random.uniform(-1, 1)});
  }
  return atoms;
}

// The kernel's arithmetic in its order: nearly all of a point's potential may be that of one atom close to
// it, whose distance has few bits.
float potential(const std::vector<Atom>& atoms, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t second = x % (block.x * points) / block.x;
  const float at_y = spacing * static_cast<float>(y);
  const float at_x = spacing * static_cast<float>(x - second * block.x);
  const float apart = spacing * static_cast<float>(block.x);
  float sum = 0;
  for (const Atom& a : atoms) {
    const float dy = at_y - a.y, first_dx = at_x - a.x;
    const float dx = second ? first_dx + apart : first_dx;
    const float distance = std::sqrt(std::fma(dx, dx, std::fma(dy, dy, a.squared_z)));
    sum = std::fma(a.charge, 1.0f / distance, sum);
  }
  return sum;
}

class Cp : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  Parameters parameters(const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    return {{"grid points", fmt::format("{0} x {0}, {1} apart, {2} of a thread", size.side, spacing, points)},
            {"atoms", fmt::format("{}, at random in the plane, charges uniform in [-1, 1)", size.atoms)},
            {"grid", fmt::format("{} x {} CTAs of {} x {}", size.side / block.x / points, size.side / block.y,
                                 block.x, block.y)}};
  }

  Verification run(Device& device, const RunOptions& options) const override {
    const Size size = size_of(options.scale);
    Random random(options.seed);
    const std::vector<Atom> atoms = make_atoms(size, random);
    const std::size_t count = std::size_t{size.side} * size.side;

    load_embedded(device, info_.name);
    device.copy_in(device.symbol("atoms"), atoms.data(), atoms.size() * sizeof(Atom));
    const DevicePtr energy = device.allocate(count * sizeof(float), "energy");
    device.launch({.kernel = "cenergy",
                   .grid = {size.side / block.x / points, size.side / block.y},
                   .block = block,
                   .args = args(size.atoms, spacing, energy)});

    std::vector<std::int32_t> want;
    for (std::uint32_t y = 0; y < size.side; ++y)
      for (std::uint32_t x = 0; x < size.side; ++x)
        want.push_back(std::bit_cast<std::int32_t>(potential(atoms, x, y)));
    return compare_equal(device.download<std::int32_t>(energy, count), want, "bits of energy");
  }

 private:
  WorkloadInfo info_{
      .name = "cp",
      .suite = "Parboil",
      .abbreviation = "CP",
      .summary = "Coulombic potential in a plane: all threads read the same atoms, constant memory",
      .order_reason = {},
      .kernels = {{"cenergy", ""}}};
};

}  // namespace

const Workload& cp_workload() {
  static const Cp workload;
  return workload;
}

}  // namespace heddle::workloads
