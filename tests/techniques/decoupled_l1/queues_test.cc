// The four queues of a DC-L1 node (rule 2), each by its own number of entries. Something behind them is slow:
// it takes one request in `interval` cycles. A warp sends more requests than all buffers before that place
// hold, then reads shared memory; the load/store unit is in order, so that load goes when the last request
// has found a place. With one entry more in any queue it goes one interval earlier.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "bench.h"

namespace heddle::gpu {
namespace {

constexpr std::uint32_t kLoads = 8;  // of 32 lines each

// Cycles from the first load to the end of the one from shared memory.
std::uint32_t cycles(const Settings& settings) {
  Settings all = {"l1.organization=decoupled",
                  "l1.local_write_back=false",
                  "l1.decoupled.queue=2",
                  "cluster.request_buffer=2",
                  "cluster.injection_buffer=2",
                  "noc.request.input_buffer=2",
                  "noc.request.output_buffer=2",
                  "l2.queue=3",
                  "l2.reply_queue=2",
                  "noc.reply.input_buffer=3",
                  "noc.reply.output_buffer=2",
                  "cluster.response_fifo=4",
                  "l1.mshr_entries=512",
                  "l2.mshr_entries=512",
                  "l2.port_bytes=128B",
                  "noc.reply.flit=136B",
                  "gpu.l2_at_start=host_copies",
                  "latency.network_to_partition=4",
                  "latency.partition_to_network=4"};
  all.insert(all.end(), settings.begin(), settings.end());
  Bench b(spec_of(kLab, all));
  b.load(
      "mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\nmov.u64 %rd2, buffer;\nmov.u32 %r61, "
      "%clock;\n" +
          times(kLoads, "ld.global.cg.u32 %r#, [%rd1+#*4096];") +
          "ld.shared.u32 %r60, [%rd2];\nadd.u32 %r60, %r60, 0;\nmov.u32 %r59, %clock;\nsub.u32 %r59, %r59, "
          "%r61;\nadd.u32 %r59, %r59, %r60;\nst.global.u32 [%b], %r59;\n" +
          use(kLoads),
      ".shared .align 4 .b8 buffer[128];\n");
  const auto a = b.words(std::vector<std::uint32_t>(kLoads * 1024)), out = b.words(1);
  b.run({.threads = 32}, a, out);
  return b.read(out, 1)[0];
}

struct SlowPlace {
  const char* name;
  Settings settings;
  std::vector<std::string> before;  // queues that fill because of it
};
constexpr std::uint32_t kInterval = 16;

class NodeQueues : public testing::TestWithParam<SlowPlace> {};

TEST_P(NodeQueues, AnEntryMoreIsAnIntervalEarlier) {
  const SlowPlace& slow = GetParam();
  for (const std::string& queue : slow.before) {
    const auto at = [&](std::uint32_t entries) {
      Settings s = slow.settings;
      s.push_back(fmt::format("l1.decoupled.{}={}", queue, entries));
      return cycles(s);
    };
    const std::uint32_t one = at(1);
    EXPECT_EQ(one - at(2), kInterval) << queue;
    EXPECT_EQ(one - at(9), 8 * kInterval) << queue;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Slow, NodeQueues,
    testing::Values(SlowPlace{"L2", {"l2.clock=62500kHz"}, {"q1", "q3"}},
                    // NoC#1 has the memory network's clock, whose own crossbars are sixteen times as fast.
                    SlowPlace{"RepliesToCores",
                              {"noc.reply.clock=62500kHz", "noc.reply.topology=hierarchical",
                               "noc.reply.hierarchical.near_boost=16", "noc.reply.hierarchical.far_boost=16"},
                              {"q1", "q2", "q3", "q4"}}),
    [](const auto& i) { return std::string(i.param.name); });

// `queue` is the number of each whose own is not given.
TEST(NodeQueue, OwnNumbersReplaceTheCommonOne) {
  const Settings slow = {"l2.clock=62500kHz"};
  const auto with = [&](Settings more) {
    more.insert(more.begin(), slow.begin(), slow.end());
    return cycles(more);
  };
  EXPECT_EQ(with({"l1.decoupled.queue=5"}),
            with({"l1.decoupled.q1=5", "l1.decoupled.q2=5", "l1.decoupled.q3=5", "l1.decoupled.q4=5"}));
}

// Entries are beside what a wire keeps busy: one is enough for a request per cycle, however long the wire.
TEST(NodeQueue, OneEntryCarriesWhatItsWireDoes) {
  const auto time = [](std::uint32_t entries, std::uint32_t wire) {
    Bench b(lab({"l1.organization=decoupled", "l1.local_write_back=false", "l1.sets=64", "l1.ways=8",
                 "noc.reply.flit=136B", "noc.request.input_buffer=256", "noc.reply.input_buffer=256",
                 fmt::format("l1.decoupled.wire={}", wire), fmt::format("l1.decoupled.q1={}", entries),
                 fmt::format("l1.decoupled.q4={}", entries)}));
    b.load("mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\n" +
           loop("20", times(kLoads, "ld.global.u32 %r#, [%rd1+#*4096];")) + use(kLoads));
    return b.run({.threads = 32}, b.words(std::vector<std::uint32_t>(kLoads * 1024))).cycles;
  };
  for (const std::uint32_t wire : {1u, 20u}) EXPECT_EQ(time(1, wire), time(512, wire)) << wire;
}

TEST(NodeQueue, AMissThatWritesBackNeedsTwoEntries) {
  try {
    lab({"l1.organization=decoupled", "l1.local_write_back=true", "l1.decoupled.q3=1"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("l1.decoupled.q3"));
    EXPECT_THAT(e.what(), testing::HasSubstr("two entries"));
  }
}

}  // namespace
}  // namespace heddle::gpu
