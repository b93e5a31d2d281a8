// Energies of runs: the sum by hand, and models beside what others published.
#include "energy/energy_model.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "energy/crossbar_cost.h"
#include "energy/storage.h"

namespace heddle::energy {
namespace {

using mem::Region;

EnergyStats energy_of(const EnergyModel& model, const std::map<std::string, double, std::less<>>& counted) {
  return model.of([&](std::string_view name) {
    const auto at = counted.find(name);
    return at == counted.end() ? 0.0 : at->second;
  });
}

std::uint64_t& at(std::array<std::uint64_t, mem::kRegions>& of, Region r) {
  return of[static_cast<std::size_t>(r)];
}

mem::Structure memory() {
  mem::Structure s{"DRAM"};
  s.region = Region::Dram;
  mem::DramPart part;
  part.count = 4;
  part.row = 2_KiB;
  part.activations = {{"rows"}};
  part.read_bytes = {{"read"}};
  part.written_bytes = {{"written", 2}};
  s.drams.push_back(part);
  return s;
}

TEST(EnergyModel, AddsUpWhatWasCounted) {
  EnergySpec spec;
  spec.dram_activate_pj = 100;  // of a KiB
  spec.dram_read_pj = 3;
  spec.dram_write_pj = 5;
  spec.dram_watts = 0.25;
  spec.other_watts = 10;
  const mem::Structure s = memory();
  const EnergyModel model = energy_model(spec, {&s, 1}, 1_GHz, 10);
  EnergyStats e = energy_of(model, {{"rows", 7}, {"read", 11}, {"written", 13}, {"gpu.picoseconds", 1000}});
  EXPECT_EQ(at(e.spent, Region::Dram), 7 * 200 + 11 * 3 + 13 * 2 * 5);
  EXPECT_EQ(at(e.standing, Region::Dram), 4 * 0.25 * 1000);  // 1 W x 1 ns
  EXPECT_EQ(e.other, 10'000);
  EXPECT_EQ(e.total, 1563 + 1000 + 10'000);
  EXPECT_EQ(at(e.spent, Region::Sm), 0);
}

TEST(EnergyModel, OfAnSmThatIsBusy) {
  EnergySpec spec;
  spec.process = "11nm";
  spec.work_factor = 2;
  spec.sm_watts = 0.5;
  spec.busy_sm_watts = 3;
  mem::Structure s{"SMs"};
  s.region = Region::Sm;
  s.units = 10;
  s.work.push_back({mem::WorkPart::Kind::Float, {{"lanes", 8}}});
  const EnergyModel model = energy_model(spec, {&s, 1}, 2_GHz, 10);
  EnergyStats e = energy_of(model, {{"lanes", 100}, {"sm.active_cycles", 2000}, {"gpu.picoseconds", 1e6}});
  const double lane = work_pj(mem::WorkPart::Kind::Float, find_tech("11nm"));
  EXPECT_NEAR(static_cast<double>(at(e.spent, Region::Sm)), 800 * 2 * lane + 2000 * 0.5e-9 * 3 * 1e12, 1);
  EXPECT_EQ(at(e.standing, Region::Sm), 10 * 0.5 * 1e6);
}

// A flit crosses the switch once and two links; a network that nobody uses takes its clock and leakage.
TEST(EnergyModel, OfANetwork) {
  EnergySpec spec;
  mem::Structure s{"network"};
  s.flits = {{"flits"}};
  mem::CrossbarPart part;
  part.inputs = 8;
  part.outputs = 4;
  part.clock = 700_MHz;
  s.crossbars.push_back(part);
  s.links.push_back({12, 32_B, 5, 1, 700_MHz, 2});
  const Cells cells(find_tech(spec.process));
  const double flit = crossbar_cost(cells, part).flit_fj + 2 * link_cost(cells, s.links[0], 5).flit_fj;
  const EnergyModel model = energy_model(spec, {&s, 1}, 1_GHz, 10);
  EnergyStats idle = energy_of(model, {{"gpu.picoseconds", 1e9}});
  EnergyStats used = energy_of(model, {{"gpu.picoseconds", 1e9}, {"flits", 1e6}});
  EXPECT_NEAR(static_cast<double>(at(used.spent, Region::Network) - at(idle.spent, Region::Network)),
              1e6 * flit / 1000, 1);
  EXPECT_NEAR(static_cast<double>(at(idle.spent, Region::Network)),
              crossbar_cost(cells, part).clock_fj * 1e-15 * 700e6 * 1e9, 1);
  EXPECT_EQ(at(idle.standing, Region::Network), at(used.standing, Region::Network));
  EXPECT_GT(at(idle.standing, Region::Network), 0);
  EnergySpec twice = spec;
  twice.network_factor = 2;
  EnergyStats more = energy_of(energy_model(twice, {&s, 1}, 1_GHz, 10), {{"flits", 1e6}});
  EXPECT_NEAR(static_cast<double>(at(more.spent, Region::Network)), 2e6 * flit / 1000, 1);
}

// A search drives lines of all entries: four times as many take some four times as much; one that is twice as
// wide, twice as much.
TEST(Tables, ASearchGrowsWithEntriesAndKeys) {
  const Cells cells(tech_22nm());
  mem::TablePart part;
  part.entries = 32;
  part.key_bits = 40;
  part.other_bits = 16;
  mem::TablePart longer = part, wider = part;
  longer.entries = 128;
  wider.key_bits = 80;
  const double one = table_cost(cells, part).search_fj;
  EXPECT_NEAR(table_cost(cells, longer).search_fj / one, 4, 0.1);
  EXPECT_NEAR(table_cost(cells, wider).search_fj / one, 2, 0.01);
  // A key's cell is twice as large as one of an SRAM.
  const double array = memory_cost(cells, {"", 1, 32, 40, 40, 1, {}, {}}).cost.area_um2;
  const double cell = tech_22nm().sram.area * 0.022 * 0.022;
  EXPECT_NEAR(table_cost(cells, part).keys.area_um2, array + 32 * 40 * cell, 1e-6);
  EXPECT_EQ(table_cost(cells, mem::TablePart{}).search_fj, 0);
}

// Published, of other processes than the H200's, to which the factors were fitted (docs/energy.md). They
// are those of the presets of 40 nm.
TEST(Published, FactorsOfAnH200HoldAt40And45Nm) {
  constexpr double kNetwork = 2.47, kArray = 4.52;
  const Cells at40(find_tech("40nm")), at45(find_tech("45nm"));
  const double wire = link_cost(at40, {1, 32_B, 1, 1, 700_MHz}, 1).flit_fj / 256;
  EXPECT_NEAR(kNetwork * wire / 121, 1, 0.3) << "Keckler et al. 2011: fJ per mm and random bit";
  const auto read = [&](std::uint32_t bytes) {
    return memory_cost(at45, {"", 1, bytes / 8, 64, 64, 1, {}, {}}).read_fj / 1000;
  };
  EXPECT_NEAR(kArray * read(8 << 10) / 10, 1, 0.3) << "Horowitz 2014: 64 bits of 8 KB, pJ";
  EXPECT_NEAR(kArray * read(32 << 10) / 20, 1, 0.4) << "Horowitz 2014: of 32 KB";
}

}  // namespace
}  // namespace heddle::energy
