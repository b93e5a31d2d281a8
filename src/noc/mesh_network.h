// A mesh as a unit of the engine (noc/mesh.h). Routers are rows of dense arrays; packets stay in one pool and
// flits are counted, so that a hop of a flit changes a few counters and two delay lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "noc/delay_line.h"
#include "noc/index_set.h"
#include "noc/mesh.h"
#include "noc/mesh_layout.h"
#include "noc/mesh_routes.h"
#include "noc/packet_merger.h"
#include "noc/packet_pool.h"
#include "sim/unit.h"

namespace heddle::noc {

class MeshNetwork final : public sim::Unit, public Network {  // the unit first: run() is called often
 public:
  MeshNetwork(const MeshSpec& mesh, const NetworkSpec& spec, const NetworkPlace& place, const Ports& ports,
              sim::Engine& engine);

  sim::Cycle run(sim::Cycle from, sim::Cycle until) override;
  std::string name() const override { return name_; }
  std::string waits() const override;
  sim::UnitId reader(std::uint32_t /*input*/) const override { return id_; }
  sim::UnitId writer(std::uint32_t /*output*/) const override { return id_; }
  NetworkStats statistics() const override;
  void collect(std::string_view network, stats::Groups& all) const override;
  std::vector<LinkLoad> link_loads() const override;
  void clear_statistics() override;
  std::uint64_t in_flight() const override { return in_flight_; }

 private:
  using Tick = std::uint64_t;
  using Index = PacketPool::Index;
  using Mask = std::uint64_t;
  static constexpr std::uint32_t kNone = ~0u;

  // A queue of flits at an input. Its packets are in a ring; flits in the queue belong to them in order, so
  // that counts tell which.
  struct Queue {
    Mask allowed = 0;        // virtual channels of the output that the first packet may have
    std::uint32_t ring = 0;  // where its ring begins
    std::uint32_t router = 0;
    std::uint32_t sender = kNone;      // the output queue before the link; at a port: the port's number
    std::uint32_t flits = 0;           // in the queue
    std::uint32_t left = 0;            // flits of the first packet that have not gone on
    std::uint32_t since = 0;           // tick from which the first packet could be routed, modulo 2^32
    std::uint32_t output = kNone;      // output queue that the first packet has
    Index packet = PacketPool::kNone;  // the first one
    std::uint16_t mask = 0, first = 0, packets = 0;  // of the ring
    std::uint8_t input = 0, channel = 0;             // which of the router's
    std::uint8_t port = 0;                           // output port of the first packet
    bool active = false;                             // it may ask for the switch
    bool at_port = false;                            // of the network
    bool own = false;                                // the router's: packets that waited there for others
    bool gathering = false;                          // the first packet is kept here when all of it has come
    bool whole = false;                              // nothing of the first packet has gone on
  };
  // A virtual channel of an output: what the router knows of the queue behind the link.
  struct OutputQueue {
    std::uint32_t owner = kNone;     // queue whose first packet has it
    std::uint32_t receiver = kNone;  // queue behind the link; none: a port of the network
    std::uint32_t credits = 0;       // places there
    std::uint32_t router = 0;
    std::uint32_t port = 0;  // [router][port]
    std::uint32_t channel = 0;
  };
  struct InputPort {
    PacketChannel* channel = nullptr;
    sim::Cycle arrival = sim::kNever;  // of the next packet in the channel
    std::uint32_t first = 0;           // of its queues
    bool turn = false;                 // of o1turn
  };
  struct OutputPort {
    PacketChannel* channel = nullptr;
    PacketPool::Queue packets;  // complete ones
    std::uint32_t places = 0;   // of the output buffer, those of packets on their way here included
    std::uint32_t router = 0;
    std::uint32_t port = 0;  // of the router
  };
  struct Arrival {
    std::uint32_t queue;
    Index packet;  // of a head; else kNone
  };
  struct Completion {
    std::uint32_t output;
    Index packet;
  };
  struct Credit {
    std::uint32_t output_queue;
    bool tail;
  };
  // A packet that asks for a virtual channel of an output, in allocate_channels().
  struct ChannelRequest {
    std::uint32_t queue;
    std::uint32_t number;  // of the queue in its router
    Mask free;             // channels that it could have
    Mask granted;
  };
  // Arguments of what happens in a tick.
  struct Now {
    Tick tick;
    sim::Cycle cycle;
  };

  // mesh_network.cc: what a mesh is made of, and what arrives.
  void join_routers(const MeshLayout& layout);
  void give_ring(Queue& q, std::uint32_t packets);
  void place_ports(const MeshLayout& layout, const Ports& ports);
  void look_at_inputs();
  void step(const Now& now);
  Tick following(Tick t) const;
  void arrive(const Arrival& a, const Now& now);
  void credit(const Credit& c);
  void append(std::uint32_t queue, Index packet, const Now& now);
  void begin(std::uint32_t queue, Tick from, const Now& now);
  void route(std::uint32_t queue, Tick from, Tick t);
  void ask_for_channel(std::uint32_t queue);
  void activate(std::uint32_t queue);
  void ready(Queue& q);
  void eject(const Now& now);
  void read(const Now& now);
  MeshWay way_of(const Packet& packet, InputPort& in) const;

  // mesh_allocators.cc: who goes on.
  void allocate_channels(Tick t);
  bool allocate_channels_at(std::uint32_t router, Tick t);
  bool match_channels(std::uint32_t router, std::uint32_t port, Tick t);
  bool take_channel(const ChannelRequest& r, std::uint32_t router, std::uint32_t port, std::uint32_t channel,
                    bool move_pointers, Tick t);
  std::uint32_t accepted_channel(const ChannelRequest& r, std::uint32_t router, std::uint32_t port,
                                 Mask from) const;
  bool fits(const Queue& q) const;
  void allocate_switches(const Now& now);
  bool allocate_switch(std::uint32_t router, const Now& now);
  std::uint32_t ask_for_outputs(std::uint32_t router, Mask free_inputs, std::uint32_t free_outputs);
  bool use_held(std::uint32_t router, const Now& now, Mask& inputs, std::uint32_t& outputs);
  void grant(std::uint32_t router, std::uint32_t switch_input, std::uint32_t port, std::uint32_t channel,
             bool move_pointers, const Now& now);
  void send(std::uint32_t queue, const Now& now);
  void leave(std::uint32_t queue, bool tail, const Now& now);
  void release(std::uint32_t output_queue);
  void next_packet(std::uint32_t queue, const Now& now);
  void remove_first(std::uint32_t queue, const Now& now);
  bool keeps_switch(const Queue& q) const {
    return mesh_.hold_grant || (hold_grant_ && heads_[q.packet].requests > 1);
  }

  // mesh_merging.cc: packets of read requests that wait for others at a router (noc/packet_merger.h).
  void add_merger(const NetworkPlace& place);
  void write_head(Index packet, std::uint32_t router);
  bool stays(std::uint32_t queue, const Now& now);
  bool offer(std::uint32_t queue, const Now& now);
  void join(Index kept, Index packet);
  void let_go(const Now& now);
  void release_kept(const Now& now);
  std::uint32_t exit_of(std::uint32_t router, Index packet) const;
  void unpack(const Completion& c, Tick t);
  std::uint32_t places_of(const Queue& q) const;

  std::uint32_t switch_input(const Queue& q) const { return q.input * speedup_ + q.channel % speedup_; }
  // The router's own, of packets that go on to an output.
  std::uint32_t own_input(std::uint32_t output) const { return inputs_ - outputs_ + output; }
  std::uint32_t queue_id(std::uint32_t router, std::uint32_t input, std::uint32_t channel) const {
    return (router * inputs_ + input) * channels_ + channel;
  }
  std::uint32_t output_id(std::uint32_t router, std::uint32_t port, std::uint32_t channel) const {
    return (router * outputs_ + port) * channels_ + channel;
  }

  const NetworkSpec spec_;
  const MeshSpec mesh_;
  const MeshRoutes routes_;
  const std::uint32_t width_, routers_, channels_, speedup_;
  std::uint32_t inputs_, outputs_;  // of a router: links, then ports of the network
  std::uint32_t switch_inputs_;
  sim::Clock clock_;
  std::string name_;
  sim::UnitId id_;
  NetworkStats stats_;
  MeshStats mesh_stats_;
  std::uint64_t in_flight_ = 0;

  std::vector<Queue> queues_;               // [router][input][channel]
  std::vector<Index> rings_;                // of queues
  std::vector<OutputQueue> output_queues_;  // [router][port][channel]
  std::vector<std::uint64_t> crossed_;      // [router][port]: flits since statistics were cleared
  std::vector<Mask> free_channels_;         // [router][port]
  std::vector<Mask> asking_;                // [router][input]: channels whose first packet wants one
  std::vector<Mask> ready_;                 // [router][input]: channels with a flit that could go
  std::vector<std::uint32_t> asking_inputs_, ready_inputs_;  // [router]: where those are not empty
  IndexSet channel_work_, switch_work_;  // routers at which an allocator may grant something

  // Round-robin pointers of the allocators.
  std::vector<std::uint16_t> channel_grant_;   // [router][port][channel]: over the router's queues
  std::vector<std::uint16_t> channel_accept_;  // [router][input][channel]: over its output queues
  std::vector<std::uint8_t> switch_grant_;     // [router][port]: over switch inputs
  std::vector<std::uint8_t> switch_accept_;    // [router][switch input]: over ports
  std::vector<std::uint8_t> switch_turn_;      // [router][switch input]: over channels
  std::vector<std::uint32_t> held_;            // [router][port]: queue that keeps the switch
  std::vector<std::uint32_t> held_ports_;      // [router]

  // In the allocators, of one router.
  std::vector<std::vector<ChannelRequest>> requests_;  // by port
  std::vector<Mask> wanting_;                          // by port: switch inputs
  std::vector<std::uint8_t> chosen_;                   // [switch input][port]: channel
  std::vector<std::uint32_t> grants_;                  // by switch input: ports
  std::vector<Mask> shares_;                           // of an input's ways into the switch: channels

  // Of a merger; by packet: its head flit (no requests: none that a merger may keep), and those that go with
  // it, one behind the other.
  std::unique_ptr<PacketMerger> merger_;
  const mem::AddressMap& map_;
  bool hold_grant_ = false;  // some packets keep the switch
  std::vector<HeadFlit> heads_;
  std::vector<Index> next_member_, last_member_;
  std::vector<PacketMerger::Stay> stays_;  // [queue] that gathers
  IndexSet keeping_;                       // routers that keep packets
  std::vector<Tick> look_;                 // [router]: when one of them may leave
  DelayLine<std::uint32_t> next_;          // queues whose next packet is looked at in the next tick
  std::vector<std::pair<Tick, std::uint32_t>> held_up_;  // a heap: until when, queue

  DelayLine<Arrival> links_;
  DelayLine<Completion> completions_;
  DelayLine<Credit> credits_, port_credits_;
  DelayLine<std::uint32_t> routing_, channel_taken_;  // queues

  std::vector<InputPort> in_;
  IndexSet news_;     // inputs whose channel has brought packets since the last look
  IndexSet waiting_;  // inputs whose channel holds a known packet
  std::vector<OutputPort> out_;
  std::vector<std::uint32_t> output_at_;  // [router][port of the network]: its number
  IndexSet ejecting_;                     // outputs with complete packets that may have room
  IndexSet blocked_;                      // outputs whose channel is full
  sim::Cycle unblocked_ = sim::kNever;    // when the first of them has room, as far as it is known

  PacketPool pool_;
  std::vector<MeshWay> ways_;         // of packets, by number
  std::vector<MeshWay> way_to_;       // [output]
  std::vector<std::uint16_t> x_, y_;  // of routers
};

}  // namespace heddle::noc
