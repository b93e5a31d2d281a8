// Slot: what stands between the issue of a load, store or atomic of global or local memory and the L1.
//
// `in_order` is the load/store unit itself (sm/in_order_pipe.h): one queue for all spaces, one line request
// after another. Another front takes the accesses to global and local memory out of that queue; shared,
// constant and texture memory and bulk copies stay there.
//
// An access comes coalesced: the lines that the lanes of one warp touch. What a front answers for:
// - Every line of a store or atomic goes to the L1 exactly once, with the token it came with; the L1's answer
//   then finds its own way. Every line of a load is answered exactly once: by sending it with its own token,
//   or by sending one request with a token of the front's own (Waiter::of_front) for the lines of several
//   loads, and calling L1Sender::answered for each of them when their data are there.
// - The order of a warp's own accesses, as far as it can be seen: its stores and atomics reach the L1 after
//   all that it issued before them, and before all that it issues later. Loads may overtake loads. Nothing is
//   promised between warps, but:
// - what a warp issued before a barrier or a fence has reached the L1 before the warp passes it. A load has
//   reached the L1 when the request that stands for it was accepted.
// - A load that passes the L1 by (no_l1: .cg, .cv, volatile) may only share a request with others of its
// kind.
//
// A front says which warps must wait by three masks, which the SM reads before it issues (Holds): warps that
// may not issue a load, a store or atomic, or pass a barrier or fence. The SM issues nothing against them,
// but an instruction may bring several accesses (generic addresses in both spaces), so accept() has room for
// one instruction more than a full queue. tests/contract/check_front.h finds out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mem/stage.h"
#include "sim/time.h"
#include "sm/coalescer.h"
#include "sm/l1_sender.h"
#include "sm/warp_mask.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// One access of a warp instruction, coalesced.
struct FrontAccess {
  unsigned warp = 0;
  std::uint32_t token = 0;  // of the load's or atomic's record, or of a store (Waiter)
  mem::Op op = mem::Op::Read;
  mem::Space space = mem::Space::Global;
  const workload::WarpAccess& lanes;  // until accept() returns
  std::span<const LineAccess> lines;  // likewise; in the order in which a coalescer finds them
  std::uint8_t part = 0;              // of the L1, where it has several
  // The request for one of them.
  mem::Request request(sim::Cycle now, std::uint16_t sm, const LineAccess& line) const {
    mem::Request r;
    r.line = line.line;
    r.born = now;
    r.token = token;
    r.words = op == mem::Op::Atomic ? line.lanes : line.words;
    r.sm = r.owner = sm;
    r.payload = lanes.payload;
    r.op = op;
    r.space = space;
    r.sectors = line.sectors;
    r.part = part;
    r.partial_write = line.partial;
    r.no_l1 = lanes.cache == workload::WarpAccess::Cache::L2Only;
    return r;
  }
};

// The L1 behind a front, as far as a front may know it.
struct FrontL1 {
  std::uint32_t line_bytes = 128;
  std::uint32_t sets = 1;
  std::function<std::uint32_t(std::uint64_t line)> set;  // from a line's address to its set
  std::uint32_t cta_parts = 1;                           // l1.parts: a CTA uses one of them
  // Behind a network: every read is pending, and its reply says what it was (Request::hit, joined).
  bool apart = false;
  // Which of `parts` queues, banks or the like is a line's: by its set, and where there are fewer sets than
  // parts by the line number's bits above them.
  std::uint32_t part(std::uint64_t line, std::uint32_t parts) const {
    std::uint64_t n = set(line);
    if (sets < parts) n += line / line_bytes / sets * sets;
    return static_cast<std::uint32_t>(n % parts);
  }
};

// Loads of global memory, in line requests: offered = sent + merged.
struct FrontStats {
  std::uint64_t offered = 0;  // after intra-warp coalescing
  std::uint64_t sent = 0;     // requests to the L1
  std::uint64_t merged = 0;   // went with another's request
  void statistics(stats::Visitor& v);
};

class LoadFront {
 public:
  virtual ~LoadFront() = default;

  // The L1 is there, or another one in its place; nothing is under way.
  virtual void connect(const FrontL1& l1) = 0;

  virtual void accept(sim::Cycle now, const FrontAccess& access) = 0;
  // A cycle; `port`: it may offer requests to the L1 in it. Returns whether it did (also without success).
  virtual bool step(sim::Cycle now, bool port) = 0;
  // After step(now): the next cycle at which step() has something to do without an answer having come before;
  // kNever when only an answer can help.
  virtual sim::Cycle next(sim::Cycle now) const = 0;
  // An answer has reached the L1: what was blocked may be tried again.
  virtual void unblock() = 0;
  // The answer to a request with a token of the front's own.
  virtual void reply(sim::Cycle, const mem::Request&) {}
  // False: the L1 cannot hand over answers now, so it takes none from the level below.
  virtual bool takes_replies() const { return true; }

  struct Holds {
    WarpMask loads = 0;   // may not issue a load
    WarpMask stores = 0;  // may not issue a store or atomic
    WarpMask drain = 0;   // have accesses that have not reached the L1: may not pass a barrier or fence
  };
  const Holds& holds() const { return holds_; }

  virtual bool idle() const = 0;
  virtual std::uint32_t waiting() const = 0;        // instructions, or requests of them, before the L1
  virtual std::string waits() const { return {}; }  // what it holds, in words; empty when idle

  // Why it cannot stand before L1s behind a network (FrontL1::apart); nothing: it can.
  struct Obstacle {
    std::string key, message, advice;  // of a parameter: "sm.load_front"
  };
  virtual std::optional<Obstacle> apart_obstacle() const { return {}; }

  virtual std::vector<mem::Storage> storage() const { return {}; }  // that it adds to an SM
  // That storage in hardware, of an SM, with what counts its accesses.
  struct Hardware {
    std::vector<mem::QueuePart> queues;
    std::vector<mem::ArrayPart> arrays;
    std::vector<mem::TablePart> tables;
  };
  virtual Hardware hardware() const { return {}; }
  const FrontStats& statistics() const { return stats_; }
  virtual void clear_statistics() { stats_ = {}; }
  // What it counts beside, as in cluster/miss_merger.h.
  virtual void collect(stats::Groups&) const {}
  virtual std::vector<mem::Identity> identities(const stats::Groups&) const { return {}; }

 protected:
  Holds holds_;
  FrontStats stats_;
};

}  // namespace heddle::sm
