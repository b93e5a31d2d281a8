// What a machine says of the energy of its launches.
#include "gpu/energy_account.h"

#include "bench.h"
#include "gpu/presets.h"
#include "gpu/stages.h"
#include "stats/snapshot.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using energy::EnergyStats;
using mem::Region;

const EnergyStats& energy_of(const MachineStats& s) {
  return s.groups.get<EnergyStats>(EnergyStats::kGroup);
}
std::uint64_t spent(const MachineStats& s, Region r) {
  return energy_of(s).spent[static_cast<std::size_t>(r)];
}
std::uint64_t standing(const MachineStats& s, Region r) {
  return energy_of(s).standing[static_cast<std::size_t>(r)];
}

MachineStats run(const char* workload, const char* gpu, const Settings& settings = {}) {
  TimingDevice device(spec_of(gpu, settings), {});
  EXPECT_TRUE(workloads::find_workload(workload)->run(device, {workload::Scale::Tiny, 1}).ok);
  return device.total();
}

// Of each launch, and so of all: the model is a sum, and whole picojoules are rounded per launch.
TEST(Energy, IsTheModelOfWhatWasCounted) {
  const MachineStats s = run("3mm", "clustered60", {"cluster.merger=icc_cc"});
  ASSERT_GT(s.gpu.launches, 1u);
  stats::Snapshot all;
  all.add("", s);
  const EnergyStats expected =
      energy_model(spec_of("clustered60", {"cluster.merger=icc_cc"})).of([&](std::string_view name) {
        return static_cast<double>(all.count(name));
      });
  for (std::size_t r = 0; r < mem::kRegions; ++r) {
    EXPECT_NEAR(static_cast<double>(energy_of(s).spent[r]), static_cast<double>(expected.spent[r]), 4);
    EXPECT_NEAR(static_cast<double>(energy_of(s).standing[r]), static_cast<double>(expected.standing[r]), 4);
  }
  std::uint64_t sum = energy_of(s).other;
  for (std::size_t r = 0; r < mem::kRegions; ++r) sum += energy_of(s).spent[r] + energy_of(s).standing[r];
  EXPECT_EQ(sum, energy_of(s).total);
}

TEST(Energy, WhatADesignAddsIsThere) {
  const MachineStats plain = run("2dconv", "clustered60"),
                     icc = run("2dconv", "clustered60", {"cluster.merger=icc"}),
                     cached = run("2dconv", "clustered60", {"cluster.merger=icc_cc"});
  EXPECT_EQ(spent(plain, Region::Merging) + standing(plain, Region::Merging), 0u);
  EXPECT_GT(spent(icc, Region::Merging), 0u);
  EXPECT_GT(standing(icc, Region::Merging), 0u);
  EXPECT_GT(spent(cached, Region::Merging), spent(icc, Region::Merging));
  // "Negligible" (icc.md, section a).
  EXPECT_LT(spent(cached, Region::Merging) + standing(cached, Region::Merging),
            energy_of(cached).total / 200);

  EXPECT_EQ(spent(plain, Region::CoreNetwork), 0u);
  const MachineStats apart = run(
      "2dconv", "cu80", {"l1.organization=decoupled", "l1.decoupled.nodes=40", "l1.decoupled.clusters=10"});
  EXPECT_GT(spent(apart, Region::CoreNetwork), 0u);
  EXPECT_GT(standing(apart, Region::CoreNetwork), 0u);
  EXPECT_GT(spent(run("2dconv", "gtx480", {"sm.load_front=warppool"}), Region::Merging), 0u);
}

// Fewer requests in the network take less there.
TEST(Energy, FollowsTheTraffic) {
  const MachineStats plain = run("2dconv", "clustered60"),
                     icc = run("2dconv", "clustered60", {"cluster.merger=icc"});
  ASSERT_LT(icc.cluster().injected, plain.cluster().injected);
  EXPECT_LT(spent(icc, Region::Network), spent(plain, Region::Network));
}

TEST(Energy, EveryPresetHasAPlausiblePowerWhenNothingHappens) {
  for (const Preset& p : presets()) {
    const GpuSpec spec = spec_of(p.name);
    const EnergyStats idle =
        energy_model(spec).of([](std::string_view name) { return name == "gpu.picoseconds" ? 1e12 : 0.0; });
    const double watts = static_cast<double>(idle.total) / 1e12;
    EXPECT_GT(watts, 2) << p.name;
    EXPECT_LT(watts, 200) << p.name;
    EXPECT_GT(spec.energy.dram_read_pj, 0) << p.name;
    // No term names what no machine counts.
    const MachineStats known = every_statistic();
    stats::Snapshot all;
    all.add("", known);
    for (const energy::Term& t : energy_model(spec).terms)
      EXPECT_NE(all.find(t.statistic), nullptr) << p.name << ": " << t.statistic;
  }
}

// Charged accesses to L2's data are those that took its port. (Sectors of a request that are there although
// others are missing are read without it.)
TEST(Energy, L2DataIsReadAndWrittenAsItsPortIsUsed) {
  for (const char* workload : {"vecadd", "2dconv", "hotspot"})
    for (const char* gpu : {"gtx480", "clustered60", "v100"}) {
      const MachineStats s = run(workload, gpu);
      stats::Snapshot all;
      all.add("", s);
      double accesses = 0;
      for (const mem::Structure& one : structures(spec_of(gpu))) {
        if (one.region != Region::L2) continue;
        for (const mem::Counts* counts : {&one.caches[0].reads, &one.caches[0].writes})
          for (const mem::Count& c : *counts)
            accesses += c.times * static_cast<double>(all.count(c.statistic));
      }
      const auto used = static_cast<double>(all.count("l2.port_cycles"));
      EXPECT_NEAR(accesses, used, 0.03 * used) << workload << " on " << gpu;
    }
}

// What is stored in an L1 is what came for its reads, and what its policy of writes keeps.
TEST(Energy, L1DataIsWrittenByFillsAndKeptStores) {
  const auto writes = [](const Settings& settings) {
    std::vector<std::string> all;
    for (const mem::Structure& s : structures(spec_of("gtx480", settings)))
      if (s.region == Region::L1)
        for (const mem::Count& c : s.caches[0].writes) all.push_back(c.statistic);
    return all;
  };
  EXPECT_THAT(writes({"l1.write=evict", "l1.local_write_back=true"}),
              testing::UnorderedElementsAre("l1.global_read_sectors_asked", "l1.local_read_sectors_asked",
                                            "l1.other_read_sectors_asked", "l1.local_written_sectors"));
  EXPECT_THAT(writes({"l1.write=through", "l1.local_write_back=false"}),
              testing::IsSupersetOf({"l1.global_written_sectors_hit", "l1.local_written_sectors_hit"}));
}

// A mesh's flits are counted on every link that they cross: what merges on its way costs less from there on.
TEST(Energy, AMeshIsChargedByTheLinksThatWereCrossed) {
  const Settings merging = {"noc.request.merger=packet_coalescing"};
  const MachineStats plain = run("stencil", "mesh28"), merged = run("stencil", "mesh28", merging);
  stats::Snapshot before, after;
  before.add("", plain);
  after.add("", merged);
  const char *crossed = "request_network.mesh.link_flits", *arrived = "request_network.flits";
  ASSERT_LT(after.count(crossed), before.count(crossed));
  double links = 0, switches = 0;
  const auto add = [&](const mem::Counts& counts, double& to) {
    for (const mem::Count& c : counts) to += c.times * static_cast<double>(after.count(c.statistic));
  };
  for (const mem::Structure& s : structures(spec_of("mesh28", merging))) {
    if (s.name != "request network") continue;
    for (const mem::LinkPart& p : s.links) add(p.flits, links);
    for (const mem::CrossbarPart& p : s.crossbars) add(p.flits, switches);
  }
  EXPECT_NEAR(links, static_cast<double>(after.count(crossed)), 1);
  EXPECT_NEAR(switches, static_cast<double>(after.count(crossed) + after.count(arrived)), 1);
  EXPECT_GT(spent(merged, Region::Merging), 0u);
}

TEST(Energy, OneMemoryOfL1AndSharedMemoryCountsOnce) {
  for (const char* gpu : {"v100", "gtx480"}) {
    bool inside = false;
    for (const mem::Structure& s : structures(spec_of(gpu)))
      for (const mem::ArrayPart& a : s.arrays) inside = inside || a.inside;
    EXPECT_EQ(inside, std::string_view(gpu) == "v100") << gpu;
  }
}

TEST(Energy, SaysWhatHasNoModel) {
  const auto without = [](const char* gpu, const Settings& settings = {}) {
    return without_structure(spec_of(gpu, settings));
  };
  EXPECT_THAT(without("gtx480", {"sm.load_front=warppool"}), testing::SizeIs(1));
  EXPECT_THAT(without("gtx480", {"sm.load_front=mrpb"}), testing::Contains("load front 'mrpb'"));
  EXPECT_THAT(without("h200"), testing::Contains("merger 'lrc'"));
}

// By region that something can happen in, what stands first.
TEST(Energy, PowerCurvesAreOfTheRegionsThatAreThere) {
  std::vector<std::string> names;
  const GpuSpec spec = spec_of("mesh28");
  for (const mem::Curve& c : power_curves(spec)) {
    names.push_back(c.name);
    EXPECT_TRUE(c.stacked);
    EXPECT_NEAR(c.times * 1e12, static_cast<double>(spec.gpu.clock.count()), 1);
  }
  EXPECT_THAT(names, testing::ElementsAre("power.idle", "power.sm", "power.network", "power.dram"));
}

// A name that no machine counts would count as nothing.
TEST(Energy, WhatTechniquesNameIsCounted) {
  struct Case {
    const char* gpu;
    Settings settings;
  };
  const Case cases[] = {{"clustered60", {"cluster.merger=icc_cc"}},
                        {"gtx480", {"sm.load_front=warppool"}},
                        {"cu80", {"l1.organization=decoupled", "l1.decoupled.nodes=40"}},
                        {"mesh28", {"noc.request.merger=packet_coalescing"}}};
  stats::Snapshot all;
  all.add("", every_statistic());
  for (const Case& c : cases)
    for (const energy::Term& t : energy_model(spec_of(c.gpu, c.settings)).terms)
      EXPECT_NE(all.find(t.statistic), nullptr) << c.gpu << ": " << t.statistic;
}

// dcl1.md: 4 flits in each of 4 virtual channels, whatever the simulator keeps before and behind a switch.
TEST(Energy, SwitchesMayHaveAPapersBuffers) {
  const auto flits = [](const Settings& settings) {
    std::vector<std::uint32_t> all;
    for (const mem::Structure& s : structures(spec_of("cu80", settings)))
      for (const mem::CrossbarPart& p : s.crossbars) {
        all.push_back(p.buffer_flits);
        all.push_back(p.output_flits);
      }
    return all;
  };
  EXPECT_THAT(flits({}), testing::ElementsAre(4, 0, 4, 0));
  EXPECT_THAT(flits({"energy.switch_flits=0"}), testing::ElementsAre(4, 24, 13, 24));
}

// docs/energy.md: of an H200, measured.
TEST(Energy, AnH200TakesItsMeasuredPowerWhenNothingRuns) {
  const EnergyStats idle = energy_model(spec_of("h200")).of([](std::string_view name) {
    return name == "gpu.picoseconds" ? 1e12 : 0.0;
  });
  EXPECT_NEAR(static_cast<double>(idle.total) / 1e12, 129.5, 1);
}

}  // namespace
}  // namespace heddle::gpu
