// Every buffer on the way of a request, on the whole machine. Something at a known place is slow: it takes
// one request in `interval` cycles. A warp sends more requests than all buffers before that place hold, and
// then reads shared memory; the load/store unit is in order, so that load goes when the last request has
// found a place. With one place more in any of those buffers it goes one interval earlier.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "backlog.h"

namespace heddle::gpu {
namespace {

struct SlowPlace {
  const char* name;
  std::uint32_t interval;  // cycles per request
  Settings settings;
  std::vector<std::string> before;  // buffers that fill because of it
};

const std::vector<SlowPlace>& slow_places() {
  static const std::vector<std::string> to_network = {"l1.miss_queue", "cluster.request_buffer",
                                                      "cluster.injection_buffer", "noc.request.input_buffer"};
  static const auto and_more = [](std::vector<std::string> more) {
    more.insert(more.end(), to_network.begin(), to_network.end());
    return more;
  };
  static const std::vector<SlowPlace> all = {
      {"RequestNetwork", 16, {"noc.request.clock=62500kHz"}, to_network},
      {"L2",
       16,
       {"l2.clock=62500kHz"},
       and_more({"noc.request.output_buffer", "l2.queue", "l2.delay_places"})},
      {"L2BehindARing",
       16,
       {"l2.clock=62500kHz", "noc.request.topology=ring", "noc.request.ring.link_buffer=2"},
       and_more({"noc.request.ring.link_buffer", "noc.request.output_buffer", "l2.queue"})},
      {"L2BehindAHierarchy",
       16,
       {"l2.clock=62500kHz", "noc.request.topology=hierarchical", "noc.request.hierarchical.link_buffer=2"},
       and_more({"noc.request.hierarchical.link_buffer", "l2.queue"})},  // output_buffer is in both stages
      {"ReplyNetwork",
       16,
       {"noc.reply.clock=62500kHz"},
       and_more({"noc.request.output_buffer", "l2.queue", "l2.reply_queue", "noc.reply.input_buffer"})},
      // One place, and the wire there and back: 2 x 4 cycles and one in the FIFO.
      {"ResponseFifo",
       9,
       {"cluster.response_fifo=1"},
       and_more({"noc.request.output_buffer", "l2.queue", "l2.reply_queue", "noc.reply.input_buffer",
                 "noc.reply.output_buffer"})},
  };
  return all;
}

class Buffers : public testing::TestWithParam<SlowPlace> {};

TEST_P(Buffers, APlaceMoreIsAnIntervalEarlier) {
  const SlowPlace& slow = GetParam();
  for (const std::string& buffer : slow.before) {
    const auto at = [&](std::uint32_t places) {
      Settings s = slow.settings;
      s.push_back(fmt::format("{}={}", buffer, places));
      return backlog_cycles(s);
    };
    const std::uint32_t three = at(3);
    EXPECT_EQ(three - at(4), slow.interval) << buffer;
    EXPECT_EQ(three - at(11), 8 * slow.interval) << buffer;
  }
}

INSTANTIATE_TEST_SUITE_P(Slow, Buffers, testing::ValuesIn(slow_places()),
                         [](const auto& i) { return std::string(i.param.name); });

// The same with stores of a sector, whose packets have two flits, before a slow L2, where the network's
// buffers hold flits: it takes two places more to be an interval earlier, and one is no more than a cycle.
TEST(BuffersOfFlits, TwoPlacesMoreAreAnIntervalEarlier) {
  constexpr std::uint32_t kInterval = 16, kStores = 8;
  const auto at = [](const std::string& buffer, std::uint32_t places) {
    Settings all = {"l1.miss_queue=2",
                    "cluster.request_buffer=2",
                    "cluster.injection_buffer=10",
                    "noc.request.input_buffer=10",
                    "noc.request.output_buffer=10",
                    "noc.request.buffers=flits",
                    "l2.queue=3",
                    "gpu.l2_at_start=host_copies",
                    "l2.clock=62500kHz",
                    "latency.network_to_partition=4",
                    fmt::format("{}={}", buffer, places)};
    Bench b(spec_of(kLab, all));
    b.load(
        "mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\nmov.u64 %rd2, buffer;\nmov.u32 %r61, "
        "%clock;\n" +
            times(kStores, "st.global.u32 [%rd1+#*4096], %lane;") +
            "ld.shared.u32 %r60, [%rd2];\nadd.u32 %r60, %r60, 0;\nmov.u32 %r59, %clock;\nsub.u32 %r59, "
            "%r59, %r61;\nadd.u32 %r59, %r59, %r60;\nst.global.u32 [%b], %r59;\n",
        ".shared .align 4 .b8 buffer[128];\n");
    const auto a = b.words(std::vector<std::uint32_t>(kStores * 1024)), out = b.words(1);
    b.run({.threads = 32}, a, out);
    return b.read(out, 1)[0];
  };
  for (const char* buffer :
       {"cluster.injection_buffer", "noc.request.input_buffer", "noc.request.output_buffer"}) {
    const std::uint32_t ten = at(buffer, 10);
    // The second of a packet's places comes back a cycle after the first.
    EXPECT_LE(ten - at(buffer, 11), 1u) << buffer;
    EXPECT_EQ(ten - at(buffer, 12), kInterval) << buffer;
    EXPECT_EQ(ten - at(buffer, 26), 8 * kInterval) << buffer;
  }
}

// What a wire carries whose buffer has fewer places than it needs: as many as there are places in the time
// there and back, and `inside` cycles that a place is held in the buffer itself.
struct Wire {
  const char* name;
  const char* buffer;
  const char* latency;
  std::uint32_t inside;
  Settings settings = {};
};

class Wires : public testing::TestWithParam<Wire> {};

TEST_P(Wires, CarryWhatTheirBuffersCover) {
  const Wire& w = GetParam();
  for (const std::uint32_t latency : {3u, 20u}) {
    const auto at = [&](std::uint32_t places) {
      Settings settings = {"l1.miss_queue=512",
                           "noc.reply.flit=136B",
                           "gpu.l2_at_start=host_copies",
                           "l2.port_bytes=128B",
                           fmt::format("{}={}", w.latency, latency),
                           fmt::format("{}={}", w.buffer, places)};
      settings.insert(settings.end(), w.settings.begin(), w.settings.end());
      Bench b(spec_of(kLab, settings));
      b.load("mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\n" +
             times(kLoads, "ld.global.cg.u32 %r#, [%rd1+#*4096];") + use(kLoads));
      return b.run({.threads = 32}, b.words(std::vector<std::uint32_t>(kLoads * 1024))).cycles;
    };
    const std::uint32_t trip = 2 * latency + w.inside, requests = kLoads * 32;
    const std::uint64_t one = at(1);
    // Of n that go together the last one goes n - 1 cycles after the first.
    for (const std::uint32_t n : {2u, 4u})
      EXPECT_EQ(one - at(n), (requests - requests / n) * trip - (n - 1)) << latency << ", " << n;
    // What covers the wire carries a request per cycle: more changes nothing.
    EXPECT_EQ(at(trip), at(4 * trip)) << latency;
    EXPECT_LT(at(trip), at(trip / 2)) << latency;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, Wires,
    testing::Values(Wire{"SmToCluster", "cluster.request_buffer", "latency.sm_to_cluster", 0},
                    Wire{"ClusterToNetwork", "noc.request.input_buffer", "latency.cluster_to_network", 1},
                    Wire{"RequestRing",
                         "noc.request.ring.link_buffer",
                         "noc.request.ring.link_latency",
                         1,
                         {"noc.request.topology=ring"}},
                    Wire{"ReplyRing",
                         "noc.reply.ring.link_buffer",
                         "noc.reply.ring.link_latency",
                         1,
                         {"noc.reply.topology=ring"}},
                    Wire{"RequestHierarchy",
                         "noc.request.hierarchical.link_buffer",
                         "noc.request.hierarchical.link_latency",
                         1,
                         {"noc.request.topology=hierarchical"}},
                    Wire{"ReplyHierarchy",
                         "noc.reply.hierarchical.link_buffer",
                         "noc.reply.hierarchical.link_latency",
                         1,
                         {"noc.reply.topology=hierarchical"}},
                    Wire{"NetworkToL2", "l2.queue", "latency.network_to_partition", 0},
                    Wire{"L2ToNetwork", "noc.reply.input_buffer", "latency.partition_to_network", 1},
                    Wire{"NetworkToCluster", "cluster.response_fifo", "latency.network_to_cluster", 1}),
    [](const auto& i) { return std::string(i.param.name); });

// A ring's packets take a cycle in each router and the link's latency between two: to an L2 slice, and back.
TEST(RingEffects, EveryHopIsACycleAndALink) {
  const auto cycles = [](const Settings& more, std::uint32_t chunk) {
    Settings all = {"memory.partitions=7", "gpu.l2_at_start=host_copies"};
    all.insert(all.end(), more.begin(), more.end());
    Bench b(spec_of(kLab, all));
    b.load(fmt::format("ld.global.cg.u32 %r0, [%a+{}];\n", chunk * 256) + use(1));
    return b.run({.threads = 1}, b.words(std::vector<std::uint32_t>(7 * 64))).cycles;
  };
  std::multiset<std::uint32_t> hops;
  for (std::uint32_t chunk = 0; chunk < 7; ++chunk) {
    const std::uint64_t crossbar = cycles({}, chunk);
    const auto more = [&](const char* network, std::uint32_t latency, std::uint32_t per_router) {
      return static_cast<std::uint32_t>(
          cycles({fmt::format("noc.{}.topology=ring", network),
                  fmt::format("noc.{}.ring.link_latency={}", network, latency),
                  fmt::format("noc.{}.ring.ports_per_router={}", network, per_router)},
                 chunk) -
          crossbar);
    };
    hops.insert(more("request", 1, 1) / 2);
    for (const char* network : {"request", "reply"}) {
      EXPECT_EQ(more(network, 1, 1) * 11, more(network, 10, 1) * 2) << network << ", " << chunk;
      EXPECT_EQ(more(network, 10, 8), 0u);  // all at one router
    }
    EXPECT_EQ(more("request", 10, 1), more("reply", 10, 1)) << chunk;
  }
  // Eight routers, seven of them with a slice: one to four links away, the nearer ones on both sides.
  EXPECT_EQ(hops, (std::multiset<std::uint32_t>{1, 1, 2, 2, 3, 3, 4}));
}

// A second crossbar and a link on the way: the crossing that the first takes again, in ticks of its own
// clock.
TEST(HierarchyEffects, AStageIsACrossingAndALink) {
  const auto cycles = [](const Settings& more) {
    Settings all = {"gpu.clusters=4", "memory.partitions=4", "gpu.l2_at_start=host_copies",
                    "noc.request.clock=500MHz", "noc.reply.clock=500MHz"};
    all.insert(all.end(), more.begin(), more.end());
    const GpuSpec spec = spec_of(kLab, all);
    Bench b(spec);
    b.load("ld.global.cg.u32 %r0, [%a];\n" + use(1));
    return static_cast<std::int64_t>(b.run({.threads = 1}, b.words(1)).cycles);
  };
  const std::int64_t crossbar = cycles({});
  for (const char* network : {"request", "reply"}) {
    const auto with = [&](std::uint32_t latency, std::uint32_t near, std::uint32_t far) {
      return cycles({fmt::format("noc.{}.topology=hierarchical", network),
                     fmt::format("noc.{}.hierarchical.link_latency={}", network, latency),
                     fmt::format("noc.{}.hierarchical.near_boost={}", network, near),
                     fmt::format("noc.{}.hierarchical.far_boost={}", network, far)}) -
             crossbar;
    };
    const std::int64_t stage = with(2, 1, 1) - 2;
    EXPECT_GE(stage, 2 * 2) << network;  // a flit and one tick, of two core cycles
    EXPECT_EQ(with(10, 1, 1), stage + 10) << network;
    // Twice the clock halves what its stage takes, but for a wait of a core cycle or two for ticks.
    EXPECT_NEAR(static_cast<double>(with(10, 2, 1)), static_cast<double>(stage) / 2 + 10, 2) << network;
    EXPECT_NEAR(static_cast<double>(with(10, 1, 2)), static_cast<double>(stage) / 2 + 10, 2) << network;
    EXPECT_NEAR(static_cast<double>(with(10, 2, 2)), 10, 2) << network;
  }
}

}  // namespace
}  // namespace heddle::gpu
