// Networks under synthetic traffic, beside what others measured (noc/load_curve.h).
#include "noc/load_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "rig.h"

namespace heddle::noc {
namespace {

class LoadCurve : public testing::Test {
 protected:
  // A mesh of k x k nodes, each with an input and an output.
  LoadSetup tiled(std::uint32_t k, const char* pattern, const std::string& more) const {
    NetworkSpec spec = spec_of("topology = \"mesh\"\nmesh.placement = \"tiled\"\n" + more);
    return {std::move(spec), place_of(k * k, k * k, map), &find_pattern(pattern), {k, k}};
  }
  // Cores and memory controllers as Bakhoda et al. have them (ISPASS 2009).
  LoadSetup ispass(const std::string& more) const {
    NetworkSpec spec = spec_of(
        "topology = \"mesh\"\nmesh.placement = \"list\"\nmesh.slice_nodes = [3, 7, 10, 12, 23, 25, 28, "
        "32]\n" +
        more);
    return {std::move(spec), place_of(28, 8, map), &find_pattern("many-to-few"), {6, 6}};
  }
  // Whether latency is below three times that at zero load.
  static bool below_saturation(const LoadSetup& setup, double rate) {
    const LoadPoint p = measure_load(setup, rate);
    return p.keeps_up && p.latency < 3 * zero_load_latency(setup);
  }
  const mem::AddressMap map{mem::AddressMapSpec{}};
};

TEST_F(LoadCurve, PatternsArePermutationsOrUniform) {
  for (const TrafficPattern& p : traffic_patterns()) {
    const NodeGrid grid{8, 8};
    TrafficRandom random(1);
    std::set<std::uint32_t> reached;
    for (std::uint32_t i = 0; i < 64; ++i)
      for (int n = 0; n < (p.to_all ? 20 : 2); ++n) reached.insert(p.destination(i, grid, 64, random));
    EXPECT_EQ(reached.size(), 64u) << p.name;
    EXPECT_EQ(*reached.rbegin(), 63u) << p.name;
    EXPECT_EQ(&find_pattern(p.name), &p);
  }
  TrafficRandom random(1);
  EXPECT_EQ(find_pattern("transpose").destination(10, {8, 8}, 64, random), 17u);  // (2, 1) to (1, 2)
  EXPECT_EQ(find_pattern("tornado").destination(0, {8, 8}, 64, random), 27u);     // (3, 3)
  EXPECT_EQ(find_pattern("neighbour").destination(63, {8, 8}, 64, random), 0u);
  EXPECT_EQ(find_pattern("complement").destination(1, {8, 8}, 64, random), 62u);
  EXPECT_EQ(find_pattern("bit-reverse").destination(1, {8, 8}, 64, random), 32u);
  EXPECT_EQ(find_pattern("shuffle").destination(33, {8, 8}, 64, random), 3u);
  EXPECT_FALSE(find_pattern("transpose").obstacle({8, 4}).empty());
  EXPECT_FALSE(find_pattern("shuffle").obstacle({6, 6}).empty());
  EXPECT_THROW(find_pattern("unifrom"), Error);
}

// A crossbar has nothing but its outputs: what is offered gets through, and latency is the formula's and
// three cycles around it.
TEST_F(LoadCurve, OfACrossbarAtLowLoad) {
  LoadSetup s{spec_of(""), place_of(8, 8, map), &find_pattern("uniform"), {8, 1}, 2};
  EXPECT_DOUBLE_EQ(zero_load_latency(s), 3 + 3);
  const LoadPoint p = measure_load(s, 0.02);
  EXPECT_TRUE(p.keeps_up);
  EXPECT_NEAR(p.latency, 6, 0.1);
  EXPECT_NEAR(p.accepted, 0.02, 0.002);
  EXPECT_NEAR(p.network_latency, 3, 0.1);
  EXPECT_TRUE(p.links.empty());
  EXPECT_GE(p.longest, p.p99);
}

TEST_F(LoadCurve, IsTheSameEveryTime) {
  LoadSetup s = tiled(4, "uniform", "virtual_channels = 2");
  s.measured = 2000;
  const LoadPoint a = measure_load(s, 0.3), b = measure_load(s, 0.3);
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.packets, b.packets);
  s.seed = 2;
  EXPECT_NE(measure_load(s, 0.3).latency, a.latency);
}

// Every link is there, between neighbours; at a router as much goes out as comes in, but for what is inside.
TEST_F(LoadCurve, LinksCarryWhatGoesThroughTheirRouters) {
  LoadSetup s = ispass("virtual_channels = 2");
  const LoadPoint p = measure_load(s, 0.03);
  const std::optional<Floor> floor = s.spec.design->floor(s.place);
  ASSERT_TRUE(floor && floor->width == 6 && floor->height == 6);
  ASSERT_EQ(p.links.size(), 2u * (5 * 6 + 6 * 5));
  ASSERT_EQ(p.output_flits.size(), 8u);
  std::vector<double> more(36);  // goes out than comes in
  for (const LinkLoad& l : p.links) {
    const std::uint32_t apart = l.from > l.to ? l.from - l.to : l.to - l.from;
    EXPECT_TRUE(apart == 6 || (apart == 1 && l.from / 6 == l.to / 6)) << l.name;
    more[l.from] += static_cast<double>(l.flits);
    more[l.to] -= static_cast<double>(l.flits);
  }
  for (std::size_t o = 0; o < 8; ++o) more[floor->outputs[o]] += static_cast<double>(p.output_flits[o]);
  for (std::uint32_t r = 0; r < 36; ++r) {
    const bool sends = std::find(floor->inputs.begin(), floor->inputs.end(), r) != floor->inputs.end();
    EXPECT_NEAR(more[r], sends ? 0.03 * s.measured : 0, sends ? 120 : 10) << r;
  }
  const std::vector<LinkLoad> most = busiest_links(p, 3);
  ASSERT_EQ(most.size(), 3u);
  EXPECT_GE(most[0].flits, most[2].flits);
}

TEST_F(LoadCurve, RingsHaveLinksBothWays) {
  LoadSetup s{spec_of("topology = \"ring\"\nring.ports_per_router = 2"),
              place_of(8, 8, map),
              &find_pattern("neighbour"),
              {8, 1},
              1};
  const LoadPoint p = measure_load(s, 0.1);
  ASSERT_EQ(p.links.size(), 16u);
  for (const LinkLoad& l : p.links)  // everyone to the next router, and nobody back
    EXPECT_NEAR(static_cast<double>(l.flits) / static_cast<double>(p.network_cycles),
                l.to == (l.from + 1) % 8 ? 0.1 : 0, 0.01)
        << l.name;
}

// Half as much again as the crossbar's outputs carry: all arrive in the end, but not as fast as they come.
TEST_F(LoadCurve, AGrowingQueueDoesNotKeepUp) {
  LoadSetup s{spec_of(""), place_of(12, 8, map), &find_pattern("uniform"), {12, 1}, 1};
  const LoadPoint p = measure_load(s, 1);
  EXPECT_LT(p.accepted, 0.8);
  EXPECT_FALSE(p.keeps_up);
}

// A fifth above what the busiest link carries a mesh does not keep up, whatever the way; far above, what
// arrives does not collapse.
TEST_F(LoadCurve, NothingIsAboveTheBounds) {
  struct Case {
    const char* pattern;
    double bound, least;  // flits per node and cycle
  };
  for (const char* routing : {"xy", "yx", "o1turn"})
    for (const Case& c :
         {Case{"uniform", 0.5, 0.38}, Case{"transpose", 1.0 / 7, 0.12}, Case{"tornado", 1.0 / 3, 0.15}}) {
      // Both ways of a transpose's packets have links of their own.
      const bool twice = std::string_view(routing) == "o1turn" && std::string_view(c.pattern) == "transpose";
      LoadSetup s = tiled(
          8, c.pattern,
          fmt::format("virtual_channels = 4\nmesh.vc_assignment = \"any\"\nmesh.routing = \"{}\"", routing));
      s.warm_up = 1000;
      s.measured = 2000;
      EXPECT_FALSE(below_saturation(s, 1.2 * (twice ? 2 : 1) * c.bound)) << c.pattern << routing;
      const LoadPoint p = measure_load(s, 0.8);
      EXPECT_FALSE(p.keeps_up) << c.pattern << routing;
      EXPECT_GE(p.accepted, c.least) << c.pattern << routing;
      for (const LinkLoad& l : p.links) EXPECT_LE(l.flits, p.network_cycles) << l.name;
      if (find_pattern(c.pattern).to_all) {
        EXPECT_LE(p.accepted, c.bound) << routing;
      }
    }
}

// BookSim 2: 8 x 8, dimension order, iSLIP, 8 flits per virtual channel, stages of one cycle, links of one,
// packets of one flit. Its virtual channels are given to any packet.
TEST_F(LoadCurve, AsBookSim) {
  EXPECT_NEAR(zero_load_latency(tiled(8, "uniform", "")), 33.3, 0.06);
  struct Case {
    const char* pattern;
    int channels;
    double saturation, within;
  };
  // With one channel this mesh carries some 6% more; near saturation a transpose's latency rises slowly,
  // since most of its ways are free.
  for (const Case& c : {Case{"uniform", 1, 0.135, 0.07}, Case{"uniform", 4, 0.413, 0.05},
                        Case{"uniform", 8, 0.420, 0.05}, Case{"transpose", 1, 0.045, 0.09},
                        Case{"transpose", 4, 0.142, 0.05}, Case{"transpose", 8, 0.142, 0.05}}) {
    const LoadSetup s =
        tiled(8, c.pattern, fmt::format("virtual_channels = {}\nmesh.vc_assignment = \"any\"", c.channels));
    EXPECT_TRUE(below_saturation(s, (1 - c.within) * c.saturation)) << c.pattern << c.channels;
    EXPECT_FALSE(below_saturation(s, (1 + c.within) * c.saturation)) << c.pattern << c.channels;
  }
}

// GPGPU-Sim 2.1.1b's network, 28 cores to 8 controllers, one virtual channel of 8 flits: its saturation rates
// are known to 0.01.
TEST_F(LoadCurve, AsGpgpuSim2) {
  const std::string three =
      "mesh.crossing_delay = 0\nmesh.link_delay = 0\nmesh.vc_timing = \"before_request\"\n";
  const std::string one = three + "mesh.routing_delay = 0\nmesh.vc_delay = 0\nmesh.credit_delay = 0\n";
  struct Case {
    const char* what;
    std::string more;
    double saturation;
  };
  for (const Case& c : {Case{"tail wait", three + "mesh.wait_for_tail_credit = true", 0.06},
                        Case{"no tail wait", three, 0.11}, Case{"no delays", one, 0.26}}) {
    LoadSetup s = ispass(c.more);
    s.measured = 8000;
    EXPECT_NEAR(saturation(s, 3, 0.005, 0.4), c.saturation, 0.015) << c.what;
  }
  EXPECT_NEAR(zero_load_latency(ispass(three)), 3 * (3.86 + 1) + 3, 0.05);
  EXPECT_NEAR(zero_load_latency(ispass(one)), 3.86 + 1 + 3, 0.05);
}

}  // namespace
}  // namespace heddle::noc
