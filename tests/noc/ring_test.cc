// The ring by the formulas of its header.
#include "noc/ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "noc/ring_layout.h"
#include "rig.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

struct Ring {
  std::uint32_t inputs = 4, outputs = 4, per_router = 1, latency = 2, buffer = 8;
  RigOptions options() const {
    RigOptions o{.inputs = inputs, .outputs = outputs};
    o.spec = spec_of(fmt::format(
        "topology = \"ring\"\nring.ports_per_router = {}\nring.link_latency = {}\nring.link_buffer = {}",
        per_router, latency, buffer));
    return o;
  }
  RingLayout layout() const {
    const mem::AddressMap map{mem::AddressMapSpec{}};
    return RingLayout(place_of(inputs, outputs, map), per_router);
  }
};

// The rate at which packets leave, per cycle, when `feed` always sends.
double rate(const RigOptions& o, const std::function<void(Rig&, Cycle)>& feed) {
  Rig rig(o);
  rig.run(1000, [&](Cycle c) { feed(rig, c); });
  rig.network->clear_statistics();
  rig.run(5000, [&](Cycle c) { feed(rig, c); });
  return static_cast<double>(rig.network->statistics().ejected) / 4000;
}

TEST(RingLayout, ClustersAndSlicesTakeTurns) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const auto& [clusters, slices, per_router] :
       {std::tuple{4u, 4u, 1u}, {12u, 8u, 1u}, {3u, 200u, 5u}, {1u, 1u, 64u}, {7u, 7u, 2u}}) {
    const RingLayout there(place_of(clusters, slices, map), per_router);
    const RingLayout back(place_of(slices, clusters, map, {}, Direction::Reply), per_router);
    EXPECT_EQ(there.routers(), (clusters + slices + per_router - 1) / per_router);
    std::vector<std::uint32_t> at(there.routers());
    for (std::uint32_t c = 0; c < clusters; ++c) {
      EXPECT_EQ(there.router_of_input(c), back.router_of_output(c));  // one floor plan for both networks
      ++at[there.router_of_input(c)];
    }
    for (std::uint32_t s = 0; s < slices; ++s) {
      EXPECT_EQ(there.router_of_output(s), back.router_of_input(s));
      ++at[there.router_of_output(s)];
    }
    for (std::uint32_t r = 0; r + 1 < there.routers(); ++r) EXPECT_EQ(at[r], per_router);
  }
  const RingLayout even = Ring{}.layout();
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(even.router_of_input(i), 2 * i);
    EXPECT_EQ(even.router_of_output(i), 2 * i + 1);
  }
}

// Every pair of ports, alone: hops x (1 + link_latency) + 1 + flits.
TEST(Ring, UnloadedLatency) {
  for (const Ring& ring : {Ring{}, Ring{3, 5, 1, 1, 1}, Ring{6, 6, 2, 7, 2}, Ring{4, 3, 64, 2, 8}})
    for (const std::uint16_t flits : {1, 5, 70}) {
      Rig rig(ring.options());
      const RingLayout layout = ring.layout();
      constexpr Cycle kApart = 400;
      const std::uint32_t pairs = ring.inputs * ring.outputs;
      rig.run((pairs + 1) * kApart, [&](Cycle c) {
        const auto n = static_cast<std::uint32_t>(c / kApart);
        if (c % kApart == 0 && n < pairs) rig.send(c, n % ring.inputs, n / ring.inputs, flits);
      });
      ASSERT_EQ(rig.delivered.size(), pairs);
      for (const Delivery& d : rig.delivered) {
        const std::uint32_t from = layout.router_of_input(d.source),
                            to = layout.router_of_output(d.destination);
        const std::uint32_t apart = from > to ? from - to : to - from;
        const std::uint32_t hops = std::min(apart, layout.routers() - apart);
        const Cycle arrived = (d.serial - 1) * kApart + 4;
        EXPECT_EQ(d.sent - arrived, hops * (1 + ring.latency) + 1 + flits);
      }
    }
}

// One flit per link and cycle: two inputs whose packets share a link get half of it each.
TEST(Ring, ALinkCarriesOneFlitPerCycle) {
  for (const std::uint16_t flits : {1, 4}) {
    const Ring ring{8, 8, 1, 1, 16};
    // From router 0 and router 2 upwards, over the link from 2 to 3.
    const double r = rate(ring.options(), [&](Rig& rig, Cycle c) {
      rig.send(c, 0, 2, flits);  // router 5
      rig.send(c, 1, 3, flits);  // router 7
    });
    EXPECT_NEAR(r, 1.0 / flits, 0.01);
  }
}

// Neighbours need no other's link, and both directions work at once: every router sends at full rate.
TEST(Ring, AllLinksWorkAtOnce) {
  const Ring ring{8, 8, 1, 2, 8};
  for (const std::uint32_t to : {0u, 7u})  // the slice above, the slice below
    EXPECT_NEAR(rate(ring.options(),
                     [&](Rig& rig, Cycle c) {
                       for (std::uint32_t i = 0; i < 8; ++i) rig.send(c, i, (i + to) % 8);
                     }),
                8, 0.05);
}

// Of n places a link carries n packets in the time there and back and a cycle in the router; in each virtual
// channel.
TEST(Ring, TheLinkBufferLimitsWhatALinkCarries) {
  for (const std::uint32_t latency : {1u, 3u, 10u})
    for (const std::uint32_t places : {1u, 2u, 5u, 9u, 21u}) {
      const Ring ring{4, 4, 1, latency, places};
      const double trip = 2 * latency + 1, one = std::min(1.0, places / trip);
      EXPECT_NEAR(rate(ring.options(), [](Rig& rig, Cycle c) { rig.send(c, 0, 0); }), one, 0.01)
          << latency << ", " << places;
      // Over the dateline, from the last router's neighbour: the other virtual channel.
      EXPECT_NEAR(rate(ring.options(), [](Rig& rig, Cycle c) { rig.send(c, 0, 3); }), one, 0.01);
      // Long packets take the link longer, not the places.
      EXPECT_NEAR(rate(ring.options(), [](Rig& rig, Cycle c) { rig.send(c, 0, 0, 3); }),
                  std::min(1.0 / 3, places / trip), 0.01);
    }
}

// Buffers of one packet, everybody sends as far as it goes, in both directions: without a second virtual
// channel every buffer would wait for the next one, once around.
TEST(Ring, FullBuffersAllAroundDoNotDeadlock) {
  for (const std::uint32_t routers : {2u, 4u, 6u, 12u})
    for (const std::uint32_t latency : {1u, 4u}) {
      const Ring ring{routers, routers, 2, latency, 1};  // an input and an output at each router
      RigOptions o = ring.options();
      o.spec.output_buffer = 1;
      o.out_capacity = 1;
      Rig rig(o);
      Random random(routers);
      rig.run(3000, [&](Cycle c) {
        for (std::uint32_t i = 0; i < routers; ++i) {
          const std::uint32_t far = routers / 2 - random.below(2);
          rig.send(c, i, (i + (random.below(2) == 0 ? far : routers - far)) % routers,
                   static_cast<std::uint16_t>(1 + random.below(4)));
        }
      });
      const std::size_t before = rig.delivered.size();
      rig.run(20000);
      EXPECT_GT(before, 200u) << routers;
      EXPECT_EQ(rig.delivered.size(), rig.sent) << routers << " routers\n" << rig.report();
    }
}

// The oldest goes first: who is far from a busy output gets its part of it as its neighbours do, where taking
// turns at every router would halve it with every hop.
TEST(Ring, EverybodyGetsHisShareOfAnOutput) {
  for (const std::uint32_t per_router : {1u, 64u}) {
    const Ring ring{8, 1, per_router, 1, 4};
    Rig rig(ring.options());
    rig.run(8000, [&](Cycle c) {
      for (std::uint32_t i = 0; i < 8; ++i) rig.send(c, i, 0);
    });
    std::map<std::uint16_t, double> served;
    for (const Delivery& d : rig.delivered) ++served[d.source];
    EXPECT_EQ(served.size(), 8u);
    for (const auto& [source, n] : served) EXPECT_NEAR(n, 1000, 250) << source << ", " << per_router;
  }
}

TEST(Ring, ThePeakOfUniformTrafficIsTheBusiestLinks) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const std::uint32_t n : {8u, 20u, 32u}) {
    // An input and an output at each of n routers. A link of one direction carries pairs up to n / 2 - 1
    // apart, 1 + ... + (n / 2 - 1) of them, and of those that are n / 2 apart half: n x n / 8 in all.
    const Ring shared{n, n, 2, 1, 8};
    EXPECT_DOUBLE_EQ(shared.options().spec.design->peak_flits(place_of(n, n, map)), std::min(8u, n));
    // Inputs at even routers, outputs at odd ones: pairs are 1, 3, ... n - 1 apart, and the link behind an
    // input carries n / 2 + ... + 1 of them.
    const Ring apart{n, n, 1, 1, 8};
    EXPECT_DOUBLE_EQ(apart.options().spec.design->peak_flits(place_of(n, n, map)), 8.0 * n / (n + 2));
  }
}

// Each router is a unit of the engine, with a report of its own.
TEST(Ring, RoutersReportForThemselves) {
  const Ring ring{4, 4, 1, 2, 2};
  RigOptions o = ring.options();
  o.out_capacity = 1;
  Rig rig(o);
  rig.drain(1, false);
  rig.run(400, [&](Cycle c) { rig.send(c, 0, 1); });
  EXPECT_NE(rig.network->reader(0), rig.network->writer(1));
  EXPECT_THAT(rig.report(), testing::HasSubstr("network, router 0"));
  EXPECT_THAT(rig.report(), testing::HasSubstr("network, router 3"));
  EXPECT_THAT(rig.report(),
              testing::HasSubstr("link up, virtual channel 0: 2 packets, the first for output 1"));
}

}  // namespace
}  // namespace heddle::noc
