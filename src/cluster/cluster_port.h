// A cluster's port: the SMs' requests meet here, pass the merger and enter the network; replies come back
// through one FIFO.
//
//   SMs -> request buffers, round-robin -> merger -> injection buffer -> request network
//   SMs <- broadcast                    <- merger <- response FIFO    <- reply network
//
// Time, in core cycles:
// - A request that arrives at an idle port in cycle t is looked up in t and handed to the network in t + 1:
//   the lookup takes the cycle between. The merger sees `requests_per_cycle` requests a cycle, also when it
//   does not merge, and only while the injection buffer has room. A merger whose lookup takes longer
//   (MissMerger::delay) is a pipeline of that many places more, in both directions.
// - Request buffers and the response FIFO stand at the ends of channels, and are those channels' places.
// - A reply that arrives in t is in the FIFO and is handed to its SMs in t + 1. The FIFO gives out
//   `responses_per_cycle` replies. One reply for several SMs is one of them (a broadcast); each SM gets its
//   copy when its channel has room, and until the last has, the next reply waits (head-of-line blocking).
//   Without `broadcast` every copy is one of them.
// - Replies that the merger makes of itself share the way to the SMs, taking turns with those of the FIFO.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "cluster/delay.h"
#include "cluster/miss_merger.h"
#include "config/reader.h"
#include "mem/locality_meter.h"
#include "mem/packet.h"
#include "mem/potential_meter.h"
#include "sim/channel.h"
#include "sim/unit.h"

namespace heddle::cluster {

struct ClusterSpec {
  std::uint32_t request_buffer = 16;     // requests of an SM, those on the wire included
  std::uint32_t injection_buffer = 8;    // packets, or flits: mem::PacketFormat::buffers
  std::uint32_t requests_per_cycle = 1;  // from all SMs together; 0: no limit
  std::uint32_t response_fifo = 16;      // replies, those on the wire included
  std::uint32_t responses_per_cycle = 1;
  bool broadcast = true;
  void fields(config::Reader& r);
  // Of the channel from the network: the FIFO, and the pipeline of a lookup.
  std::uint32_t response_places(const LookupDelay& delay) const {
    return response_fifo + delay.reply * responses_per_cycle;
  }
};

using RequestChannel = sim::Channel<mem::Request>;
using PacketChannel = sim::Channel<mem::Packet>;

inline constexpr std::size_t kMostSms = 64;  // of a cluster

struct ClusterWiring {
  std::uint16_t cluster = 0;
  mem::PacketFormat packet;
  std::vector<std::uint16_t> sms;  // GPU-wide numbers, in the order of the channels
  std::vector<RequestChannel*> requests, replies;
  PacketChannel* to_network = nullptr;
  PacketChannel* from_network = nullptr;
};

// requests = injected + merged or answered by the merger + injection buffer; delivered = the merger's answers
// less those under way to SMs.
struct ClusterStats {
  std::uint64_t requests = 0, injected = 0, replies = 0, delivered = 0;
  std::uint64_t injected_reads = 0;  // of `injected`: NoC read requests, icc.md rule 21
  // Reads of global memory: taken from SMs; of these, passed on by the merger; handed to the network.
  std::uint64_t global_reads = 0, global_reads_forwarded = 0, global_reads_injected = 0;
  std::uint64_t buffer_full_cycles = 0;  // a request waited: no room in the injection buffer
  std::uint64_t network_stalls = 0;      // cycles in which the network took no packet although there was one
  std::uint64_t response_stalls = 0;     // cycles in which a reply waited for an SM's channel
  void statistics(stats::Visitor& v);
};

class ClusterPort final : public sim::Unit {
 public:
  ClusterPort(const ClusterSpec& spec, ClusterWiring wiring, std::unique_ptr<MissMerger> merger,
              std::string name);

  sim::Cycle run(sim::Cycle from, sim::Cycle until) override;
  std::string name() const override { return name_; }
  std::string waits() const override;

  // Both look at reads of global memory as SMs send them, before the merger. Once, at first.
  void measure_locality() { locality_ = std::make_unique<mem::LocalityMeter>(); }
  void measure_potential(sim::Cycle window) { potential_ = std::make_unique<mem::PotentialMeter>(window); }
  // From now on counts packets by port of the networks' other side, of which there are `ports`. Once, at
  // first; clear_statistics() does not clear it.
  void count_traffic(std::uint32_t ports) { traffic_ = std::make_unique<Traffic>(ports); }
  struct Traffic {
    explicit Traffic(std::uint32_t ports) : requests(ports), replies(ports) {}
    std::vector<std::uint64_t> requests, replies;
  };
  const Traffic* traffic() const { return traffic_.get(); }               // nullptr: not counted
  const mem::LocalityMeter* locality() const { return locality_.get(); }  // nullptr: not measured
  const mem::PotentialMeter* potential() const { return potential_.get(); }

  MissMerger& merger() { return *merger_; }
  const MissMerger& merger() const { return *merger_; }
  const ClusterStats& statistics() const { return stats_; }
  void clear_statistics();
  // Packets and replies inside, without those in its channels: 0 at a kernel's end.
  std::uint64_t in_flight() const;

 private:
  // Counts the cycles of a condition that is looked at only in cycles in which something happens.
  struct Timer {
    sim::Cycle since = sim::kNever;
    void note(bool holds, sim::Cycle now, std::uint64_t& cycles) {
      if (holds) {
        if (since == sim::kNever) since = now;
      } else if (since != sim::kNever) {
        cycles += now - since;
        since = sim::kNever;
      }
    }
  };

  void look_at_inputs();
  void respond(sim::Cycle now);
  bool next_response(sim::Cycle now);
  bool deliver(sim::Cycle now);
  bool deliver_one(sim::Cycle now);
  bool send(sim::Cycle now, const mem::Request& copy);
  // The first cycle in which the reply at the FIFO's head can be handed to SMs; kNever when none is known.
  sim::Cycle reply_due() const {
    const sim::Cycle arrival = wiring_.from_network->next_arrival();
    return arrival == sim::kNever ? sim::kNever : arrival + delay_.reply + 1;
  }
  bool own_answer_due(sim::Cycle now) const {
    return due_at_ != due_.size() && (delay_.answer == 0 || due_from_[due_at_] < now);
  }
  void inject(sim::Cycle now);
  void take(sim::Cycle now);
  bool may_take() const {
    return buffered_ < places_ && due_.size() - due_at_ < spec_.response_fifo + delay_.answer;
  }
  // Whether the injection buffer has room for the packet of the request that has come from an SM, where there
  // is a place.
  bool fits(std::uint32_t sm) const { return !in_flits_ || flits_fit(sm); }
  bool flits_fit(std::uint32_t sm) const;
  // Places of a packet towards the network, here and in its input buffer.
  std::uint32_t places_of(const mem::Packet& p) const { return in_flits_ ? p.flits : 1; }
  MissMerger::Verdict take_from(std::uint32_t sm, sim::Cycle now);
  void answer_posted(const mem::Request& request, sim::Cycle now);
  void count_global_read(const mem::Request& request, sim::Cycle now);
  sim::Cycle following(sim::Cycle now) const;

  ClusterSpec spec_;
  ClusterWiring wiring_;
  std::unique_ptr<MissMerger> merger_;
  LookupDelay delay_;
  std::uint32_t virtual_channels_;  // towards the network
  const bool in_flits_;             // places towards the network
  std::string name_;
  ClusterStats stats_;
  std::vector<std::uint16_t> channel_of_;  // SM's GPU-wide number -> its channel

  // Towards the network.
  std::uint64_t news_ = 0;               // SMs whose channel has brought requests since the last look
  std::uint64_t waiting_ = 0;            // SMs whose channel holds a known request
  std::vector<sim::Cycle> arrival_;      // of it
  std::uint32_t turn_ = 0;               // SM that is asked first
  std::uint32_t places_, buffered_ = 0;  // of the injection buffer; those taken
  RingQueue<mem::Packet> buffer_;
  Delay lookup_;               // of what is in buffer_
  bool network_full_ = false;  // its channel

  // Towards the SMs.
  std::vector<mem::Request> due_;     // answers of the merger itself, from due_at_ on
  std::vector<sim::Cycle> due_from_;  // with a delay: the last cycle in which each is not due yet
  std::size_t due_at_ = 0;
  bool due_first_ = false;              // whose turn it is
  std::vector<mem::Request> response_;  // copies of the reply at the head that SMs have not got yet
  bool sm_full_ = false;                // an SM's channel

  Timer buffer_timer_, network_timer_, response_timer_;
  std::unique_ptr<mem::LocalityMeter> locality_;
  std::unique_ptr<mem::PotentialMeter> potential_;
  std::unique_ptr<Traffic> traffic_;
};

}  // namespace heddle::cluster
