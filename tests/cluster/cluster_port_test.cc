// The cluster's port between channels: times by the formulas of its header, fairness, back-pressure.
#include "base/error.h"
#include "cluster/request_coalescer.h"
#include "port_rig.h"

namespace heddle::cluster {
namespace {

TEST(ClusterPort, RequestLeavesInTheCycleAfterItsArrival) {
  Rig rig({});
  rig.run(40, [&](Cycle c) {
    if (c == 5) rig.ask(c, 2, 0x100, 9);
  });
  EXPECT_EQ(rig.injected, (std::vector<Sent>{{5 + kWindow + 1, Rig::sm(2), 0x100}}));
  EXPECT_EQ(rig.packets[0].source, 7);
  EXPECT_EQ(rig.packets[0].destination, 9);  // the slice's port
  EXPECT_EQ(rig.packets[0].flits, 1);
  EXPECT_EQ(rig.packets[0].request.cluster, 7);
  EXPECT_EQ(rig.wake, kNever);
}

TEST(ClusterPort, ReplyLeavesInTheCycleAfterItsArrival) {
  Rig rig({}, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
  rig.run(40, [&](Cycle c) {
    if (c == 6) rig.answer_sm(c, 3, 0x100);
  });
  EXPECT_EQ(rig.delivered, (std::vector<Sent>{{6 + kWindow + 1, 3, 0x100}}));
}

TEST(ClusterPort, TakesTurnsAmongSms) {
  Rig rig({});
  rig.run(404, [&](Cycle c) {
    for (std::uint32_t i = 0; i < 4; ++i) rig.ask(c, i, 0x100);
  });
  std::map<std::uint32_t, std::uint64_t> served;
  for (const Sent& s : rig.injected) ++served[s.sm];
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(served[Rig::sm(i)]), 98, 2);
}

class RequestRate : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RequestRate, LimitsLookups) {
  Options o;
  o.spec.requests_per_cycle = GetParam();
  Rig rig(o);
  rig.run(60, [&](Cycle c) {
    if (c == 0)
      for (std::uint32_t i = 0; i < 4; ++i) {
        rig.ask(c, i, 0x100);
        rig.ask(c, i, 0x200);
      }
  });
  const std::uint32_t rate = GetParam() == 0 ? 8 : GetParam();
  ASSERT_EQ(rig.injected.size(), 8u);
  for (std::uint32_t k = 0; k < 8; ++k) EXPECT_EQ(rig.injected[k].at, kWindow + 1 + k / rate) << k;
}
INSTANTIATE_TEST_SUITE_P(Rates, RequestRate, testing::Values(1, 2, 4, 0));

TEST(ClusterPort, FullNetworkKeepsRequestsWaiting) {
  Options o;
  o.network_capacity = 16;
  Rig rig(o);
  rig.drain_network = false;
  rig.run(200, [&](Cycle c) {
    if (c < 40) rig.ask(c, 1, c);
  });
  EXPECT_EQ(rig.port->statistics().requests, 16u + 8);  // the channel and the injection buffer
  EXPECT_EQ(rig.port->in_flight(), 8u);
  EXPECT_THAT(rig.port->waits(), testing::HasSubstr("injection buffer: 8 of 8 packets"));
  rig.drain_network = true;
  rig.run(400);
  ASSERT_EQ(rig.injected.size(), 40u);
  for (std::size_t k = 0; k < 40; ++k) EXPECT_EQ(rig.injected[k].line, k);
  // Requests arrive from 4 on, one a cycle, and 16 leave without waiting. Number 16, taken in 20, finds the
  // channel full in 21; number 24 finds the buffer full in 28. Packets leave the channel in 200 to 203, at
  // the end of which there is room again.
  EXPECT_EQ(rig.port->statistics().buffer_full_cycles, 204u - 28);
  EXPECT_GE(rig.port->statistics().network_stalls, 204u - 21);
  EXPECT_EQ(rig.port->in_flight(), 0u);
}

TEST(ClusterPort, GivesOutOneReplyPerCycle) {
  for (std::uint32_t rate : {1u, 2u}) {
    Options o;
    o.spec.responses_per_cycle = rate;
    Rig rig(o, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
    rig.run(60, [&](Cycle c) {
      if (c == 0)
        for (std::uint32_t k = 0; k < 6; ++k) rig.answer_sm(c, 0, k);
    });
    std::vector<Sent> expected;
    for (std::uint32_t k = 0; k < 6; ++k) expected.push_back({kWindow + 1 + k / rate, 0, k});
    EXPECT_EQ(rig.delivered, expected);
  }
}

// n places of an SM carry n requests in the time of the wire there and back; the port takes one per cycle.
TEST(ClusterPort, TheRequestBufferLimitsWhatAnSmSends) {
  for (const std::uint32_t places : {1u, 2u, 4u, 7u, 8u, 20u})
    for (const std::uint32_t sms : {1u, 4u}) {
      Options o;
      o.spec.request_buffer = places;
      Rig rig(o);
      rig.run(2000, [&](Cycle c) {
        for (std::uint32_t i = 0; i < sms; ++i) rig.ask(c, i, c);
      });
      const double rate = std::min(1.0, sms * places / (2.0 * static_cast<double>(kWindow)));
      EXPECT_NEAR(static_cast<double>(rig.injected.size()), 2000 * rate, 20) << places << " " << sms;
    }
}

// As many replies as the FIFO has places in the time of the wire there and back, and a cycle in the FIFO.
TEST(ClusterPort, TheResponseFifoLimitsWhatTheNetworkSends) {
  for (const std::uint32_t places : {1u, 2u, 4u, 9u, 20u}) {
    Options o;
    o.spec.response_fifo = places;
    Rig rig(o);
    rig.run(2000, [&](Cycle c) { rig.answer_sm(c, 0, c); });
    const double rate = std::min(1.0, places / (2.0 * static_cast<double>(kWindow) + 1));
    EXPECT_NEAR(static_cast<double>(rig.delivered.size()), 2000 * rate, 20) << places;
  }
}

TEST(ClusterPort, ReplyForAFullSmBlocksThoseBehindIt) {
  Options o;
  o.sm_capacity = 2;
  o.spec.response_fifo = 4;
  Rig rig(o, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
  rig.drain_sm[0] = false;
  rig.run(80, [&](Cycle c) {
    if (c < 3) rig.answer_sm(c, 0, c);  // one more than SM 0's channel holds
    if (c == 3) rig.answer_sm(c, 1, 3);
  });
  EXPECT_TRUE(rig.delivered.empty());
  EXPECT_THAT(rig.port->waits(), testing::HasSubstr("the first is SM 0"));
  rig.drain_sm[0] = true;
  rig.run(120);
  // Taken from the channel in 80 .. 83; room from 84 on.
  ASSERT_EQ(rig.delivered.size(), 4u);
  EXPECT_EQ(rig.delivered[2], (Sent{84, 0, 2}));
  EXPECT_EQ(rig.delivered[3], (Sent{85, 1, 3}));
  EXPECT_EQ(rig.port->statistics().response_stalls, 84u - (2 + kWindow + 1));
}

TEST(ClusterPort, MergedReplyReachesItsSmsTogether) {
  Rig rig({}, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
  bool answered = false;
  rig.run(80, [&](Cycle c) {
    if (c == 0)
      for (std::uint32_t i = 0; i < 3; ++i) rig.ask(c, i, 0x80);
    if (c >= 40 && !answered) {
      rig.answer(c, rig.packets.at(0).request);
      answered = true;
    }
  });
  EXPECT_EQ(rig.packets.size(), 1u);
  const Cycle at = 40 + kWindow + 1;
  EXPECT_EQ(rig.delivered, (std::vector<Sent>{{at, 0, 0x80}, {at, 1, 0x80}, {at, 2, 0x80}}));
  EXPECT_EQ(rig.port->statistics().replies, 1u);
  EXPECT_EQ(rig.port->statistics().delivered, 3u);
  EXPECT_EQ(rig.port->merger().waiting(), 0u);
}

TEST(ClusterPort, BroadcastWaitsForItsLastSm) {
  Options o;
  o.sm_capacity = 1;
  Rig rig(o, std::make_unique<RequestCoalescer>(CoalescerSpec{}));
  rig.drain_sm[2] = false;
  rig.run(120, [&](Cycle c) {
    if (c == 0)
      for (std::uint32_t i : {1u, 2u}) rig.ask(c, i, 0x80);
    if (c == 30) rig.answer_sm(c, 2, 0x900);  // fills SM 2's channel
    if (c == 40) rig.answer(c, rig.packets.at(0).request);
    if (c == 41) rig.answer_sm(c, 3, 0xa00);
    if (c == 80) rig.drain_sm[2] = true;
  });
  EXPECT_EQ(rig.delivered, (std::vector<Sent>{{45, 1, 0x80}, {35, 2, 0x900}, {84, 2, 0x80}, {85, 3, 0xa00}}));
}

// Answers every read itself; makes every second request wait once.
class HoldingMerger final : public MissMerger {
 public:
  Verdict offer(Cycle, Request& r, std::vector<Request>& answers) override {
    if (++calls_ % 2 == 0) return Verdict::Wait;
    r.reply = true;
    answers.push_back(r);
    ++stats_.held;
    return Verdict::Answered;
  }
  void reply(Cycle, const Request& r, std::vector<Request>& answers) override { answers.push_back(r); }
  std::uint32_t waiting() const override { return 0; }
  const MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override {}

 private:
  std::uint64_t calls_ = 0;
  MergerStats stats_;
};

TEST(ClusterPort, AnswersOfTheMergerTakeTurnsWithReplies) {
  Rig rig({}, std::make_unique<HoldingMerger>());
  rig.run(80, [&](Cycle c) {
    if (c < 8) rig.answer_sm(c, 0, 0x1000 + c);
    if (c == 0) rig.ask(c, 1, 1);
    if (c == 1) rig.ask(c, 1, 2);
  });
  ASSERT_EQ(rig.delivered.size(), 10u);
  std::vector<Cycle> at;
  for (const Sent& s : rig.delivered)
    if (s.sm == 1) at.push_back(s.at);
  // The first is answered in 4; the reply that arrived in 4 may go first. The second waits once: 6.
  ASSERT_EQ(at.size(), 2u);
  EXPECT_LE(at[0], 6u);
  EXPECT_LE(at[1], 8u);
  EXPECT_TRUE(rig.injected.empty());
  EXPECT_EQ(rig.port->statistics().requests, 2u);
}

TEST(ClusterPort, StoredAnswersDoNotPileUp) {
  Options o;
  o.sm_capacity = 2;
  o.spec.response_fifo = 3;
  o.spec.request_buffer = 30;
  Rig rig(o, std::make_unique<HoldingMerger>());
  rig.drain_sm[0] = false;
  rig.run(200, [&](Cycle c) {
    if (c < 30) rig.ask(c, 0, c);
  });
  EXPECT_LE(rig.port->in_flight(), 3u + 1);
  rig.drain_sm[0] = true;
  rig.run(800);
  EXPECT_EQ(rig.delivered.size(), 30u);
}

// Random traffic, a network that answers after a while, SMs that stop for a while.
std::unique_ptr<Rig> random_traffic(bool step, std::uint32_t requests_per_cycle, bool coalesce) {
  Options o;
  o.spec.requests_per_cycle = requests_per_cycle;
  o.spec.injection_buffer = 3;
  o.network_capacity = 5;
  o.sm_capacity = 5;
  o.sms = 5;
  o.step = step;
  std::unique_ptr<MissMerger> merger = std::make_unique<PlainMerger>();
  if (coalesce) merger = std::make_unique<RequestCoalescer>(CoalescerSpec{8, 4});
  auto owned = std::make_unique<Rig>(o, std::move(merger));
  Rig& rig = *owned;
  std::uint64_t state = 1;
  const auto random = [&](std::uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state >> 33) % n);
  };
  std::size_t answered = 0;
  rig.run(4000, [&](Cycle c) {
    if (c < 2000 && c % 50 == 0) rig.drain_sm[random(5)] = c % 100 != 0;
    if (c == 2000) rig.drain_sm.assign(5, true);
    if (c % 200 == 0) rig.drain_network = c % 400 != 0 || c > 2000;
    for (std::uint32_t i = 0; i < 5; ++i)
      if (c < 2000 && (c / 64) % 2 == 0 && random(6) == 0) rig.ask(c, i, 128 * random(3));
    if (answered < rig.packets.size() && random(2) == 0)
      answered += rig.answer(c, rig.packets[answered].request);
  });
  return owned;
}

TEST(ClusterPort, NothingIsLostUnderBackPressure) {
  for (bool coalesce : {false, true})
    for (std::uint32_t rate : {0u, 1u}) {
      const auto owned = random_traffic(false, rate, coalesce);
      const Rig& rig = *owned;
      const ClusterStats& s = rig.port->statistics();
      const MergerStats& m = rig.port->merger().statistics();
      EXPECT_GT(s.requests, 300u);
      EXPECT_EQ(s.requests, m.offered);
      EXPECT_EQ(s.injected, m.forwarded);
      EXPECT_EQ(s.injected, rig.packets.size());
      EXPECT_EQ(s.replies, s.injected);
      EXPECT_EQ(s.delivered, s.requests);
      EXPECT_EQ(rig.delivered.size(), s.requests);
      EXPECT_EQ(m.merged > 0, coalesce);
      EXPECT_EQ(rig.port->in_flight(), 0u);
      EXPECT_EQ(rig.port->waits(), "");
      EXPECT_GT(s.response_stalls, 0u);
      EXPECT_GT(s.network_stalls, 0u);
    }
}

TEST(ClusterPort, SkippingIdleCyclesChangesNothing) {
  for (bool coalesce : {false, true}) {
    const auto skipping = random_traffic(false, 1, coalesce), stepping = random_traffic(true, 1, coalesce);
    const Rig &a = *skipping, &b = *stepping;
    EXPECT_EQ(a.injected, b.injected);
    EXPECT_EQ(a.delivered, b.delivered);
    EXPECT_EQ(a.port->statistics().buffer_full_cycles, b.port->statistics().buffer_full_cycles);
    EXPECT_EQ(a.port->statistics().network_stalls, b.port->statistics().network_stalls);
    EXPECT_EQ(a.port->statistics().response_stalls, b.port->statistics().response_stalls);
  }
}

TEST(ClusterPort, RefusesSizesItCannotHave) {
  for (std::uint32_t n : {0u, 65u}) {
    Options o;
    o.sms = n;
    EXPECT_THROW(Rig{o}, Error);
  }
  for (const char* text : {"injection_buffer = 0", "response_fifo = 0", "responses_per_cycle = 0"}) {
    config::Config config = config::Config::parse(text, "f.toml");
    EXPECT_THROW(config::read<ClusterSpec>(config), Error) << text;
  }
}

}  // namespace
}  // namespace heddle::cluster
