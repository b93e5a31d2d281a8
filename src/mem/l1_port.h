// Where the load/store unit meets the first level of the memory system, wherever that stands.
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

 protected:
  ~L1Client() = default;
};

class L1Port {
 public:
  virtual ~L1Port() = default;

  enum class Outcome : std::uint8_t {
    Blocked,  // nothing happened; offer the same request again later. What stands behind it waits.
    Hit,  // Read: the data are there at `ready`. Write: the L1 keeps it, done at `ready`. No reply() follows
    Pending,  // a reply() will follow
  };
  struct Answer {
    Outcome outcome = Outcome::Blocked;
    sim::Cycle ready = 0;  // only with Hit
  };
  // Offers one line. Several times in a cycle where the load/store unit makes several requests
  // (sm.lines_per_cycle); what limits the first level is its own to say, by Blocked.
  virtual Answer access(sim::Cycle now, const Request& request) = 0;

  // After Blocked: the first cycle at which another try may succeed without a reply having arrived before;
  // kNever when only a reply can help.
  virtual sim::Cycle retry_at(sim::Cycle now) const = 0;
};

}  // namespace heddle::mem
