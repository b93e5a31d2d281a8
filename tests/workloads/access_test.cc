// Kernels of SHOC, of the CUDA SDK and of GPGPU-Sim's set of 2009 load and store as often as the published
// ones: what a compiler kept in registers, or loaded again, would change what is studied. Counts are of
// warps' instructions, by hand from the sizes at `tiny`.
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
    // The pixels of a block, and 992 divisions; two words per block.
    {"dxtc", "compress", 32 * (1 + 992 / 32), 32},
    // A word per pixel, 4 x 8 pixels per warp: windows come by texture.
    {"imagedenoising", "knn", 0, 64 * 44 / 32},
    // A word per thread.
    {"aes", "aes_encrypt128", 8 * 8, 8 * 8},
    // Two points per thread, added to what is there.
    {"cp", "cenergy", 2 * 16 * 4, 2 * 16 * 4},
    // Two iterations of ten planes: 22 rows of two CTAs; loads also of the rows above and below the CTAs,
    // where
    // there are some, and of the columns beside.
    {"lps", "laplace3d", 2 * 10 * (44 + 2 * (5 + 5 + 6)), 2 * 10 * 44},
    {"lib", "libor_value", 0, 2 * 2},
    {"lib", "libor_value_and_greeks", 0, 2 * 2 * 2},
    // The 21 beginnings are those of one warp; a count per CTA.
    {"nqu", "count_queens", 3, 4},
    // Windows of 13 words, hashes of four bytes.
    {"sto", "md5_overlap", 8 * 4 * 13, 8 * 4 * 4},
};

INSTANTIATE_TEST_SUITE_P(All, PublishedKernel, testing::ValuesIn(accesses),
                         [](const auto& test) { return std::string(test.param.kernel); });

exec::FunctionalStats stats_of(std::string_view workload, std::size_t kernel = 0) {
  exec::FunctionalDevice device;
  find_workload(workload)->run(device, {.scale = Scale::Tiny});
  return exec::by_kernel(device.launches()).at(kernel).stats;
}

// All of a window by one fetch per pixel, the own one among them, and nothing through shared memory.
TEST(ImageDenoising, ReadsWindowsByTexture) {
  const exec::FunctionalStats s = stats_of("imagedenoising");
  EXPECT_EQ(s.texture_load.accesses, 64u * 44 / 32 * 49);
  EXPECT_EQ(s.shared_load.accesses, 0u);
}

// Shared memory as published: colours, sums, order, 160 divisions, what sorting and choosing need.
TEST(Dxtc, HasTheSharedMemoryOfThePublishedKernel) {
  exec::FunctionalDevice device;
  find_workload("dxtc")->run(device, {.scale = Scale::Tiny});
  EXPECT_EQ(device.launches().at(0).image->static_shared, 2048u);
}

// Codes of pixels choose from tables in constant memory, 16 pixels of 992 and 160 divisions, two tables each.
TEST(Dxtc, ReadsSharesOfCodesFromConstantMemory) {
  EXPECT_EQ(stats_of("dxtc").constant_load.accesses, 32u * (992 + 160) / 32 * 16 * 2);
}

// Colours of rays are an array that is indexed, as in the original.
TEST(Raytrace, KeepsColoursInLocalMemory) {
  const exec::FunctionalStats s = stats_of("raytrace");
  EXPECT_GT(s.local_load.accesses, 0u);
  EXPECT_GE(s.local_store.accesses, 5u * 32);
}

// Keys, one per round and thread; tables are copied from constant to shared memory.
TEST(Aes, ReadsKeysByTextureAndTablesFromSharedMemory) {
  const exec::FunctionalStats s = stats_of("aes");
  EXPECT_EQ(s.texture_load.accesses, 64u * 11);
  EXPECT_GE(s.constant_load.accesses, 64u * 4);
  EXPECT_GE(s.shared_load.accesses, 64u * (9 * 8 + 8));
}

// Rates and random numbers are set, and rates read and written in every step; the second kernel keeps them.
TEST(Lib, KeepsPathsInLocalMemory) {
  const std::uint64_t warps = 4, rates = 50, steps = 10, updates = steps * (2 * rates - steps - 1) / 2;
  const exec::FunctionalStats value = stats_of("lib", 0), greeks = stats_of("lib", 1);
  EXPECT_GE(value.local_load.accesses, warps * updates);
  EXPECT_GE(value.local_store.accesses, warps * (2 * rates + updates));
  EXPECT_GE(greeks.local_load.accesses, warps * 4 * updates);
  EXPECT_GE(greeks.local_store.accesses, warps * (2 * rates + 3 * updates));
}

// At least a node, its children and its link for each of the six starts of a read, and no match without one.
TEST(Mum, ReadsTheTreeByTexture) {
  const exec::FunctionalStats s = stats_of("mum");
  EXPECT_GE(s.texture_load.accesses, 16u * 6 * 3);
  EXPECT_GT(s.global_store.accesses, 0u);
}

TEST(Wp, KeepsLevelsInLocalMemory) {
  const std::uint64_t warps = 4, levels = 27;
  const exec::FunctionalStats s = stats_of("wp");
  EXPECT_GE(s.local_store.accesses, warps * levels * 20);
  EXPECT_GE(s.local_load.accesses, warps * levels * 10);
}

}  // namespace
}  // namespace heddle::workloads
