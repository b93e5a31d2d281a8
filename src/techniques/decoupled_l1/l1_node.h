// A DC-L1 node (rule 2): a cache and four queues between two networks.
//
//   NoC#1 -> Q1 -> cache -> Q3 -> port of NoC#2
//   NoC#1 <- Q2 <- cache <- Q4 <- port of NoC#2
//
// Q1 and Q4 stand at the ends of wires: their channels have their entries, and the places that keep the wire
// busy. Q2 and Q3 stand before wires and are the node's own: a ring of replies, and the cache's miss queue.
// An answer has its entry of Q2 from when its line is filled. In a core cycle: an answer from Q4 is taken
// while Q2 has room, the head of Q1 accesses the cache, one request leaves Q3, one answer leaves Q2. A hit is
// in Q2 after the cache's latency; hits on their way hold their order, and when Q2 is full they stop.
// Requests that wait for one line are answered one per cycle, its MSHR being held until the last is. Stores,
// atomics and what passes the cache by go from Q1 to Q3 (rules 5 and 6); their answers from Q4 to Q2.
#pragma once

#include <cstdint>
#include <string>

#include "base/ring_queue.h"
#include "cache/l1_cache.h"
#include "mem/packet.h"
#include "sim/channel.h"
#include "sim/unit.h"
#include "techniques/decoupled_l1/decoupled_spec.h"

namespace heddle::decoupled_l1 {

class L1Node final : public sim::Unit, private mem::L1Client {
 public:
  using Packets = sim::Channel<mem::Packet>;
  using Requests = sim::Channel<mem::Request>;
  struct Wiring {
    Packets *from_cores, *to_cores;  // Q1, and what Q2 empties into
    Requests *to_port, *from_port;   // what Q3 empties into, and Q4
    mem::PacketFormat format;        // of NoC#1, to the cores
  };
  L1Node(const cache::L1Spec& l1, std::uint32_t q2, std::uint32_t number, const mem::AddressMap& map,
         const Wiring& wiring);

  sim::Cycle run(sim::Cycle from, sim::Cycle until) override;
  std::uint32_t weight() const override { return 2; }
  std::string name() const override;
  std::string waits() const override;

  cache::L1Cache& l1() { return l1_; }
  const cache::L1Cache& l1() const { return l1_; }
  bool idle() const { return hits_.empty() && replies_.empty(); }

 private:
  struct Due {
    sim::Cycle at = 0;
    mem::Request reply;
  };
  void reply(sim::Cycle at, const mem::Request& request) override;
  bool takes_replies() const override { return !replies_.full(); }
  void take_answers(sim::Cycle now);
  void access(sim::Cycle now);
  void send_reply(sim::Cycle now);
  sim::Cycle following(sim::Cycle now) const;
  std::uint32_t flits_of(const mem::Request& reply) const;

  const std::uint32_t number_;
  const Wiring wiring_;
  cache::L1Cache l1_;
  RingQueue<Due> hits_;     // on their way through the cache
  RingQueue<Due> replies_;  // Q2
  sim::Cycle retry_ = 0;    // when the head of Q1 is tried again
  bool blocked_ = false;    // it was refused
};

}  // namespace heddle::decoupled_l1
