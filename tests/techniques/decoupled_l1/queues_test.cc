// The four queues of a DC-L1 node (rule 2), each by its own number of entries. Something behind them is slow:
// it takes one request in `interval` cycles. A warp sends more requests than all buffers before that place
// hold, then reads shared memory; the load/store unit is in order, so that load goes when the last request
// has found a place. With one entry more in any queue it goes one interval earlier.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backlog.h"
#include "base/error.h"

namespace heddle::gpu {
namespace {

// With nodes, whose queues have two entries.
std::uint32_t with_nodes(const Settings& settings) {
  Settings all = {"l1.organization=decoupled", "l1.local_write_back=false", "l1.decoupled.queue=2"};
  all.insert(all.end(), settings.begin(), settings.end());
  return backlog_cycles(all);
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
      return with_nodes(s);
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
    return with_nodes(more);
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
