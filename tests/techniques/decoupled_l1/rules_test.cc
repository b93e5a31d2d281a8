// What the paper's tables say of its designs, and what crosses NoC#1: rules 4 to 11 of docs/specs/dcl1.md.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench.h"
#include "gpu/peak_rates.h"
#include "gpu/unloaded.h"
#include "techniques/decoupled_l1/core_networks.h"

namespace heddle::gpu {
namespace {

struct Design {
  std::uint32_t nodes, clusters, boost;
  std::uint32_t noc1, cores, homes;   // crossbars of cores x homes; 1 x 1: direct links
  std::uint32_t noc2, ports, slices;  // crossbars of ports x slices
  const char* drop;                   // of the peak bandwidth, in Table I
};

Settings settings_of(const Design& d) {
  return {"l1.organization=decoupled", fmt::format("l1.decoupled.nodes={}", d.nodes),
          fmt::format("l1.decoupled.clusters={}", d.clusters), fmt::format("l1.decoupled.boost={}", d.boost)};
}

class TableOne : public testing::TestWithParam<Design> {
 protected:
  const GpuSpec spec_ = spec_of("cu80", settings_of(GetParam()));
  const mem::AddressMap map_{spec_.memory};
  const hierarchy::L1Setting setting_ = spec_.l1_setting(map_);
};

TEST_P(TableOne, HasItsCrossbars) {
  const Design& d = GetParam();
  decoupled_l1::DecoupledSpec own;
  own.nodes = d.nodes;
  own.clusters = d.clusters;
  own.boost = d.boost;
  const decoupled_l1::CoreNetworks noc1(own, setting_, decoupled_l1::Geometry(own, setting_));
  const auto is = [](const noc::NetworkPlace& p, std::uint32_t n, std::uint32_t in, std::uint32_t out) {
    ASSERT_EQ(p.parts.size(), n);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_EQ(p.inputs(k), in);
      EXPECT_EQ(p.outputs(k), out);
      EXPECT_EQ(p.is_link(k), in == 1 && out == 1);
    }
  };
  is(noc1.place(noc::Direction::Request), d.noc1, d.cores, d.homes);
  is(noc1.place(noc::Direction::Reply), d.noc1, d.homes, d.cores);
  is(spec_.network_place(noc::Direction::Request, map_), d.noc2, d.ports, d.slices);
  is(spec_.network_place(noc::Direction::Reply, map_), d.noc2, d.slices, d.ports);
  // Rule 10: NoC#1 alone is faster.
  EXPECT_EQ(noc1.request().clock, Frequency{700'000'000 * d.boost});
  EXPECT_EQ(noc1.reply().clock, Frequency{700'000'000 * d.boost});
  EXPECT_EQ(spec_.noc.request.clock, 700_MHz);
}

// Rules 4 and 7: a node has what its cores' L1s had.
TEST_P(TableOne, NodesHaveWhatTheirCoresHad) {
  const cache::L1Spec own = spec_.l1, node = spec_.organization.design->l1(setting_);
  const std::uint32_t nodes = GetParam().nodes;
  EXPECT_EQ(nodes * node.tags.sets * node.tags.ways, 80 * own.tags.sets * own.tags.ways);
  EXPECT_EQ(nodes * node.mshr_entries, 80 * own.mshr_entries);
  EXPECT_EQ(nodes * node.mshr_merges, 80 * own.mshr_merges);
  EXPECT_EQ(node.miss_queue, 4u);
}

// Rule 11: the table's drop is told; the rate is that of real clocks and headers, 5 flits for a line.
TEST_P(TableOne, TellsThePeakBandwidth) {
  const Design& d = GetParam();
  EXPECT_THAT(spec_.organization.design->place(setting_),
              testing::HasSubstr(fmt::format("nominal peak bandwidth / {};", d.drop)));
  EXPECT_DOUBLE_EQ(peak_rates(spec_).l1_bytes, d.nodes * 128.0 / 5 * 700e6 * d.boost);
}

// Beside those of the paper: C40, which is Pr40, and nodes that do not divide the cores.
INSTANTIATE_TEST_SUITE_P(
    Designs, TableOne,
    testing::Values(Design{80, 0, 1, 80, 1, 1, 1, 80, 32, "4"}, Design{40, 0, 1, 40, 2, 1, 1, 40, 32, "8"},
                    Design{20, 0, 1, 20, 4, 1, 1, 20, 32, "16"}, Design{10, 0, 1, 10, 8, 1, 1, 10, 32, "32"},
                    Design{40, 1, 1, 1, 80, 40, 1, 40, 32, "8"}, Design{40, 5, 1, 5, 16, 8, 8, 5, 4, "8"},
                    Design{40, 10, 1, 10, 8, 4, 4, 10, 8, "8"}, Design{40, 20, 1, 20, 4, 2, 2, 20, 16, "8"},
                    Design{40, 10, 2, 10, 8, 4, 4, 10, 8, "4"}, Design{40, 40, 1, 40, 2, 1, 1, 40, 32, "8"},
                    Design{64, 1, 1, 1, 80, 64, 1, 64, 32, "5"}));

// The baseline's is not touched.
TEST(PeakBandwidth, OfPrivateL1sIsThatOfTheirPorts) {
  EXPECT_DOUBLE_EQ(peak_rates(spec_of("cu80", {"l1.organization=private"})).l1_bytes, 80 * 128.0 * 1.4e9);
}

const std::string kOwnWord = "shl.b32 %r1, %tid, 2; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %a, %rd1;";

const MachineStats& run(Bench& bench, const std::string& body) {
  bench.load(body);
  return bench.run({1, 32}, bench.words(1 << 12)).stats;
}

// Rule 5, and the simulator underneath (4): a store's acknowledgement comes back over both networks, a flit
// each time; its data are header and line on both.
TEST(CoreNetworks, CarryAcknowledgements) {
  Bench bench(lab({"l1.organization=decoupled", "noc.request.flit=32B", "noc.request.header=8B"}));
  const MachineStats& s = run(bench, kOwnWord + times(4, "st.global.u32 [%rd1+#*128], %tid;"));
  for (const char* network : {"core_request_network", "request_network"}) {
    EXPECT_EQ(s.groups.get<noc::NetworkStats>(network).injected, 4u) << network;
    EXPECT_EQ(s.groups.get<noc::NetworkStats>(network).flits, 4u * 5) << network;
  }
  for (const char* network : {"core_reply_network", "reply_network"}) {
    EXPECT_EQ(s.groups.get<noc::NetworkStats>(network).injected, 4u) << network;
    EXPECT_EQ(s.groups.get<noc::NetworkStats>(network).flits, 4u) << network;
  }
}

// Rule 6: from Q1 to Q3 and from Q4 to Q2, whatever the cache holds.
TEST(CoreNetworks, CarryWhatPassesTheCacheBy) {
  Bench bench(lab({"l1.organization=decoupled"}));
  const MachineStats& s = run(bench, kOwnWord + "ld.global.u32 %r0, [%rd1];\n" + use(1) +
                                         times(3, "ld.global.cg.u32 %r2, [%rd1];\n" + use(3)) +
                                         "atom.global.add.u32 %r3, [%rd1], 1;\n" + use(4));
  EXPECT_EQ(s.l1().reads.forwarded, 1u);
  EXPECT_EQ(s.l1().reads.bypassed, 3u);
  EXPECT_EQ(s.l1().reads.hits, 0u);
  EXPECT_EQ(s.l1().atomics.bypassed, 1u);
  EXPECT_EQ(s.groups.get<noc::NetworkStats>("core_request_network").injected, 5u);
  EXPECT_EQ(s.groups.get<noc::NetworkStats>("core_reply_network").injected, 5u);
  EXPECT_EQ(s.groups.get<noc::NetworkStats>("request_network").injected, 5u);
}

// Rule 4: as many lines are under way as the L1s of the node's cores had MSHRs, and readers of different
// cores wait in one.
TEST(NodeMshrs, AreThoseOfItsCores) {
  Bench bench(lab({"l1.organization=decoupled", "gpu.clusters=4", "l1.decoupled.nodes=1", "l1.mshr_entries=3",
                   "l1.mshr_merges=2", "sm.lsu_queue=64"}));
  bench.load(kOwnWord + times(32, "ld.global.u32 %r#, [%rd1+#*128];") + use(32));
  const MachineStats& s = bench.run({4, 32}, bench.words(1 << 12)).stats;
  EXPECT_EQ(s.l1().mshr_peak, 4u * 3);
  EXPECT_EQ(s.l1().reads.forwarded, 32u);
  EXPECT_GT(s.l1().reads.merged, 0u);
}

// A direct link takes a tick per flit; a crossbar of two cores one more, to allocate, and its setup.
TEST(DirectLinks, HaveNoSwitch) {
  const auto hit = [](std::uint32_t nodes, const char* setup) {
    const GpuSpec spec = lab({"l1.organization=decoupled", "gpu.clusters=2", "l1.decoupled.clusters=0",
                              fmt::format("l1.decoupled.nodes={}", nodes),
                              fmt::format("noc.request.crossbar.packet_setup={}", setup)});
    Bench bench(spec);
    bench.load("mov.u64 %rd1, %a; " + loop("400", "ld.global.u64 %rd1, [%rd1];") +
               "st.global.u64 [%b], %rd1;");
    const auto chain = bench.chain(8, 128), out = bench.words(2);
    const auto cycles = bench.run({1, 1}, chain, out).cycles;
    return std::pair{static_cast<double>(cycles), unloaded_latency(spec).l1_hit};
  };
  const auto link = hit(2, "0"), crossbar = hit(1, "0");
  EXPECT_EQ(crossbar.second - link.second, 2);  // there and back
  EXPECT_NEAR(crossbar.first - link.first, 400 * 2, 8);
  // The setup is of the memory network's crossbar alone: 8 lines and a store.
  const auto link_beside_setup = hit(2, "5"), crossbar_with_setup = hit(1, "5");
  EXPECT_EQ(link_beside_setup.second, link.second);
  EXPECT_EQ(link_beside_setup.first - link.first, 9 * 5);
  EXPECT_EQ(crossbar_with_setup.second - crossbar.second, 5);
}

}  // namespace
}  // namespace heddle::gpu
