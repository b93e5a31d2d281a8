// Where the load/store unit meets the first level of the memory system, wherever that stands.
//
// Timing caches hold no data, so a hit on what is out of date shows in no result, only as a hit that hardware
// could not have. What holds lines here must obey:
// - A read is a hit only on what is as new as every store and atomic of its SM that was accepted before it. A
//   store drops what is held of its sectors, or is put into it; atomics execute at L2 and drop it.
// - Data whose read was sent before such a store are not kept when they come. Reads that are accepted
//   meanwhile may still join that fetch; they are counted (stale_merges).
// - A load that passes the L1 by (Request::no_l1: .cg, .cv, volatile, which is what follows a fence) is never
//   a hit, and joins no fetch that was sent before it. Local memory, which nobody else sees, may be cached
//   all the same.
// - Nothing that came, or was asked for, before forget_clean() is a hit after it, but what the SM has written
//   and nobody else sees (local memory). Reads may still join what is under way.
// - Nothing that came before a kernel's end is a hit after it, unless gpu.flush_l1_at_kernel_end is off.
// tests/contract/check_l1.h finds out. l1.overtaken_fill = kept breaks the second rule on purpose, to be
// compared with a simulator that does.
//
// Several SMs may stand before one first level: a reply carries the SM of its request, not of who sent it on.
#pragma once

#include "mem/request.h"
#include "sim/time.h"

namespace heddle::mem {

// Takes replies: implemented by the load/store unit.
class L1Client {
 public:
  // The sectors of `request` (as it was accepted, with its token) are there from cycle `now`. Called once per
  // pending Read or Atomic, and once per pending Write when its acknowledgement has come back.
  virtual void reply(sim::Cycle now, const Request& request) = 0;
  // False: there is no room for an answer in this cycle; the L1 keeps what it can, and what it hands over all
  // the same is not lost.
  virtual bool takes_replies() const { return true; }

 protected:
  ~L1Client() = default;
};

class L1Port {
 public:
  virtual ~L1Port() = default;

  enum class Outcome : std::uint8_t {
    Blocked,  // nothing happened; offer the same request again later. What stands behind it waits.
    Hit,  // Read: the data are there at `ready`. Write: the L1 keeps it, done at `ready`, or nobody will hear
          // of it again (gpu.store_replies). No reply() follows
    Pending,  // a reply() will follow
  };
  struct Answer {
    Outcome outcome = Outcome::Blocked;
    sim::Cycle ready = 0;  // only with Hit
    bool joined = false;   // only with Pending: its data were under way already
    bool no_way = false;   // only with Blocked: every way of the set is reserved
  };
  // Offers one line. Several times in a cycle where the load/store unit makes several requests
  // (sm.lines_per_cycle); what limits the first level is its own to say, by Blocked.
  virtual Answer access(sim::Cycle now, const Request& request) = 0;

  // After Blocked: the first cycle at which another try may succeed without a reply having arrived before;
  // kNever when only a reply can help.
  virtual sim::Cycle retry_at(sim::Cycle now) const = 0;

  // A warp goes on that has acquired what others wrote (sm.fences_empty_l1): clean data that are held are no
  // hits any more, and data that are under way are not kept.
  virtual void forget_clean(sim::Cycle now) = 0;
};

}  // namespace heddle::mem
