#include "techniques/packet_coalescing/detector.h"

#include <algorithm>

namespace heddle::packet_coalescing {

Detector::Detector(const PacketCoalescingSpec& spec, std::uint32_t banks)
    : spec_(spec), history_(spec.hold == Hold::Slack ? banks : 0) {}

std::uint32_t Detector::hold(noc::HeadFlit& head, std::uint64_t now, PacketCoalescingStats& stats) {
  if (spec_.hold == Hold::Fixed) return spec_.delay_per_hop;
  if (head.hop == 1) head.slack = static_cast<std::uint16_t>(budget(head));
  if (spec_.hold == Hold::Slack && !follows(head, now)) {
    if (head.slack != 0) ++stats.unlikely;
    return 0;
  }
  return part_of_slack(head.slack, head.hop, head.hops);
}

std::uint32_t Detector::budget(const noc::HeadFlit& head) const {
  const std::uint32_t whole = spec_.delay_per_hop * head.hops;
  const std::uint32_t hidden = spec_.hold == Hold::Slack ? spec_.warp_cycles * head.ready_warps : whole;
  return std::min({whole, hidden, 0xffffu});
}

// Whether requests of a bank have asked for the same row one soon after another.
bool Detector::follows(const noc::HeadFlit& head, std::uint64_t now) {
  History& h = history_[head.bank];
  if (h.row == head.row && now - h.seen <= spec_.history_window)
    h.follows = static_cast<std::uint8_t>(std::min(3, h.follows + 1));
  else if (h.follows > 0)
    --h.follows;
  h.row = head.row;
  h.seen = now;
  return h.follows >= spec_.history_least;
}

}  // namespace heddle::packet_coalescing
