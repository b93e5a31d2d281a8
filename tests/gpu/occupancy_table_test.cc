// CTAs per SM on four real cards, as Table 2 of the CTA clustering paper prints them, from the registers,
// warps and shared memory that it prints beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "gpu/presets.h"
#include "gpu/simulation_spec.h"
#include "sm/occupancy.h"

namespace heddle::gpu {
namespace {

constexpr std::array<const char*, 4> kCards = {"gtx570", "k40", "gtx980", "gtx1080"};

struct Program {
  const char* name;
  std::uint32_t warps, shared_bytes;
  std::array<std::uint32_t, 4> registers, ctas;  // by card
};
constexpr Program kPrograms[] = {
    {"KMN", 8, 0, {14, 17, 16, 18}, {6, 8, 8, 8}},      {"MM", 32, 8192, {22, 29, 32, 27}, {1, 2, 2, 2}},
    {"NN", 1, 0, {21, 35, 37, 32}, {8, 16, 32, 32}},    {"IMD", 2, 0, {63, 61, 49, 55}, {8, 16, 18, 18}},
    {"BKP", 8, 1092, {11, 11, 16, 18}, {6, 8, 8, 8}},   {"DCT", 2, 512, {14, 17, 22, 19}, {8, 16, 32, 32}},
    {"SGM", 4, 512, {33, 53, 41, 46}, {7, 9, 12, 8}},   {"HS", 8, 3072, {35, 38, 36, 38}, {3, 5, 6, 6}},
    {"SYK", 8, 0, {21, 26, 21, 28}, {5, 8, 8, 8}},      {"S2K", 8, 0, {33, 38, 33, 19}, {6, 6, 8, 8}},
    {"ATX", 8, 0, {13, 17, 17, 22}, {6, 8, 8, 8}},      {"MVT", 8, 0, {13, 17, 17, 22}, {6, 8, 8, 8}},
    {"NBO", 8, 0, {24, 38, 35, 46}, {2, 4, 6, 6}},      {"3CV", 8, 0, {18, 9, 18, 19}, {6, 8, 8, 8}},
    {"BC", 8, 0, {13, 16, 17, 22}, {6, 8, 8, 8}},       {"HST", 8, 1024, {15, 19, 20, 15}, {6, 8, 8, 8}},
    {"BTR", 8, 0, {22, 27, 29, 30}, {5, 8, 8, 8}},      {"NW", 1, 2180, {28, 27, 39, 40}, {8, 16, 32, 32}},
    {"BFS", 8, 0, {17, 18, 19, 20}, {6, 8, 8, 8}},      {"MON", 8, 4096, {28, 28, 28, 28}, {4, 4, 8, 8}},
    {"DXT", 2, 2048, {63, 89, 89, 91}, {8, 8, 10, 10}}, {"SAD", 2, 0, {43, 44, 46, 40}, {8, 16, 20, 20}},
    {"BS", 4, 0, {23, 25, 21, 19}, {8, 16, 16, 16}},
};

std::vector<std::string> differing(const char* setting = nullptr) {
  std::vector<std::string> found;
  for (std::size_t card = 0; card < kCards.size(); ++card) {
    config::Config config = load_config(kCards[card]);
    if (setting != nullptr) config.set(setting);
    const sm::SmSpec spec = read_simulation_spec(config).gpu.sm;
    for (const Program& p : kPrograms)
      if (sm::occupancy(spec, {p.warps * 32, p.registers[card], p.shared_bytes}).ctas != p.ctas[card])
        found.push_back(std::string(p.name) + " " + kCards[card]);
  }
  return found;
}

// 81 of 92. Some of the others contradict the table's own registers (SGM has 12 CTAs with 41 registers and 8
// with 46), HS, MON and DXT on the K40 would fit 16 KB of shared memory, which NW's 16 CTAs do not.
TEST(OccupancyTable, FollowsFromRegistersWarpsAndSharedMemory) {
  EXPECT_THAT(differing(), testing::UnorderedElementsAre("S2K gtx570", "NBO gtx570", "HS k40", "NBO k40",
                                                         "MON k40", "DXT k40", "SGM gtx980", "S2K gtx980",
                                                         "SGM gtx1080", "NBO gtx1080", "SAD gtx1080"));
}

// A test of the test: the granularity of warps is worth more than it seems.
TEST(OccupancyTable, NeedsTheGranularityOfWarps) {
  EXPECT_GT(differing("sm.warp_allocation_unit=1").size(), differing().size());
}

}  // namespace
}  // namespace heddle::gpu
