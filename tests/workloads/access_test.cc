// Kernels of SHOC and of the CUDA SDK load and store as often as the published ones: what a compiler kept in
// registers, or loaded again, would change what is studied. Counts are of warps' instructions, by hand from
// the sizes at `tiny`.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "exec/functional/functional_device.h"
#include "exec/functional/profile.h"
#include "workloads/registry.h"

namespace heddle::workloads {
namespace {

using workload::Scale;

struct Accesses {
  const char* workload;
  const char* kernel;
  std::uint64_t loads, stores;  // of global memory
};

std::ostream& operator<<(std::ostream& out, const Accesses& a) {
  return out << a.kernel;
}

class PublishedKernel : public testing::TestWithParam<Accesses> {};

TEST_P(PublishedKernel, LoadsAndStoresAsOften) {
  const Accesses& want = GetParam();
  exec::FunctionalDevice device;
  find_workload(want.workload)->run(device, {.scale = Scale::Tiny});
  const std::vector<exec::KernelStats> all = exec::by_kernel(device.launches());
  const auto k =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.kernel == want.kernel; });
  ASSERT_NE(k, all.end());
  EXPECT_EQ(k->stats.global_load.accesses, want.loads);
  EXPECT_EQ(k->stats.global_store.accesses, want.stores);
}

constexpr Accesses accesses[] = {
    // Every element once in each of two launches; a sum per CTA.
    {"reduction", "reduce", 2 * 65536 / 32, 2 * 64},
    {"scan", "scan_reduce", 65536 / 32, 64},
    // Vectors of four, and a seed per CTA.
    {"scan", "scan_bottom", 65536 / 128 + 64, 65536 / 128},
    // Eight points of a thread, two warps of a transform.
    {"fft", "fft512_forward", 16 * 2 * 8, 16 * 2 * 8},
    {"fft", "fft512_inverse", 16 * 2 * 8, 16 * 2 * 8},
    // The own position, then an entry of the list and a position for each of 64 neighbours; three floats of
    // force.
    {"md", "compute_lj_force", 512 / 32 * (1 + 2 * 64), 512 / 32 * 3},
    // Three arrays in, two out, 313 warps' worth of options.
    {"blackscholes", "black_scholes", 313 * 3, 313 * 2},
    {"histogram", "histogram256", 65536 / 4 / 32, 240 * 8},
    // The own position and velocity and eight tiles; two steps of 16 warps.
    {"nbody", "integrate_bodies", 2 * 16 * (2 + 8), 2 * 16 * 2},
    {"raytrace", "render", 0, 32 * 32 / 32},
};

INSTANTIATE_TEST_SUITE_P(All, PublishedKernel, testing::ValuesIn(accesses),
                         [](const auto& test) { return std::string(test.param.kernel); });

// Colours of rays are an array that is indexed, as in the original.
TEST(Raytrace, KeepsColoursInLocalMemory) {
  exec::FunctionalDevice device;
  find_workload("raytrace")->run(device, {.scale = Scale::Tiny});
  const exec::FunctionalStats s = exec::by_kernel(device.launches()).front().stats;
  EXPECT_GT(s.local_load.accesses, 0u);
  EXPECT_GE(s.local_store.accesses, 5u * 32);
}

}  // namespace
}  // namespace heddle::workloads
