// The inter-warp coalescing queues (rules 4 to 6): a window of lines that loads have asked for. Loads that
// ask for a line in the window share its request.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ring_queue.h"
#include "mem/request.h"
#include "sim/time.h"
#include "techniques/warppool/warppool_spec.h"

namespace heddle::warppool {

// A load's part in a request: what the queues and the MSHR metadata table keep of it (23 bits).
struct Load {
  std::uint32_t record = 0;  // of the load instruction
  std::uint8_t warp = 0;
  bool mapped = false;  // holds a thread map entry
  bool global = false;
};
inline constexpr std::uint32_t kMostLoads = 16;  // WarpPoolSpec::loads_per_tag
struct Loads {
  std::uint32_t count = 0;
  std::array<Load, kMostLoads> load;
  Loads() = default;
  Loads(const Loads& other) { *this = other; }
  Loads& operator=(const Loads& other) {  // most are one load
    count = other.count;
    for (std::uint32_t i = 0; i < count; ++i) load[i] = other.load[i];
    return *this;
  }
};

class InterWarpQueues {
 public:
  explicit InterWarpQueues(const WarpPoolSpec& spec);

  struct Tag {
    mem::Request request;  // of the first load, with all sectors that loads ask for
    std::uint64_t order = 0;
    std::uint8_t lowest_warp = 0;
    Loads loads;
  };
  static constexpr std::uint32_t kNone = ~0u;

  // Puts a load's request for a line into queue `queue`: under a tag of the same line that has room, or under
  // a free one. False: neither is there.
  bool insert(std::uint32_t queue, const mem::Request& r, const Load& load);

  bool empty() const { return used_ == 0; }
  std::uint32_t used() const { return used_; }
  std::uint32_t oldest();  // kNone when empty
  std::uint32_t lowest_warp() const;
  const Tag& tag(std::uint32_t t) const { return tags_[t]; }
  void free(std::uint32_t t);

 private:
  bool is_used(std::uint32_t t) const { return (bits_[t / 64] >> (t % 64) & 1) != 0; }

  std::uint32_t tags_per_queue_, loads_per_tag_, used_ = 0;
  std::uint64_t orders_ = 0;
  std::vector<Tag> tags_;
  std::vector<std::uint64_t> bits_;  // used tags
  struct Place {
    std::uint32_t tag = 0;
    std::uint64_t order = 0;
  };
  RingQueue<Place> in_order_;  // of allocation; tags that have left are skipped
};

}  // namespace heddle::warppool
