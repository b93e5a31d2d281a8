// The mesh by the formulas of its header.
#include "noc/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "mesh_rig.h"
#include "tests/stats/check_declared.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

TEST(MeshStats, Declared) {
  stats::check_declared<MeshStats>();
}

// ---- time ---------------------------------------------------------------------------------------------

struct Delays {
  std::uint32_t routing, vc, switching, crossing, link;
  std::string toml() const {
    return fmt::format(
        "mesh.routing_delay = {}\nmesh.vc_delay = {}\nmesh.switch_delay = {}\nmesh.crossing_delay = {}\n"
        "mesh.link_delay = {}\n",
        routing, vc, switching, crossing, link);
  }
};

// Every pair of ports, alone, with buffers that keep no flit waiting.
TEST(Mesh, UnloadedLatency) {
  for (const Delays& d : {Delays{1, 1, 1, 1, 1}, Delays{1, 1, 1, 0, 0}, Delays{0, 0, 1, 0, 0},
                          Delays{2, 3, 4, 5, 6}, Delays{0, 2, 1, 0, 3}})
    for (const char* routing : {"xy", "yx", "o1turn"})
      for (const std::uint16_t flits : {1, 5, 30}) {
        const std::string own = fmt::format("routing = \"{}\"", routing);
        Rig rig(mesh_of(7, 5, d.toml() + "mesh.vc_buffer = 64\nvirtual_channels = 2\nmesh." + own));
        const MeshLayout layout = layout_of(own, 7, 5);
        constexpr Cycle kApart = 300;
        rig.run(36 * kApart, [&](Cycle c) {
          const auto n = static_cast<std::uint32_t>(c / kApart);
          if (c % kApart == 0 && n < 35) rig.send(c, n % 7, n / 7, flits);
        });
        ASSERT_EQ(rig.delivered.size(), 35u);
        const std::uint32_t router = d.routing + d.vc + d.switching + d.crossing;
        for (const Delivery& x : rig.delivered) {
          const std::uint32_t links =
              layout.distance(layout.node_of_input()[x.source], layout.node_of_output()[x.destination]);
          EXPECT_EQ(x.sent - ((x.serial - 1) * kApart + 4),
                    (links + 1) * router + links * d.link + flits - 1);
        }
        EXPECT_EQ(rig.network->statistics().input_stalls, 0u);
      }
}

// A long packet waits for its own credits.
TEST(Mesh, UnloadedLatencyOfLongPacketsInShortBuffers) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const Delays& d : {Delays{1, 1, 1, 1, 1}, Delays{0, 0, 1, 0, 0}, Delays{2, 3, 4, 5, 6}})
    for (const std::uint32_t places : {1u, 2u, 7u, 8u}) {
      const RigOptions o = mesh_of(7, 5, d.toml() + fmt::format("mesh.vc_buffer = {}", places));
      Rig rig(o);
      constexpr Cycle kApart = 1000;
      rig.run(36 * kApart, [&](Cycle c) {
        const auto n = static_cast<std::uint32_t>(c / kApart);
        if (c % kApart == 0 && n < 35) rig.send(c, n % 7, n / 7, 20);
      });
      const NetworkStats s = rig.network->statistics();
      ASSERT_EQ(s.ejected, 35u);
      EXPECT_DOUBLE_EQ(o.spec.design->unloaded(o.spec, place_of(7, 5, map), 20),
                       static_cast<double>(s.latency_sum) / 35);
    }
}

// The rate at which packets leave, per cycle, when `feed` always sends.
double mesh_rate(const RigOptions& o, const std::function<void(Rig&, Cycle)>& feed) {
  Rig rig(o);
  rig.run(1000, [&](Cycle c) { feed(rig, c); });
  rig.network->clear_statistics();
  rig.run(3000, [&](Cycle c) { feed(rig, c); });
  return static_cast<double>(rig.network->statistics().ejected) / 2000;
}

// With one virtual channel, packets of one flit pass an input every routing + vc + 1 cycles; those of many
// flits pay that once.
TEST(Mesh, EachPacketIsRoutedByItself) {
  const auto one = [](Rig& rig, Cycle c) { rig.send(c, 0, 0); };
  const auto four = [](Rig& rig, Cycle c) { rig.send(c, 0, 0, 4); };
  for (const Delays& d : {Delays{1, 1, 1, 1, 1}, Delays{1, 1, 1, 0, 0}, Delays{0, 0, 1, 0, 0}}) {
    const RigOptions o = mesh_of(3, 1, d.toml());
    EXPECT_NEAR(mesh_rate(o, one), 1.0 / (d.routing + d.vc + 1), 0.01);
    EXPECT_NEAR(mesh_rate(o, four), 1.0 / (d.routing + d.vc + 4), 0.01);
  }
}

// A channel that waits for the tail's credit is used once in the time there and back.
TEST(Mesh, WaitingForTheTailsCreditTakesAWholeTurn) {
  // In a row of routers: input at 0, output at 1.
  const std::string row = "mesh.height = 1\nmesh.placement = \"list\"\nmesh.slice_nodes = [1]\n";
  const auto one = [](Rig& rig, Cycle c) { rig.send(c, 0, 0); };
  for (const Delays& d : {Delays{1, 1, 1, 1, 1}, Delays{1, 1, 1, 0, 0}, Delays{0, 0, 1, 0, 0}})
    for (const std::uint32_t credit : {0u, 1u, 5u}) {
      const RigOptions o = mesh_of(
          1, 1,
          row + d.toml() + fmt::format("mesh.wait_for_tail_credit = true\nmesh.credit_delay = {}", credit));
      // From the switch here to the switch there, the credit back, the channel's allocation.
      const std::uint32_t there = d.switching + d.crossing + d.link + d.routing + d.vc;
      EXPECT_NEAR(mesh_rate(o, one), 1.0 / (there + 1 + d.link + credit + d.vc), 0.01) << credit;
    }
}

// n places carry n flits in the time there and back.
TEST(Mesh, TheBufferLimitsWhatALinkCarries) {
  const std::string row = "mesh.height = 1\nmesh.placement = \"list\"\nmesh.slice_nodes = [1]\n";
  for (const std::uint32_t link : {1u, 8u})
    for (const std::uint32_t places : {1u, 2u, 5u, 9u}) {
      const Delays d{0, 0, 1, 0, link};
      const RigOptions o =
          mesh_of(1, 1, row + d.toml() + fmt::format("mesh.vc_buffer = {}\nmesh.credit_delay = 2", places));
      const double trip = 1 + link + 1 + link + 2;
      EXPECT_NEAR(mesh_rate(o, [](Rig& rig, Cycle c) { rig.send(c, 0, 0, 50); }) * 50,
                  std::min(50.0 / 51, places / trip), 0.02)
          << link << ", " << places;
    }
}

// Two packets that meet at a link share it flit by flit where they have channels of their own; one that keeps
// the switch is not divided.
TEST(Mesh, AHeldGrantKeepsPacketsTogether) {
  for (const bool hold : {false, true}) {
    // Inputs at 0 and 1, outputs at 2 and 3 of a row: both cross the link from 1 to 2.
    RigOptions o = mesh_of(2, 2,
                           fmt::format("virtual_channels = 4\nmesh.height = 1\nmesh.placement = \"list\"\n"
                                       "mesh.slice_nodes = [2, 3]\nmesh.hold_grant = {}",
                                       hold));
    std::vector<std::uint32_t> gap;  // between the ends of two long packets that meet
    for (const std::uint32_t other : {0u, 1u}) {
      Rig rig(o);
      rig.run(600, [&](Cycle c) {
        if (c == 0) rig.send(c, 0, other, 40);
        if (c == 5) rig.send(c, 1, 1 - other, 40);
      });
      ASSERT_EQ(rig.delivered.size(), 2u);
      gap.push_back(static_cast<std::uint32_t>(rig.delivered[1].sent - rig.delivered[0].sent));
    }
    // Divided, both end together; else one after the other. Both pairs may share a channel in one of the
    // cases.
    if (hold)
      for (const std::uint32_t g : gap) EXPECT_GE(g, 35u);
    else
      EXPECT_LE(std::min(gap[0], gap[1]), 8u);
  }
}

// ---- saturation ---------------------------------------------------------------------------------------

// Buffers of one flit, everybody sends at random and long packets: nothing waits in a circle, whatever the
// way, and nothing is lost or overtaken.
TEST(Mesh, FullBuffersDoNotDeadlock) {
  for (const char* routing : {"xy", "yx", "o1turn"})
    for (const bool hold : {false, true})
      for (const char* more : {"", "mesh.wait_for_tail_credit = true\n", "mesh.input_speedup = 2\n",
                               "mesh.routing_delay = 0\nmesh.vc_delay = 0\n", "allocator_iterations = 3\n"}) {
        const bool turns = std::string_view(routing) == "o1turn";
        RigOptions o =
            mesh_of(12, 12,
                    fmt::format("mesh.placement = \"tiled\"\nvirtual_channels = {}\nmesh.routing = \"{}\"\n"
                                "mesh.hold_grant = {}\nmesh.vc_buffer = 1\n{}",
                                turns ? 2 : 1, routing, hold, more));
        o.spec.output_buffer = 1;
        o.out_capacity = 1;
        Rig rig(o);
        Random random(7);
        rig.run(1500, [&](Cycle c) {
          for (std::uint32_t i = 0; i < 12; ++i)
            rig.send(c, i, random.below(12), static_cast<std::uint16_t>(1 + random.below(6)));
        });
        const std::size_t before = rig.delivered.size();
        EXPECT_GT(before, 200u) << routing << hold << more;
        rig.run(30000);
        EXPECT_EQ(rig.delivered.size(), rig.sent) << routing << hold << more << "\n" << rig.report();
        std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint64_t> last;
        for (const Delivery& d : rig.delivered) {
          std::uint64_t& serial = last[{d.source, d.destination}];
          EXPECT_LT(serial, d.serial);
          serial = d.serial;
        }
      }
}

// Any parameters, long packets of several virtual channels, small outputs: all arrives.
TEST(Mesh, RandomMeshesDeliverEverything) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Random r(seed * 977);
    for (int k = 0; k < 5; ++k) r.below(2);
    const auto one_of = [&](auto... all) { return std::array{all...}[r.below(sizeof...(all))]; };
    const std::uint32_t channels = 1 + r.below(3);
    const char* const routing = channels > 1 ? one_of("xy", "yx", "o1turn") : one_of("xy", "yx");
    std::string more = fmt::format("virtual_channels = {}\nmesh.routing = \"{}\"\n", channels, routing);
    more += fmt::format("mesh.vc_assignment = \"{}\"\n", one_of("destination", "any"));
    more += fmt::format("mesh.placement = \"{}\"\n", one_of("edge", "diamond", "checkerboard", "tiled"));
    more += fmt::format("mesh.hold_grant = {}\n", one_of(true, false));
    more += fmt::format("mesh.wait_for_tail_credit = {}\n", one_of(true, false));
    more += fmt::format("mesh.vc_buffer = {}\n", 1 + r.below(one_of(4u, 64u)));
    more += fmt::format("mesh.input_speedup = {}\n", 1 + r.below(3));
    more += fmt::format("mesh.width = {}\n", r.below(5));
    more += fmt::format("mesh.concentration = {}\n", 1 + r.below(2));
    more += fmt::format("allocator_iterations = {}\n", 1 + r.below(2));
    for (const char* delay : {"routing", "vc", "crossing", "link", "credit"})
      more += fmt::format("mesh.{}_delay = {}\n", delay, r.below(4));
    const std::uint32_t inputs = 1 + r.below(12), outputs = 1 + r.below(12);
    RigOptions o = mesh_of(inputs, outputs, more);
    o.out_capacity = 1 + r.below(4);
    o.spec.output_buffer = 1 + r.below(4);
    Rig rig(o);
    rig.run(800, [&](Cycle c) {
      for (std::uint32_t i = 0; i < inputs; ++i) {
        if (r.below(8) != 0) continue;
        const std::uint32_t to = r.below(outputs), most = r.below(8) == 0 ? 90 : 5;
        rig.send(c, i, to, static_cast<std::uint16_t>(1 + r.below(most)));
      }
    });
    rig.run(150'000);
    EXPECT_EQ(rig.delivered.size(), rig.sent) << seed << "\n" << more << rig.report();
  }
}

// What a parameter skips inside of a tick must not show: the engine's slow mode gives the same bits.
TEST(Mesh, SkippingIdleCyclesChangesNothing) {
  for (const char* more :
       {"mesh.vc_assignment = \"any\"\nvirtual_channels = 3", "mesh.hold_grant = true\nvirtual_channels = 2",
        "mesh.wait_for_tail_credit = true", "mesh.input_speedup = 3\nvirtual_channels = 5",
        "mesh.routing = \"o1turn\"\nvirtual_channels = 4\nmesh.link_delay = 7",
        "mesh.concentration = 4\nbuffers = \"flits\"\noutput_buffer = 7"}) {
    std::vector<std::vector<Delivery>> both;
    std::vector<std::uint64_t> stalls;
    for (const bool every : {false, true}) {
      RigOptions o = mesh_of(14, 9, more);
      o.every_cycle = every;
      o.out_capacity = 3;
      Rig rig(o);
      Random random(3);
      rig.open = [](std::uint32_t output, Cycle now) { return (now / 61 + output) % 3 != 0; };
      rig.run(3000, [&](Cycle c) {
        for (std::uint32_t i = 0; i < 14 && c < 800; ++i)
          if (random.below(4) == 0)
            rig.send(c, i, random.below(9), static_cast<std::uint16_t>(1 + random.below(5)));
      });
      EXPECT_EQ(rig.delivered.size(), rig.sent) << more << rig.report();
      both.push_back(rig.delivered);
      stalls.push_back(rig.network->statistics().input_stalls);
    }
    EXPECT_EQ(both[0], both[1]) << more;
    EXPECT_EQ(stalls[0], stalls[1]) << more;
  }
}

// Every flit is counted at every link of its way.
TEST(Mesh, CountsWhatCrossesItsLinks) {
  const MeshLayout layout = layout_of("", 14, 9);
  Rig rig(mesh_of(14, 9, "virtual_channels = 2"));
  Random random(3);
  std::uint64_t hops = 0, flits = 0;
  rig.run(4000, [&](Cycle c) {
    if (c % 5 != 0 || c > 3000) return;
    const std::uint32_t from = random.below(14), to = random.below(9);
    const auto n = static_cast<std::uint16_t>(1 + random.below(5));
    if (!rig.send(c, from, to, n)) return;
    const std::uint32_t links = layout.distance(layout.node_of_input()[from], layout.node_of_output()[to]);
    hops += links;
    flits += links * n;
  });
  stats::Groups groups;
  rig.network->collect("request_network", groups);
  const auto& s = groups.get<MeshStats>("request_network.mesh");
  EXPECT_EQ(s.packets, rig.sent);
  EXPECT_EQ(s.hops, hops);
  EXPECT_EQ(s.link_flits, flits);
  std::uint64_t most = 0, all = 0;
  for (const LinkLoad& l : rig.network->link_loads()) {
    most = std::max(most, l.flits);
    all += l.flits;
  }
  EXPECT_EQ(s.busiest_link_flits, most);
  EXPECT_EQ(all, flits);
}

TEST(Mesh, ThePeakOfUniformTrafficIsTheBisection) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const std::uint32_t k : {2u, 4u, 8u, 12u}) {
    const NetworkSpec spec = spec_of("topology = \"mesh\"\nmesh.placement = \"tiled\"");
    EXPECT_DOUBLE_EQ(spec.design->peak_flits(place_of(k * k, k * k, map)), std::min(4.0 / k, 1.0) * k * k);
  }
}

TEST(Mesh, RefusesParametersThatCannotWorkTogether) {
  EXPECT_THROW(Rig(mesh_of(4, 4, "mesh.routing = \"o1turn\"")), Error);
  EXPECT_NO_THROW(Rig(mesh_of(4, 4, "mesh.routing = \"o1turn\"\nvirtual_channels = 2")));
  EXPECT_THROW(Rig(mesh_of(4, 4, "virtual_channels = 65")), Error);
  EXPECT_NO_THROW(Rig(mesh_of(4, 4, "virtual_channels = 64")));
}

}  // namespace
}  // namespace heddle::noc
