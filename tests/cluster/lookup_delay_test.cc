// Lookups that take longer than the port's cycle, and a bus without broadcast.
#include "cluster/request_coalescer.h"
#include "port_rig.h"

namespace heddle::cluster {
namespace {

// Answers reads of line 0 itself, sends all else on; its lookups take time.
class SlowMerger final : public MissMerger {
 public:
  explicit SlowMerger(const LookupDelay& delay) : delay_(delay) {}
  Verdict offer(Cycle, Request& r, std::vector<Request>& answers) override {
    if (r.line != 0) return Verdict::Forward;
    answers.push_back(r);
    return Verdict::Answered;
  }
  void reply(Cycle, const Request& r, std::vector<Request>& answers) override { answers.push_back(r); }
  LookupDelay delay() const override { return delay_; }
  std::uint32_t waiting() const override { return 0; }
  const MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override {}

 private:
  LookupDelay delay_;
  MergerStats stats_;
};

std::unique_ptr<MissMerger> slow(const LookupDelay& delay) {
  return std::make_unique<SlowMerger>(delay);
}

class Delays : public testing::TestWithParam<bool> {
 protected:
  Options options() const {
    Options o;
    o.step = GetParam();
    return o;
  }
};

TEST_P(Delays, OfRequests) {
  Rig rig(options(), slow({.request = 3}));
  rig.run(40, [&](Cycle c) {
    if (c == 5) rig.ask(c, 2, 0x100);
  });
  EXPECT_EQ(rig.injected, (std::vector<Sent>{{5 + kWindow + 1 + 3, Rig::sm(2), 0x100}}));
  EXPECT_EQ(rig.port->statistics().network_stalls, 0u);
}

TEST_P(Delays, OfTheMergersAnswers) {
  Rig rig(options(), slow({.request = 9, .answer = 3}));
  rig.run(40, [&](Cycle c) {
    if (c == 5) rig.ask(c, 2, 0);
    if (c == 6) rig.ask(c, 1, 0);
  });
  EXPECT_EQ(rig.delivered, (std::vector<Sent>{{6 + kWindow + 1 + 3, 1, 0}, {5 + kWindow + 1 + 3, 2, 0}}));
}

TEST_P(Delays, OfReplies) {
  Rig rig(options(), slow({.reply = 3}));
  rig.run(40, [&](Cycle c) {
    if (c == 6) rig.answer_sm(c, 3, 0x100);
  });
  EXPECT_EQ(rig.delivered, (std::vector<Sent>{{6 + kWindow + 1 + 3, 3, 0x100}}));
  EXPECT_EQ(rig.port->statistics().response_stalls, 0u);
}

// The lookup is a pipeline: it takes a request every cycle, also with the smallest buffers that cover
// their wires.
TEST_P(Delays, DoNotLowerTheRate) {
  Options o = options();
  o.spec.injection_buffer = 1;
  o.spec.response_fifo = 2 * kWindow + 1;
  Rig rig(o, slow({.request = 7, .reply = 7}));
  rig.run(100, [&](Cycle c) {
    if (c < 20) rig.ask(c, 0, 0x80 + c);
    if (c < 20) rig.answer_sm(c, 1, 0x80 + c);
  });
  ASSERT_EQ(rig.injected.size(), 20u);
  ASSERT_EQ(rig.delivered.size(), 20u);
  for (std::uint32_t k = 0; k < 20; ++k) {
    EXPECT_EQ(rig.injected[k].at, k + kWindow + 1 + 7);
    EXPECT_EQ(rig.delivered[k].at, k + kWindow + 1 + 7);
  }
}

INSTANTIATE_TEST_SUITE_P(Stepped, Delays, testing::Bool());

TEST(ClusterPort, WithoutBroadcastEachCopyTakesATurn) {
  Options o;
  o.spec.broadcast = false;
  Rig rig(o, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
  rig.run(80, [&](Cycle c) {
    if (c == 0)
      for (std::uint32_t i = 0; i < 3; ++i) rig.ask(c, i, 0x80);
    if (c == 40) rig.answer(c, rig.packets.at(0).request);
    if (c == 40) rig.answer_sm(c, 3, 0x900);
  });
  const Cycle at = 40 + kWindow + 1;
  EXPECT_EQ(rig.delivered,
            (std::vector<Sent>{{at, 0, 0x80}, {at + 1, 1, 0x80}, {at + 2, 2, 0x80}, {at + 3, 3, 0x900}}));
  EXPECT_EQ(rig.port->statistics().response_stalls, 0u);
}

TEST(ClusterPort, WithoutBroadcastAFullSmBlocksTheCopiesBehind) {
  Options o;
  o.spec.broadcast = false;
  o.sm_capacity = 1;
  Rig rig(o, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
  rig.drain_sm[1] = false;
  rig.run(120, [&](Cycle c) {
    if (c == 0)
      for (std::uint32_t i : {1u, 2u}) rig.ask(c, i, 0x80);
    if (c == 30) rig.answer_sm(c, 1, 0x900);  // fills SM 1's channel
    if (c == 40) rig.answer(c, rig.packets.at(0).request);
    if (c == 80) rig.drain_sm[1] = true;
  });
  EXPECT_EQ(rig.delivered, (std::vector<Sent>{{35, 1, 0x900}, {84, 1, 0x80}, {85, 2, 0x80}}));
}

}  // namespace
}  // namespace heddle::cluster
