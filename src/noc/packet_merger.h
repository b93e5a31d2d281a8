// Slot: what a router of a mesh does with read requests before it routes them: they go on, or stay a while
// and travel on with others in one packet.
//
// A packet of several requests (a bundle) is unpacked where it leaves the network: the receiver gets every
// request by itself, one after another, and answers each one. So nothing but time depends on a merger.
//
// What happens at a router, for every packet of read requests; others pass by, and so do reads that are
// longer than a virtual channel (a header of many flits):
// - Its head is first in its queue: the mesh counts the hop in its HeadFlit and asks for how long it may stay
//   (hold). 0: it is routed at once, as in a mesh without a merger.
// - Else, as soon as all of it is in the queue, it is offered (keep). It is then kept, or goes with one that
//   is kept (both headers are made one: combine), or is routed at once. Kept packets are out of the queue.
// - A kept packet whose time is over is put into a queue of the router's own for its next hop, beside those
// of
//   its inputs, as soon as that has room for all its flits: one packet of a router per network cycle
//   (release). There it takes part in the allocations like any other.
// - A merger that keeps nothing (keeps()) only delays: packets wait where they stand, first in their queues.
//
// A merger keeps the numbers of packets, the mesh what is in them. It must give the same on any host: a
// router's state changes only by these calls, whose order is that of time, then of queues.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "mem/address_map.h"
#include "mem/request.h"
#include "mem/stage.h"
#include "mem/structure.h"
#include "noc/network.h"
#include "stats/groups.h"

namespace heddle::noc {

// What the head flit of a packet of read requests says to a router.
struct HeadFlit {
  std::uint64_t row = 0;         // equal for requests to one DRAM row: of one output of the network, one bank
  std::uint32_t bank = 0;        // equal for those to one bank of one output: 0 to MergerPlace::banks - 1
  std::uint16_t requests = 1;    // that travel in the packet
  std::uint16_t hop = 0;         // this router is the hop-th one on its way, counted from 1
  std::uint16_t hops = 1;        // routers on its way
  std::uint16_t slack = 0;       // the merger's own: network cycles that it may still be kept
  std::uint8_t ready_warps = 0;  // that the first request's SM had beside the one that asks
};

// Where mergers work.
struct MergerPlace {
  std::uint32_t routers = 0;
  std::uint32_t banks = 0;  // of all outputs
};

class PacketMerger {
 public:
  using Tick = std::uint64_t;
  using Index = std::uint32_t;  // of a packet in the mesh
  static constexpr Index kNone = ~0u;

  virtual ~PacketMerger() = default;

  // For how many ticks a packet may stay at this router, whose head is first in its queue since `now`.
  // At the first router of its way the head flit is written.
  virtual std::uint32_t hold(std::uint32_t router, HeadFlit& head, Tick now) = 0;

  // All of a packet is there at `now`; it came at `since`, and may stay until `due`. Its head flit changes
  // only where it does.
  struct Stay {
    Tick since = 0, due = 0, now = 0;
  };
  struct Verdict {
    enum class Kind : std::uint8_t { Pass, Keep, Join } kind = Kind::Pass;
    Index with = kNone;  // Join: the kept packet that it goes with
  };
  virtual Verdict keep(std::uint32_t router, Index packet, HeadFlit& head, const Stay& stay) = 0;
  // `joining` goes with `kept`: what their common head flit says. The mesh adds up the requests.
  virtual void combine(HeadFlit& kept, const HeadFlit& joining) const = 0;

  // Tells whether there is room for a kept packet where it goes on.
  class Exits {
   public:
    virtual bool room_for(Index packet) const = 0;

   protected:
    ~Exits() = default;
  };
  // Of a router's packets whose time is over at `now`, the first with room leaves. kNone: there is none.
  virtual Index release(std::uint32_t router, Tick now, const Exits& exits) = 0;
  // The first tick, `from` or later, at which the time of a router's packet is over; sim::kNever: none.
  virtual Tick due(std::uint32_t router, Tick from) const = 0;
  virtual bool empty(std::uint32_t router) const = 0;

  // A packet of so many requests, `global` of them loads from global memory, was unpacked.
  virtual void unpacked(std::uint32_t requests, std::uint32_t global) = 0;
  // A read request has entered the network.
  virtual void entered() = 0;

  virtual void collect(stats::Groups& all) const = 0;
  virtual void clear_statistics() = 0;
};

// A merger's parameters, as they were read.
class PacketMerging {
 public:
  virtual ~PacketMerging() = default;
  virtual std::unique_ptr<PacketMerger> make(const MergerPlace& place) const = 0;
  // Bytes of a packet of so many requests, its header included; never less than for fewer.
  virtual std::uint64_t bytes(std::uint32_t requests) const = 0;
  virtual std::uint32_t most_requests() const = 0;  // of a packet
  virtual bool keeps() const { return true; }       // packets out of their queues
  // Whether a packet of several requests keeps the switch from flit to flit.
  virtual bool holds_grant() const = 0;
  // Whether head flits must tell how many warps are ready (Request::ready_warps, told where a request leaves
  // its L1).
  virtual bool wants_ready_warps() const { return false; }

  // Like those of mem::Stage. Only the request network has a merger.
  virtual void declare(stats::Groups& all) const = 0;
  virtual std::vector<mem::Identity> identities(const stats::Groups& s) const = 0;
  virtual void funnel(const stats::Groups& s, mem::Funnel& f) const = 0;

  virtual std::vector<mem::Storage> storage(const MergerPlace& place) const = 0;  // that it adds to a router
  // The same as tables and arrays, with what happens to them in all routers; empty: not known.
  virtual mem::Structure hardware(const MergerPlace&) const { return {}; }
};

struct PacketMergerKind {
  std::string_view name, description;
  // Reads (or only describes) the parameters of its own section. Gives nothing where packets travel alone.
  std::shared_ptr<const PacketMerging> (*read)(config::Reader& section);
};

// Those that come with noc/: `none`.
std::span<const PacketMergerKind> packet_mergers();

}  // namespace heddle::noc
