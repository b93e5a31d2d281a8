// What is true of the models by their formulas, whatever the process.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "energy/crossbar_cost.h"
#include "energy/machine_cost.h"
#include "energy/sram.h"
#include "energy/storage.h"
#include "energy/wire.h"

namespace heddle::energy {
namespace {

class Models : public testing::Test {
 protected:
  const TechNode& tech = tech_22nm();
  Cells cells{tech};

  mem::CrossbarPart crossbar(std::uint32_t inputs, std::uint32_t outputs, Bytes flit = 32_B) const {
    mem::CrossbarPart part;
    part.inputs = inputs;
    part.outputs = outputs;
    part.flit = flit;
    part.virtual_channels = 4;
    part.buffer_flits = 4;
    part.clock = 700_MHz;
    return part;
  }
  CrossbarCost cost(const mem::CrossbarPart& part) const { return crossbar_cost(cells, part); }
};

TEST_F(Models, ProcessesWithoutDataAreRefused) {
  for (const char* name : {"7nm", "46nm", "22", "nm", "22nmx", ""}) {
    try {
      find_tech(name);
      ADD_FAILURE() << "no data, and no error: " << name;
    } catch (const Error& e) {
      EXPECT_NE(e.message().find(name), std::string::npos);
      EXPECT_NE(e.advice().find("11nm to 45nm"), std::string::npos);
    }
  }
}

TEST_F(Models, OthersLieBetweenThoseThatHaveData) {
  EXPECT_EQ(find_tech("22nm").nmos_ohm_um, tech.nmos_ohm_um);
  const TechNode at = find_tech("40nm"), large = find_tech("45nm"), small = find_tech("32nm");
  EXPECT_NEAR(at.vdd, 0.9 + 0.1 * 8 / 13, 1e-9);  // by hand: 8 of the 13 nm from 32 to 45
  EXPECT_EQ(at.name, "40nm");
  const double energies[] = {Cells(small).flip_flop_fj(), Cells(at).flip_flop_fj(),
                             Cells(large).flip_flop_fj()};
  EXPECT_TRUE(std::is_sorted(std::begin(energies), std::end(energies)));
  EXPECT_GT(at.metal1.pitch_um(), small.metal1.pitch_um());
  EXPECT_LT(at.metal1.pitch_um(), large.metal1.pitch_um());
}

// By hand: 0.11 um x 256 bits x 80 inputs by 32 outputs.
TEST_F(Models, AWideSwitchIsItsGridOfWires) {
  EXPECT_NEAR(cost(crossbar(80, 32)).matrix.area_um2, (0.11 * 256 * 80) * (0.11 * 256 * 32), 1);
  EXPECT_NEAR(cost(crossbar(80, 32, 160_B)).matrix.area_um2 / cost(crossbar(80, 32)).matrix.area_um2, 25,
              1e-6);
}

// Two wires take less than the multiplexer between them: with one-byte flits the cells decide.
TEST_F(Models, ANarrowSwitchIsItsCells) {
  const CrossbarCost c = cost(crossbar(80, 32, 1_B));
  EXPECT_GT(c.matrix.area_um2, (0.11 * 8 * 80) * (0.11 * 8 * 32));
  EXPECT_GE(c.matrix.area_um2, 32 * 79 * 8 * cells.mux2().area_um2);
}

// By hand: 4 x 4 flits of 256 bits, a flip-flop each and 15 multiplexers behind them.
TEST_F(Models, BuffersAreLinearInPortsAndBits) {
  const double input = cost(crossbar(1, 1)).input_buffers.area_um2;
  EXPECT_NEAR(input, 256 * (16 * 1.2672 + 15 * 0.59136) + 16 * 2 * 0.33792, 0.1);
  EXPECT_NEAR(cost(crossbar(80, 32)).input_buffers.area_um2, 80 * input, 1e-3);
  EXPECT_NEAR(cost(crossbar(3, 2, 64_B)).registers.static_nw / cost(crossbar(3, 2)).registers.static_nw, 2,
              0.01);  // selects do not grow
}

// For n requests n (n - 1) / 2 pairs.
TEST_F(Models, ArbitersGrowWithTheSquareOfInputs) {
  mem::CrossbarPart small = crossbar(100, 1), large = crossbar(200, 1);
  small.virtual_channels = large.virtual_channels = 1;
  EXPECT_NEAR(cost(large).allocator.area_um2 / cost(small).allocator.area_um2, 4, 0.05);
  mem::CrossbarPart one = crossbar(1, 8);
  one.virtual_channels = 1;
  EXPECT_EQ(cost(one).allocator.area_um2, 0);
}

TEST_F(Models, NothingCostsNothing) {
  for (const auto& part : {crossbar(0, 8), crossbar(8, 0), crossbar(8, 8, 0_B)}) {
    EXPECT_EQ(cost(part).total().area_um2, 0);
    EXPECT_EQ(cost(part).total().static_nw, 0);
    EXPECT_EQ(cost(part).flit_fj, 0);
    EXPECT_EQ(cost(part).highest_mhz(), 0);
  }
  EXPECT_EQ(cache_cost(cells, mem::CachePart{}).total().area_um2, 0);
  EXPECT_EQ(queue_cost(cells, 0, 256).cost.area_um2, 0);
  EXPECT_EQ(link_cost(cells, {1, 32_B, 0, 1, 700_MHz}, 0).cost.static_nw, 0);
  EXPECT_EQ(machine_cost(cells, {}).total().area_um2, 0);
}

TEST_F(Models, MoreOfAnythingCostsMore) {
  const CrossbarCost base = cost(crossbar(16, 8));
  mem::CrossbarPart channels = crossbar(16, 8), deeper = crossbar(16, 8), queues = crossbar(16, 8);
  channels.virtual_channels = 8;
  deeper.buffer_flits = 5;
  queues.output_flits = 4;
  for (const auto& more :
       {crossbar(17, 8), crossbar(16, 9), crossbar(16, 8, 40_B), channels, deeper, queues}) {
    EXPECT_GT(cost(more).total().area_um2, base.total().area_um2);
    EXPECT_GT(cost(more).total().static_nw, base.total().static_nw);
    EXPECT_GT(cost(more).flit_fj, base.flit_fj);
    EXPECT_LE(cost(more).highest_mhz(), base.highest_mhz());
  }
  for (const auto& larger : {crossbar(32, 8), crossbar(16, 16), crossbar(16, 8, 64_B)})
    EXPECT_LT(cost(larger).highest_mhz(), base.highest_mhz());
}

TEST_F(Models, RoundsOfTheAllocatorTakeTheirTime) {
  mem::CrossbarPart two = crossbar(16, 8);
  two.iterations = 2;
  const CrossbarCost once = cost(crossbar(16, 8)), twice = cost(two);
  EXPECT_NEAR(twice.allocate_ps - cells.register_ps(), 2 * (once.allocate_ps - cells.register_ps()), 1e-6);
  EXPECT_EQ(twice.total().area_um2, once.total().area_um2);
}

// A wire without repeaters takes four times as long at twice the length; with them, twice.
TEST_F(Models, RepeatersMakeDelayLinear) {
  const RepeatedWire shorter = fastest_wire(cells, {tech.global, 5000, 0});
  const RepeatedWire longer = fastest_wire(cells, {tech.global, 10000, 0});
  EXPECT_NEAR(longer.ps / shorter.ps, 2, 0.02);
  EXPECT_GT(shorter.ps / 5, 10);  // ps per mm, as ITRS has it for global wires: tens
  EXPECT_LT(shorter.ps / 5, 100);
}

TEST_F(Models, TimeBuysPower) {
  const WireRun run{tech.global, 5000, 0};
  const RepeatedWire fastest = fastest_wire(cells, run);
  double before = fastest.cost.static_nw;
  for (const double slower : {1.0, 1.5, 2.0, 4.0}) {
    const auto w = cheapest_wire(cells, run, slower * fastest.ps);
    ASSERT_TRUE(w);
    EXPECT_LE(w->ps, slower * fastest.ps);
    EXPECT_LE(w->cost.static_nw, before);
    before = w->cost.static_nw;
  }
  EXPECT_LT(before, fastest.cost.static_nw / 4);
  EXPECT_FALSE(cheapest_wire(cells, run, 0.99 * fastest.ps));
}

TEST_F(Models, ALinkTooLongForACycleHasRegisters) {
  mem::LinkPart part{1, 32_B, 0, 1, 700_MHz};
  const LinkCost slow = link_cost(cells, part, 12.3);
  EXPECT_EQ(slow.cycles, 1);
  EXPECT_LT(slow.ps, 1e6 / 700);
  part.clock = 5000_MHz;
  const LinkCost fast = link_cost(cells, part, 12.3);
  EXPECT_GT(fast.cycles, 1);
  EXPECT_LE(fast.ps, fast.cycles * 1e6 / 5000);
  EXPECT_GT(fast.cost.static_nw, slow.cost.static_nw);
  part.width = 64_B;
  EXPECT_NEAR(link_cost(cells, part, 12.3).cost.area_um2, 2 * fast.cost.area_um2, 1e-6);
}

TEST_F(Models, CellsOfAnArrayAreMostOfIt) {
  const ArrayCost a = sram_array(cells, {256, 256, 256, 1});
  const double bits = 256 * 256 * 146 * 0.022 * 0.022;
  EXPECT_GT(a.cost.area_um2, bits);
  EXPECT_LT(a.cost.area_um2, 1.5 * bits);
  // Tiles side by side.
  EXPECT_NEAR(sram_array(cells, {512, 512, 512, 1}).cost.area_um2, 4 * a.cost.area_um2, 1e-6);
  // Below 256 rows the columns' amplifiers remain.
  EXPECT_GT(sram_array(cells, {128, 256, 256, 1}).cost.area_um2, 0.5 * a.cost.area_um2);
}

TEST_F(Models, PortsBanksAndWaysOfCaches) {
  mem::CachePart base;
  base.sets = 128;
  base.ways = 4;
  const CacheCost one = cache_cost(cells, base);
  mem::CachePart ports = base, banks = base, ways = base, narrow = base;
  ports.ports = 2;
  banks.banks = 4;
  ways.sets = 32;
  ways.ways = 16;
  narrow.port = 32_B;
  EXPECT_GT(cache_cost(cells, ports).total().area_um2, 1.3 * one.total().area_um2);
  EXPECT_GT(cache_cost(cells, banks).total().area_um2, one.total().area_um2);
  EXPECT_LT(cache_cost(cells, banks).read_fj, one.read_fj);
  EXPECT_GT(cache_cost(cells, banks).highest_mhz(), one.highest_mhz());
  EXPECT_GT(cache_cost(cells, ways).tags.area_um2, one.tags.area_um2);  // more tags at once
  EXPECT_NEAR(cache_cost(cells, ways).data.area_um2, one.data.area_um2, 1e-6);
  EXPECT_LT(cache_cost(cells, narrow).data.area_um2, one.data.area_um2);
  EXPECT_LT(cache_cost(cells, narrow).read_fj, one.read_fj);
  mem::CachePart more_banks_than_sets = base;
  more_banks_than_sets.banks = 1000;
  mem::CachePart as_many = base;
  as_many.banks = 128;
  EXPECT_EQ(cache_cost(cells, more_banks_than_sets).total().area_um2,
            cache_cost(cells, as_many).total().area_um2);
}

// Deep queues are SRAM.
TEST_F(Models, QueuesBecomeArrays) {
  const double deepest = queue_cost(cells, 64, 256).cost.area_um2;
  const double array = queue_cost(cells, 65, 256).cost.area_um2;
  EXPECT_LT(array, deepest);
  EXPECT_NEAR(array, sram_array(cells, {65, 256, 256, 2}).cost.area_um2, 1e-6);
}

TEST_F(Models, AMachineIsTheSumOfItsStructures) {
  mem::Structure network{"network"};
  mem::CrossbarPart three = crossbar(8, 4);
  three.count = 3;
  network.crossbars = {three};
  network.links = {{10, 32_B, 3.3, 1, 700_MHz}, {10, 32_B, 0, 0.5, 700_MHz}};
  mem::Structure store{"L1"};
  store.queues = {{5, 4, 128_B}};
  const std::vector<mem::Structure> all = {network, store};
  const MachineCost m = machine_cost(cells, all, 6.6);
  ASSERT_EQ(m.structures.size(), 2);
  ASSERT_EQ(m.structures[0].lines.size(), 3);
  const std::vector<CostLine>& lines = m.structures[0].lines;
  EXPECT_NEAR(lines[0].cost.area_um2, 3 * cost(crossbar(8, 4)).total().area_um2, 1e-3);
  EXPECT_EQ(lines[1].cost.static_nw, lines[2].cost.static_nw);  // half of 6.6 mm
  Cost split;
  for (const auto& part : lines[0].split) split += part.second;
  EXPECT_NEAR(split.area_um2, lines[0].cost.area_um2, 1e-3);
  EXPECT_NEAR(split.static_nw, lines[0].cost.static_nw, 1e-3);
  EXPECT_NEAR(m.total().area_um2, m.structures[0].total().area_um2 + m.structures[1].total().area_um2, 1e-3);
  EXPECT_TRUE(lines[0].reached());
  CostLine slow;
  slow.highest_mhz = 600;
  slow.asked_mhz = 700;
  EXPECT_FALSE(slow.reached());
}

}  // namespace
}  // namespace heddle::energy
