// The Detector of a router: for how long a read request may wait there for others to its DRAM row.
#pragma once

#include <cstdint>
#include <vector>

#include "noc/packet_merger.h"
#include "techniques/packet_coalescing/packet_coalescing_spec.h"

namespace heddle::packet_coalescing {

class Detector {
 public:
  Detector(const PacketCoalescingSpec& spec, std::uint32_t banks);
  // Network cycles. At the first router of its way a packet gets its slack.
  std::uint32_t hold(noc::HeadFlit& head, std::uint64_t now, PacketCoalescingStats& stats);

 private:
  // Of the requests to a bank that came by.
  struct History {
    std::uint64_t row = ~std::uint64_t{0}, seen = 0;
    std::uint8_t follows = 0;  // 0 to 3
  };
  std::uint32_t budget(const noc::HeadFlit& head) const;
  bool follows(const noc::HeadFlit& head, std::uint64_t now);

  const PacketCoalescingSpec& spec_;
  std::vector<History> history_;  // by bank; Hold::Slack only
};

// What of `slack` network cycles a packet is held at the hop-th of `hops` routers: as many parts as the
// router's number, of those that this one and the rest of the way have. Rounded to the nearest; the last
// router gets all that is left.
constexpr std::uint32_t part_of_slack(std::uint32_t slack, std::uint32_t hop, std::uint32_t hops) {
  const std::uint64_t parts = (std::uint64_t{hops} * (hops + 1) - std::uint64_t{hop} * (hop - 1)) / 2;
  return static_cast<std::uint32_t>((std::uint64_t{slack} * hop * 2 + parts) / (2 * parts));
}

}  // namespace heddle::packet_coalescing
