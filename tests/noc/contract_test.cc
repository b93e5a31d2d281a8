// What is true of every topology, whatever it looks like inside (noc/topology.h, noc/network.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "base/error.h"
#include "rig.h"
#include "stats/snapshot.h"
#include "tests/sim/ends.h"

namespace heddle::noc {
namespace {

using sim::Cycle;

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const TopologyKind& k : topologies()) all.emplace_back(k.name);
  return all;
}

RigOptions options_of(const std::string& topology, std::uint32_t inputs, std::uint32_t outputs) {
  RigOptions o{.inputs = inputs, .outputs = outputs};
  o.spec = spec_of(fmt::format("topology = \"{}\"", topology));
  return o;
}

// ---- any traffic ----------------------------------------------------------------------------------------

struct Traffic {
  std::uint32_t inputs, outputs, vcs;
  Frequency clock;
  std::uint32_t one_in;   // a packet per input in so many cycles
  const char* more = "";  // of the description
};

class AnyTraffic : public testing::TestWithParam<std::tuple<std::string, Traffic>> {
 protected:
  std::unique_ptr<Rig> simulate(bool every_cycle) {
    const auto& [topology, p] = GetParam();
    RigOptions o = options_of(topology, p.inputs, p.outputs);
    const bool for_another = std::string_view(p.more).starts_with("crossbar.") && topology != "crossbar";
    o.spec = spec_of(fmt::format("topology = \"{}\"\n{}", topology, for_another ? "" : p.more));
    o.spec.virtual_channels = p.vcs;
    o.spec.input_buffer = 6;
    o.spec.output_buffer = o.spec.packet.places(5) == 1 ? 3 : 7;
    o.clock = sim::Clock(p.clock, 1400_MHz);
    o.out_capacity = 6;
    o.every_cycle = every_cycle;
    auto rig = std::make_unique<Rig>(o);
    Random random(5);
    // Outputs stop for a while.
    rig->open = [](std::uint32_t output, Cycle now) { return now > 600 || (now / 97 + output) % 3 != 0; };
    rig->run(600, [&, outputs = p.outputs, inputs = p.inputs, one_in = p.one_in](Cycle c) {
      for (std::uint32_t i = 0; i < inputs; ++i)
        if (random.below(one_in) == 0)
          rig->send(c, i, random.below(outputs), static_cast<std::uint16_t>(1 + random.below(5)));
    });
    EXPECT_GT(rig->network->in_flight(), 0u);
    rig->run(12000);
    return rig;
  }
};

TEST_P(AnyTraffic, NothingIsLostRepeatedOrReordered) {
  const auto rig = simulate(false);
  const NetworkStats s = rig->network->statistics();
  EXPECT_GT(rig->sent, 100u);
  EXPECT_EQ(rig->delivered.size(), rig->sent);
  EXPECT_EQ(s.injected, rig->sent);
  EXPECT_EQ(s.ejected, rig->sent);
  EXPECT_EQ(rig->network->in_flight(), 0u);
  EXPECT_EQ(rig->report(), "");
  std::set<std::uint64_t> serials;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint64_t> last;
  for (const Delivery& d : rig->delivered) {
    EXPECT_TRUE(serials.insert(d.serial).second);
    std::uint64_t& before = last[{d.source, d.destination}];
    EXPECT_LT(before, d.serial);
    before = d.serial;
  }
}

TEST_P(AnyTraffic, SkippingIdleCyclesChangesNothing) {
  const auto skipped = simulate(false), stepped = simulate(true);
  EXPECT_EQ(skipped->delivered, stepped->delivered);
  stats::Snapshot a, b;
  a.add("", skipped->network->statistics());
  b.add("", stepped->network->statistics());
  for (const stats::Statistic& s : a.all())
    if (std::holds_alternative<std::uint64_t>(s.reading)) {
      EXPECT_EQ(a.count(s.info.name), b.count(s.info.name)) << s.info.name;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AnyTraffic,
    testing::Combine(testing::ValuesIn(names()),
                     testing::Values(Traffic{12, 8, 1, 1400_MHz, 2}, Traffic{12, 8, 8, 1900_MHz, 3},
                                     Traffic{80, 64, 2, 1400_MHz, 20}, Traffic{64, 80, 4, 700_MHz, 40},
                                     Traffic{132, 96, 1, 1000_MHz, 60}, Traffic{1, 1, 1, 1400_MHz, 3},
                                     Traffic{5, 200, 3, 1400_MHz, 6},
                                     Traffic{12, 9, 1, 1400_MHz, 3, "buffers = \"flits\""},
                                     Traffic{70, 60, 3, 1100_MHz, 15, "buffers = \"flits\""},
                                     Traffic{12, 10, 2, 900_MHz, 6, "crossbar.packet_setup = 2"})),
    [](const auto& i) {
      const Traffic& traffic = std::get<1>(i.param);
      return fmt::format("{}_{}x{}_{}", std::get<0>(i.param), traffic.inputs, traffic.outputs, traffic.vcs);
    });

// ---- each topology --------------------------------------------------------------------------------------

class EveryTopology : public testing::TestWithParam<std::string> {};

// Back-pressure: who sends to an output that is not emptied stops, since there is a bound to what is inside;
// the report says who waits, and once the output is emptied everything arrives.
TEST_P(EveryTopology, AClosedOutputStopsItsSenders) {
  RigOptions o = options_of(GetParam(), 6, 5);
  o.out_capacity = 2;
  Rig rig(o);
  rig.drain(0, false);
  const auto feed = [&](Cycle c) {
    for (std::uint32_t i = 0; i < 6; ++i) rig.send(c, i, 0, 3);
  };
  rig.run(4000, feed);
  const std::uint64_t stopped = rig.sent, inside = rig.network->in_flight();
  EXPECT_EQ(rig.network->statistics().ejected, 2u);
  EXPECT_EQ(inside, rig.network->statistics().injected - 2);
  rig.run(8000, feed);
  EXPECT_EQ(rig.sent, stopped);
  EXPECT_EQ(rig.network->in_flight(), inside);
  EXPECT_THAT(rig.report(), testing::HasSubstr("the first for output 0"));
  rig.drain(0, true);
  rig.run(16000);
  EXPECT_EQ(rig.delivered.size(), rig.sent);
  EXPECT_EQ(rig.report(), "");
}

// What a topology says of itself, measured: alone in the network, every pair of ports after another.
TEST_P(EveryTopology, UnloadedLatencyIsWhatItSays) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const std::uint16_t flits : {1, 4}) {
    const RigOptions o = options_of(GetParam(), 5, 7);
    Rig rig(o);
    constexpr Cycle kApart = 200;
    rig.run(35 * kApart + 8, [&](Cycle c) {
      if (c % kApart == 0 && c / kApart < 35)
        rig.send(c, static_cast<std::uint32_t>(c / kApart % 5), static_cast<std::uint32_t>(c / kApart / 5),
                 flits);
    });
    const NetworkStats s = rig.network->statistics();
    ASSERT_EQ(s.ejected, 35u);
    EXPECT_DOUBLE_EQ(o.spec.design->unloaded(o.spec, place_of(5, 7, map), flits),
                     static_cast<double>(s.latency_sum) / 35);
    EXPECT_EQ(s.input_stalls, 0u);
    EXPECT_EQ(s.output_stalls, 0u);
  }
}

// In core cycles, with a clock of its own: the mean over phases.
TEST_P(EveryTopology, UnloadedLatencyWithAnotherClock) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  for (const Frequency clock : {900_MHz, 2300_MHz}) {
    RigOptions o = options_of(GetParam(), 3, 4);
    o.clock = sim::Clock(clock, 1400_MHz);
    Rig rig(o);
    constexpr Cycle kApart = 211;
    std::map<std::uint64_t, Cycle> sent;
    rig.run(1200 * kApart + 200, [&](Cycle c) {
      const Cycle n = c / kApart;
      if (c % kApart != 0 || n >= 1200) return;
      rig.send(c, static_cast<std::uint32_t>(n % 3), static_cast<std::uint32_t>(n / 3 % 4), 2);
      sent[rig.sent] = c + o.window;
    });
    double sum = 0;
    for (const Delivery& d : rig.delivered) sum += static_cast<double>(d.sent - sent[d.serial]);
    EXPECT_NEAR(o.spec.design->unloaded(o.spec, place_of(3, 4, map, o.clock), 2), sum / 1200, 0.1);
  }
}

// Under uniform traffic nothing is faster than the peak that the topology tells, and half of that peak gets
// through.
TEST_P(EveryTopology, ThePeakIsABound) {
  const mem::AddressMap map{mem::AddressMapSpec{}};
  RigOptions o = options_of(GetParam(), 16, 16);
  o.spec.virtual_channels = 16;
  const double peak = o.spec.design->peak_flits(place_of(16, 16, map));
  const auto rate = [&](double load) {
    Random random(7);
    Rig rig(o);
    // What an input could not send it sends next: else it would send most to where there is no queue.
    std::array<std::uint32_t, 16> next;
    next.fill(~0u);
    const auto feed = [&](Cycle c) {
      for (std::uint32_t i = 0; i < 16; ++i) {
        if (next[i] == ~0u && random.below(1'000'000) < load * 1'000'000) next[i] = random.below(16);
        if (next[i] != ~0u && rig.send(c, i, next[i])) next[i] = ~0u;
      }
    };
    rig.run(1000, feed);
    rig.network->clear_statistics();
    rig.run(5000, feed);
    return static_cast<double>(rig.network->statistics().flits) / 4000;
  };
  const double saturated = rate(1);
  EXPECT_LE(saturated, 1.01 * peak);
  EXPECT_GE(saturated, 0.8 * peak);  // and does not collapse when more is offered than it carries
  EXPECT_NEAR(rate(0.5 * peak / 16), 0.5 * peak, 0.03 * peak);
}

// A network has nothing to do while nothing is inside, and, unless it moves flit by flit, while a long packet
// crosses: cycles are jumped over.
TEST_P(EveryTopology, SleepsUntilSomethingHappens) {
  const bool by_flit = find_topology(GetParam(), topologies()).by_flit;
  RigOptions o = options_of(GetParam(), 2, 2);
  const mem::AddressMap map{mem::AddressMapSpec{}};
  sim::Engine engine(sim::EngineOptions{});
  PacketChannel in(4, 4), other_in(4, 4), out(4, 4), other_out(4, 4);
  const auto network =
      make_network(o.spec, place_of(2, 2, map), {{&in, &other_in}, {&out, &other_out}}, engine);
  Packet p;
  p.destination = 1;
  p.flits = by_flit ? 20 : 2000;
  sim::Source<Packet> source(in, {{7, p}, {3007, p}}), other_source(other_in, {});
  Cycle arrived = 0;
  const auto seen = [&](Cycle at, const Packet&) { arrived = at; };
  sim::Sink<Packet> sink(other_out, {}, seen), other_sink(out, {}, seen);
  engine.connect(in, engine.add(source), network->reader(0));
  engine.connect(other_in, engine.add(other_source), network->reader(1));
  engine.connect(out, network->writer(0), engine.add(other_sink));
  engine.connect(other_out, network->writer(1), engine.add(sink));
  EXPECT_EQ(engine.run([] { return false; }, {}), sim::EndReason::Stuck);
  EXPECT_GT(arrived, 3000u + p.flits);
  EXPECT_LT(engine.windows(), arrived / 4 / 8);  // of those that its cycles have
}

TEST_P(EveryTopology, RefusesPortsItCannotHave) {
  const TopologyKind& kind = find_topology(GetParam(), topologies());
  const auto most = static_cast<std::uint32_t>(kind.most_ports);
  for (const std::uint32_t n : {0u, most + 1}) {
    EXPECT_THROW(Rig(options_of(GetParam(), n, 4)), Error) << n;
    EXPECT_THROW(Rig(options_of(GetParam(), 4, n)), Error) << n;
  }
  EXPECT_NO_THROW(Rig(options_of(GetParam(), most, most)));
}

INSTANTIATE_TEST_SUITE_P(Each, EveryTopology, testing::ValuesIn(names()),
                         [](const auto& i) { return i.param; });

}  // namespace
}  // namespace heddle::noc
